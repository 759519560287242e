"""Entity labels of a sentence that go together: nothing goes on (``I-PER``) that has not begun (``B-PER``)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEVER = -1e9


class EntityLabels:
    """The labels of an entity head: what each is of, and which may follow which.

    Parameters
    ----------
    names
        ``O``, ``B-PER``, ``I-PER`` and so on, in the order of the scores.

    Examples
    --------
    >>> labels = EntityLabels(["O", "B-PER", "I-PER"])
    >>> labels.best(np.array([[0.0, 1, 3], [0, 0, 2]]), [0, 2]).tolist()
    [1, 2]
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.kinds = tuple(name.rpartition("-")[2] for name in names)
        same = np.array([[one == other for other in self.kinds] for one in self.kinds])
        # a label without one to begin with may stand anywhere
        self._goes_on = np.array([name[:2] == "I-" and f"B-{name[2:]}" in names for name in names])
        self._follows = same | ~self._goes_on  # (label before, label)
        self._steps = np.where(self._follows, 0.0, _NEVER)
        self._starts = np.where(self._goes_on, _NEVER, 0.0)

    def best(self, scores: np.ndarray, ends: Sequence[int]) -> np.ndarray:
        """Return the labels of the words of sentences that score highest together, and go together.

        Parameters
        ----------
        scores
            (words, labels), one sentence after the other.
        ends
            0, and where each sentence ends.
        """
        best: np.ndarray = scores.argmax(axis=1)
        # Where the best labels of all words go together, no others can score higher: most sentences.
        wrong = np.zeros(len(best), bool)
        wrong[1:] = ~self._follows[best[:-1], best[1:]]
        first = np.array([start for start, end in pairwise(ends) if start < end], np.int64)
        wrong[first] = self._goes_on[best[first]]
        if wrong.any():
            sentences = np.searchsorted(ends, np.flatnonzero(wrong), side="right") - 1
            for number in np.unique(sentences).tolist():
                part = slice(ends[number], ends[number + 1])
                best[part] = self._path(scores[part])
        return best

    def _path(self, scores: np.ndarray) -> list[int]:
        """Return the labels of one sentence (Viterbi)."""
        known = np.nan_to_num(scores.astype(np.float64))
        places = np.arange(len(self.names))
        so_far = known[0] + self._starts
        before: list[np.ndarray] = []
        for word in known[1:]:
            ways = so_far[:, None] + self._steps
            before.append(ways.argmax(axis=0))
            so_far = ways[before[-1], places] + word
        path = [int(so_far.argmax())]
        for choice in reversed(before):
            path.append(int(choice[path[-1]]))
        return path[::-1]
