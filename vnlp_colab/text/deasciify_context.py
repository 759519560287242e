"""Which reading of an ambiguous form (``oldu``/``öldü``, ``on``/``ön``) its neighbours speak for.

Each feature is the CRC-32 of a neighbour, mixed with a key of the form and the reading into one slot of a table of
signed bytes. A reading's score is the sum over the features; the most frequent reading has score 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

MIX = 0x9E3779B1
BOUNDARY = "\n"
_WORD_BITS = 0xFFFFFFFF
# Told apart by a constant each: the same neighbour before, after, two before, two after, and the pair around.
_BEFORE, _AFTER, _BEFORE_END, _AFTER_END, _BEFORE_2, _AFTER_2, _AROUND, _CASE, _ALWAYS = (
    crc32(name)
    for name in (
        b"before",
        b"after",
        b"before end",
        b"after end",
        b"before 2",
        b"after 2",
        b"around",
        b"case",
        b"always",
    )
)


def neighbour_keys(plain: str) -> tuple[int, int]:
    """Return the keys of a neighbour: of the whole lower-case ASCII form, and of its last three letters."""
    data = plain.encode("utf-8", "surrogatepass")
    return crc32(data), crc32(plain[-3:].encode("utf-8", "surrogatepass"))


def candidate_key(plain: str, rank: int) -> int:
    """Return the key of the reading of that rank (1 is the second most frequent) of an ambiguous form."""
    return crc32(b"%d %b" % (rank, plain.encode()))


class _Features:
    """The features of a place, once for a word (plain integers) and once for a whole corpus (NumPy arrays)."""

    def of(self, neighbours: tuple[str, str, str, str], case: int) -> list[int]:
        """Return the features of a word between two neighbours on each side, all of them in lower-case ASCII."""
        before_2, before, after, after_2 = neighbours
        before_key, before_end = neighbour_keys(before)
        after_key, after_end = neighbour_keys(after)
        return [
            before_key ^ _BEFORE,
            after_key ^ _AFTER,
            before_end ^ _BEFORE_END,
            after_end ^ _AFTER_END,
            neighbour_keys(before_2)[0] ^ _BEFORE_2,
            neighbour_keys(after_2)[0] ^ _AFTER_2,
            (before_key * 31 + after_key & _WORD_BITS) ^ _AROUND,
            case * 0x85EBCA6B & _WORD_BITS ^ _CASE,
            _ALWAYS,
        ]

    def vectorised(
        self,
        ids: npt.NDArray[np.uint32],
        places: npt.NDArray[np.int64],
        keys: Sequence[npt.NDArray[np.uint32]],
        cases: npt.NDArray[np.int8],
    ) -> npt.NDArray[np.uint32]:
        """Return the same for many places of a corpus of token ids; used in training."""
        import numpy as np

        whole, end = keys
        before, after = whole[ids[places - 1]], whole[ids[places + 1]]
        case = cases[ids[places]].astype(np.uint32) * np.uint32(0x85EBCA6B)
        columns = [
            before ^ np.uint32(_BEFORE),
            after ^ np.uint32(_AFTER),
            end[ids[places - 1]] ^ np.uint32(_BEFORE_END),
            end[ids[places + 1]] ^ np.uint32(_AFTER_END),
            whole[ids[places - 2]] ^ np.uint32(_BEFORE_2),
            whole[ids[places + 2]] ^ np.uint32(_AFTER_2),
            (before * np.uint32(31) + after) ^ np.uint32(_AROUND),
            case ^ np.uint32(_CASE),
            np.full(len(places), _ALWAYS, np.uint32),
        ]
        return np.stack(columns, axis=1)


FEATURES = _Features()


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
