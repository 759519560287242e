"""Trees of whole batches: greedy heads where they are trees, else the best tree with one root."""

from __future__ import annotations

import numpy as np

from vnlp_colab.trees.tree import best_tree

# What stands for no arc: the search for trees wants finite scores, and no network gives one as low.
NO_ARC = -1e6


def batch_heads(arcs: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the heads (sentences, words) of a batch, 0 for the root and for pads; `arcs` is changed.

    Parameters
    ----------
    arcs
        (sentences, words, words + 1): how well each word's head is the root (column 0) or word ``k`` (column k).
    lengths
        The words of each sentence.

    Examples
    --------
    >>> scores = np.array([[[0, 9, 2], [2, 3, 9]]], np.float32)  # no word is its own head
    >>> batch_heads(scores, np.array([2])).tolist()
    [[2, 0]]
    """
    count = arcs.shape[1]
    places = np.arange(count)
    arcs = finite(arcs)
    arcs[:, places, places + 1] = NO_ARC
    words = places < lengths[:, None]
    heads: np.ndarray
    if words.all():
        heads = arcs.argmax(axis=2)
    else:
        arcs += np.where(np.arange(count + 1) > lengths[:, None], np.float32(NO_ARC), np.float32(0))[:, None]
        heads = np.where(words, arcs.argmax(axis=2), 0)
    for row in np.flatnonzero(~are_trees(heads, words)).tolist():
        length = int(lengths[row])
        heads[row, :length] = best_tree(arcs[row, :length, : length + 1])
    return heads


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
