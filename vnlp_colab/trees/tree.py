"""Valid dependency trees: one root, no cycle, every head inside the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Below this a score is as good as no arc; a logarithm needs some bound.
_LEAST_SCORE = 1e-30


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
    return not _cycles([0, *heads], range(1, size + 1))


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
    scores = np.full((size + 1, size + 1), -np.inf)
    scores[1:] = arc_scores
    np.fill_diagonal(scores, -np.inf)
    search = _Search(scores)
    while len(roots := search.roots()) > 1:
        search.drop_one(roots)
    return search.heads_of_words()


class _Search:
    """Chu-Liu/Edmonds on a matrix of scores, which it changes; row 0 and the diagonal hold no arcs.

    Every cycle becomes one of its words, in O(n) for each of them, and only this word then looks for a head again.

    Too many roots are brought down by a rising price on every arc from the root. At any price this is the best tree, so
    it is the best one with one root when there is one left.
    """

    def __init__(self, scores: np.ndarray) -> None:
        self._scores = scores
        self._heads = scores.argmax(axis=1)
        self._alive = np.ones(len(scores), bool)
        self._contractions: list[tuple[list[int], np.ndarray, np.ndarray, np.ndarray]] = []
        self._contract_from(list(range(1, len(scores))))

    def roots(self) -> np.ndarray:
        """Return the words, or what stands for them, whose head is the root."""
        return np.flatnonzero(self._alive & (self._heads == 0))[1:]

    def drop_one(self, roots: np.ndarray) -> None:
        """Raise the price until one of `roots` would rather have another head, and give it that.

        If that makes a cycle, its word may be a root again, but for more than before.
        """
        others = self._scores[roots, 1:].argmax(axis=1) + 1
        losses = self._scores[roots, 0] - self._scores[roots, others]
        least = int(losses.argmin())
        self._scores[:, 0] -= losses[least]
        self._heads[roots[least]] = others[least]
        self._contract_from([int(roots[least])])

    def heads_of_words(self) -> list[int]:
        """Return the head of every word, with all cycles taken apart again."""
        heads, alive = self._heads.copy(), self._alive.copy()
        for cycle, inside, enter, leave in reversed(self._contractions):
            merged = cycle[0]
            head = heads[merged]
            from_cycle = alive & (heads == merged)
            heads[from_cycle] = leave[from_cycle]
            heads[cycle] = inside
            heads[enter[head]] = head
            alive[cycle] = True
        found: list[int] = heads[1:].tolist()
        return found

    def _contract_from(self, fresh: list[int]) -> None:
        """Contract cycles until there is none; each has one of `fresh` in it, or a word that stands for a cycle."""
        while cycles := _cycles(self._heads.tolist(), fresh):
            fresh = [cycle[0] for cycle in cycles]
            for cycle in cycles:
                self._contractions.append((cycle, self._heads[cycle], *_contract(self._scores, self._heads, cycle)))
                self._alive[cycle[1:]] = False
                stands_for = np.arange(len(self._heads))
                stands_for[cycle] = cycle[0]
                self._heads = stands_for[self._heads]
                self._heads[cycle[0]] = self._scores[cycle[0]].argmax()


def _contract(scores: np.ndarray, heads: np.ndarray, cycle: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Merge a cycle into its first word; return which word of it each head enters and each dependent leaves.

    No other word of the cycle can be a head afterwards; its own row is not looked at again.
    """
    members = np.array(cycle)
    gains = scores[members]
    gains -= scores[members, heads[members]][:, None]
    outward = scores[:, members]
    enter, leave = members[gains.argmax(axis=0)], members[outward.argmax(axis=1)]
    merged = cycle[0]
    scores[merged] = gains.max(axis=0)
    scores[:, members] = -np.inf
    scores[:, merged] = outward.max(axis=1)
    scores[merged, merged] = -np.inf
    return enter, leave


def _cycles(heads: Sequence[int], starts: Iterable[int]) -> list[list[int]]:
    """Return all cycles that can be reached from `starts`, each as its words; `heads` begins with the root's, 0."""
    cycles = []
    seen = [0] * len(heads)  # the walk that came by first; every walk but one in a cycle ends where another has been
    seen[0] = -1
    for walk, start in enumerate(starts, start=1):
        word = start
        while not seen[word]:
            seen[word] = walk
            word = heads[word]
        if seen[word] == walk:
            cycle = [word]
            while heads[cycle[-1]] != word:
                cycle.append(heads[cycle[-1]])
            cycles.append(cycle)
    return cycles
