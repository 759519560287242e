"""What a treebank calls its words: linear models of tags and relations, which speak beside the network in a style.

The network reads every treebank at once and smooths over the habits of one of them: whether *ile* is a conjunction,
whether *Bay* hangs on a name as `flat` or `compound`. A linear model of words, endings and pairs of these, learnt from
one treebank alone, has little but such habits. Where held-out sentences say that it helps,
its scores are added to the network's; the generic style has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from vnlp_colab.joint.affixes import fold, shape
from vnlp_colab.joint.network import LARGEST_ENTRY
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
_WORDS_AT_ONCE = 1024
# Longer words are seen like any other but not remembered: as keys they would take any amount of memory.
_LONGEST_KEPT = 64


def _numbers(word: str) -> tuple[int, ...]:
    """Return the fields of a word; those of usual words are remembered."""
    return _remembered(word) if len(word) <= _LONGEST_KEPT else _fields(word)


def _fields(word: str) -> tuple[int, ...]:
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


_remembered = lru_cache(maxsize=65_536)(_fields)


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
        self._fields = np.array([_numbers(token) for token in tokens], np.uint64).reshape(-1, len(FIELDS))
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


@dataclass(frozen=True)
class Linear:
    """A linear model: what each key says for each label.

    Attributes
    ----------
    keys
        Sorted.
    table
        (keys and one more, labels): the last row, of what was never seen, is nothing.
    bias
        (labels,).
    weight
        How much its scores count beside the network's.
    """

    keys: np.ndarray
    table: np.ndarray
    bias: np.ndarray
    weight: float

    def scores(self, keys: np.ndarray) -> np.ndarray:
        """Return the weighed log-probabilities (words, labels) of words by their keys (words, looks)."""
        made = [self._sums(keys[at : at + _WORDS_AT_ONCE]) for at in range(0, len(keys), _WORDS_AT_ONCE)]
        sums = np.concatenate(made) if made else np.empty((0, len(self.bias)), np.float32)
        sums -= sums.max(axis=1, keepdims=True, initial=-np.inf)
        likely: np.ndarray = self.weight * (sums - np.log(np.exp(sums).sum(axis=1, keepdims=True)))
        return likely

    def _sums(self, keys: np.ndarray) -> np.ndarray:
        if len(self.keys) == 0:
            return np.repeat(self.bias[None], len(keys), axis=0)
        at = np.searchsorted(self.keys, keys)
        at[at == len(self.keys)] = 0
        rows = np.where(self.keys[at] == keys, at, len(self.keys))
        sums: np.ndarray = self.table[rows].sum(axis=1) + self.bias
        return sums


@dataclass(frozen=True)
class Usage:
    """The models of one style: of tags, of relations, of both, or of nothing."""

    models: Mapping[str, Linear]

    def tag_scores(self, tokens: Sequence[str], lengths: Sequence[int]) -> np.ndarray | float:
        """Return what is to be added to the scores of parts of speech."""
        return self.models[TAGS].scores(seen(TAGS, tokens, lengths)) if TAGS in self.models else 0.0

    def relation_scores(
        self, tokens: Sequence[str], lengths: Sequence[int], tags: np.ndarray, heads: np.ndarray
    ) -> np.ndarray:
        """Return what is to be added to the scores of the relations to `heads`."""
        return self.models[RELATIONS].scores(seen(RELATIONS, tokens, lengths, tags, heads))

    @property
    def digest(self) -> str:
        """What the models say, in short: others have another one."""
        found = 0
        for task, model in sorted(self.models.items()):
            settings = np.float32(model.weight)
            for part in (model.keys, model.table, model.bias, settings):
                found = crc32(part.tobytes(), found)
            found = crc32(task.encode(), found)
        return f"{found:08x}"

    @property
    def knows_relations(self) -> bool:
        """Whether it has a word to say about relations."""
        return RELATIONS in self.models


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


def read_usage(content: bytes, style: str) -> Usage:
    """Return the models of a style from the file's content."""
    models = {}
    with np.load(BytesIO(content), allow_pickle=False) as held:
        for task in (TAGS, RELATIONS):
            if (name := f"{style}.{task}") + ".keys" in held:
                models[task] = _read(*(held[f"{name}.{part}"] for part in PARTS))
    return Usage(models)


# How a model is kept: its keys, of each how many labels it speaks for, these and what it says (in eight bits), the
# bias, and the scale of what is said and the weight of the model.
PARTS = ("keys", "counts", "labels", "numbers", "bias", "settings")


def _read(
    keys: np.ndarray,
    counts: np.ndarray,
    labels: np.ndarray,
    numbers: np.ndarray,
    bias: np.ndarray,
    settings: np.ndarray,
) -> Linear:
    scale, weight = settings.tolist()
    table = np.zeros((len(keys) + 1, len(bias)), np.float32)
    table[np.repeat(np.arange(len(keys)), counts), labels] = numbers * np.float32(scale)
    return Linear(keys, table, bias, weight)


def packed(model: Linear) -> dict[str, np.ndarray]:
    """Return a model as it is kept, by the names of its parts; what is nothing in its table takes no room."""
    scale = float(np.abs(model.table).max(initial=1e-6)) / LARGEST_ENTRY
    small = np.rint(model.table[:-1] / scale).astype(np.int8)
    used = small.any(axis=1)
    rows, labels = np.nonzero(small[used])
    counts = np.bincount(rows, minlength=int(used.sum())).astype(np.uint8)
    said = small[used][rows, labels]
    settings = np.array([scale, model.weight], np.float32)
    parts = model.keys[used], counts, labels.astype(np.uint8), said, model.bias.astype(np.float32), settings
    return dict(zip(PARTS, parts, strict=True))


def write_usage(models: Mapping[str, Mapping[str, np.ndarray]]) -> bytes:
    """Return the content of the file for models by ``style.task`` (`packed`)."""
    made = BytesIO()
    arrays = {f"{name}.{part}": values for name, model in models.items() for part, values in model.items()}
    np.savez_compressed(made, **arrays)  # type: ignore[arg-type]  # numpy's stub takes them for its own switches
    return made.getvalue()
