"""Column types of a table that has none: found over the whole file, so that every chunk and every part has the same."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from vnlp_colab.batches.preparation import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Only what prints back as it was read: "007" and "+5" stay text. 18 digits fit 64 bits.
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_ARROW = {
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "datetime": pa.timestamp("us"),
    "text": pa.string(),
    "json": pa.string(),
}
_PYTHON = {str: "text", int: "int", float: "float", bool: "bool", dt.datetime: "datetime"}
_MIXED = {b"vnlp_colab": b"json"}  # in a field's metadata: each value is written as JSON
_EXACT_IN_FLOAT = 1 << 53
_dumps = json.JSONEncoder(ensure_ascii=False, default=str).encode


class ColumnTypes:
    """Sees every row and keeps the narrowest type that holds each column without loss.

    The kinds are ``int``, ``float``, ``bool``, ``datetime`` and ``text``, and ``json`` for mixed or nested values.

    Parameters
    ----------
    cells
        Whether everything is written as text, as in CSV; then a column is ``int`` or ``text``.
    """

    def __init__(self, *, cells: bool) -> None:
        self.kinds: dict[str, str] = {}
        self._cells = cells
        self._large: set[str] = set()  # columns with integers that a float would round

    def fix(self, column: str, kind: str) -> None:
        """Say what a column is, whatever is in it."""
        self.kinds[column] = kind

    def see(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Take in some rows, column by column."""
        for name, values in columns.items():
            known = self.kinds.get(name, "")
            if known == "json" or (self._cells and known == "text"):
                continue
            if self._cells:
                self.kinds[name] = "int" if all(map(_INTEGER.fullmatch, values)) else "text"
            else:
                self.kinds[name] = self._widened(name, known, values)

    def _widened(self, name: str, kind: str, values: Sequence[Any]) -> str:
        for python in set(map(type, values)) - {type(None)}:
            new = _PYTHON.get(python, "json")
            if new == "int":
                numbers = [value for value in values if type(value) is int]
                if not -(1 << 63) <= min(numbers) <= max(numbers) < 1 << 63:
                    new = "json"
                elif max(map(abs, numbers)) > _EXACT_IN_FLOAT:
                    self._large.add(name)
            kind = new if kind in ("", new) else "float" if {kind, new} == {"int", "float"} else "json"
        return "json" if kind == "float" and name in self._large else kind

    def schema(self) -> pa.Schema:
        """Return the columns and their types; a column of JSON says so in its field's metadata."""
        fields = []
        for name, kind in self.kinds.items():
            field = pa.field(name, _ARROW[kind or "text"])
            fields.append(field.with_metadata(_MIXED) if kind == "json" else field)
        return pa.schema(fields)

    def table(self, columns: Mapping[str, Sequence[Any]], schema: pa.Schema) -> pa.Table:
        """Return rows as an Arrow table of these types; a column that is not among them is null."""
        count = len(next(iter(columns.values()), ()))
        arrays = [
            self._array(field, columns[field.name]) if field.name in columns else pa.nulls(count, field.type)
            for field in schema
        ]
        return pa.Table.from_arrays(arrays, schema=schema)

    def _array(self, field: pa.Field, values: Sequence[Any]) -> pa.Array:
        kind = self.kinds[field.name]
        if kind == "int" and self._cells:
            return strings(values).cast(pa.int64())
        if kind == "json":
            values = [None if value is None else _dumps(value) for value in values]
        return strings(values) if field.type == pa.string() else pa.array(values, field.type)


def is_json(field: pa.Field) -> bool:
    """Whether each value of a column is written as JSON, since they are mixed or nested."""
    return (field.metadata or {}).get(b"vnlp_colab") == b"json"


def strings(values: Sequence[Any] | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return texts as Arrow has them; a lone surrogate, which no file can hold, is replaced."""
    if isinstance(values, pa.ChunkedArray):
        return values
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array([value if value is None else replace_surrogates(value) for value in values], pa.string())
