"""Candidate analyses by their marks, and the choice among them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.text.case import lower_case
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vnlp_colab.text.morphology import Analysis

_CACHED = 50_000


def marks(word: str, candidate: Analysis) -> list[str]:
    """Return what is said of a candidate by itself.

    Examples
    --------
    >>> from vnlp_colab.text.morphology import Analysis
    >>> marks("evde", Analysis("ev", "Noun+A3sg+Pnon+Loc"))[:4]
    ['Noun', 'A3sg', 'Pnon', 'Loc']
    """
    groups = [group.strip("+").split("+") for group in candidate.tags.split("^DB")]
    tags = [tag for group in groups for tag in group]
    rest = len(word) - len(candidate.root)
    return [
        *dict.fromkeys(tags),
        *(f"last {tag}" for tag in dict.fromkeys(groups[-1])),
        f"first {groups[0][0]}",
        f"all {candidate.tags}",
        f"groups {min(len(groups), 4)}",
        f"root {min(len(candidate.root), 8)}",
        f"rest {max(-1, min(rest, 10))}",
        "root is the start" if lower_case(word).startswith(candidate.root) else "root is changed",
    ]


def agreement(candidate: Analysis, lemma: str, feats: str) -> list[str]:
    """Return where a candidate agrees with what the network says of the word.

    Examples
    --------
    >>> from vnlp_colab.text.morphology import Analysis
    >>> agreement(Analysis("ev", "Noun+A3sg+Pnon+Loc"), "ev", "Case=Dat|Number=Sing|Person=3")
    ['lemma', 'other Case', 'same Number', 'same Person']
    """
    own = _features(ud_features(str(candidate)))
    given = _features(feats)
    found = ["lemma" if candidate.root == lower_case(lemma) else "other lemma"]
    for name in sorted({*own, *given}):
        same = own.get(name) == given.get(name)
        found.append(f"{'same' if same else 'other' if name in own and name in given else 'only'} {name}")
    return found


@lru_cache(maxsize=20_000)
def _features(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split("|") if "=" in part)


class CandidateScorer:
    """Chooses analyses of words by the vectors of marks.

    Parameters
    ----------
    vectors
        (marks, width + 1): the last column stands for itself, without the word.
    names
        The marks, in the order of the vectors.
    """

    def __init__(self, vectors: np.ndarray, names: Sequence[str]) -> None:
        self._vectors = np.ascontiguousarray(vectors[:, :-1].T, np.float32)
        self._bias = vectors[:, -1].astype(np.float32)
        self._numbers: Mapping[str, int] = {name: number for number, name in enumerate(names)}
        self._generator = default_generator()
        self._static = lru_cache(maxsize=_CACHED)(self._static_marks)
        self._active = lru_cache(maxsize=_CACHED)(self._active_marks)

    def analyses(
        self, words: Sequence[str], states: np.ndarray, lemmas: Sequence[str], feats: Sequence[str]
    ) -> list[str]:
        """Return the analysis of each word, given its vector (words, width) and what the network says of it."""
        candidates = [self._generator.candidates(word) for word in words]
        open_words = [at for at, found in enumerate(candidates) if len(found) > 1]
        chosen = [0] * len(words)
        if open_words:
            best = self._choose(
                [self._active(words[at], lemmas[at], feats[at]) for at in open_words], states[open_words]
            )
            for at, number in zip(open_words, best, strict=True):
                chosen[at] = number
        return [str(found[number]) for found, number in zip(candidates, chosen, strict=True)]

    def _choose(self, active: list[tuple[np.ndarray, np.ndarray]], states: np.ndarray) -> list[int]:
        """Return the best candidate of each word."""
        parts = states @ self._vectors + self._bias
        sizes = np.array([len(starts) for _, starts in active])
        counts = np.array([len(numbers) for numbers, _ in active])
        words = np.repeat(np.arange(len(active)), counts)
        offsets = np.cumsum(counts) - counts
        starts = np.concatenate([starts for _, starts in active]) + np.repeat(offsets, sizes)
        scores = np.add.reduceat(parts[words, np.concatenate([numbers for numbers, _ in active])], starts)
        ends = np.cumsum(sizes).tolist()
        return [int(scores[end - size : end].argmax()) for size, end in zip(sizes.tolist(), ends, strict=True)]

    def _static_marks(self, word: str) -> list[list[int]]:
        get = self._numbers.get
        return [
            [number for name in marks(word, candidate) if (number := get(name)) is not None]
            for candidate in self._generator.candidates(word)
        ]

    def _active_marks(self, word: str, lemma: str, feats: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the marks of all candidates one after the other, and where each candidate's begin."""
        get = self._numbers.get
        rows = [
            [*static, *(number for name in agreement(candidate, lemma, feats) if (number := get(name)) is not None)]
            for static, candidate in zip(self._static(word), self._generator.candidates(word), strict=True)
        ]
        starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
        return np.array([number for row in rows for number in row], np.int64), starts
