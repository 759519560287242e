"""`RowCache`: bounded, and the same answers whatever is in it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from vnlp_colab.recurrent.row_cache import RowCache


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


def test_the_half_that_was_not_used_for_longest_goes() -> None:
    cache = RowCache(2, capacity=4)
    for keys in (["1", "2"], ["3", "4"], ["1", "4"], ["5"]):
        cache.rows(keys, squares)
    assert len(cache) == 3
    cache.rows(["1", "4", "5"], not_needed)
    with pytest.raises(AssertionError):
        cache.rows(["2"], not_needed)


def test_rows_of_long_keys_are_made_and_not_kept() -> None:
    cache = RowCache(2, capacity=4, longest_key=3)
    assert cache.rows(["1234", "5"], squares)[0].tolist() == [1234, 1234**2]
    assert len(cache) == 1


def test_room_for_less_than_two_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        RowCache(2, capacity=1)


@pytest.mark.parametrize("capacity", [2, 7, 300, 5000])
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
