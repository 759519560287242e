"""Valid dependency trees: one root, no cycle, every head inside the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    seen = [0] * (size + 1)  # the walk that came by first; every walk but one in a cycle ends where another has been
    seen[0] = -1
    for start in range(1, size + 1):
        word = start
        while not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if seen[word] == start:
            return False
    return True


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
    logs = np.log(np.maximum(np.asarray(arc_scores, np.float64), _LEAST_SCORE))
    return best_tree(logs)


def best_tree(arc_scores: np.ndarray) -> list[int]:
    """Return the heads of the maximum spanning arborescence with one root.

    `arc_scores` is (words, words + 1) as in `valid_heads`, but summed, not multiplied.
    """
    size = len(arc_scores)
    if not size:
        return []
    scores = np.full((size + 1, size + 1), -np.inf)
    scores[1:] = arc_scores
    np.fill_diagonal(scores, -np.inf)
    heads = _arborescence(scores.copy())
    if heads.count(0) > 1:
        # A price on root arcs that no gain elsewhere can pay twice leaves exactly one of them. With it no word takes
        # the root at first, and every one is in some cycle: several times the work, so it comes second.
        finite = scores[1:][np.isfinite(scores[1:])]
        scores[1:, 0] -= (size + 1) * (finite.max() - finite.min() + 1)
        heads = _arborescence(scores)
    return heads


def _arborescence(scores: np.ndarray) -> list[int]:
    """Return the best heads, with any number of roots, by Chu-Liu/Edmonds; row 0 and the diagonal hold no arcs.

    Every contraction works on the one matrix in place and takes O(n²), so 400 words take well under a second.
    """
    size = len(scores) - 1
    alive = np.ones(size + 1, bool)
    heads = np.zeros(size + 1, np.int64)
    contractions: list[tuple[list[int], np.ndarray, np.ndarray, np.ndarray]] = []
    while True:
        rows = np.flatnonzero(alive)[1:]
        heads[rows] = scores[rows].argmax(axis=1)
        cycle = _find_cycle(heads, rows)
        if not cycle:
            break
        contractions.append((cycle, heads[cycle].copy(), *_contract(scores, heads, alive, cycle)))
    for cycle, inside, enter, leave in reversed(contractions):
        merged = cycle[0]
        head = heads[merged]
        from_cycle = np.flatnonzero(alive & (heads == merged))
        heads[from_cycle[from_cycle > 0]] = leave[from_cycle[from_cycle > 0]]
        heads[cycle] = inside
        heads[enter[head]] = head
        alive[cycle] = True
    return [int(head) for head in heads[1:]]


def _contract(
    scores: np.ndarray, heads: np.ndarray, alive: np.ndarray, cycle: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Merge a cycle into its first word; return which word of it each head enters and each dependent leaves."""
    members = np.array(cycle)
    gains = scores[members] - scores[members, heads[members]][:, None]
    enter = members[gains.argmax(axis=0)]
    leave = members[scores[:, members].argmax(axis=1)]
    merged = cycle[0]
    into, out = gains.max(axis=0), scores[:, members].max(axis=1)
    scores[members] = -np.inf
    scores[:, members] = -np.inf
    alive[members[1:]] = False
    scores[merged, alive] = into[alive]
    scores[alive, merged] = out[alive]
    scores[merged, merged] = -np.inf
    scores[0] = -np.inf
    return enter, leave


def _find_cycle(heads: np.ndarray, rows: np.ndarray) -> list[int]:
    """Return the words of a cycle, or none."""
    seen = np.zeros(len(heads), np.int64)
    seen[0] = -1
    for walk, start in enumerate(rows.tolist(), start=1):
        word = start
        while seen[word] == 0:
            seen[word] = walk
            word = int(heads[word])
        if seen[word] == walk:
            cycle = [word]
            while int(heads[cycle[-1]]) != word:
                cycle.append(int(heads[cycle[-1]]))
            return cycle
    return []
