"""Tokens to SentencePiece ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

# Text that came through a broken decoder: no UTF-8 for SentencePiece can be made of it.
_SURROGATES = re.compile("[\ud800-\udfff]")


def check_tokens(tokens: Iterable[str]) -> list[str]:
    """Return the tokens of one sentence as a list, or say what is wrong with them.

    Raises
    ------
    TypeError
        If `tokens` is a string, is no sequence, or holds something else than strings.
    """
    if isinstance(tokens, str | bytes):
        raise TypeError(
            f"a list of tokens is expected, not the {type(tokens).__name__} {_short(tokens)}: "
            "tokenize it first, for example with vnlp_colab.TreebankWordTokenize(text)"
        )
    if not isinstance(tokens, Iterable):
        raise TypeError(f"a list of tokens is expected, not {_short(tokens)}")
    checked = list(tokens)
    for number, token in enumerate(checked):
        if not isinstance(token, str):
            raise TypeError(f"token {number} of the sentence is {_short(token)}, not a string")
    return checked


def check_sentences(sentences: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return sentences as lists of tokens, or say what is wrong with them (see `check_tokens`)."""
    if isinstance(sentences, str | bytes) or not isinstance(sentences, Iterable):
        raise TypeError(f"a list of sentences, each a list of tokens, is expected, not {_short(sentences)}")
    return [check_tokens(sentence) for sentence in sentences]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def clean(text: str) -> str:
    """Return `text` with lone surrogates replaced, so that it can be encoded."""
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


class PieceTokenizer:
    """The unigram SentencePiece model of a network.

    Parameters
    ----------
    path
        The ``.model`` file.
    """

    def __init__(self, path: Path) -> None:
        from sentencepiece import SentencePieceProcessor

        self._processor = SentencePieceProcessor()
        self._processor.Load(str(path))

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
