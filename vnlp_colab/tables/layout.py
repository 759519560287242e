"""What all parts of one result have in common: their columns, and which of them are whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from vnlp_colab.batches.frames import renamed
from vnlp_colab.document.conllu import LAYERS
from vnlp_colab.tables.arrow import index_columns, joined_schema, rename_columns, result_arrays
from vnlp_colab.tables.conllu import HELPERS
from vnlp_colab.tables.inference import is_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vnlp_colab.tables.source import InputTables


@dataclass(frozen=True)
class Layout:
    """The columns of a result: the table's own (renamed where a result is called so) and then the results."""

    own: pa.Schema
    text_column: str
    results: tuple[str, ...]

    @classmethod
    def of(cls, table: InputTables, results: Sequence[str]) -> Layout:
        """Return the layout of a table with these results, and say which of its own columns are renamed."""
        names = renamed(table.schema.names, results)
        own = rename_columns(table.schema, names)
        return cls(own, names.get(table.text_column, table.text_column), tuple(results))

    @property
    def schema(self) -> pa.Schema:
        """Own columns and results."""
        return joined_schema(self.own, self.results)

    def table(self, own: pa.Table, columns: Mapping[str, Sequence[Any]]) -> pa.Table:
        """Return some rows with their results; a result that is not there is null."""
        found = {name: columns.get(name) or [None] * len(own) for name in self.results}
        return pa.Table.from_arrays([*own.columns, *result_arrays(found)], schema=self.schema)

    @property
    def flat(self) -> list[tuple[str, str]]:
        """Each column and its name in a format without an index: the index of pandas comes first, as columns."""
        index = index_columns(self.own)
        taken = set(self.schema.names)
        named = []
        for level, name in enumerate(index):
            if name.startswith("__index_level_"):
                name = "index" if len(index) == 1 else f"level_{level}"
                while name in taken:
                    name += "_"
                taken.add(name)
            named.append(name)
        first = list(zip(index, named, strict=True))
        return first + [(name, name) for name in self.schema.names if name not in index]

    @property
    def json_columns(self) -> frozenset[str]:
        """Own columns whose values are written as JSON."""
        return frozenset(field.name for field in self.own if is_json(field))


def conllu_results(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the results that CoNLL-U is written from, given those that are wanted."""
    wanted = [name for name in columns if name in LAYERS or name == "sentiment"]
    if "ner" in wanted and "ner_bio" not in wanted:  # says where entities begin
        wanted.append("ner_bio")
    return (*HELPERS, *wanted)
