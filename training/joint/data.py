"""The arrays of the joint network on the device, and batches of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from training.arrays import UPOS
from training.batches import grouped
from training.joint.constants import ANY_STYLE, UNKNOWN
from training.joint.hands import NONE
from training.joint.network import Sizes, Words, multiple_of_8

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONGEST = 128  # words of a window
IGNORED = -100
WRITINGS = ("lower", "upper", "ascii", "chat")
# How often a labelled sentence is shown in each of them.
WRITING_SHARES = (0.07, 0.05, 0.06, 0.03)


@dataclass
class Vocabulary:
    """Labels of all tasks, as ``joint_vocab.json`` has them."""

    raw: dict[str, Any]
    sizes: Sizes

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read it."""
        raw = json.loads(path.read_text(encoding="utf-8"))
        sizes = Sizes(
            len(raw["styles"]),
            len(raw["entity_styles"]),
            len(raw["upos"]),
            len(raw["relations"]),
            len(raw["feats"]["labels"]),
            len(raw["lemma"]["scripts"]),
            len(raw.get("hands", [])),
        )
        return cls(raw, sizes)

    @property
    def feats(self) -> list[str]:
        """Return the feature strings."""
        return self.raw["feats"]["labels"]

    @property
    def hands(self) -> list[str]:
        """Return the names of the hands, from the first on: 0 is none in particular."""
        return self.raw.get("hands", [])


@dataclass
class Batch:
    """Sentences side by side: words, labels, styles, hands, which windows they are, each word's place in the set."""

    words: Words
    labels: dict[str, Tensor]
    style: Tensor
    hand: Tensor
    index: Tensor
    place: Tensor
    altered: Words | None = None  # as the student sees them

    @property
    def mask(self) -> Tensor:
        """Return which places are words."""
        return self.words.mask


class Texts:
    """Sentences of one kind on the device, cut into windows where they are longer than `longest`."""

    def __init__(
        self, arrays: dict[str, np.ndarray], device: str, longest: int | None = None, *, ends: bool = False
    ) -> None:
        def put(values: np.ndarray, kind: type = np.int32) -> Tensor:
            return torch.from_numpy(values.astype(kind)).to(device)

        self.device = device
        self.pieces, self.affixes = put(arrays["pieces"]), put(arrays["affixes"])
        self.words = put(arrays["words"])
        self.writings = [put(arrays[name]) for name in WRITINGS if name in arrays]
        begin, lengths, owner = windows(arrays["offsets"], longest, ends=ends)
        self.lengths, self.owner = lengths, owner
        self.begin, self.length_of = put(begin, np.int64), put(lengths, np.int64)
        self.labels = {name[6:]: put(arrays[name]) for name in arrays if name.startswith("label_")}
        self.style = put(arrays["style"][owner], np.int64) if "style" in arrays else None
        self.hand = put(arrays["hand"][owner], np.int64) if "hand" in arrays else None
        self.writing = put(arrays["writing"][owner], np.int64) if "writing" in arrays else None
        self.part = arrays["part"][owner] if "part" in arrays else np.zeros(len(owner), np.uint8)
        self.parts = [str(p) for p in arrays["parts"]] if "parts" in arrays else ["train"]
        sums = [sums_of_pieces(arrays["pieces"], words) for words in in_all_writings(arrays)]
        self.most_pieces = np.max([total[begin + lengths] - total[begin] for total in sums], 0)

    def numbers(self, part: str) -> np.ndarray:
        """Return the windows of a part."""
        return np.flatnonzero(self.part == self.parts.index(part))

    def of_kind(self, kind: str) -> list[str]:
        """Return the parts of a kind: ``dev`` or ``test``."""
        return [part for part in self.parts if part.startswith(f"{kind} ")]

    def forever(self, tokens: int, chance: np.random.Generator, longest: int = LONGEST) -> Iterator[np.ndarray]:
        """Yield groups of windows to train on, over and over; a large set by random parts of it."""
        numbers = self.numbers("train")
        while True:
            some = chance.permutation(numbers)[:400_000] if len(numbers) > 400_000 else numbers
            yield from grouped(self.lengths, some, tokens, chance, longest)

    def batch(self, numbers: np.ndarray, *, augment: bool = False) -> Batch:
        """Return these windows; augmented, some written otherwise and some without their last mark."""
        index = torch.from_numpy(numbers).to(self.device)
        start, lengths = self.begin[index], self.length_of[index]
        if augment and "upos" in self.labels:
            mark = self.labels["upos"][start + lengths - 1] == UPOS.index("PUNCT")
            draw = torch.rand(len(index), device=self.device) < 0.1
            lengths = lengths - (mark & draw & (lengths > 2)).long()
        ramp = torch.arange(multiple_of_8(int(self.lengths[numbers].max())), device=self.device)
        mask = ramp < lengths[:, None]
        place = torch.where(mask, start[:, None] + ramp, 0)
        words = torch.where(mask, self.words[place].long(), 0)
        longest = int(self.most_pieces[numbers].max())
        altered = None
        if self.writing is not None:
            altered = self._shown(rewrite(words, self.writing[index][:, None], self.writings), mask, longest)
        elif augment and self.writings:
            edges = torch.tensor(WRITING_SHARES, device=self.device).cumsum(0)
            draw = torch.bucketize(torch.rand(len(index), device=self.device), edges)
            words = rewrite(words, torch.where(draw < 4, draw + 1, 0)[:, None], self.writings)
        labels = {}
        for name, values in self.labels.items():
            if name == "sentiment":
                labels[name] = values[torch.from_numpy(self.owner[numbers]).to(self.device)].long()
                continue
            at = values[place].long()
            labels[name] = torch.where(mask & (at != UNKNOWN), at, IGNORED)
        style = self.style[index] if self.style is not None else torch.zeros_like(index)
        hand = self.hand[index] if self.hand is not None else torch.zeros_like(index)
        return Batch(self._shown(words, mask, longest), labels, style, hand, index, place, altered)

    def _shown(self, words: Tensor, mask: Tensor, longest: int) -> Words:
        return Words(self.pieces[words].long(), self.affixes[words].long(), mask, longest)


