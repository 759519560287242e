"""What linear models look at: a word, its beginning and endings, its readings, its neighbours, its head, as numbers.

What goes together is put together for all words of a batch at once, and is one number: the key of a look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from vnlp_colab.joint.affixes import fold, shape
from vnlp_colab.text.morphology import default_generator
from vnlp_colab.text.remembered import remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

TAGS, RELATIONS = "tags", "relations"
_ENDS = tuple(f"end{length}" for length in range(1, 6))
_STARTS = ("start3", "start4", "start5")
# What is known of a word by itself: all numbers, so that what goes together is put together for many words at once.
# `kind` is what the lexicon's readings of the word are, `reading` each of the first few of them.
_READINGS = 6
FIELDS = ("word", *_ENDS, *_STARTS, "shape", "kind", *(f"reading{number}" for number in range(_READINGS)))
_FIELD = {name: at for at, name in enumerate(FIELDS)}
_NEIGHBOURS = (-2, -1, 1, 2)

# What a model looks at: fields of the word, of a neighbour (`word@-1`) or of the head, and several of these together.
LOOKS: dict[str, tuple[str, ...]] = {
    TAGS: (
        *(name for name in FIELDS if not name.startswith("reading")),
        *(f"{name}@{place}" for place in _NEIGHBOURS for name in ("word", "end3", "kind")),
        *(f"{name}@{place}" for place in (-1, 1) for name in ("end2", "end5")),
        *(f"{name}@{place} {name}" for place in (-1, 1) for name in ("word", "end3", "kind", "end2")),
        *(look for place in (-1, 1) for look in (f"word end3@{place}", f"end3 word@{place}")),
        *(f"{name}@-1 {name} {name}@1" for name in ("kind", "end3", "end2")),
        "start4 end3",
        "start5 end2",
    ),
    RELATIONS: (
        "tag", "tag@head", "distance", "tag tag@head", "tag tag@head distance",
        "word", "word@head", "word word@head", "word tag@head", "tag word@head", "word distance",
        "kind", "kind tag@head", "children tag", "children@head tag@head", "shape tag@head",
        *(look for end in _ENDS for look in (end, f"{end} tag@head", f"{end}@head tag")),
        *(look for start in _STARTS for look in (f"{start}@head tag", f"{start} tag@head")),
        "end3 end3@head", "end2 end2@head distance", "start4 start4@head",
        *(look for place in _NEIGHBOURS for look in (f"word@{place}", f"tag@{place} tag", f"end3@{place} tag")),
        "tag@-1 tag tag@1 tag@head",
    ),
}  # fmt: skip
NOTHING = 0  # the key of what is not there
_EDGE, _ROOT = np.uint64(7), np.uint64(5)  # numbers of what stands before and after a sentence, and of its root
_NEAR, _CHILDREN = 4, 4  # distances and children beyond are all alike
_MULTIPLIER, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


@remembered(65_536)
def _fields(word: str) -> tuple[int, ...]:
    """Return what is known of a word by itself."""
    letters = fold(word)
    tags = sorted({analysis.tags for analysis in default_generator().candidates(word)})
    kinds = sorted({reading.rpartition("^DB+")[2].partition("+")[0] for reading in tags})
    texts = (
        f"={letters}",
        *(letters[-length:] if len(letters) > length else f"^{letters}" for length in range(1, 6)),
        *(letters[:length] if len(letters) > length else f"{letters}$" for length in (3, 4, 5)),
    )
    readings = [_number(reading) for reading in tags[:_READINGS]]
    return (
        *map(_number, texts),
        shape(word) + 1,
        _number("|".join(kinds)),
        *readings,
        *[NOTHING] * (_READINGS - len(readings)),
    )


def _number(text: str) -> int:
    return crc32(text.encode(errors="replace"))


class Described:
    """The words of some sentences by what the models look at.

    Parameters
    ----------
    tokens, lengths
        The words of all sentences, one sentence after the other, and how many each has.
    tags, heads
        The number of each word's part of speech, and its head, from 1, where relations are asked for.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        lengths: Sequence[int],
        tags: np.ndarray | None = None,
        heads: np.ndarray | None = None,
    ) -> None:
        sizes = np.asarray(lengths, np.int64)
        self._fields = np.array(_fields.each(tokens), np.uint64).reshape(-1, len(FIELDS))
        self._own = np.arange(len(tokens))
        self._first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        self._last = self._first + np.repeat(sizes, sizes) - 1
        self._tags = None if tags is None else tags.astype(np.uint64) + np.uint64(1)
        self._values: dict[str, np.ndarray] = {}
        if heads is not None:
            self._to_heads(heads)

    def _to_heads(self, heads: np.ndarray) -> None:
        self._root = heads == 0
        self._head = np.where(self._root, 0, self._first + heads - 1)
        children = np.bincount(self._head[~self._root], minlength=len(heads))
        near = np.clip(self._head - self._own, -_NEAR, _NEAR) + _NEAR
        self._values["distance"] = np.where(self._root, 2 * _NEAR + 1, near).astype(np.uint64)
        self._values["children"] = np.minimum(children, _CHILDREN).astype(np.uint64)

    def keys(self, looks: Sequence[str], *, readings: bool) -> np.ndarray:
        """Return the keys (words, looks) of what is seen; with `readings` those of the lexicon's, too."""
        found = [self._key(look.split(" "), look) for look in looks]
        if readings:
            found += [self._reading(name) for name in FIELDS[-_READINGS:]]
        return np.stack(found, axis=1)

    def _reading(self, name: str) -> np.ndarray:
        """Return the keys of one reading of every word: the same, whichever of the readings it is."""
        return np.where(self._value(name) == NOTHING, np.uint32(NOTHING), self._key([name], "reading"))

    def _key(self, names: Sequence[str], look: str) -> np.ndarray:
        key = np.full(len(self._own), _number(look), np.uint64)
        for name in names:
            key = (key ^ self._value(name)) * _MULTIPLIER  # wraps around
            key ^= key >> _SHIFT
        return (key >> np.uint64(32)).astype(np.uint32)

    def _value(self, name: str) -> np.ndarray:
        if name not in self._values:
            self._values[name] = self._look(*name.split("@"))
        return self._values[name]

    def _look(self, field: str, place: str = "0") -> np.ndarray:
        if place == "0":
            values: np.ndarray | None = self._tags if field == "tag" else self._fields[:, _FIELD[field]]
            if values is None:
                raise ValueError("relations are asked for, and no parts of speech were given")
            return values
        values = self._value(field)
        if place == "head":
            return np.where(self._root, _ROOT, values[self._head])
        at = self._own + int(place)
        inside = (at >= self._first) & (at <= self._last)
        return np.where(inside, values[np.where(inside, at, 0)], _EDGE)


def seen(
    task: str,
    tokens: Sequence[str],
    lengths: Sequence[int],
    tags: np.ndarray | None = None,
    heads: np.ndarray | None = None,
) -> np.ndarray:
    """Return the keys (words, looks) of what the model of a task looks at; arguments as for `Described`.

    Examples
    --------
    >>> keys = seen("tags", ["Bu", "ev", "Bu", "ev"], [2, 2])
    >>> keys[0].tolist() == keys[2].tolist(), keys[0].tolist() == keys[1].tolist()
    (True, False)
    """
    return Described(tokens, lengths, tags, heads).keys(LOOKS[task], readings=task == TAGS)
