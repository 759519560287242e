"""Which letter a ``c g i o s u`` stands for, judged by the letters around it in its word.

A linear model over letter n-grams: every window of the word that holds the letter is hashed into one table of signed
bytes, and the sum over the windows says ``ç ğ ı ö ş ü`` if positive. All letters of all words of a call are judged
together with a few NumPy operations, so an unseen word costs microseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

ASCII_LETTERS = "cgiosu"
TURKISH_LETTERS = "çğıöşü"
TO_TURKISH = str.maketrans(ASCII_LETTERS, TURKISH_LETTERS)
TO_ASCII = str.maketrans(TURKISH_LETTERS, ASCII_LETTERS)

# Windows as (letters to the left, letters to the right); the word's bounds count as letters and stop a window.
WINDOWS = tuple(
    (left, right)
    for left in range(9)
    for right in range(8)
    if 1 <= left + right <= 6 or (left, right) in {(8, 1), (8, 0), (1, 7), (0, 7), (8, 7)}
)
_LEFT = np.array([left for left, _ in WINDOWS], np.int64)
_RIGHT = np.array([right + 1 for _, right in WINDOWS], np.int64)
_SALT = np.arange(1, len(WINDOWS) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)

# Substring hashes by prefix sums of byte * base^position, modulo 2^64; an odd base has an inverse there.
_BASE = 0x9E3779B97F4A7C15 | 1
_INVERSE = pow(_BASE, -1, 1 << 64)
_CHUNK = 1 << 15
_IS_AMBIGUOUS = np.zeros(256, bool)
_IS_AMBIGUOUS[list(ASCII_LETTERS.encode())] = True
_IS_BOUND = np.zeros(256, bool)
_IS_BOUND[list(b"^<$")] = True


def _powers(base: int) -> npt.NDArray[np.uint64]:
    values = np.full(_CHUNK + 1, base, np.uint64)
    values[0] = 1
    return np.multiply.accumulate(values)


_BASE_POWERS = _powers(_BASE)
_INVERSE_POWERS = _powers(_INVERSE)


def marked(word: str, capital: bool) -> bytes:
    """Return the lower-case ASCII `word` between its bounds; the first one tells how the word begins."""
    return b"%c%b$" % (60 if capital else 94, word.encode())


def window_slots(text: bytes, bits: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the positions of the letters to judge in `text`, marked words end to end, and their table slots."""
    codes = np.frombuffer(text, np.uint8)
    positions = np.flatnonzero(_IS_AMBIGUOUS[codes])
    bounds = np.flatnonzero(_IS_BOUND[codes])  # opening and closing ones alternate
    order = np.searchsorted(bounds, positions)
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(codes * _BASE_POWERS[: len(codes)], out=sums[1:])
    starts = np.maximum(positions[:, None] - _LEFT, bounds[order - 1][:, None])
    ends = np.minimum(positions[:, None] + _RIGHT, bounds[order][:, None] + 1)
    hashes = (sums[ends] - sums[starts]) * _INVERSE_POWERS[starts]
    hashes ^= _SALT * codes[positions][:, None]
    hashes *= np.uint64(0xD6E8FEB86659FD93)
    return positions, (hashes >> np.uint64(64 - bits)).astype(np.int64)


class LetterModel:
    """The table of window weights."""

    def __init__(self, weights: npt.NDArray[np.int8]) -> None:
        self._weights = weights
        self._bits = int(weights.size).bit_length() - 1

    def readings(self, words: Sequence[str], capital: Sequence[bool]) -> list[str]:
        """Return the Turkish reading of each lower-case ASCII word; words over 4,096 letters are given back."""
        marked_words = [
            marked(word if len(word) <= 4096 else "", big) for word, big in zip(words, capital, strict=True)
        ]
        readings: list[str] = []
        chunk: list[bytes] = []
        size = 0
        for piece in [*marked_words, None]:
            if piece is None or size + len(piece) > _CHUNK:
                readings += self._judge(b"".join(chunk))
                chunk, size = [], 0
            if piece is not None:
                chunk.append(piece)
                size += len(piece)
        return [reading if len(word) <= 4096 else word for word, reading in zip(words, readings, strict=True)]

    def _judge(self, text: bytes) -> list[str]:
        positions, slots = window_slots(text, self._bits)
        scores = self._weights[slots].sum(axis=1, dtype=np.int32)
        letters = list(text.decode())
        for position in positions[scores > 0].tolist():
            letters[position] = letters[position].translate(TO_TURKISH)
        return [part[1:] for part in "".join(letters).split("$")[:-1]]
