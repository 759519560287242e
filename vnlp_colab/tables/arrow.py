"""Between Arrow tables and result columns: the one place where results are joined to a table's own columns."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from vnlp_colab.batches.frames import renamed
from vnlp_colab.columns import arrow_schema, arrow_type
from vnlp_colab.tables.header import find_text_column
from vnlp_colab.tables.inference import is_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def result_arrays(columns: Mapping[str, Sequence[Any]]) -> list[pa.Array]:
    """Return result columns as Arrow arrays of the types `vnlp_colab.columns` gives them.

    Examples
    --------
    >>> result_arrays({"dep": [[(0, "root")], []]})[0].to_pylist()
    [[{'head': 0, 'relation': 'root'}], []]
    """
    return [_array(values, arrow_type(name)) for name, values in columns.items()]


def _array(rows: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if not pt.is_list(kind) or None in rows:
        return pa.array(rows, kind)
    # All values of a column at once; a list of structs as one array a field. A scalar at a time is much slower.
    inside = list(chain.from_iterable(rows))
    ends = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=ends[1:])
    of = kind.value_type
    values = _structs(inside, of) if pt.is_struct(of) else _array(inside, of)
    return pa.ListArray.from_arrays(pa.array(ends), values, type=kind)


def _structs(values: list[Any], kind: pa.StructType) -> pa.Array:
    if values and isinstance(values[0], dict):
        return pa.array(values, kind)
    parts = list(zip(*values, strict=True)) if values else [()] * kind.num_fields
    arrays = [pa.array(part, field.type) for part, field in zip(parts, kind, strict=True)]
    return pa.StructArray.from_arrays(arrays, fields=list(kind))


def append_results(table: pa.Table, columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """Return `table` with result columns added; its own of such a name are kept as ``input_NAME``."""
    own = rename_columns(table.schema, renamed(table.schema.names, columns))
    schema = joined_schema(own, list(columns))
    return pa.Table.from_arrays([*table.columns, *result_arrays(columns)], schema=schema)


def joined_schema(own: pa.Schema, results: Sequence[str]) -> pa.Schema:
    """Return a table's own columns and then the result columns; metadata (such as the index of pandas) is kept."""
    return pa.schema([*own, *arrow_schema(results)], metadata=own.metadata)


def rename_columns(schema: pa.Schema, names: Mapping[str, str]) -> pa.Schema:
    """Return a schema with columns renamed, also where pandas wrote down which of them are its index."""
    fields = [field.with_name(names.get(field.name, field.name)) for field in schema]
    metadata = dict(schema.metadata or {})
    if names and b"pandas" in metadata:
        told = json.loads(metadata[b"pandas"])
        told["index_columns"] = [names.get(one, one) if isinstance(one, str) else one for one in told["index_columns"]]
        for column in told.get("columns", ()):
            for key in ("name", "field_name"):
                if isinstance(column.get(key), str):
                    column[key] = names.get(column[key], column[key])
        metadata[b"pandas"] = json.dumps(told).encode()
    return pa.schema(fields, metadata=metadata or None)


def index_columns(schema: pa.Schema) -> list[str]:
    """Return the columns that are the index of the pandas table they came from."""
    told = (schema.metadata or {}).get(b"pandas")
    named = json.loads(told).get("index_columns", ()) if told else ()
    return [name for name in named if isinstance(name, str) and name in schema.names]


def text_cells(table: pa.Table, text_column: str | int | None = None) -> list[Any]:
    """Return the cells that hold the text: strings, other scalars and lists as Python has them, bytes as ``b""``."""
    from vnlp_colab.tables.values import python_values

    if not isinstance(table, pa.Table | pa.RecordBatch):
        raise TypeError(f"an Arrow table is wanted, not a {type(table).__name__}; a pandas one has process_dataframe")
    name = find_text_column(table.schema.names, text_column, "the table")
    values = python_values(table[name])
    if is_json(table.schema.field(name)):
        values = [None if value is None else json.loads(value) for value in values]
    elif pt.is_binary(table[name].type) or pt.is_large_binary(table[name].type):
        values = [None if value is None else b"" for value in values]  # no text, whatever they hold
    return values
