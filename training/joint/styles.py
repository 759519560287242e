"""Stage 5, after it: styles that call a word what nearly all of their treebank calls it.

python -m training.joint.styles STUDENT.pt --work WORK [--passes 2] [--into vnlp_colab/models]

A style follows the hand of its dev file (`training.joint.hands`), also where that one calls a word otherwise than all
others did (`training.joint.conventions.otherwise`). Here the vectors of such styles are taught these words as the
whole treebank has them, and else to answer as before. No other weight changes, nor does the generic style. Leaves
``styled.pt``, to ship (`blend`), and ``record_styles.json``; where the student was made from the package's own files
(`training.joint.shipped`), ``--into`` puts the vectors into these.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import sentencepiece
import torch
from torch import Tensor
from torch.nn import functional as F

from training.batches import grouped
from training.joint.constants import TOKENIZER
from training.joint.conventions import otherwise
from training.joint.data import Vocabulary, load_sets
from training.joint.device import ready
from training.joint.kept import halved, load_student, save
from training.joint.measure import evaluate
from training.joint.narrow import answers
from training.joint.prepare import DEV_TIMES
from training.joint.record import note
from vnlp_colab.joint.conversion import restyle

if TYPE_CHECKING:
    from training.joint.data import Batch, Texts
    from training.joint.network import Student

TASKS = ("upos", "feats")  # the first two of the answers
GOLD = 5.0  # weight of a word in question beside the others
OTHERS = 6000  # sentences of other treebanks, shown in these styles too
TOKENS, RATE, SEED = 3000, 0.02, 7


class Questions:
    """Words that only the dev file of a treebank has otherwise, by task and style: their numbers in small letters."""

    def __init__(self, treebanks: Texts, followed: list[int]) -> None:
        assert treebanks.style is not None
        assert treebanks.hand is not None
        self._lower = treebanks.writings[0][treebanks.words.long()]
        self.words: dict[str, dict[int, list[int]]] = {task: {} for task in TASKS}
        self.sentences: dict[int, np.ndarray] = {}  # of a style, those of its dev file once
        train = treebanks.numbers("train")
        styles, hands = treebanks.style.cpu().numpy()[train], treebanks.hand.cpu().numpy()[train]
        for style in range(1, len(followed)):
            own, dev = train[(styles == style) & (hands != followed[style])], train[hands == followed[style]]
            dev = dev[: len(dev) // DEV_TIMES]  # the same sentences come again
            self.sentences[style] = np.concatenate([own, dev])
            for task in TASKS:
                if found := otherwise(*(self._labelled(treebanks, side, task) for side in (own, dev))):
                    self.words[task][style] = sorted(found)

    @property
    def styles(self) -> list[int]:
        """Return the styles that have such words."""
        return sorted({style for found in self.words.values() for style in found})

    def _labelled(self, treebanks: Texts, numbers: np.ndarray, task: str) -> list[tuple[int, int]]:
        batches = (treebanks.batch(some) for some in grouped(treebanks.lengths, numbers, 40_000))
        pairs = [torch.stack([self._lower[b.place[b.mask]].long(), b.labels[task][b.mask]], 1) for b in batches]
        return [(word, label) for word, label in torch.cat(pairs).tolist() if label >= 0]

    def asked(self, batch: Batch, style: Tensor, task: str) -> Tensor:
        """Return which of the words of a batch are in question in the style they are shown in."""
        words, each = self._lower[batch.place[batch.mask]], style[:, None].expand_as(batch.mask)[batch.mask]
        found = torch.zeros_like(each, dtype=torch.bool)
        for number, some in self.words[task].items():
            found |= (each == number) & torch.isin(words, torch.tensor(some, device=words.device))
        return found


class Lessons:
    """What is to be said of sentences: what was said before, but for the words in question."""

    def __init__(self, student: Student, questions: Questions) -> None:
        self.student, self.questions = student, questions
        self.before = student.style.detach().clone()

    def loss(self, batch: Batch, style: Tensor) -> Tensor:
        """Return how far the answers are from that, a word; in a style that is not its own, no word is in question."""
        vectors = self.student.style
        with torch.no_grad():
            taught, vectors.data = vectors.data, self.before
            wanted, heads = answers(self.student, batch, style)
            vectors.data = taught
        said, _ = answers(self.student, batch, style, heads)
        own = (style == batch.style)[:, None].expand_as(batch.mask)[batch.mask]
        total = torch.zeros((), device=style.device)
        for i, (one, other) in enumerate(zip(said, wanted, strict=True)):
            each = F.kl_div(one.log_softmax(-1), other.log_softmax(-1), log_target=True, reduction="none").sum(-1)
            if i < len(TASKS):
                gold = batch.labels[TASKS[i]][batch.mask]
                right = F.cross_entropy(one, gold.clamp_min(0), reduction="none")
                taken = torch.where(own & (gold >= 0), GOLD * right, 0.0)
                each = torch.where(self.questions.asked(batch, style, TASKS[i]), taken, each)
            total = total + each.mean()
        return total


def teach(student: Student, treebanks: Texts, questions: Questions, passes: float) -> dict[str, float]:
    """Teach the vectors of the styles that have words in question; return the steps and the losses."""
    torch.manual_seed(SEED)
    chance = np.random.default_rng(SEED)
    styles = torch.tensor(questions.styles, device=treebanks.device)
    own, others = (
        np.concatenate([some for style, some in questions.sentences.items() if (style in questions.styles) == taught])
        for taught in (True, False)
    )
    numbers = np.concatenate([own, chance.permutation(others)[:OTHERS]])
    lessons = Lessons(student.requires_grad_(requires_grad=False), questions)
    vectors = student.style.requires_grad_()
    optimiser = torch.optim.Adam([vectors], lr=RATE, betas=(0.9, 0.99))
    steps, losses = 0, []
    total = passes * float(treebanks.lengths[numbers].sum())
    seen = 0
    while seen < total:
        for some in grouped(treebanks.lengths, numbers, TOKENS, chance):
            batch = treebanks.batch(some, augment=True)
            drawn = styles[torch.randint(0, len(styles), batch.style.shape, device=styles.device)]
            style = torch.where(torch.isin(batch.style, styles), batch.style, drawn)
            loss = lessons.loss(batch, style)
            loss.backward()
            seen += int(batch.mask.sum())
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, (steps + 1) / 10, max(0.02, (1 - seen / total) / 0.7))
            optimiser.step()
            optimiser.zero_grad()
            steps += 1
            losses.append(loss.item())
            if steps % 25 == 0:
                print(f"step {steps} {seen / total:.2f} {np.mean(losses[-25:]):.4f}", flush=True)
            if seen >= total:
                break
    return {"steps": steps, "loss first": float(np.mean(losses[:25])), "loss last": float(np.mean(losses[-25:]))}


def main() -> None:
    """Teach them unless that was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--passes", type=float, default=2.0, help="over the treebanks in question")
    parser.add_argument("--into", type=Path, help="the folder of the files the student was made from")
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    args = parser.parse_args()
    device = ready()
    vocabulary = Vocabulary.load(args.work / "joint_vocab.json")
    styled = args.work / "styled.pt"
    if not styled.exists():
        student = load_student(args.student, vocabulary).to(device)
        sets = load_sets(args.work, device, train=True)
        questions = Questions(sets["syntax"], vocabulary.followed)
        words = named(questions, sets["syntax"], vocabulary)
        print(words, flush=True)
        how = teach(student, sets["syntax"], questions, args.passes)
        save(styled, halved(student))
        scores = evaluate(student, load_sets(args.work, device, train=False))
        settings = {"student": args.student.name, "passes": args.passes, "gold": GOLD, "others": OTHERS, "rate": RATE}
        note(args.work / "record_styles.json", settings=settings | {"seed": SEED}, words=words, **how, dev=scores)
        for part, values in scores.items():
            print(part, values, flush=True)
    if args.into:
        before, after = (load_student(path, vocabulary).style.detach() for path in (args.student, styled))
        taught = (before != after).any(1).nonzero()[:, 0].tolist()
        restyle(args.into, {style: after[style].numpy() for style in taught})


def named(questions: Questions, treebanks: Texts, vocabulary: Vocabulary) -> dict[str, dict[str, list[str]]]:
    """Return the words in question as they are read, by task and style."""
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(TOKENIZER))

    def read(word: int) -> str:
        return str(tokenizer.decode([piece for piece in treebanks.pieces[word].tolist() if piece]))

    return {
        task: {vocabulary.raw["styles"][style]: [read(word) for word in some] for style, some in found.items()}
        for task, found in questions.words.items()
    }


if __name__ == "__main__":
    main()
