"""What models answer, in a form with more in it than the tuples of ``predict``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Labelled:
    """The labels of a sentence, and how sure the model is of each (its score, 0 to 1, float32)."""

    labels: list[str]
    confidence: np.ndarray


@dataclass(frozen=True)
class Parsed:
    """A dependency tree: of each word the position of its head (from 1; 0 is the root) and its relation to it."""

    heads: list[int]
    relations: list[str]


def best_labels(scores: Sequence[np.ndarray], labels: Sequence[str]) -> list[Labelled]:
    """Return the label with the highest score of each word of sentences, from their scores (words, labels)."""
    if not scores:
        return []
    # one array for all sentences: a few large NumPy calls instead of some for each sentence
    together = np.concatenate(scores)
    best = together.argmax(axis=1)
    confidence = together[np.arange(len(best)), best]
    names = [labels[number] for number in best.tolist()]
    ends = np.cumsum([0, *map(len, scores)]).tolist()
    return [Labelled(names[start:end], confidence[start:end]) for start, end in pairwise(ends)]
