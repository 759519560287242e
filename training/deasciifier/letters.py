"""Fit the letter model: logistic regression over hashed windows, Adagrad, one example a letter of a distinct word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from training.deasciifier.readings import best_reading
from vnlp_colab.text.deasciifier.letters import ASCII_LETTERS, marked, window_slots

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE_BITS = 20
EPOCHS = 10
BATCH = 50_000
SMALLEST_COUNT = 2  # a form seen once is as often a slip as a word
LONGEST = 40
SCALE = 24  # weights to signed bytes
SPARSITY = 0.02


def examples(counts: dict[str, dict[str, list[int]]]) -> Iterator[tuple[str, bool, str, float]]:
    """Yield (ASCII word, capital, reading, weight); the weight grows with the logarithm of the count."""
    for plain, readings in counts.items():
        if len(plain) > LONGEST or not any(letter in plain for letter in ASCII_LETTERS):
            continue
        for case in (0, 1):
            total = sum(by_case[case] for by_case in readings.values())
            if total >= SMALLEST_COUNT:
                yield plain, case == 1, best_reading(readings, case), float(np.log2(1 + total))


def train(counts: dict[str, dict[str, list[int]]], seed: int = 0) -> np.ndarray:
    """Return the table of weights as signed bytes."""
    rng = np.random.default_rng(seed)
    rows = list(examples(counts))
    slots, targets, weights = _design([rows[i] for i in rng.permutation(len(rows))])
    return quantised(fit(slots, targets, weights, 1 << TABLE_BITS, EPOCHS, rng))


def fit(
    slots: np.ndarray, targets: np.ndarray, weights: np.ndarray, size: int, epochs: int, rng: np.random.Generator
) -> np.ndarray:
    """Minimise the weighted logistic loss of ``table[slots].sum(1)`` against the boolean targets."""
    table = np.zeros(size, np.float32)
    squares = np.full(size, 1e-3, np.float32)
    weights = weights / weights.mean()
    for epoch in range(epochs):
        rate = 0.25 * (1 - 0.8 * epoch / epochs)
        wrong = 0
        for start in rng.permutation(np.arange(0, len(slots), BATCH)):
            batch = slots[start : start + BATCH].astype(np.int64)
            scores = table[batch].sum(axis=1)
            wanted = targets[start : start + BATCH]
            wrong += int(((scores > 0) != wanted).sum())
            error = (1 / (1 + np.exp(-scores)) - wanted) * weights[start : start + BATCH]
            slope = np.bincount(batch.ravel(), np.repeat(error, batch.shape[1]), size).astype(np.float32)
            slope += SPARSITY * np.sign(table) * (slope != 0)
            squares += slope * slope
            table -= rate * slope / np.sqrt(squares)
        print(f"epoch {epoch + 1}: {100 * wrong / len(slots):.3f} % wrong", flush=True)
    return table


def quantised(table: np.ndarray) -> np.ndarray:
    """Round to signed bytes; a weight of one step is dropped, which costs nothing and packs better."""
    steps = np.clip(np.round(table * SCALE), -127, 127).astype(np.int8)
    steps[np.abs(steps) < 2] = 0
    return steps


def _design(rows: list[tuple[str, bool, str, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    slots, targets, weights = [], [], []
    step = 600  # words of at most 40 letters: always within the hash's power table
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        text = b"".join(marked(plain, capital) for plain, capital, _, _ in part)
        answer = "".join(f"^{reading}$" for _, _, reading, _ in part)
        positions, part_slots = window_slots(text, TABLE_BITS)
        slots.append(part_slots.astype(np.uint32))
        targets.append([text[p] != ord(answer[p]) for p in positions.tolist()])
        counts = [sum(map(plain.count, ASCII_LETTERS)) for plain, _, _, _ in part]
        weights.append(np.repeat([weight for *_, weight in part], counts))
    return np.concatenate(slots), np.concatenate(targets), np.concatenate(weights).astype(np.float32)
