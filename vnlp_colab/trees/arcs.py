"""From the parser's scores to a tree: greedy heads and relations, repaired only where they are no tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.annotator.answers import Parsed
from vnlp_colab.trees.segments import ROOT, cut_sentence, join_segments, shift_segments
from vnlp_colab.trees.tree import valid_heads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def read_scores(scores: np.ndarray, arcs: int, relations: Sequence[str], *, tree: bool) -> Parsed:
    """Return the parse of one segment from its scores.

    Parameters
    ----------
    scores
        (words, arcs + relations): a word's scores for its head (column 0 is the root, column k word k), then for its
        relation.
    arcs
        How many of the columns are arcs.
    relations
        The relations' names.
    tree
        Whether heads that are no tree are replaced by those of the best one. Where that happens, ``root`` is made to
        stand exactly at the root; a sentence that was a tree stays as the network gave it.
    """
    heads = scores[:, :arcs].argmax(axis=1).tolist()
    labels = scores[:, arcs:].argmax(axis=1)
    valid = valid_heads(heads, scores[:, : len(scores) + 1]) if tree else heads
    if valid != heads and ROOT in relations:
        labels = _root_at_root(labels, valid, scores[:, arcs:], relations.index(ROOT))
    return Parsed(valid, [relations[label] for label in labels.tolist()])


def _root_at_root(labels: np.ndarray, heads: Sequence[int], scores: np.ndarray, root: int) -> np.ndarray:
    others = scores.copy()
    others[:, root] = -1
    labels = np.where(labels == root, others.argmax(axis=1), labels)
    labels[list(heads).index(0)] = root
    return labels


def parse_sentences(
    sentences: Sequence[Sequence[str]],
    window: int,
    relations: Sequence[str],
    scores_of: Callable[[list[Sequence[str]]], list[np.ndarray]],
    *,
    tree: bool,
) -> list[Parsed]:
    """Parse sentences of any length with a network that sees `window` words.

    `scores_of` returns the scores of sentences of at most `window` words (see `read_scores`).
    """
    cuts = [cut_sentence(sentence, window) for sentence in sentences]
    pieces = [sentence[segment] for sentence, segments in zip(sentences, cuts, strict=True) for segment in segments]
    parts = iter([read_scores(scores, window + 1, relations, tree=tree) for scores in scores_of(pieces)])
    parsed = []
    for sentence, segments in zip(sentences, cuts, strict=True):
        own = [next(parts) for _ in segments]
        parsed.append(join_segments(sentence, segments, own) if tree else shift_segments(segments, own))
    return parsed
