"""Scores from gold answers and guesses; every share and F1 lies between 0 and 1."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def accuracy(gold: Sequence[object], guess: Sequence[object]) -> float:
    """Return the share of places where both are equal."""
    return sum(a == b for a, b in zip(gold, guess, strict=True)) / len(gold)


def macro_f1(gold: Sequence[str], guess: Sequence[str]) -> float:
    """Return the mean F1 of the labels that stand in either (as scikit-learn's ``average="macro"``).

    Examples
    --------
    >>> macro_f1(["a", "a", "b"], ["a", "b", "b"])
    0.6666666666666666
    """
    right = Counter(a for a, b in zip(gold, guess, strict=True) if a == b)
    both = Counter(gold) + Counter(guess)
    return sum(2 * right[label] / count for label, count in both.items()) / len(both)


def f1_of(right: int, found: int, wanted: int) -> dict[str, float]:
    """Return precision, recall and F1 of things found among things wanted; 0 where there is nothing to divide by."""
    return {
        "entity_precision": right / found if found else 0.0,
        "entity_recall": right / wanted if wanted else 0.0,
        "entity_f1": 2 * right / (found + wanted) if found + wanted else 0.0,
    }
