"""`RowCache`: bounded, and the same answers whatever is in it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from vnlp_colab.stemmer.row_cache import RowCache


def squares(keys: list[str]) -> np.ndarray:
    return np.array([[int(key), int(key) ** 2] for key in keys], np.float32)


def not_needed(keys: list[str]) -> np.ndarray:
    raise AssertionError(f"{keys} should have been kept")


def test_kept_rows_are_not_made_again() -> None:
    cache = RowCache(2, capacity=10)
    first = cache.rows(["1", "2", "3"], squares)
    assert (cache.rows(["3", "1"], not_needed) == first[[2, 0]]).all()


def test_only_missing_rows_are_made() -> None:
    cache = RowCache(2, capacity=10)
    cache.rows(["1", "2"], squares)
    asked: list[list[str]] = []

    def compute(keys: list[str]) -> np.ndarray:
        asked.append(keys)
        return squares(keys)

    assert cache.rows(["1", "3", "2"], compute).tolist() == [[1, 1], [3, 9], [2, 4]]
    assert asked == [["3"]]


def test_oldest_rows_go() -> None:
    cache = RowCache(2, capacity=3)
    cache.rows(["1", "2", "3"], squares)
    cache.rows(["4"], squares)
    assert len(cache) == 3
    cache.rows(["2", "3", "4"], not_needed)
    with pytest.raises(AssertionError):
        cache.rows(["1"], not_needed)


@pytest.mark.parametrize("capacity", [1, 7, 300, 5000])
def test_any_number_of_keys_is_answered(capacity: int) -> None:
    cache = RowCache(2, capacity)
    for start in (0, 500, 100):
        keys = [str(number) for number in range(start, start + 1000)]
        assert (cache.rows(keys, squares) == squares(keys)).all()
        assert len(cache) <= capacity


def test_answers_are_copies() -> None:
    cache = RowCache(2, capacity=10)
    cache.rows(["5"], squares)[:] = 0
    cache.rows(["5"], not_needed)[:] = 0
    assert cache.rows(["5"], not_needed).tolist() == [[5, 25]]


def test_threads_get_their_own_rows() -> None:
    cache = RowCache(2, capacity=50)

    def ask(start: int) -> bool:
        keys = [str(number) for number in range(start, start + 40)]
        return bool((cache.rows(keys, squares) == squares(keys)).all())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, [number * 13 % 200 for number in range(400)]))
