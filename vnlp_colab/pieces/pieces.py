"""Tokens to SentencePiece ids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Text that came through a broken decoder: no UTF-8 for SentencePiece can be made of it.
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return `text` with lone surrogates replaced, so that it can be encoded."""
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


class PieceTokenizer:
    """The unigram SentencePiece model of a network.

    Parameters
    ----------
    model
        The ``.model`` file, or its content.
    """

    def __init__(self, model: Path | bytes) -> None:
        from sentencepiece import SentencePieceProcessor

        self._processor = SentencePieceProcessor()
        self._processor.LoadFromSerializedProto(model if isinstance(model, bytes) else model.read_bytes())

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the piece ids of each text."""
        encoded: list[list[int]] = self._processor.encode([clean(text) for text in texts], out_type=int)
        return encoded

    def word_pieces(self, words: Sequence[str], width: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the last `width` pieces of each word, zeros before them, and how many there are."""
        pieces = np.zeros((len(words), width), np.int32)
        counts = np.zeros(len(words), np.int64)
        for row, ids in enumerate(self.encode(words)):
            kept = ids[-width:]
            counts[row] = len(kept)
            if kept:
                pieces[row, width - len(kept) :] = kept
        return pieces, counts
