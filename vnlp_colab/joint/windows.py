"""Sentences of any length: windows, batches of them, and which window has the say about which word."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Window:
    """A stretch of a sentence that the network reads at once.

    Attributes
    ----------
    sentence
        The number of the sentence.
    start, end
        The words it reads.
    own_start, own_end
        The words it has the say about: every word of a sentence is owned by the window in which it stands furthest
        from the edges.
    """

    sentence: int
    start: int
    end: int
    own_start: int
    own_end: int

    def __len__(self) -> int:
        return self.end - self.start


def cut_windows(sentence: int, length: int, longest: int) -> list[Window]:
    """Return the windows of a sentence: one if it is short enough, else several of `longest` words, half overlapping.

    Examples
    --------
    >>> [(w.start, w.end, w.own_start, w.own_end) for w in cut_windows(0, 11, 4)]
    [(0, 4, 0, 3), (2, 6, 3, 5), (4, 8, 5, 7), (6, 10, 7, 8), (7, 11, 8, 11)]
    """
    if length <= longest:
        return [Window(sentence, 0, length, 0, length)]
    starts = [*range(0, length - longest, longest // 2), length - longest]
    # what two windows share is divided in the middle; the next but one begins where a window ends at the earliest
    borders = [0, *((first + longest + second) // 2 for first, second in pairwise(starts)), length]
    return [
        Window(sentence, start, start + longest, own_start, own_end)
        for start, (own_start, own_end) in zip(starts, pairwise(borders), strict=True)
    ]


def cut_batches(windows: Sequence[Window], budget: int) -> Iterator[list[Window]]:
    """Yield windows of about one length together, of at most `budget` places with the pads (or one window)."""
    batch: list[Window] = []
    for window in sorted(windows, key=len):  # lengths rise, so the last is the longest
        if batch and (len(batch) + 1) * len(window) > budget:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch
