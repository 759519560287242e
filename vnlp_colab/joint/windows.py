"""Sentences of any length: windows, batches of them, and which window has the say about which word."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

# Fewer are not worth a thread: a run takes its time to read the weights, however little it reads beside them.
_LEAST_PLACES = 32
# As many lengths as may go together, at most: what bounds the search.
_LENGTHS_TOGETHER = 32


@dataclass(frozen=True)
class Window:
    """A stretch of a sentence that the network reads at once.

    Attributes
    ----------
    start, end
        The words it reads.
    own_start, own_end
        The words it has the say about: every word of a sentence is owned by the window in which it stands furthest
        from the edges.
    """

    start: int
    end: int
    own_start: int
    own_end: int

    def __len__(self) -> int:
        return self.end - self.start


def cut_windows(length: int, longest: int) -> list[Window]:
    """Return the windows of a sentence: one if it is short enough, else several of `longest` words, half overlapping.

    Examples
    --------
    >>> [(w.start, w.end, w.own_start, w.own_end) for w in cut_windows(11, 4)]
    [(0, 4, 0, 3), (2, 6, 3, 5), (4, 8, 5, 7), (6, 10, 7, 8), (7, 11, 8, 11)]
    """
    if length <= longest:
        return [Window(0, length, 0, length)]
    starts = [*range(0, length - longest, longest // 2), length - longest]
    # what two windows share is divided in the middle; the next but one begins where a window ends at the earliest
    borders = [0, *((first + longest + second) // 2 for first, second in pairwise(starts)), length]
    return [
        Window(start, start + longest, own_start, own_end)
        for start, (own_start, own_end) in zip(starts, pairwise(borders), strict=True)
    ]


def share_out(lengths: Sequence[int] | np.ndarray, budget: int, threads: int, run: int = 0) -> list[np.ndarray]:
    """Return batches of windows of about one length, each of at most `budget` places with the pads (or one window).

    Windows are given by their lengths, and batches are their places among these. A run costs its places, pads included,
    and as much as `run` places beside them: windows of two lengths go together where that costs less than a run of
    their own. The largest batches come first, so that threads that take one after another end at about the same time;
    what is enough for all threads is shared out among them.

    Examples
    --------
    >>> [batch.tolist() for batch in share_out([20, 90, 30, 30], 512, 1, run=32)]
    [[0, 2, 3], [1]]
    """
    given = np.asarray(lengths, np.int64)
    order = np.argsort(given, kind="stable")
    rising = given[order]
    # the windows of one length end where the next length begins
    ends = [*(np.flatnonzero(np.diff(rising)) + 1).tolist(), len(rising)] if len(rising) else []
    parts = list(pairwise(_cuts(ends, [int(rising[end - 1]) for end in ends], run)))
    share = max(-(-sum((end - start) * int(rising[end - 1]) for start, end in parts) // threads), _LEAST_PLACES)
    batches: list[tuple[int, np.ndarray]] = []
    for start, end in parts:
        longest = int(rising[end - 1])
        most = max(1, min(budget, share) // longest)
        count = -(-(end - start) // most)
        size = -(-(end - start) // count)
        for at in range(start, end, size):
            last = min(at + size, end)
            batches.append(((last - at) * int(rising[last - 1]), order[at:last]))
    return [batch for _, batch in sorted(batches, key=lambda pair: pair[0], reverse=True)]


def _cuts(ends: Sequence[int], lengths: Sequence[int], run: int) -> list[int]:
    """Return where to cut, both ends included, so that pads and runs together cost least.

    `ends` are where the windows of each length end, in the order of the `lengths`, which rise.
    """
    # the least cost of all windows up to each end, and where the last batch of that begins
    starts, costs, begins = [0, *ends], [0], [0]
    for number, (end, longest) in enumerate(zip(ends, lengths, strict=True), start=1):
        first = max(0, number - _LENGTHS_TOGETHER)
        cost, begin = min((costs[at] + run + (end - starts[at]) * longest, at) for at in range(first, number))
        costs.append(cost)
        begins.append(begin)
    cuts, at = [], len(ends)
    while at:
        cuts.append(starts[at])
        at = begins[at]
    return [0, *reversed(cuts)] if ends else []
