"""Vectors that were computed once, kept in one bounded table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.forking import at_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class RowCache:
    """A row of numbers for each key; when there is no room left, the half that was not used for longest goes.

    Safe between threads: answers are copies, so that no other caller can overwrite them, and two callers that miss the
    same key at once both compute it and get the same numbers.

    Parameters
    ----------
    width
        Numbers in a row.
    capacity
        The most rows kept; memory is taken as the table fills.
    longest_key
        Rows of longer keys are not kept: as keys they would take any amount of memory.
    """

    def __init__(self, width: int, capacity: int, longest_key: int = 256) -> None:
        if capacity < 2:
            raise ValueError(f"capacity must be at least 2, not {capacity}")
        self.capacity = capacity
        self._longest_key = longest_key
        self._row_of: dict[str, int] = {}
        self._rows = np.empty((min(capacity, 256), width), np.float32)
        self._used = np.zeros(capacity, np.int64)
        self._clock = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._row_of)

    def clear(self) -> None:
        """Forget all rows."""
        with self._lock:
            self._row_of.clear()

    def rows(self, keys: Sequence[str], compute: Callable[[list[str]], np.ndarray]) -> np.ndarray:
        """Return the rows of `keys`, which are distinct; `compute` makes those of the keys not here yet."""
        with at_work():
            return self._filled(keys, compute)

    def _filled(self, keys: Sequence[str], compute: Callable[[list[str]], np.ndarray]) -> np.ndarray:
        answer = np.empty((len(keys), self._rows.shape[1]), np.float32)
        with self._lock:
            found = np.fromiter((self._row_of.get(key, -1) for key in keys), np.int64, len(keys))
            known = found >= 0
            answer[known] = self._rows[found[known]]
            self._clock += 1
            self._used[found[known]] = self._clock
        missing = np.flatnonzero(~known)
        if len(missing):
            names = [keys[number] for number in missing.tolist()]
            # computed outside the lock: two threads may do the same key twice, and get the same row
            answer[missing] = made = compute(names)
            with self._lock:
                self._keep(names, made)
        return answer

    def _keep(self, keys: list[str], made: np.ndarray) -> None:
        new = [n for n, key in enumerate(keys) if len(key) <= self._longest_key and key not in self._row_of]
        new = new[-(self.capacity // 2) :]
        if len(self._row_of) + len(new) > self.capacity:
            self._forget()
        first, end = len(self._row_of), len(self._row_of) + len(new)
        if end > len(self._rows):
            grown = np.empty((min(max(end, 2 * len(self._rows)), self.capacity), made.shape[1]), np.float32)
            grown[:first] = self._rows[:first]
            self._rows = grown
        self._rows[first:end] = made[new]
        self._used[first:end] = self._clock
        self._row_of.update(zip((keys[number] for number in new), range(first, end), strict=True))

    def _forget(self) -> None:
        """Keep the half of the rows that was used last."""
        count = len(self._row_of)
        kept = np.sort(np.argsort(self._used[:count], kind="stable")[count - self.capacity // 2 :])
        self._rows[: len(kept)] = self._rows[kept]
        self._used[: len(kept)] = self._used[kept]
        keys = list(self._row_of)
        self._row_of = {keys[old]: new for new, old in enumerate(kept.tolist())}
