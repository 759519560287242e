"""What a treebank calls its words: linear models of tags and relations, which speak beside the network in a style.

The network reads every treebank at once and smooths over the habits of one of them: whether *ile* is a conjunction or
an adposition, whether a noun before a noun is its `nmod` or its `compound`. A linear model of words, endings and pairs
of these, learnt from one treebank alone, has little but such habits. Where held-out sentences say that it helps, its
scores are added to the network's; the generic style has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from vnlp_colab.joint.looks import RELATIONS, TAGS, seen
from vnlp_colab.joint.network import LARGEST_ENTRY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WORDS_AT_ONCE = 1024
# How a model is kept: its keys, of each how many labels it speaks for, these and what it says (in eight bits), the
# bias, and the scale of what is said and the weight of the model.
PARTS = ("keys", "counts", "labels", "numbers", "bias", "settings")


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


def read_usage(content: bytes, style: str) -> Usage:
    """Return the models of a style from the file's content."""
    models = {}
    with np.load(BytesIO(content), allow_pickle=False) as held:
        for task in (TAGS, RELATIONS):
            if (name := f"{style}.{task}") + ".keys" in held:
                models[task] = _read(*(held[f"{name}.{part}"] for part in PARTS))
    return Usage(models)


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
