"""Column types of a line-based table: found over the whole file, so that every chunk and every part has the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

# Only what prints back as it was read: "007" and "+5" stay text. 18 digits fit 64 bits.
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_ARROW = {"whole": pa.int64(), "real": pa.float64(), "truth": pa.bool_(), "text": pa.string(), "json": pa.string()}
_PANDAS = {"whole": ("int64", "Int64"), "real": ("float64", "float64"), "truth": ("bool", "boolean")}


class ColumnTypes:
    """Sees every row and keeps the narrowest type that holds each column without loss.

    The kinds are ``whole``, ``real`` and ``truth``, ``text``, and ``json`` for a column of mixed or nested values.
    """

    def __init__(self, columns: Sequence[str], text_column: str) -> None:
        self.columns = list(columns)
        self._kinds = ["text" if column == text_column else "" for column in columns]
        self._open = [at for at, kind in enumerate(self._kinds) if not kind]

    @classmethod
    def from_schema(cls, schema: pa.Schema) -> ColumnTypes:
        """Return the types a finished look-through wrote into a schema."""
        types = cls(schema.names, "")
        types._kinds = [column_kind(field) for field in schema]
        return types

    def see_cells(self, cells: Sequence[str]) -> None:
        """Take in one row of a file where everything is written as text."""
        for at in self._open:
            if _WHOLE_NUMBER.fullmatch(cells[at]):
                self._kinds[at] = "whole"
            else:
                self._close(at, "text")

    def see_values(self, values: Sequence[Any]) -> None:
        """Take in one row of typed values, as JSON has them."""
        for at in self._open:
            kind, known = _kind(values[at]), self._kinds[at]
            if not known:
                self._kinds[at] = kind
            elif kind not in ("", known):
                kind = "real" if {kind, known} == {"whole", "real"} else "json"
                self._kinds[at] = kind
                if kind == "json":
                    self._close(at, kind)

    def _close(self, at: int, kind: str) -> None:
        self._kinds[at] = kind
        self._open = [place for place in self._open if place != at]  # a new list: the caller walks the old one

    def schema(self) -> pa.Schema:
        """Return the columns and their types, the kind of each in its field's metadata."""
        kinds = [kind or "text" for kind in self._kinds]
        return pa.schema(
            [
                pa.field(name, _ARROW[kind], metadata={"kind": kind})
                for name, kind in zip(self.columns, kinds, strict=True)
            ]
        )

    def frame(self, rows: list[list[Any]], index: pd.Index) -> pd.DataFrame:
        """Return the rows as a data frame of these types."""
        import pandas as pd

        data = {}
        for at, (name, kind) in enumerate(zip(self.columns, self._kinds, strict=True)):
            values = [row[at] for row in rows]
            if kind == "whole":
                values = [None if value is None else int(value) for value in values]
            data[name] = pd.Series(values, index=index, dtype=_dtype(kind, values))
        return pd.DataFrame(data, index=index, columns=self.columns)


def column_kind(field: pa.Field) -> str:
    """Return the kind a look-through gave this column, ``""`` for one that came with a type of its own."""
    return bytes((field.metadata or {}).get(b"kind", b"")).decode()


def _kind(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "whole" if -(1 << 63) <= value < (1 << 63) else "json"
    if isinstance(value, float):
        return "real"
    return "text" if isinstance(value, str) else "json"


def _dtype(kind: str, values: list[Any]) -> Any:
    if kind in _PANDAS:
        return _PANDAS[kind][None in values]
    return "str" if all(isinstance(value, str) for value in values) else object
