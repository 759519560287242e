"""Some thousand rows of a table, tokenised and waiting for their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.batches.preparation import clean_sentence, in_blocks, spans_in_original, token_spans, tokenize
from vnlp_colab.tasks import empty_value

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Rows:
    """What the pipeline needs of some rows: their cells and, where the caller made them already, their tokens."""

    sentences: Sequence[Any]
    no_accents: Sequence[str] | None = None
    tokens: Sequence[Sequence[str]] | None = None
    source: Any = None

    @property
    def cells(self) -> Sequence[Any]:
        """The cells with the text."""
        return self.sentences

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, place: slice) -> Rows:
        return Rows(
            self.sentences[place],
            None if self.no_accents is None else self.no_accents[place],
            None if self.tokens is None else self.tokens[place],
        )


@dataclass
class PreparedChunk:
    """The tokens of a chunk as numbers into its word list, in order of length, and the columns as they fill up.

    Numbers, because they travel through tf.data as plain integer tensors, and because a word that occurs a thousand
    times in a chunk is then one string in its result. In order of length, because then every batch is a bucket of
    sentences of nearly the same length and needs hardly any padding.
    """

    words: list[str]
    order: np.ndarray  # numbers of the rows that have tokens, the shortest first
    lengths: np.ndarray  # their token counts
    word_ids: np.ndarray  # their words, one after another
    columns: dict[str, list[Any]]
    no_accents: list[str]
    source: Any = None
    remaining: int = field(init=False)

    def __post_init__(self) -> None:
        self.remaining = len(self.order)

    @property
    def token_count(self) -> int:
        """Tokens in all rows."""
        return len(self.word_ids)

    def tokens(self, word_ids: np.ndarray, lengths: np.ndarray) -> list[list[str]]:
        """Return the token lists of a padded batch."""
        words = self.words
        return [
            [words[word] for word in row[:length]]
            for row, length in zip(word_ids.tolist(), lengths.tolist(), strict=True)
        ]

    def fill(self, rows: list[int], results: dict[str, list[Any]]) -> None:
        """Put the results of a batch where they belong."""
        for name, values in results.items():
            column = self.columns[name]
            for row, value in zip(rows, values, strict=True):
                column[row] = value
        self.remaining -= len(rows)


def prepare(rows: Rows, columns: Sequence[str]) -> PreparedChunk:
    """Clean and tokenise rows; `columns` names the result columns that will be filled."""
    no_accents = list(rows.no_accents or map(clean_sentence, rows.sentences))
    token_lists = rows.tokens if rows.tokens is not None else [tokenize(text) for text in no_accents]
    counts = np.fromiter(map(len, token_lists), dtype=np.int64, count=len(rows))
    order = np.argsort(counts, kind="stable")
    order = order[counts[order] > 0]
    ids: dict[str, int] = {}
    word_ids = [ids.setdefault(word, len(ids)) for row in order.tolist() for word in token_lists[row]]
    filled: dict[str, list[Any]] = {name: [empty_value(name) for _ in range(len(rows))] for name in columns}
    filled["no_accents"] = no_accents
    if "offsets" in filled:
        filled["offsets"] = [
            spans_in_original(sentence, text, token_spans(text)) if text else []
            for sentence, text in zip(rows.sentences, no_accents, strict=True)
        ]
    return PreparedChunk(list(ids), order, counts[order], np.array(word_ids, dtype=np.int32), filled, no_accents, rows.source)


def with_blocks(token_lists: list[list[str]]) -> dict[str, list[Any]]:
    """Return the columns ``tokens`` and ``tokens_40`` of a batch."""
    return {"tokens": token_lists, "tokens_40": [in_blocks(tokens) for tokens in token_lists]}
