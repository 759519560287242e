from __future__ import annotations

import numpy as np
import pytest

from vnlp_colab.decoding.order import by_length, in_rows
from vnlp_colab.decoding.stepwise import EncodedSentence


@pytest.mark.parametrize("threads", [1, 3])
def test_answers_are_in_the_order_given(threads):
    items = ["ccc", "a", "", "bb", "dddd", "ee"]
    parts = []

    def work(part):
        parts.append([len(item) for item in part])
        return [item.upper() for item in part]

    assert by_length(items, in_rows(4), work, threads) == [item.upper() for item in items]
    assert sorted(parts, reverse=True) == [[4, 3, 2, 2], [1, 0]]


def test_nothing_gives_nothing():
    assert by_length([], in_rows(4), lambda part: part) == []


def test_a_sentence_is_cut_in_all_its_columns():
    sentence = EncodedSentence((np.arange(5), np.arange(10).reshape(5, 2)))
    part = sentence[1:3]
    assert len(part) == 2
    assert [column.tolist() for column in part.columns] == [[1, 2], [[2, 3], [4, 5]]]
