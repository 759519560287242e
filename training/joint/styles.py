"""Stage 5, after it: styles that call a word what nearly all of their treebank calls it.

python -m training.joint.styles STUDENT.pt --work WORK [--steps 200] [--into vnlp_colab/models]

A style follows the hand of its dev file (`training.joint.hands`), also where that one calls a word otherwise than all
others did (`training.joint.conventions.otherwise`). Here the vectors of such styles are taught these words as the
whole treebank has them, and else to answer as before. No other weight changes, nor does the generic style. Leaves
``styled.pt``, to ship (`blend`), and ``record_styles.json``; where the student was made from the package's own files
(`training.joint.shipped`), ``--into`` puts the vectors into these.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
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
from training.joint.data import IGNORED, Texts, Vocabulary, load_sets
from training.joint.device import ready
from training.joint.kept import halved, load_student, save
from training.joint.measure import evaluate
from training.joint.narrow import answers
from training.joint.prepare import DEV_TIMES
from training.joint.raw import load_silver
from training.joint.record import note
from vnlp_colab.joint.conversion import restyle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from training.joint.data import Batch
    from training.joint.network import Student

TASKS = ("upos", "feats")  # the first two of the answers
ANSWERS = (*TASKS, "lemma", "head", "relation", "entity", "sentiment")
GOLD = 5.0  # weight of a word in question beside the others
CHECKED = 3000  # raw sentences that it is compared on
SENTENCES = 40_000  # raw ones: what trained a network it knows by heart, and says of it the same in any style
WRITINGS = (0.6, 0.05, 0.3, 0.05)  # shares of these as they stand, in small letters, in capitals, without Turkish ones
TOKENS, RATE, SEED = 2000, 0.02, 7


class Questions:
    """Words that only the dev file of a treebank has otherwise, by task and style, in small letters."""

    def __init__(self, treebanks: Texts, followed: list[int]) -> None:
        assert treebanks.style is not None
        assert treebanks.hand is not None
        self.pieces: dict[str, dict[int, Tensor]] = {task: {} for task in TASKS}
        self.sentences: dict[int, np.ndarray] = {}  # of a style, those of its dev file once
        train = treebanks.numbers("train")
        styles, hands = treebanks.style.cpu().numpy()[train], treebanks.hand.cpu().numpy()[train]
        for style in range(1, len(followed)):
            own, dev = train[(styles == style) & (hands != followed[style])], train[hands == followed[style]]
            dev = dev[: len(dev) // DEV_TIMES]  # the same sentences come again
            self.sentences[style] = np.concatenate([own, dev])
            for task in TASKS:
                if found := otherwise(*(self._labelled(treebanks, side, task) for side in (own, dev))):
                    self.pieces[task][style] = treebanks.pieces[torch.tensor(sorted(found), device=treebanks.device)]

    @property
    def styles(self) -> list[int]:
        """Return the styles that have such words."""
        return sorted({style for found in self.pieces.values() for style in found})

    def _labelled(self, treebanks: Texts, numbers: np.ndarray, task: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for some in grouped(treebanks.lengths, numbers, 40_000):
            batch = treebanks.batch(some)
            once = batch.labels["feats"] >= 0  # sentences by their tokens, which come beside those by words, have none
            words = lower_case(treebanks, batch.place[once])
            found += zip(words.tolist(), batch.labels[task][once].tolist(), strict=True)
        return found

    def asked(self, texts: Texts, batch: Batch, style: Tensor, task: str) -> Tensor:
        """Return which of the words of a batch are in question in the style they are shown in."""
        pieces = texts.pieces[lower_case(texts, batch.place[batch.mask])]
        each = style[:, None].expand_as(batch.mask)[batch.mask]
        found = torch.zeros_like(each, dtype=torch.bool)
        for number, some in self.pieces[task].items():
            found |= (each == number) & (pieces[:, None] == some).all(-1).any(1)
        return found


def lower_case(texts: Texts, places: Tensor) -> Tensor:
    """Return the numbers of the words at these places in small letters."""
    return texts.writings[0][texts.words[places].long()].long()


class Lessons:
    """What is to be said of sentences: what was said before, but for the words in question."""

    def __init__(self, student: Student, questions: Questions) -> None:
        self.student, self.questions = student, questions
        self.before = student.style.detach().clone()

    @torch.no_grad()
    def wanted(self, batch: Batch, style: Tensor) -> tuple[list[Tensor], Tensor]:
        """Return the answers, and the heads whose relations they are about, as they were before."""
        vectors = self.student.style
        taught, vectors.data = vectors.data, self.before
        found = answers(self.student, batch, style)
        vectors.data = taught
        return found

    def loss(self, texts: Texts, batch: Batch, style: Tensor) -> Tensor:
        """Return how far the answers are from that, a word; words in question without a label do not count."""
        wanted, heads = self.wanted(batch, style)
        said, _ = answers(self.student, batch, style, heads)
        total = torch.zeros((), device=style.device)
        for i, (one, other) in enumerate(zip(said, wanted, strict=True)):
            each = F.kl_div(one.log_softmax(-1), other.log_softmax(-1), log_target=True, reduction="none").sum(-1)
            if i < len(TASKS):
                right = torch.zeros_like(each)
                if TASKS[i] in batch.labels:
                    gold = batch.labels[TASKS[i]][batch.mask]
                    right = F.cross_entropy(one, gold, reduction="none", ignore_index=IGNORED)
                each = torch.where(self.questions.asked(texts, batch, style, TASKS[i]), GOLD * right, each)
            total = total + each.mean()
        return total

    @torch.no_grad()
    def equal(self, batches: Iterable[tuple[Batch, Tensor]]) -> dict[str, float]:
        """Return which share of the answers is what it was before, in percent."""
        same: Counter[str] = Counter()
        every: Counter[str] = Counter()
        for batch, style in batches:
            wanted, heads = self.wanted(batch, style)
            said, _ = answers(self.student, batch, style, heads)
            for name, one, other in zip(ANSWERS, said, wanted, strict=True):
                same[name] += int((one.argmax(-1) == other.argmax(-1)).sum())
                every[name] += len(one)
        return {name: round(100 * same[name] / every[name], 2) for name in ANSWERS}


class Raw:
    """Raw sentences in the styles that are taught, many in capitals, as all of Tourism is."""

    def __init__(self, work: Path, device: str, styles: list[int], part: int) -> None:
        arrays = load_silver(work, SENTENCES, part)
        chance = np.random.default_rng([SEED, part])
        arrays["writing"] = chance.choice(4, len(arrays["writing"]), p=WRITINGS).astype(np.uint8)
        self.texts = Texts(arrays, device)
        self._styles = torch.tensor(styles, device=device)

    def shown(self, numbers: np.ndarray) -> tuple[Batch, Tensor]:
        """Return these sentences as they are written here, each in a style drawn at random."""
        batch = self.texts.batch(numbers)
        assert batch.altered is not None
        drawn = torch.randint(0, len(self._styles), (len(numbers),), device=self._styles.device)
        return replace(batch, words=batch.altered), self._styles[drawn]


def teach(lessons: Lessons, treebanks: Texts, raw: Raw, steps: int, state_file: Path) -> list[float]:
    """Teach the vectors of the styles that have words in question; return the losses.

    Goes on from `state_file` if it was cut off.
    """
    lessons.student.requires_grad_(requires_grad=False)
    vectors = lessons.student.style.requires_grad_()
    optimiser = torch.optim.Adam([vectors], lr=RATE, betas=(0.9, 0.99))
    losses: list[float] = []
    if state_file.exists():
        state = torch.load(state_file, map_location=vectors.device, weights_only=True)
        vectors.data = state["style"]
        optimiser.load_state_dict(state["optimiser"])
        losses = state["losses"]
        print(f"goes on after step {len(losses)}", flush=True)
    torch.manual_seed(SEED + len(losses))
    chance = np.random.default_rng([SEED, len(losses)])
    sentences = lessons.questions.sentences
    own = forever(treebanks.lengths, np.concatenate([sentences[style] for style in lessons.questions.styles]), chance)
    others = forever(raw.texts.lengths, raw.texts.numbers("train"), chance)
    for step in range(len(losses), steps):
        batch = treebanks.batch(next(own), augment=True)
        parts = lessons.loss(treebanks, batch, batch.style), lessons.loss(raw.texts, *raw.shown(next(others)))
        torch.stack(parts).sum().backward()
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 10, (1 - step / steps) / 0.7)
        optimiser.step()
        optimiser.zero_grad()
        losses.append(sum(part.item() for part in parts))
        if (step + 1) % 25 == 0:
            print(f"step {step + 1} {np.mean(losses[-25:]):.4f}", flush=True)
            save(state_file, {"style": vectors.data, "optimiser": optimiser.state_dict(), "losses": losses})
    return losses


def forever(lengths: np.ndarray, numbers: np.ndarray, chance: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield groups of sentences, over and over."""
    while True:
        yield from grouped(lengths, numbers, TOKENS, chance)


def main() -> None:
    """Teach them unless that was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--steps", type=int, default=200)
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
        words = named(questions, vocabulary)
        print(words, flush=True)
        lessons = Lessons(student, questions)
        state_file = args.work / "styles_state.pt"
        losses = teach(lessons, sets["syntax"], Raw(args.work, device, questions.styles, 0), args.steps, state_file)
        save(styled, halved(student))
        state_file.unlink(missing_ok=True)
        new = Raw(args.work, device, questions.styles, 1)
        some = grouped(new.texts.lengths, new.texts.numbers("train")[:CHECKED], TOKENS)
        equal = lessons.equal(new.shown(numbers) for numbers in some)
        print("as before, of raw sentences", equal, flush=True)
        scores = evaluate(student, load_sets(args.work, device, train=False))
        settings = {"student": args.student.name, "steps": args.steps, "gold": GOLD, "rate": RATE, "seed": SEED}
        settings |= {"raw sentences": SENTENCES, "writings": WRITINGS, "tokens": TOKENS}
        found = {"words": words, "loss": [float(np.mean(losses[:25])), float(np.mean(losses[-25:]))], "equal": equal}
        note(args.work / "record_styles.json", settings=settings, **found, dev=scores)
        for part, values in scores.items():
            print(part, values, flush=True)
    if args.into:
        before, after = (load_student(path, vocabulary).style.detach() for path in (args.student, styled))
        taught = (before != after).any(1).nonzero()[:, 0].tolist()
        restyle(args.into, {style: after[style].numpy() for style in taught})


def named(questions: Questions, vocabulary: Vocabulary) -> dict[str, dict[str, list[str]]]:
    """Return the words in question as they are read, by task and style."""
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(TOKENIZER))
    return {
        task: {
            vocabulary.raw["styles"][style]: [tokenizer.decode([p for p in word if p]) for word in some.tolist()]
            for style, some in found.items()
        }
        for task, found in questions.pieces.items()
    }


if __name__ == "__main__":
    main()
