"""Examples of words and their candidates, and the vectors of marks learnt from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from training.joint_morphology.gold import Gold, right_ones
from training.joint_morphology.scorer import agreement, marks
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vnlp_colab.joint.joint_colab import JointAnalyzer

_LEAST = 20  # a mark seen less often has no vector
_ROWS = 2048
_RATE = 2e-3
_DECAY = 1e-4
_OWN_FORGOTTEN = 0.3  # words that are learnt without what the network says of them, which it has by heart here
_OWN = ("lemma", "other", "same", "only")  # first words of the marks that tell of it


@dataclass
class Examples:
    """Words to learn from; the candidates of all words, and the marks of all candidates, one after the other."""

    states: np.ndarray  # (words, width) float16
    first_candidate: np.ndarray  # (words + 1,)
    first_mark: np.ndarray  # (candidates + 1,)
    marks: np.ndarray  # their numbers
    right: np.ndarray  # (candidates,) bool


class Collector:
    """Gathers examples; marks get numbers as they come."""

    def __init__(self, model: JointAnalyzer) -> None:
        self._model = model
        self.names: dict[str, int] = {}
        self._states: list[np.ndarray] = []
        self._candidates: list[int] = []
        self._sizes: list[int] = []
        self._marks: list[np.ndarray] = []
        self._right: list[bool] = []

    def add(self, sentences: Sequence[Gold], copies: int = 1) -> None:
        """Add what sentences teach, so many times."""
        for start in range(0, len(sentences), 500):
            some = sentences[start : start + 500]
            texts = [gold.words for gold in some]
            states = self._model.word_states(texts)
            said = self._model.analyze_batch(texts, ("lemma", "feats"))
            for number, gold in enumerate(some):
                for at, word in enumerate(gold.words):
                    right = right_ones(word, gold, at)
                    if right is not None:
                        own = said["lemma"][number][at], said["feats"][number][at]
                        self._add(word, states[number][at], own, right, copies)

    def _add(self, word: str, state: np.ndarray, own: tuple[str, str], right: list[int], copies: int) -> None:
        candidates = default_generator().candidates(word)
        rows = [[*marks(word, one), *agreement(one, *own)] for one in candidates]
        flat = [self.names.setdefault(name, len(self.names)) for row in rows for name in row]
        self._states += [state.astype(np.float16)] * copies
        self._candidates += [len(rows)] * copies
        self._sizes += [len(row) for row in rows] * copies
        self._marks += [np.array(flat, np.int32)] * copies
        self._right += [number in right for number in range(len(rows))] * copies

    def examples(self) -> tuple[Examples, list[str]]:
        """Return all examples, and the marks seen often enough, in the order of their numbers there."""
        flat = np.concatenate(self._marks)
        counts = np.bincount(flat, minlength=len(self.names))
        kept = np.flatnonzero(counts >= _LEAST)
        numbers = np.full(len(self.names), -1)
        numbers[kept] = np.arange(len(kept))
        new = numbers[flat]
        owner = np.repeat(np.arange(len(self._sizes)), self._sizes)[new >= 0]
        names = list(self.names)
        return (
            Examples(
                np.stack(self._states),
                np.cumsum([0, *self._candidates]),
                np.cumsum([0, *np.bincount(owner, minlength=len(self._sizes)).tolist()]),
                new[new >= 0],
                np.array(self._right),
            ),
            [names[number] for number in kept.tolist()],
        )


def learn(examples: Examples, names: Sequence[str], epochs: int, seed: int = 1) -> np.ndarray:
    """Return the vectors of the marks (marks, width + 1): softmax over candidates, all right ones counted, Adam."""
    rng = np.random.default_rng(seed)
    own = np.array([name.split(" ")[0] in _OWN for name in names])
    vectors = np.zeros((len(names), examples.states.shape[1] + 1), np.float32)
    first, second = np.zeros_like(vectors), np.zeros_like(vectors)
    count = len(examples.states)
    total = epochs * -(-count // _ROWS)
    step = 0
    for _ in range(epochs):
        order = rng.permutation(count)
        for start in range(0, count, _ROWS):
            step += 1
            gradient = _gradient(examples, np.sort(order[start : start + _ROWS]), vectors, own, rng) + _DECAY * vectors
            first += 0.1 * (gradient - first)
            second += 0.01 * (gradient**2 - second)
            rate = _RATE * (1 - (step - 1) / total) * np.sqrt(1 - 0.99**step) / (1 - 0.9**step)
            vectors -= rate * first / (np.sqrt(second) + 1e-8)
    return vectors


def _ranges(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all places from ``starts[row]`` to ``starts[row + 1]`` of some rows, and how many each has."""
    sizes = starts[rows + 1] - starts[rows]
    offsets = np.cumsum(sizes) - sizes
    return np.repeat(starts[rows] - offsets, sizes) + np.arange(sizes.sum()), sizes


def _gradient(
    examples: Examples, rows: np.ndarray, vectors: np.ndarray, own: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    states = np.concatenate([examples.states[rows].astype(np.float32), np.ones((len(rows), 1), np.float32)], axis=1)
    candidates, sizes = _ranges(examples.first_candidate, rows)
    owner = np.repeat(np.arange(len(rows)), sizes)
    places, counts = _ranges(examples.first_mark, candidates)
    of_candidate = np.repeat(np.arange(len(candidates)), counts)
    numbers = examples.marks[places]
    forgotten = (rng.random(len(rows)) < _OWN_FORGOTTEN)[owner[of_candidate]] & own[numbers]
    numbers, of_candidate = numbers[~forgotten], of_candidate[~forgotten]
    words = owner[of_candidate]
    parts = states @ vectors.T
    scores = np.bincount(of_candidate, parts[words, numbers], len(candidates))
    best = np.full(len(rows), -np.inf)
    np.maximum.at(best, owner, scores)
    powers = np.exp(scores - best[owner])
    chances = powers / np.bincount(owner, powers)[owner]
    correct = np.where(examples.right[candidates], np.maximum(powers, 1e-30), 0)
    wanted = correct / np.bincount(owner, correct)[owner]
    slopes = np.bincount(words * len(vectors) + numbers, (chances - wanted)[of_candidate], parts.size)
    gradient: np.ndarray = slopes.reshape(parts.shape).astype(np.float32).T @ states / np.float32(len(rows))
    return gradient