def in_all_writings(arrays: dict[str, np.ndarray]) -> Iterator[np.ndarray]:
    """Yield the words as they stand and as they may be shown: raw sentences in their one writing, others in all."""
    words = arrays["words"]
    yield words
    tables = [arrays[name] for name in WRITINGS if name in arrays]
    if "writing" not in arrays:
        yield from (table[words] for table in tables)
        return
    each = np.repeat(arrays["writing"], np.diff(arrays["offsets"]))
    yield np.select([each == kind for kind in range(1, len(tables) + 1)], [table[words] for table in tables], words)


def sums_of_pieces(pieces: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return how many pieces there are before each word, and before the end."""
    counts = (pieces > 0).sum(1, dtype=np.int64)
    return np.concatenate([[0], np.cumsum(counts[words])])


def rewrite(words: Tensor, writing: Tensor, tables: list[Tensor]) -> Tensor:
    """Return the words in the writings asked for: 0 as they stand, k by the table k - 1."""
    for kind, table in enumerate(tables, 1):
        words = torch.where(writing == kind, table[words].long(), words)
    return words


def windows(offsets: np.ndarray, longest: int | None, *, ends: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return begin, length and sentence of each window; with `ends` only the first and the last of a long text."""
    lengths = np.diff(offsets)
    if longest is None:
        return offsets[:-1], lengths, np.arange(len(lengths))
    begin, size, owner = [], [], []
    for i, (start, length) in enumerate(zip(offsets[:-1], lengths, strict=True)):
        if ends and length > longest:
            places = [start, start + length - longest]
        else:
            places = list(range(start, start + max(1, length), longest))
        for place in places:
            begin.append(place)
            size.append(min(longest, start + length - place))
            owner.append(i)
    return np.array(begin), np.array(size), np.array(owner)


def random_styles(style: Tensor, count: int, generic: float) -> Tensor:
    """Return the styles with some generic (0), and those marked as any drawn at random."""
    drawn = torch.where(style == ANY_STYLE, torch.randint(0, count, style.shape, device=style.device), style)
    return torch.where(torch.rand(style.shape, device=style.device) < generic, 0, drawn)


def random_hands(hand: Tensor, style: Tensor, none: float) -> Tensor:
    """Return the hands of sentences that have a style, a share of them without."""
    return torch.where((style == 0) | (torch.rand(hand.shape, device=hand.device) < none), NONE, hand)


def load_sets(work: Path, device: str, *, train: bool) -> dict[str, Texts]:
    """Return the labelled sets."""
    return {name: load_set(work, name, device, train=train) for name in ("syntax", "entities", "reviews")}


def load_set(work: Path, name: str, device: str, *, train: bool) -> Texts:
    """Return a labelled set; reviews with the windows at both ends for training, with all of them for scoring."""
    with np.load(work / f"joint_{name}.npz") as file:
        arrays = {key: file[key] for key in file.files}
    return Texts(arrays, device, LONGEST if name == "reviews" else None, ends=train)
