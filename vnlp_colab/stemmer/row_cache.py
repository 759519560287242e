"""Vectors that were computed once, kept in one bounded table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class RowCache:
    """A row of numbers for each key, the oldest overwritten when there are too many.

    Safe between threads: answers are copies, so that no other caller can overwrite them, and two callers that miss the
    same key at once both compute it and get the same numbers.

    Parameters
    ----------
    width
        Numbers in a row.
    capacity
        The most rows kept; memory is taken as the table fills.
    """

    def __init__(self, width: int, capacity: int) -> None:
        self._capacity = capacity
        self._rows = np.empty((min(capacity, 256), width), np.float32)
        self._row_of: dict[str, int] = {}
        self._keys: list[str] = []  # by row
        self._oldest = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._row_of)

    def rows(self, keys: Sequence[str], compute: Callable[[list[str]], np.ndarray]) -> np.ndarray:
        """Return the rows of `keys`, which are distinct; `compute` makes those of the keys not here yet."""
        answer = np.empty((len(keys), self._rows.shape[1]), np.float32)
        with self._lock:
            found = np.fromiter((self._row_of.get(key, -1) for key in keys), np.int64, len(keys))
            known = found >= 0
            answer[known] = self._rows[found[known]]
        missing = np.flatnonzero(~known)
        if len(missing):
            names = [keys[index] for index in missing.tolist()]
            made = compute(names)
            answer[missing] = made
            with self._lock:
                self._keep(names, made)
        return answer

    def _keep(self, keys: list[str], made: np.ndarray) -> None:
        for key, row in zip(keys[-self._capacity :], made[-self._capacity :], strict=True):
            if key in self._row_of:  # another thread was quicker
                continue
            index = len(self._keys)
            if index < self._capacity:
                self._keys.append(key)
                if index == len(self._rows):
                    grown = np.empty((min(self._capacity, 2 * index), self._rows.shape[1]), np.float32)
                    grown[:index] = self._rows
                    self._rows = grown
            else:
                index = self._oldest
                self._oldest = (index + 1) % self._capacity
                del self._row_of[self._keys[index]]
                self._keys[index] = key
            self._rows[index] = row
            self._row_of[key] = index
