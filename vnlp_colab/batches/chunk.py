"""Some thousand rows of a table, cut into sentences and tokens and waiting for their results."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import Preparation, PreparedRow, Unit, holds_no_text, in_blocks
from vnlp_colab.columns import COLUMNS, empty_value
from vnlp_colab.text.entities import OUTSIDE, bio_labels, find_entities, plain_label
from vnlp_colab.text.forms import keep_circumflexes_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from vnlp_colab.batches.alignment import Span

logger = logging.getLogger(__name__)

LEMMA_COLUMNS = ("lemma", "derived_lemma")
ENTITY_COLUMNS = ("ner", "ner_bio", "entities")


@dataclass(frozen=True)
class Rows:
    """What the pipeline needs of some rows: their cells and, where the caller made them already, their tokens.

    ``source`` is whatever the caller wants back with the result, such as the table the rows are from.
    """

    cells: Sequence[Any]
    tokens: Sequence[Sequence[str] | None] | None = None
    source: Any = None

    def __len__(self) -> int:
        return len(self.cells)

    def pieces(self, size: int) -> Iterator[Rows]:
        """Yield the rows `size` at a time."""
        for start in range(0, len(self), size):
            end = start + size
            yield Rows(self.cells[start:end], None if self.tokens is None else self.tokens[start:end], self.source)


@dataclass
class PreparedChunk:
    """The sentences of a chunk in order of length, and its columns, which fill up batch by batch.

    In order of length, because then every batch is a bucket of sentences of nearly the same length and needs hardly
    any padding.
    """

    units: list[Unit]
    columns: dict[str, list[Any]]
    source: Any
    rows: list[PreparedRow]
    waiting: int = field(init=False)
    # by column a value a sentence, in the order of `units`
    _results: dict[str, list[Any]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.waiting = len(self.units)

    def __len__(self) -> int:
        return len(self.columns["tokens"])

    @property
    def filled_rows(self) -> int:
        """How many rows have a token."""
        return sum(map(bool, self.columns["tokens"]))

    @property
    def token_count(self) -> int:
        """Tokens in all rows."""
        return sum(map(len, self.columns["tokens"]))

    def fill(self, numbers: Sequence[int], results: dict[str, list[Any]]) -> None:
        """Take in the results of some sentences; with the last of them the rows are whole."""
        for name, values in results.items():
            column = self._results.setdefault(name, [None] * len(self.units))
            for number, value in zip(numbers, values, strict=True):
                column[number] = value
        self.waiting -= len(numbers)
        if not self.waiting:
            self._join()

    def texts_of_several(self) -> list[tuple[int, str, list[str]]]:
        """Return row, text and tokens of every row that was cut into more than one sentence."""
        several = [(row, [self.units[number] for number in own]) for row, own in self._by_row() if len(own) > 1]
        return [
            (row, " ".join(unit.text for unit in units), [token for unit in units for token in unit.read])
            for row, units in several
        ]

    def _by_row(self) -> list[tuple[int, list[int]]]:
        """Return the rows that have sentences, and the numbers of those in the order they stand in the row."""
        rows: dict[int, list[int]] = {}
        for number in sorted(range(len(self.units)), key=lambda at: (self.units[at].row, self.units[at].start)):
            rows.setdefault(self.units[number].row, []).append(number)
        return list(rows.items())

    def _join(self) -> None:
        rows = self._by_row()
        for name, values in self._results.items():
            if name in self.columns:
                column = self.columns[name]
                for row, own in rows:
                    column[row] = values[own[0]] if len(own) == 1 else _joined(name, [values[at] for at in own])
        for name in LEMMA_COLUMNS:
            if name in self.columns:
                column = self.columns[name]
                for row, _ in rows:
                    column[row] = keep_circumflexes_in(column[row], self.rows[row].text, self.rows[row].spans)
        wanted = [name for name in ENTITY_COLUMNS if name in self.columns]
        if wanted and rows:
            told = told_labels(self._results)
            for row, own in rows:
                said = told[own[0]] if len(own) == 1 else [label for at in own for label in told[at]]
                for name, value in settle_entities(self.rows[row].text, self.rows[row].spans, said, wanted).items():
                    self.columns[name][row] = value
        self._results = {}


def prepare(rows: Rows, columns: Iterable[str], preparation: Preparation) -> PreparedChunk:
    """Clean, cut and tokenise rows; `columns` names the result columns that will be filled."""
    names = list(columns)
    filled: dict[str, list[Any]] = {name: [empty_value(name) for _ in range(len(rows))] for name in names}
    # What CoNLL-U needs beyond the result: tokens, where entities begin, and of several sentences where those are.
    hidden = ["tokens", *(["ner_bio"] if "ner" in filled else [])]
    hidden += ["sentence_ends", "offsets"] if preparation.split == "sentences" else []
    hidden += ["offsets"] if preparation.multiword else []  # the words of one token share its place
    for name in hidden:
        filled.setdefault(name, [[] for _ in range(len(rows))])
    units: list[Unit] = []
    kept: list[PreparedRow] = []
    if odd := [row for row, cell in enumerate(rows.cells) if holds_no_text(cell)]:
        logger.warning(
            "%d rows have no text but another value (%.40r); they get no tokens", len(odd), rows.cells[odd[0]]
        )
    for row, cell in enumerate(rows.cells):
        given = rows.tokens[row] if rows.tokens is not None else None
        prepared = preparation.row(cell, given)
        kept.append(prepared)
        if "no_accents" in filled:
            filled["no_accents"][row] = prepared.no_accents
        tokens = filled["tokens"][row] = prepared.tokens
        if not tokens:
            continue
        if "tokens_40" in filled:
            filled["tokens_40"][row] = in_blocks(tokens)
        if "offsets" in filled:
            filled["offsets"][row] = prepared.spans()
        if "sentence_ends" in filled:
            filled["sentence_ends"][row] = prepared.ends
        units += prepared.units(row)
    units.sort(key=lambda unit: len(unit.read))
    return PreparedChunk(units, filled, rows.source, kept)


def told_labels(results: dict[str, Any]) -> Any:
    """Return the entity labels of results: those that tell where entities begin, where the annotator has them."""
    return results["ner_bio"] if "ner_bio" in results else results["ner"]


def settle_entities(
    text: str, spans: Callable[[], list[Span]], said: list[str], wanted: Iterable[str]
) -> dict[str, list[Any]]:
    """Return entity columns of a row that agree with each other, from the labels an annotator said.

    `spans` is asked only where something is labelled at all, which most rows do not have.
    """
    if said.count(OUTSIDE) == len(said):
        return {name: [] if name == "entities" else [OUTSIDE] * len(said) for name in wanted}
    places = spans()
    begun = bio_labels(text, places, said)
    make: dict[str, Callable[[], list[Any]]] = {
        "ner": lambda: [plain_label(label) for label in begun],
        "ner_bio": lambda: begun,
        "entities": lambda: [entity.to_dict() for entity in find_entities(text, places, begun)],
    }
    return {name: make[name]() for name in wanted}


def _joined(name: str, values: list[Any]) -> Any:
    """Return one row's value from those of its sentences; heads count through the row."""
    if COLUMNS[name].per == "row":
        return values[0]
    if name != "dep":
        return [value for part in values for value in part]
    arcs: list[tuple[int, str]] = []
    for part in values:
        before = len(arcs)
        arcs += [(head + before if head else 0, relation) for head, relation in part]
    return arcs
