"""Stage 7: the entity head once more, over the shipped network's word vectors, with more chat beside it.

python -m training.joint.entity_head vectors --data DATA --work WORK     (needs onnxruntime and the shipped files)
python -m training.joint.entity_head train --work WORK                   (needs PyTorch)

The student took lower-case scraps for names: one informal sentence in twenty had an entity. Only the head learns here;
everything else of the network stays as it is. `train` changes ``student.pt`` and ``joint_student.npz``.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np

from training import corpus
from training.joint import texts
from training.joint.chat import informal, scraps
from training.joint.constants import ANY_STYLE, ENTITIES
from training.joint.prepare import ENTITY_STYLES, read_tagged

SEED = 31
REAL, LOWER, CHAT, SCRAPS = 26_000, 5_000, 8_000, 12_000
HELD_SCRAPS = 2_000
EPOCHS, RATE, GENERIC = 5, 5e-4, 0.35


def read_sets(data: Path) -> tuple[list[tuple[list[str], list[int], int]], list[tuple[list[str], list[int], int]]]:
    """Return the sentences to learn from and the held-out ones, with their styles; no test sentence is among them."""
    ner = data / "ner"
    tests = {texts.key(w) for n in texts.ENTITY_SETS for w, _ in read_tagged(ner / n / "test.conll")}
    train: list[tuple[list[str], list[int], int]] = []
    held: list[tuple[list[str], list[int], int]] = []
    for style, name in enumerate(texts.ENTITY_SETS, 1):
        dev = [s for s in read_tagged(ner / name / "dev.conll") if texts.key(s[0]) not in tests]
        first = dev[: min(corpus.VALIDATION_NER, len(dev) // 2)]
        held += [(*s, style) for s in first]
        train += [(*s, style) for s in [*read_tagged(ner / name / "train.conll"), *dev[len(first) :]]]
    train += [(*s, ENTITY_STYLES.index("nakbatr_aa")) for s in read_tagged(ner / "nakbatr_aa" / "aa.conll")]
    never = tests | {texts.key(w) for w, _, _ in held}
    return [s for s in train if texts.key(s[0]) not in never], held


def write_vectors(data: Path, work: Path) -> None:
    """Write the word vectors of the sentences to learn from, of the held-out ones and of held-out scraps."""
    from vnlp_colab.joint.joint_colab import JointAnalyzer

    chance = random.Random(SEED)
    train, held = read_sets(data)
    entity_free = informal(data, train)
    chance.shuffle(train)
    real = train[:REAL]
    lower = [
        ([texts.write_as(w, 1) for w in words], labels, style) for words, labels, style in train[REAL : REAL + LOWER]
    ]
    free = [*entity_free[:CHAT], *scraps(entity_free, SCRAPS + HELD_SCRAPS, chance)]
    none = [(words, [0] * len(words), ANY_STYLE) for words in free]
    groups = {"train": [*real, *lower, *none[:-HELD_SCRAPS]], "held": held, "scraps": none[-HELD_SCRAPS:]}
    analyser = JointAnalyzer(device="cpu")
    for name, sentences in groups.items():
        states = analyser.word_states([words for words, _, _ in sentences])
        np.savez(
            work / f"entity_vectors_{name}.npz",
            vectors=np.concatenate(states).astype(np.float16),
            lengths=np.array([len(labels) for _, labels, _ in sentences]),
            labels=np.array([x for _, labels, _ in sentences for x in labels], np.uint8),
            styles=np.array([style for _, _, style in sentences], np.uint8),
        )
        print(f"{name}: {len(sentences):,} sentences", flush=True)


def train_head(work: Path) -> None:
    """Teach the head and write the student again."""
    import torch
    from torch.nn import functional as F

    from training.joint.data import Vocabulary, random_styles
    from training.joint.distil import finish, load_student
    from training.joint.f1 import f1_of_spans, spans
    from training.joint.record import note

    torch.manual_seed(SEED)
    student = load_student(work, Vocabulary.load(work / "joint_vocab.json"))
    heads = student.heads

    def load(name: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, np.ndarray]:
        with np.load(work / f"entity_vectors_{name}.npz") as file:
            styles = np.repeat(file["styles"], file["lengths"])
            tensors = (
                torch.from_numpy(a) for a in (file["vectors"], file["labels"].astype(np.int64), styles.astype(np.int64))
            )
            return *tensors, file["lengths"]  # type: ignore[return-value]

    def scores(vectors: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        return heads.entity(F.relu(heads.entity_hidden(vectors.float()) + heads.entity_style[style]))

    def measure() -> dict[str, float]:
        found = {}
        vectors, labels, styles, lengths = load("held")
        cuts = np.cumsum(lengths)[:-1]
        own = torch.from_numpy(np.repeat(np.array([int(s[0]) for s in np.split(styles.numpy(), cuts)]), lengths))
        for kind, style in (("style given", own), ("generic", torch.zeros_like(own))):
            with torch.no_grad():
                best = scores(vectors, style).argmax(-1).numpy()
            gold, said = ([x.tolist() for x in np.split(a, cuts)] for a in (labels.numpy(), best))
            kinds = [int(s[0]) for s in np.split(styles.numpy(), cuts)]
            for number, name in enumerate(texts.ENTITY_SETS, 1):
                chosen = [i for i, k in enumerate(kinds) if k == number]
                found[f"{name}, {kind}"] = round(f1_of_spans([gold[i] for i in chosen], [said[i] for i in chosen]), 4)
        vectors, _, _, lengths = load("scraps")
        with torch.no_grad():
            best = scores(vectors, torch.zeros(len(vectors), dtype=torch.long)).argmax(-1).numpy()
        fired = [bool(spans(x.tolist())) for x in np.split(best, np.cumsum(lengths)[:-1])]
        return found | {"scraps with an entity, %": round(100 * float(np.mean(fired)), 2)}

    before = measure()
    print("before", before, flush=True)
    vectors, labels, styles, _ = load("train")
    weights = [*heads.entity_hidden.parameters(), *heads.entity.parameters(), heads.entity_style]
    optimiser = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.01)
    size, steps = 8192, EPOCHS * (len(vectors) // 8192)
    for step in range(steps):
        if step % (len(vectors) // size) == 0:
            order = torch.randperm(len(vectors))
        rows = order[(step * size) % (len(vectors) - size) :][:size]
        style = random_styles(styles[rows], len(ENTITY_STYLES), GENERIC)
        dropped = F.dropout(vectors[rows].float(), 0.1)
        loss = F.cross_entropy(scores(dropped, style), labels[rows], label_smoothing=0.02)
        optimiser.zero_grad()
        loss.backward()
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - step / steps)
        optimiser.step()
    after = measure()
    print("after", after, flush=True)
    finish(work, student)
    note(work / "record_entity_head.json", before=before, after=after, epochs=EPOCHS, rate=RATE, labels=ENTITIES)


def main() -> None:
    """Make the vectors, or teach the head."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("vectors", "train"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    args = parser.parse_args()
    if args.stage == "train":
        train_head(args.work)
    elif not (args.work / "entity_vectors_scraps.npz").exists():
        write_vectors(args.data, args.work)


if __name__ == "__main__":
    main()
