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
    scores = [[_NONE] * (size + 1), *np.asarray(arc_scores, np.float64).tolist()]
    for word in range(1, size + 1):
        scores[word][word] = _NONE
    search = _Search(scores)
    while len(roots := search.roots()) > 1:
        search.drop_one(roots)
    return search.heads_of_words()


class _Search:
    """Chu-Liu/Edmonds on rows of scores, which it changes; row 0 and the diagonal hold no arcs.

    Every cycle becomes one of its words, in O(n) for each of them, and only this word then looks for a head again.
    Lists, not arrays: sentences have some ten words, and on so few NumPy takes four times as long.

    Too many roots are brought down by a rising price on every arc from the root. At any price this is the best tree, so
    it is the best one with one root when there is one left.
    """

    def __init__(self, scores: list[list[float]]) -> None:
        self._scores = scores
        self._heads = [_best(row) for row in scores]
        self._alive = [True] * len(scores)
        self._contractions: list[tuple[list[int], list[int], list[int], list[int]]] = []
        self._contract_from(range(1, len(scores)))

    def roots(self) -> list[int]:
        """Return the words, or what stands for them, whose head is the root."""
        return [word for word, head in enumerate(self._heads) if head == 0 and word and self._alive[word]]

    def drop_one(self, roots: list[int]) -> None:
        """Raise the price until one of `roots` would rather have another head, and give it that.

        If that makes a cycle, its word may be a root again, but for more than before.
        """
        losses = [self._scores[root][0] - max(self._scores[root][1:]) for root in roots]
        least = min(losses)
        dropped = roots[losses.index(least)]
        self._heads[dropped] = _best(self._scores[dropped][1:]) + 1
        for row in self._scores:
            row[0] -= least
        self._contract_from([dropped])

    def heads_of_words(self) -> list[int]:
        """Return the head of every word, with all cycles taken apart again."""
        heads, alive = self._heads.copy(), self._alive.copy()
        for cycle, inside, enter, leave in reversed(self._contractions):
            merged = cycle[0]
            entering = heads[merged]
            for word, head in enumerate(heads):
                if head == merged and alive[word]:
                    heads[word] = leave[word]
            for word, head in zip(cycle, inside, strict=True):
                heads[word] = head
                alive[word] = True
            heads[enter[entering]] = entering
        return heads[1:]

    def _contract_from(self, fresh: Iterable[int]) -> None:
        """Contract cycles until there is none; each has one of `fresh` in it, or a word that stands for a cycle."""
        while cycles := _cycles(self._heads, fresh):
            fresh = [cycle[0] for cycle in cycles]
            for cycle in cycles:
                inside = [self._heads[word] for word in cycle]
                self._contractions.append((cycle, inside, *_contract(self._scores, inside, cycle)))
                merged, members = cycle[0], set(cycle)
                for word in cycle[1:]:
                    self._alive[word] = False
                self._heads = [merged if head in members else head for head in self._heads]
                self._heads[merged] = _best(self._scores[merged])


def _best(scores: list[float]) -> int:
    """Return where the highest score stands, the first of several."""
    return scores.index(max(scores))


def _contract(scores: list[list[float]], inside: list[int], cycle: list[int]) -> tuple[list[int], list[int]]:
    """Merge a cycle, with these heads `inside` it, into its first word.

    Return which word of it each head enters and each dependent leaves. No other word of the cycle can be a head
    afterwards; its own row is not looked at again.
    """
    merged, count = cycle[0], len(scores)
    gains, enter = [_NONE] * count, [merged] * count
    for word, own in zip(cycle, inside, strict=True):
        row = scores[word]
        lost = row[own]
        for head, score in enumerate(row):
            if score - lost > gains[head]:
                gains[head], enter[head] = score - lost, word
    scores[merged] = gains
    leave = [merged] * count
    for dependent, row in enumerate(scores):
        best = row[merged]
        for word in cycle:
            if row[word] > best:
                best, leave[dependent] = row[word], word
            row[word] = _NONE
        row[merged] = best
    gains[merged] = _NONE
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
