"""What a word's letters say beside its pieces: its endings, the word itself and its shape, as rows of one table.

Pieces cut a word where its letters are frequent, not where Turkish joins suffixes; the last one to five letters are
there whatever the cut. Letters are folded (no case, no Turkish letters), so *IŞIKLARI*, *ışıkları* and *isiklari* share
rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from vnlp_colab.text.case import lower_case, upper_case

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASCII = str.maketrans("çğıöşüÇĞİÖŞÜâîûÂÎÛ", "cgiosuCGIOSUaiuAIU")
# Rows for the last 1, 2, 3, 4 and 5 letters and for the whole word; the shapes follow.
ENDING_ROWS = (512, 2048, 8192, 12_288, 16_384)
WORD_ROWS = 25_984
SHAPE_ROWS = 128
ROWS = sum(ENDING_ROWS) + WORD_ROWS + SHAPE_ROWS
AFFIXES = len(ENDING_ROWS) + 2
# Letters of an ending, its rows, and the first of them.
_ENDINGS = [(length, rows, sum(ENDING_ROWS[: length - 1])) for length, rows in enumerate(ENDING_ROWS, 1)]
_FIRST_WORD = sum(ENDING_ROWS)
_FIRST_SHAPE = _FIRST_WORD + WORD_ROWS


def fold(text: str) -> str:
    """Return what is left of a word when case and Turkish letters are forgotten.

    Examples
    --------
    >>> fold("IŞIKLARI"), fold("ışıkları")
    ('isiklari', 'isiklari')
    """
    return lower_case(text).translate(_ASCII)


def shape(word: str) -> int:
    """Return a number below 120 for capitals, figures, an apostrophe and the length of a word.

    Examples
    --------
    >>> shape("ev") == shape("ay"), shape("Ev") == shape("ev")
    (True, False)
    """
    return _shape(word, lower_case(word))


def _shape(word: str, lower: str) -> int:
    upper = upper_case(word)
    if lower == upper:
        case = 0
    elif word == lower:
        case = 1
    elif word == upper and len(word) > 1:
        case = 3
    else:
        case = 2 if word[1:] == lower[1:] else 4
    if word.isalpha():
        digit = apostrophe = False
    else:
        digit = any(map(str.isdigit, word))
        apostrophe = "'" in word or "’" in word
    return ((case * 2 + digit) * 2 + apostrophe) * 6 + min(len(word), 6) - 1 if word else 0


def affix_numbers(word: str) -> list[int]:
    """Return the rows of a word: its last 1 to 5 letters, itself, its shape.

    Examples
    --------
    >>> len(affix_numbers("evlerde"))
    7
    >>> affix_numbers("evlerde")[:5] == affix_numbers("yerlerde")[:5]
    True
    """
    lower = lower_case(word)
    letters = lower if lower.isascii() else lower.translate(_ASCII)
    content = letters.encode(errors="replace")
    # where every letter is one byte, the last letters are the last bytes
    ends = content if len(content) == len(letters) else None
    numbers = [
        first + crc32(letters[-length:].encode(errors="replace") if ends is None else ends[-length:]) % rows
        for length, rows, first in _ENDINGS
    ]
    return [*numbers, _FIRST_WORD + crc32(content) % WORD_ROWS, _FIRST_SHAPE + _shape(word, lower)]


def encode_affixes(words: Iterable[str]) -> np.ndarray:
    """Return the rows of every word, (words, 7) uint16."""
    return np.array([affix_numbers(word) for word in words], np.uint16).reshape(-1, AFFIXES)
