"""Which reading of an ambiguous form (``oldu``/``öldü``, ``on``/``ön``) its neighbours speak for.

Each feature is the CRC-32 of a neighbour, mixed with a key of the form and the reading into one slot of a table of
signed bytes. A reading's score is the sum over the features; the most frequent reading has score 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MIX = 0x9E3779B1
CASE_MIX = 0x85EBCA6B
BOUNDARY = "\n"
_WORD_BITS = 0xFFFFFFFF
# Told apart by a constant each: the same neighbour before, after, two before, two after, and the pair around.
BEFORE: Final = crc32(b"before")
AFTER: Final = crc32(b"after")
BEFORE_END: Final = crc32(b"before end")
AFTER_END: Final = crc32(b"after end")
BEFORE_2: Final = crc32(b"before 2")
AFTER_2: Final = crc32(b"after 2")
AROUND: Final = crc32(b"around")
CASE: Final = crc32(b"case")
ALWAYS: Final = crc32(b"always")


def neighbour_keys(plain: str) -> tuple[int, int]:
    """Return the keys of a neighbour: of the whole lower-case ASCII form, and of its last three letters."""
    data = plain.encode("utf-8", "surrogatepass")
    return crc32(data), crc32(plain[-3:].encode("utf-8", "surrogatepass"))


def candidate_key(plain: str, rank: int) -> int:
    """Return the key of the reading of that rank (1 is the second most frequent) of an ambiguous form."""
    return crc32(b"%d %b" % (rank, plain.encode()))


def context_features(neighbours: tuple[str, str, str, str], case: int) -> list[int]:
    """Return the features of a word between two neighbours on each side, all of them in lower-case ASCII.

    ``training/deasciifier/context.py`` works the same ones out for a whole corpus at a time.
    """
    before_2, before, after, after_2 = neighbours
    before_key, before_end = neighbour_keys(before)
    after_key, after_end = neighbour_keys(after)
    return [
        before_key ^ BEFORE,
        after_key ^ AFTER,
        before_end ^ BEFORE_END,
        after_end ^ AFTER_END,
        neighbour_keys(before_2)[0] ^ BEFORE_2,
        neighbour_keys(after_2)[0] ^ AFTER_2,
        (before_key * 31 + after_key & _WORD_BITS) ^ AROUND,
        case * CASE_MIX & _WORD_BITS ^ CASE,
        ALWAYS,
    ]


class ContextModel:
    """The ambiguous forms, their readings and the table of weights."""

    def __init__(self, forms: dict[str, list[str]], weights: npt.NDArray[np.int8]) -> None:
        self._weights = weights.data
        self._shift = 32 - (int(weights.size).bit_length() - 1)
        self._forms = {
            plain: (
                readings[0],
                [(reading, candidate_key(plain, rank)) for rank, reading in enumerate(readings) if rank],
            )
            for plain, readings in forms.items()
        }

    def __contains__(self, plain: str) -> bool:
        return plain in self._forms

    def reading(self, plain: str, features: list[int]) -> str:
        """Return the reading of an ambiguous form with these features."""
        weights, shift = self._weights, self._shift
        best, rivals = self._forms[plain]
        best_score = 0
        for reading, key in rivals:
            score = sum([weights[((feature ^ key) * MIX & _WORD_BITS) >> shift] for feature in features])
            if score > best_score:
                best, best_score = reading, score
        return best
