"""Entity labels that go together: the best of all that do."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.joint.entities import EntityLabels

NAMES = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
SCORE = st.integers(-20, 20)


def go_together(path: tuple[int, ...]) -> bool:
    before = "O"
    for number in path:
        name = NAMES[number]
        if name.startswith("I-") and before not in (name, f"B-{name[2:]}"):
            return False
        before = name
    return True


@given(st.lists(st.lists(SCORE, min_size=5, max_size=5), min_size=1, max_size=4))
def test_no_labels_that_go_together_score_higher(rows: list[list[int]]) -> None:
    scores = np.array(rows, np.float32)
    found = tuple(EntityLabels(NAMES).best(scores, [0, len(rows)]).tolist())
    assert go_together(found)

    def score(path: tuple[int, ...]) -> float:
        return float(scores[np.arange(len(path)), path].sum())

    assert score(found) == max(score(path) for path in product(range(5), repeat=len(rows)) if go_together(path))


@given(st.lists(st.lists(st.lists(SCORE, min_size=5, max_size=5), min_size=1, max_size=6), min_size=1, max_size=6))
def test_sentences_get_the_same_labels_together_and_alone(sentences: list[list[list[int]]]) -> None:
    labels = EntityLabels(NAMES)
    arrays = [np.array(rows, np.float32) for rows in sentences]
    ends = np.cumsum([0, *map(len, arrays)]).tolist()
    alone = [label for array in arrays for label in labels.best(array, [0, len(array)]).tolist()]
    assert labels.best(np.concatenate(arrays), ends).tolist() == alone


def test_a_sentence_hears_nothing_of_the_one_before() -> None:
    scores = np.array([[0, 5, 0, 0, 0], [0, 4, 5, 0, 0]], np.float32)
    labels = EntityLabels(NAMES)
    assert labels.best(scores, [0, 2]).tolist() == [1, 2]
    assert labels.best(scores, [0, 1, 2]).tolist() == [1, 1]


def test_one_word_may_change_because_of_the_next() -> None:
    # by themselves I-LOC, I-PER; together a person of two words
    scores = np.array([[0, 4, 0, 0, 5], [0, 0, 9, 0, 0]], np.float32)
    assert EntityLabels(NAMES).best(scores, [0, 2]).tolist() == [1, 2]


def test_labels_that_nothing_begins_may_stand_anywhere() -> None:
    labels = EntityLabels(("O", "I-PER"))
    assert labels.best(np.array([[0, 1], [1, 0], [0, 1]], np.float32), [0, 3]).tolist() == [1, 0, 1]


@pytest.mark.parametrize("ends", [[0], [0, 0]])
def test_no_words(ends: list[int]) -> None:
    assert EntityLabels(NAMES).best(np.zeros((0, 5), np.float32), ends).tolist() == []
