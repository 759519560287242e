"""Vectors of words: each distinct word is encoded once and kept."""

from __future__ import annotations

import threading
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.joint.affixes import encode_affixes
from vnlp_colab.runtime import in_threads
from vnlp_colab.text.remembered import LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vnlp_colab.pieces.pieces import PieceTokenizer

PIECES = 8
_PADS = [0] * PIECES
_ROWS = {"cpu": 512, "cuda": 65_536}


class WordVectors:
    """The network's words and the vectors it has made, at most `capacity` of them.

    A word's vector depends on its letters alone, so it serves every sentence; when there is no room left, the half that
    was not used for longest goes. Safe to use from several threads: a table that was given out is not changed any more,
    but for rows nobody was told of.
    """

    def __init__(
        self,
        session: Any,
        tokenizer: PieceTokenizer,
        width: int,
        *,
        threads: int = 1,
        device: str = "cpu",
        capacity: int = 65_536,
    ) -> None:
        if capacity < 2:
            raise ValueError(f"capacity must be at least 2, not {capacity}")
        self.capacity = capacity
        self._session = session
        self._tokenizer = tokenizer
        self._threads = threads
        self._rows_of_a_run = _ROWS[device]
        self._width = width
        self._lock = threading.Lock()
        self._clock = 0
        self.forget()

    def __len__(self) -> int:
        return len(self._rows)

    def forget(self) -> None:
        """Forget all vectors."""
        with self._lock:
            self._rows: dict[str, int] = {}
            self._table = np.empty((1024, self._width), np.float32)
            self._used = np.zeros(1024, np.int64)

    def lookup(self, sentences: Sequence[Sequence[str]]) -> tuple[np.ndarray, np.ndarray]:
        """Return a table of vectors and the rows of all words of `sentences`, one after the other."""
        words = list(chain.from_iterable(sentences))
        with self._lock:
            self._clock += 1
            found = self._found(words)
            if found.min(initial=0) >= 0:
                self._used[found] = self._clock
                return self._table, found
            short = [word for word in dict.fromkeys(words) if word not in self._rows and len(word) <= LONGEST]
            if len(short) > self.capacity // 2:
                return self._lookup_once(words)
            if short:
                self._keep(short, self.encode(short))
                found = self._found(words)
            left = [words[at] for at in np.flatnonzero(found < 0).tolist()]
            if any(len(word) <= LONGEST for word in left):  # making room took words of this very batch away
                return self._lookup_once(words)
            self._used[found[found >= 0]] = self._clock
            return self._with_others(found, left) if left else (self._table, found)

    def encode(self, words: Sequence[str]) -> np.ndarray:
        """Return the vectors of words, whether or not they are kept."""
        pieces = np.array([(_PADS + ids)[-PIECES:] for ids in self._tokenizer.encode(words)], np.int64)
        affixes = encode_affixes(words).astype(np.int64)
        step = self._rows_of_a_run
        parts = [slice(start, start + step) for start in range(0, len(words), step)]

        def run(part: slice) -> np.ndarray:
            feeds = {"pieces": pieces[part], "affixes": affixes[part]}
            vectors: np.ndarray = self._session.run(["vectors"], feeds)[0]
            return vectors

        made = in_threads(run, parts, self._threads)
        return np.concatenate(made) if made else np.empty((0, self._width), np.float32)

    def _found(self, words: list[str]) -> np.ndarray:
        """Return the rows of words, -1 for those that are not kept."""
        return np.fromiter(map(self._rows.get, words, repeat(-1)), np.int64, len(words))

    def _with_others(self, found: np.ndarray, others: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return a table of the words that were found and of the others, which are not kept, and the rows of all."""
        known = found >= 0
        used, places = np.unique(found[known], return_inverse=True)
        numbers = {word: len(used) + number for number, word in enumerate(dict.fromkeys(others))}
        rows = np.empty(len(found), np.int64)
        rows[known], rows[~known] = places, [numbers[word] for word in others]
        return np.concatenate([self._table[used], self.encode(list(numbers))]), rows

    def _lookup_once(self, words: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return a table of these words alone, and keep nothing."""
        numbers: dict[str, int] = {}
        rows = np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int64)
        return self.encode(list(numbers)), rows

    def _keep(self, words: list[str], vectors: np.ndarray) -> None:
        if len(self._rows) + len(words) > self.capacity:
            self._make_room()
        first, end = len(self._rows), len(self._rows) + len(words)
        if end > len(self._table):
            size = min(max(end, 2 * len(self._table)), self.capacity)
            table, used = np.empty((size, self._width), np.float32), np.zeros(size, np.int64)
            table[:first], used[:first] = self._table[:first], self._used[:first]
            self._table, self._used = table, used
        self._table[first:end] = vectors
        self._used[first:end] = self._clock
        self._rows.update(zip(words, range(first, end), strict=True))

    def _make_room(self) -> None:
        """Keep the half of the words that was used last, in a table of their own."""
        count = len(self._rows)
        kept = np.sort(np.argsort(self._used[:count], kind="stable")[count - self.capacity // 2 :])
        table, used = np.empty_like(self._table), np.zeros_like(self._used)
        table[: len(kept)], used[: len(kept)] = self._table[kept], self._used[kept]
        self._table, self._used = table, used
        words = list(self._rows)
        self._rows = {words[old]: new for new, old in enumerate(kept.tolist())}
