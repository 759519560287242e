"""Batches of sentences, made on the device from a store's flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from training.arrays import Store

UNKNOWN = 1


@dataclass
class Batch:
    """Sentences side by side: word numbers (rows, n), which places are words, and labels by name (rows, n, ...)."""

    words: Tensor
    mask: Tensor
    labels: dict[str, Tensor]


def grouped(
    lengths: np.ndarray,
    numbers: np.ndarray,
    tokens: int,
    chance: np.random.Generator | None = None,
    longest: int = 10_000,
) -> Iterator[np.ndarray]:
    """Yield groups of sentences of like length, about this many places each; in random order with `chance`."""
    numbers = numbers[lengths[numbers] <= longest]
    noise = chance.random(len(numbers)) if chance else 0
    order = numbers[np.argsort(lengths[numbers] + noise, kind="stable")]
    cuts, begin = [], 0
    while begin < len(order):
        end = min(len(order), begin + tokens)
        # Lengths ascend, so the last sentence of a group sets its width.
        width = np.arange(1, end - begin + 1) * lengths[order[begin:end]]
        size = max(1, int(np.searchsorted(width, tokens, side="right")))
        cuts.append(order[begin : begin + size])
        begin += size
    if chance:
        chance.shuffle(cuts)
    yield from cuts


class Sentences:
    """A store on the device."""

    def __init__(self, store: Store, device: str, soft: dict[str, np.ndarray] | None = None) -> None:
        self.pieces = torch.from_numpy(store.pieces.astype(np.int32)).to(device)
        self.words = torch.from_numpy(store.words).to(device).long()
        self.offsets = torch.from_numpy(store.offsets).to(device)
        labels = {name: values.astype(np.int64) for name, values in store.labels.items()} | (soft or {})
        self.labels = {name: torch.from_numpy(values).to(device) for name, values in labels.items()}
        self.cases = [torch.from_numpy(c).to(device).long() for c in (store.lower, store.upper) if c is not None]
        self.lengths = np.diff(store.offsets)
        self.train = store.train
        self.device = device

    def batch(self, numbers: np.ndarray, *, augment: bool = False, drop_last: str | None = None) -> Batch:
        """Return these sentences; augmented, some in another case and some without their last mark."""
        index = torch.from_numpy(numbers).to(self.device)
        start, lengths = self.offsets[index], self.offsets[index + 1] - self.offsets[index]
        if augment and drop_last:
            mark = self.labels[drop_last][start + lengths - 1] == 2  # PUNCT
            draw = torch.rand(len(index), device=self.device) < 0.1
            lengths = lengths - (mark & draw & (lengths > 2)).long()
        n = int(self.lengths[numbers].max())
        ramp = torch.arange(n, device=self.device)
        mask = ramp < lengths[:, None]
        place = torch.where(mask, start[:, None] + ramp, 0)
        words = torch.where(mask, self.words[place], 0)
        if augment and self.cases:
            draw = torch.rand(len(index), 1, device=self.device)
            lower, upper = self.cases
            words = torch.where(draw < 0.06, lower[words], torch.where(draw < 0.12, upper[words], words))
        return Batch(words, mask, {name: values[place] for name, values in self.labels.items()})

    def batches(
        self, numbers: np.ndarray, tokens: int, chance: np.random.Generator | None = None, longest: int = 10_000
    ) -> Iterator[np.ndarray]:
        """Yield groups of sentences of like length, about this many places each; in random order with `chance`."""
        yield from grouped(self.lengths, numbers, tokens, chance, longest)

    def distinct(self, words: Tensor, *, noise: float = 0.0) -> tuple[Tensor, Tensor]:
        """Return the pieces of the distinct words (the padding word first) and each place's row among them."""
        flat = torch.cat([words.new_zeros(1), words.reshape(-1)])
        distinct, row = flat.unique(return_inverse=True)
        pieces = self.pieces[distinct]
        if noise:
            lost = (torch.rand(pieces.shape, device=pieces.device) < noise) & (pieces > 0)
            pieces = torch.where(lost, UNKNOWN, pieces)
        return pieces, row[1:].view(words.shape)
