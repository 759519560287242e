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
            numbers = np.unique(np.searchsorted(ends, np.flatnonzero(wrong), side="right") - 1)
            starts, lengths = np.asarray(ends)[numbers], np.diff(ends)[numbers]
            longest_first = np.argsort(-lengths, kind="stable")
            self._search(scores, starts[longest_first], lengths[longest_first], best)
        return best

    def _search(self, scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray, best: np.ndarray) -> None:
        """Put the labels of some sentences, the longest first, into `best` (Viterbi, all sentences at once)."""
        steps = np.arange(int(lengths[0]))
        words = starts[:, None] + np.minimum(steps, lengths[:, None] - 1)
        known = np.nan_to_num(scores[words].astype(np.float64))
        so_far = known[:, 0] + self._starts
        before: list[np.ndarray] = []
        going_on = np.searchsorted(-lengths, -steps).tolist()  # sentences that are longer than so many words
        for step in steps[1:].tolist():
            count = going_on[step]
            ways = so_far[:count, :, None] + self._steps
            before.append(ways.argmax(axis=1))
            so_far[:count] = np.take_along_axis(ways, before[-1][:, None], axis=1)[:, 0] + known[:count, step]
        # every sentence ends with its best label; from there the way leads back
        labels = so_far.argmax(axis=1)
        for step in reversed(steps.tolist()):
            count = going_on[step]
            best[starts[:count] + step] = labels[:count]
            if step:
                labels[:count] = before[step - 1][np.arange(count), labels[:count]]
