"""Trees of whole batches: greedy heads where they are trees, else the best tree with one root.

An arc's score is the logarithm of how likely the head is and, for the two best heads of a word, of how likely the best
relation to it is: what is wanted are right arcs *with* right relations. Of all trees the one is taken that has most of
them to be expected: the sum of the arcs' probabilities is largest, not that of their logarithms.
"""

from __future__ import annotations

import numpy as np

from vnlp_colab.trees.tree import best_tree

# What stands for no arc: the search for trees wants finite scores, and no network gives one as low.
NO_ARC = -1e6
# What stands for the best relation's logarithm where it was not worked out: its mean, about.
_OTHERS = -0.7


def masked(arcs: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the scores without arcs to the word itself and to pads, in place where they lie together in memory.

    Parameters
    ----------
    arcs
        (sentences, words, words + 1): how well each word's head is the root (column 0) or word ``k`` (column k).
    lengths
        The words of each sentence.
    """
    places = np.arange(arcs.shape[1])
    arcs = finite(np.ascontiguousarray(arcs))
    arcs[:, places, places + 1] = NO_ARC
    if (lengths < len(places)).any():
        arcs += np.where(np.arange(len(places) + 1) > lengths[:, None], np.float32(NO_ARC), np.float32(0))[:, None]
    return arcs


def best_two(arcs: np.ndarray) -> np.ndarray:
    """Return the two best heads (sentences, words, 2) of every word, the better one first.

    Examples
    --------
    >>> best_two(np.array([[[3.0, -1e6, 5.0], [7.0, 2.0, -1e6]]])).tolist()
    [[[2, 0], [0, 1]]]
    """
    two = np.empty((*arcs.shape[:2], 2), np.int64)
    two[..., 0] = arcs.argmax(axis=2)
    flat, places = arcs.reshape(-1), _places(arcs, two[..., :1])[..., 0]
    best = flat[places]
    flat[places] = -np.inf
    two[..., 1] = arcs.argmax(axis=2)
    flat[places] = best
    return two


def weigh_relations(arcs: np.ndarray, heads: np.ndarray, certainties: np.ndarray) -> None:
    """Add to masked scores how likely the best relation is: to these heads as told, to the root certainly.

    Parameters
    ----------
    arcs
        The scores, as `masked` gives them.
    heads
        Some heads of every word (sentences, words, some).
    certainties
        The logarithm of how likely the best relation to each of them is; where that is no number, it is not known.
    """
    sure = np.nan_to_num(certainties, nan=_OTHERS) - np.float32(_OTHERS)
    arcs.reshape(-1)[_places(arcs, heads)] += np.where(heads == 0, np.float32(0), sure)
    arcs[..., 0] -= np.float32(_OTHERS)


def _places(arcs: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Return where the arcs to these heads lie in the scores, one after the other."""
    sentences, words, nodes = arcs.shape
    return heads + np.arange(0, sentences * words * nodes, nodes).reshape(sentences, words, 1)


def heads_of(arcs: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the heads (sentences, words) of a batch, 0 for the root and for pads, by scores that are masked.

    Examples
    --------
    >>> scores = np.array([[[0, 9, 2], [2, 3, 9]]], np.float32)  # no word is its own head
    >>> heads_of(masked(scores, np.array([2])), np.array([2])).tolist()
    [[2, 0]]
    """
    words = np.arange(arcs.shape[1]) < lengths[:, None]
    heads: np.ndarray = np.where(words, arcs.argmax(axis=2), 0)
    for row in np.flatnonzero(~are_trees(heads, words)).tolist():
        length = int(lengths[row])  # without its pads: they would change the last bits of sums
        heads[row, :length] = expected_tree(arcs[row, :length, : length + 1])
    return heads


def expected_tree(arcs: np.ndarray) -> list[int]:
    """Return the heads of the tree whose arcs are likeliest to be right, by these masked scores (words, words + 1).

    Examples
    --------
    >>> scores = np.log([[0.2, 1e-9, 0.8], [0.4, 0.6, 1e-9]])  # each is the other's likeliest head
    >>> expected_tree(scores)
    [2, 0]
    """
    powers = np.exp(arcs - arcs.max(axis=1, keepdims=True))
    likely = powers / powers.sum(axis=1, keepdims=True)
    likely[arcs <= NO_ARC / 2] = NO_ARC
    return best_tree(likely)


def finite(arcs: np.ndarray) -> np.ndarray:
    """Return the scores, in place, with what is no number as no arc."""
    if np.isfinite(arcs.sum()):  # one that is no number leaves none of the sum
        return arcs
    made: np.ndarray = np.nan_to_num(arcs, copy=False, nan=NO_ARC, posinf=-NO_ARC, neginf=NO_ARC)
    return made


def are_trees(heads: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Tell for each sentence whether its heads (0 for pads) form a tree with one root; `words` is False at pads.

    Following the heads of heads, twice as far each time, every word of a tree comes to the root.
    """
    count, width = len(heads), heads.shape[1] + 1
    roots = np.arange(0, count * width, width)[:, None]
    reached = np.empty((count, width), np.intp)
    reached[:, :1] = roots
    np.add(heads, roots, out=reached[:, 1:])
    flat, steps = reached.ravel(), 1
    while steps < width - 1:
        flat = flat[flat]
        steps *= 2
    whole: np.ndarray = (flat.reshape(count, width) == roots).all(axis=1) & (((heads == 0) & words).sum(axis=1) == 1)
    return whole
