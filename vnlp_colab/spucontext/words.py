"""Word vectors: each distinct word is encoded once and kept."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.recurrent import Chains

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vnlp_colab.pieces.pieces import PieceTokenizer
    from vnlp_colab.runtime import Device, SessionOptions
    from vnlp_colab.spucontext.network import Network

# Longer words are encoded like any other, but not kept: as keys they would take any amount of memory.
_LONGEST_KEPT = 64


class WordVectors:
    """The word encoder of a network and the vectors it has made, at most `capacity` of them.

    A word's vector depends on its pieces alone, so it serves every sentence; when there is no room left, the half that
    was not used for longest goes. Safe to use from several threads.
    """

    def __init__(
        self,
        network: Network,
        tokenizer: PieceTokenizer,
        device: Device = "auto",
        options: SessionOptions | None = None,
        *,
        capacity: int = 32768,
    ) -> None:
        if capacity < 2:
            raise ValueError(f"capacity must be at least 2, not {capacity}")
        self.capacity = capacity
        self._network = network
        self._tokenizer = tokenizer
        self._chains = Chains(network.word, network.embedding, device=device, options=options)
        self._lock = threading.Lock()
        self._rows: dict[str, int] = {}
        self._vectors = np.empty((1024, network.word[-1].units), np.float32)
        self._used = np.zeros(capacity, np.int64)
        self._clock = 0

    def __len__(self) -> int:
        return len(self._rows)

    def lookup(self, sentences: Sequence[Sequence[str]]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the vectors of the distinct words of `sentences`, and each sentence as rows of them."""
        distinct: dict[str, int] = {}
        flat = np.array([distinct.setdefault(word, len(distinct)) for sentence in sentences for word in sentence])
        ends = np.cumsum([len(sentence) for sentence in sentences]).tolist()
        numbers = [flat[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        return self.vectors(distinct), numbers

    def vectors(self, words: Iterable[str]) -> np.ndarray:
        """Return one vector for each of `words`, all different."""
        words = list(words)
        with self._lock:
            rows = np.array([self._rows.get(word, -1) for word in words], np.int64)
            found = rows >= 0
            result = np.empty((len(words), self._vectors.shape[1]), np.float32)
            result[found] = self._vectors[rows[found]]
            self._clock += 1
            self._used[rows[found]] = self._clock
        if not found.all():
            missing = np.flatnonzero(~found)
            # encoded outside the lock: two threads may do the same word twice, and get the same vector
            made = self._encode([words[number] for number in missing])
            result[missing] = made
            self._keep([words[number] for number in missing], made)
        return result

    def _encode(self, words: list[str]) -> np.ndarray:
        width = self._network.pieces
        pieces, counts = self._tokenizer.word_pieces(words, width)
        starts = [table[width - counts] for table in self._network.word_pads]
        return self._chains.run(pieces, counts, initial=starts)

    def _keep(self, words: list[str], vectors: np.ndarray) -> None:
        keep = [number for number, word in enumerate(words) if len(word) <= _LONGEST_KEPT]
        with self._lock:
            keep = [number for number in keep if words[number] not in self._rows][-(self.capacity // 2) :]
            if len(self._rows) + len(keep) > self.capacity:
                self._forget()
            first, end = len(self._rows), len(self._rows) + len(keep)
            if end > len(self._vectors):
                room = np.empty((min(max(end, 2 * len(self._vectors)), self.capacity), vectors.shape[1]), np.float32)
                room[:first] = self._vectors[:first]
                self._vectors = room
            self._vectors[first:end] = vectors[keep]
            self._used[first:end] = self._clock
            self._rows.update(zip((words[number] for number in keep), range(first, end), strict=True))

    def _forget(self) -> None:
        """Keep the half of the words that was used last."""
        count = len(self._rows)
        kept = np.sort(np.argsort(self._used[:count], kind="stable")[count - self.capacity // 2 :])
        self._vectors[: len(kept)] = self._vectors[kept]
        self._used[: len(kept)] = self._used[kept]
        words = list(self._rows)
        self._rows = {words[old]: new for new, old in enumerate(kept)}
