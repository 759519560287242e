"""Valid dependency trees: one root, no cycle, every head inside the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Below this a score is as good as no arc; a logarithm needs some bound.
_LEAST_SCORE = 1e-30
_NONE = float("-inf")


def is_tree(heads: Sequence[int]) -> bool:
    """Tell whether `heads` (positions from 1, 0 for the root) form a tree with one root; no words are a tree, too.

    Examples
    --------
    >>> is_tree([2, 0, 2]), is_tree([2, 1, 0]), is_tree([0, 0]), is_tree([5, 0])
    (True, False, False, False)
    """
    size = len(heads)
    if not size:
        return True
    if sum(head == 0 for head in heads) != 1 or any(not 0 <= head <= size for head in heads):
        return False
    return not _cycles([0, *heads], range(1, size + 1), range(size + 1))


def valid_heads(heads: Sequence[int], arc_scores: np.ndarray) -> list[int]:
    """Return `heads` if they form a tree, else those of the best tree.

    Parameters
    ----------
    heads
        The head of each word, from 1; 0 is the root.
    arc_scores
        (words, words + 1) between 0 and 1: how well each word's head is the root (column 0) or word ``k`` (column k).

    Returns
    -------
    list of int
        Of all trees with one root, the one with the greatest product of scores.
    """
    if is_tree(heads):
        return list(heads)
    scores = np.nan_to_num(np.asarray(arc_scores, np.float64), nan=0.0)  # what is no number is no arc
    return best_tree(np.log(np.clip(scores, _LEAST_SCORE, 1)))


def best_tree(arc_scores: np.ndarray) -> list[int]:
    """Return the heads of the maximum spanning arborescence with one root.

    `arc_scores` is (words, words + 1) as in `valid_heads`, but summed, not multiplied; all are finite.
    """
    size = len(arc_scores)
    if not size:
        return []
    scores = [[_NONE] * (size + 1), *np.asarray(arc_scores, np.float64).tolist()]
    for word in range(1, size + 1):
        scores[word][word] = _NONE
    search = _Search(scores)
    while len(roots := search.roots()) > 1:
        search.drop_one(roots)
    return search.heads_of_words()


class _Search:
    """Chu-Liu/Edmonds on rows of scores, which it changes; row 0 and the diagonal hold no arcs.

    Every cycle becomes one part, which goes by the name of the cycle's first word and then looks for a head outside.
    Heads are always words, so that no other part's row has to change. Lists, not arrays: sentences have some ten words,
    and on so few a call of NumPy takes as long as all of them.

    Too many roots are brought down by a rising price on every arc from the root. At any price this is the best tree, so
    it is the best one with one root when there is one left.
    """

    def __init__(self, scores: list[list[float]]) -> None:
        self._scores = scores
        self._price = 0.0
        self._part_of = list(range(len(scores)))
        self._words = [[word] for word in self._part_of]
        self._others = [0, *map(_best_other, scores[1:])]
        self._heads = [self._best(word) for word in self._part_of]
        self._alive = dict.fromkeys(range(1, len(scores)))
        self._contracted: list[tuple[list[int], list[int], list[int]]] = []
        self._contract_from(range(1, len(scores)))

    def roots(self) -> list[int]:
        """Return the parts whose head is the root."""
        return [part for part in self._alive if self._heads[part] == 0]

    def drop_one(self, roots: list[int]) -> None:
        """Raise the price until one of `roots` would rather have another head, and give it that.

        If that makes a cycle, its part may be a root again, but for more than before.
        """
        prices = [self._scores[root][0] - self._scores[root][self._others[root]] for root in roots]
        self._price = min(prices)
        dropped = roots[prices.index(self._price)]
        self._heads[dropped] = self._others[dropped]
        self._contract_from([dropped])

    def heads_of_words(self) -> list[int]:
        """Return the head of every word, with all cycles taken apart again."""
        heads = self._heads.copy()
        for cycle, inside, entered in reversed(self._contracted):
            head = heads[cycle[0]]
            for part, own in zip(cycle, inside, strict=True):
                heads[part] = own
            heads[entered[head]] = head
        return heads[1:]

    def _best(self, part: int) -> int:
        """Return the best head of a part at the present price."""
        row, other = self._scores[part], self._others[part]
        return 0 if row[0] - self._price >= row[other] else other

    def _contract_from(self, fresh: Iterable[int]) -> None:
        """Contract cycles until there is none; each has one of `fresh` in it, or a part that was one."""
        while cycles := _cycles(self._heads, fresh, self._part_of):
            fresh = [cycle[0] for cycle in cycles]
            for cycle in cycles:
                self._contract(cycle)

    def _contract(self, cycle: list[int]) -> None:
        """Make one part of a cycle: from each head it takes what it gains if the head enters it where that is best."""
        merged, *others = cycle
        inside = [self._heads[part] for part in cycle]
        lost = self._scores[merged][inside[0]]
        gains = [score - lost for score in self._scores[merged]]
        entered = [merged] * len(gains)
        for part, own in zip(others, inside[1:], strict=True):
            row = self._scores[part]
            lost = row[own]
            for head, score in enumerate(row):
                if score - lost > gains[head]:
                    gains[head], entered[head] = score - lost, part
            for word in self._words[part]:
                self._part_of[word] = merged
            self._words[merged] += self._words[part]
            del self._alive[part]
        for word in self._words[merged]:
            gains[word] = _NONE
        self._contracted.append((cycle, inside, entered))
        self._scores[merged] = gains
        self._others[merged] = _best_other(gains)
        self._heads[merged] = self._best(merged)


def _best_other(scores: list[float]) -> int:
    """Return the best head that is not the root, the first of several."""
    return scores.index(max(scores[1:]), 1)


def _cycles(heads: Sequence[int], starts: Iterable[int], part_of: Sequence[int]) -> list[list[int]]:
    """Return all cycles of parts that can be reached from `starts`; heads are words, and the root's is the root, 0."""
    cycles = []
    seen = [0] * len(heads)  # the walk that came by first; every walk but one in a cycle ends where another has been
    seen[0] = -1
    for walk, start in enumerate(starts, start=1):
        part = start
        while not seen[part]:
            seen[part] = walk
            part = part_of[heads[part]]
        if seen[part] == walk:
            cycle = [part]
            while (following := part_of[heads[cycle[-1]]]) != part:
                cycle.append(following)
            cycles.append(cycle)
    return cycles
