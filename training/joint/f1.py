"""F1 of entities and of reviews."""

from __future__ import annotations

import numpy as np

from training.joint.constants import ENTITIES


def spans(labels: list[int]) -> set[tuple[int, int, str]]:
    """Return begin, end and type of the entities of BIO labels.

    Examples
    --------
    >>> sorted(spans([1, 2, 1, 0, 4]))
    [(0, 2, 'PER'), (2, 3, 'PER'), (4, 5, 'LOC')]
    """
    found: set[tuple[int, int, str]] = set()
    begin, kind = 0, ""
    for i, label in enumerate([*labels, 0]):
        name = ENTITIES[label]
        if kind and name != f"I-{kind}":
            found.add((begin, i, kind))
            kind = ""
        if label and not kind:
            begin, kind = i, name[2:]
    return found


def f1_of_spans(gold: list[list[int]], predicted: list[list[int]]) -> float:
    """Return the F1 of whole entities."""
    hits = total = 0
    for own, other in zip(gold, predicted, strict=True):
        a, b = spans(own), spans(other)
        hits += len(a & b)
        total += len(a) + len(b)
    return 2 * hits / max(1, total)


def f1_of_reviews(gold: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean F1 of negative and positive."""
    each = [
        2 * ((gold == v) & (predicted == v)).sum() / max(1, (gold == v).sum() + (predicted == v).sum())
        for v in (False, True)
    ]
    return float(np.mean(each))


def score_reviews(gold: np.ndarray, probabilities: np.ndarray, shift: float = 0.0) -> dict[str, float]:
    """Return accuracy and macro-F1 of positive against negative; `shift` is added to the log-odds."""
    odds = np.log(probabilities[:, 2] + 1e-9) - np.log(probabilities[:, 0] + 1e-9) + shift
    predicted, positive = odds > 0, gold == 2
    return {"accuracy": 100 * float((predicted == positive).mean()), "macro_f1": f1_of_reviews(positive, predicted)}


def best_shift(gold: np.ndarray, probabilities: np.ndarray) -> float:
    """Return what to add to the log-odds for the best accuracy and macro-F1 of reviews."""
    scores = {x: score_reviews(gold, probabilities, x) for x in np.linspace(-1, 1, 41).round(2).tolist()}
    return max(scores, key=lambda x: scores[x]["accuracy"] / 100 + scores[x]["macro_f1"])
