"""From the parser's scores to a tree: greedy heads and relations, repaired only where they are no tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
        Whether heads that are no tree are replaced by those of the best one, and ``root`` is made to stand at the root
        and nowhere else; else all is as the network gave it.
    """
    heads = scores[:, :arcs].argmax(axis=1).tolist()
    labels = scores[:, arcs:].argmax(axis=1)
    if tree:
        heads = valid_heads(heads, scores[:, : len(scores) + 1])
        labels = _root_at_root(labels, heads, scores[:, arcs:], relations)
    return Parsed(heads, [relations[label] for label in labels.tolist()])


def _root_at_root(labels: np.ndarray, heads: list[int], scores: np.ndarray, relations: Sequence[str]) -> np.ndarray:
    """Return the labels with ``root`` at the one head 0; others that had it take their next best relation."""
    if ROOT not in relations or not heads:
        return labels
    root = relations.index(ROOT)
    wrong = labels == root
    wrong[heads.index(0)] = False
    others = [number for number, relation in enumerate(relations) if relation not in ("", ROOT)]
    labels[wrong] = np.array(others)[scores[wrong][:, others].argmax(axis=1)] if others else labels[wrong]
    labels[heads.index(0)] = root
    return labels


def parse_sentences(
    sentences: Sequence[Sequence[str]],
    window: int,
    relations: Sequence[str],
    scores_of: Callable[[list[Any]], list[np.ndarray]],
    *,
    tree: bool,
    inputs: Sequence[Any] | None = None,
) -> list[Parsed]:
    """Parse sentences of any length with a network that sees `window` words.

    Parameters
    ----------
    sentences
        The tokens of each.
    window
        How many words the network sees.
    relations
        The relations' names.
    scores_of
        Returns the scores of inputs of at most `window` words (see `read_scores`).
    tree
        As for `read_scores`.
    inputs
        Of each sentence what `scores_of` reads of it, which is cut as its tokens are; the tokens by default.
    """
    cuts = [cut_sentence(sentence, window) for sentence in sentences]
    read = sentences if inputs is None else inputs
    pieces = [sentence[segment] for sentence, segments in zip(read, cuts, strict=True) for segment in segments]
    parts = iter([read_scores(scores, window + 1, relations, tree=tree) for scores in scores_of(pieces)])
    parsed = []
    for sentence, segments in zip(sentences, cuts, strict=True):
        own = [next(parts) for _ in segments]
        parsed.append(join_segments(sentence, segments, own) if tree else shift_segments(segments, own))
    return parsed
