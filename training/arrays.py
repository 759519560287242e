"""Sentences as integer arrays: what travels from preparation to training.

A store holds distinct words as SentencePiece ids (the last 8, 0 in front), sentences as word numbers, and one array of
labels a task beside them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.atomic import write_atomically
from vnlp_colab.text.case import lower_case, upper_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import sentencepiece

PIECES_PER_WORD = 8
WINDOW = 40
_TAGS = "NOUN PUNCT VERB ADJ PROPN ADV DET CCONJ PRON NUM ADP AUX SCONJ X INTJ SYM PART"
UPOS = ["", *_TAGS.split()]
ENTITIES = ["", "O", "ORG", "PER", "LOC"]
# The 48 relations of the Turkish treebanks, in the order VNLP's label tokenizer has them.
_RELATIONS = (
    "punct root nmod nsubj obl amod obj advmod compound det conj case acl nmod:poss cc advcl nummod flat parataxis "
    "ccomp aux discourse advmod:emph xcomp cop mark compound:lvc csubj appos iobj list compound:redup aux:q fixed "
    "obl:tmod goeswith vocative dep clf cc:preconj dislocated orphan csubj:cop nmod:part nsubj:cop obl:agent "
    "nmod:comp reparandum"
)
RELATIONS = ["", *_RELATIONS.split()]
OUTSIDE = 255  # a head that lies outside the first 40 words: no arc is learnt from it


@dataclass
class Store:
    """Sentences of one kind, flat: sentence i is ``words[offsets[i]:offsets[i + 1]]``."""

    pieces: np.ndarray  # (distinct words, 8) uint16
    words: np.ndarray  # (all words,) int32, row of `pieces`
    offsets: np.ndarray  # (sentences + 1,) int64
    labels: dict[str, np.ndarray] = field(default_factory=dict)  # each (all words, ...)
    lower: np.ndarray | None = None  # (distinct words,) int32: the word in lower case
    upper: np.ndarray | None = None
    train: int = 0  # sentences before this one train, the others validate

    def save(self, path: Path) -> None:
        """Write everything into one compressed file."""
        extra = {} if self.lower is None or self.upper is None else {"lower": self.lower, "upper": self.upper}
        labels = {f"label_{name}": values for name, values in self.labels.items()}
        own = {"pieces": self.pieces, "words": self.words, "offsets": self.offsets, "train": np.asarray(self.train)}
        write_arrays(path, {**own, **extra, **labels})

    @classmethod
    def load(cls, path: Path) -> Store:
        """Read what `save` wrote."""
        with np.load(path) as file:
            return cls(
                file["pieces"],
                file["words"],
                file["offsets"],
                {name[6:]: file[name] for name in file.files if name.startswith("label_")},
                file["lower"] if "lower" in file.files else None,
                file["upper"] if "upper" in file.files else None,
                int(file["train"]),
            )


def encode_words(tokenizer: sentencepiece.SentencePieceProcessor, words: Sequence[str]) -> np.ndarray:
    """Return the piece ids of each word: the last 8, 0 in front."""
    ids = np.zeros((len(words), PIECES_PER_WORD), np.uint16)
    for row, pieces in zip(ids, tokenizer.encode(list(words)), strict=True):
        kept = pieces[-PIECES_PER_WORD:]
        if kept:
            row[-len(kept) :] = kept
    return ids


def build_store(
    tokenizer: sentencepiece.SentencePieceProcessor,
    sentences: Iterable[Sequence[str]],
    labels: dict[str, np.ndarray] | None = None,
    *,
    train: int = 0,
    cases: bool = False,
) -> Store:
    """Return the sentences with their distinct words numbered, 0 the padding word; `cases` adds their other cases."""
    number: dict[str, int] = {"": 0}
    flat: list[int] = []
    offsets = [0]
    for sentence in sentences:
        flat.extend(number.setdefault(word, len(number)) for word in sentence)
        offsets.append(len(flat))
    other: dict[str, np.ndarray] = {}
    if cases:
        seen = list(number)
        for name, change in (("lower", lower_case), ("upper", upper_case)):
            other[name] = np.array([number.setdefault(change(word), len(number)) for word in seen], np.int32)
        other = {name: np.concatenate([v, np.arange(len(v), len(number), dtype=np.int32)]) for name, v in other.items()}
    pieces = encode_words(tokenizer, list(number))
    pieces[0] = 0
    return Store(pieces, np.array(flat, np.int32), np.array(offsets), labels or {}, **other, train=train)


def sentences_that_train(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Tell for each sentence of a set whether it is trained on, by its part."""
    train: np.ndarray = arrays["part"] == [str(part) for part in arrays["parts"]].index("train")
    return train


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], *, packed: bool = True) -> None:
    """Write arrays by their names as NumPy keeps them."""
    write: Any = np.savez_compressed if packed else np.savez  # numpy's stub takes arrays for its own switches
    write_atomically(path, lambda stream: write(stream, **arrays))
