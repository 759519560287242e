"""Word vectors: each distinct word is encoded once and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.recurrent import Chains, RowCache

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vnlp_colab.pieces.pieces import PieceTokenizer
    from vnlp_colab.runtime import Device, SessionOptions
    from vnlp_colab.spucontext.network import SPUContextNetwork


class PieceWordVectors:
    """The word encoder of a network and the vectors it has made, at most `capacity` of them.

    A word's vector depends on its pieces alone, so it serves every sentence. Safe to use from several threads.
    """

    def __init__(
        self,
        network: SPUContextNetwork,
        tokenizer: PieceTokenizer,
        device: Device = "auto",
        options: SessionOptions | None = None,
        *,
        capacity: int = 32768,
    ) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._chains = Chains(network.word, network.embedding, device=device, options=options)
        self._kept = RowCache(network.word[-1].units, capacity, longest_key=64)

    def __len__(self) -> int:
        return len(self._kept)

    def lookup(self, sentences: Sequence[Sequence[str]]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the vectors of the distinct words of `sentences`, and each sentence as rows of them."""
        distinct: dict[str, int] = {}
        flat = np.array([distinct.setdefault(word, len(distinct)) for sentence in sentences for word in sentence])
        ends = np.cumsum([len(sentence) for sentence in sentences])[:-1]
        return self.vectors(distinct), np.split(flat, ends)

    def vectors(self, words: Iterable[str]) -> np.ndarray:
        """Return one vector for each of `words`, all different."""
        return self._kept.rows(list(words), self._encode)

    def _encode(self, words: list[str]) -> np.ndarray:
        width = self._network.pieces
        pieces, counts = self._tokenizer.word_pieces(words, width)
        starts = [table[width - counts] for table in self._network.word_pads]
        return self._chains.run(pieces, counts, initial=starts)
