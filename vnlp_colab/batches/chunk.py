"""Some thousand rows of a table, cut into sentences and tokens and waiting for their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import Preparation, PreparedRow, Unit, in_blocks
from vnlp_colab.columns import COLUMNS, empty_value
from vnlp_colab.text.entities import OUTSIDE, bio_labels, find_entities, settled_labels
from vnlp_colab.text.forms import keep_circumflexes_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from vnlp_colab.batches.alignment import Span

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
    _results: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.waiting = len(self.units)
        self._results = [{} for _ in self.units]

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
            for number, value in zip(numbers, values, strict=True):
                self._results[number][name] = value
        self.waiting -= len(numbers)
        if not self.waiting:
            self._join()

    def texts_of_several(self) -> list[tuple[int, str, list[str]]]:
        """Return row, text and tokens of every row that was cut into more than one sentence."""
        return [
            (row, " ".join(unit.text for unit in units), [token for unit in units for token in unit.read])
            for row, units in self._by_row()
            if len(units) > 1
        ]

    def _by_row(self) -> list[tuple[int, list[Unit]]]:
        rows: dict[int, list[Unit]] = {}
        for unit in sorted(self.units, key=lambda unit: (unit.row, unit.start)):
            rows.setdefault(unit.row, []).append(unit)
        return list(rows.items())

    def _join(self) -> None:
        results = {id(unit): result for unit, result in zip(self.units, self._results, strict=True)}
        for row, units in self._by_row():
            parts = [results[id(unit)] for unit in units]
            for name in parts[0]:
                if name in self.columns:
                    values = [part[name] for part in parts]
                    self.columns[name][row] = values[0] if len(values) == 1 else _joined(name, values)
            prepared = self.rows[row]
            for name in LEMMA_COLUMNS:
                if name in self.columns:
                    lemmas = self.columns[name][row]
                    self.columns[name][row] = keep_circumflexes_in(lemmas, prepared.text, prepared.spans)
            wanted = [name for name in ENTITY_COLUMNS if name in self.columns]
            if wanted:
                said = [label for part in parts for label in told_labels(part)]
                for name, value in settle_entities(prepared.text, prepared.spans, said, wanted).items():
                    self.columns[name][row] = value
        self._results = []


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


def told_labels(result: dict[str, Any]) -> list[str]:
    """Return the entity labels of a sentence: those that tell where entities begin, where the annotator has them."""
    labels: list[str] = result["ner_bio"] if "ner_bio" in result else result["ner"]
    return labels


def settle_entities(
    text: str, spans: Callable[[], list[Span]], said: list[str], wanted: Iterable[str]
) -> dict[str, list[Any]]:
    """Return entity columns of a row that agree with each other, from the labels an annotator said.

    `spans` is asked only where something is labelled at all, which most rows do not have.
    """
    if all(label == OUTSIDE for label in said):
        return {name: [] if name == "entities" else [OUTSIDE] * len(said) for name in wanted}
    places = spans()
    make: dict[str, Callable[..., list[Any]]] = {
        "ner": settled_labels,
        "ner_bio": bio_labels,
        "entities": lambda *row: [entity.to_dict() for entity in find_entities(*row)],
    }
    return {name: make[name](text, places, said) for name in wanted}


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
