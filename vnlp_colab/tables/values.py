"""Arrow columns as plain Python values: for JSON, for cells of CSV, for CoNLL-U and for pickles."""

from __future__ import annotations

import base64
import json
import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

if TYPE_CHECKING:
    from collections.abc import Callable

dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def python_values(column: pa.Array | pa.ChunkedArray, *, tuples: bool = False) -> list[Any]:
    """Return the values of a column: numbers, strings, lists, and for structs dicts (or `tuples`).

    Whole arrays are turned over at once, which is several times faster than a scalar at a time. What JSON cannot
    hold is text: dates and decimals as written, bytes as base64; numbers that are not finite are ``None``.
    """
    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in python_values(chunk, tuples=tuples)]
    kind = column.type
    if pt.is_dictionary(kind):
        return python_values(column.dictionary_decode(), tuples=tuples)
    if isinstance(kind, pa.BaseExtensionType):
        return python_values(column.storage, tuples=tuples)
    if pt.is_string(kind) or pt.is_large_string(kind):
        return list(column.to_numpy(zero_copy_only=False).tolist())
    if pt.is_integer(kind) or pt.is_boolean(kind):
        return _with_nulls(column, pa.scalar(0).cast(kind))
    if pt.is_floating(kind):
        return _finite(column)
    if pt.is_list(kind) or pt.is_large_list(kind):
        return _lists(column, tuples)
    if pt.is_struct(kind):
        return _structs(column, tuples)
    return _others(column)


def cells(column: pa.Array | pa.ChunkedArray, *, as_json: bool = False) -> list[Any]:
    """Return the values of a column as they stand in a cell: text and numbers as they are, lists as JSON."""
    values = python_values(column)
    if as_json:
        values = [None if value is None else json.loads(value) for value in values]
    elif not pt.is_nested(column.type):
        return values
    return [value if value is None or isinstance(value, str | int | float) else dumps(value) for value in values]


def _with_nulls(column: pa.Array, filler: pa.Scalar) -> list[Any]:
    if not column.null_count:
        return list(column.to_numpy(zero_copy_only=False).tolist())
    values = column.fill_null(filler).to_numpy(zero_copy_only=False).tolist()
    return [value if valid else None for value, valid in zip(values, _valid(column), strict=True)]


def _valid(column: pa.Array) -> list[bool]:
    return list(column.is_valid().to_numpy(zero_copy_only=False).tolist())


def _finite(column: pa.Array) -> list[Any]:
    if pt.is_float16(column.type):
        column = column.cast(pa.float32())
    if pt.is_float32(column.type):  # as it prints: 0.5321 and not 0.532100021839
        values = [None if value is None else float(value) for value in column.cast(pa.string()).to_pylist()]
    else:
        values = column.to_numpy(zero_copy_only=False).tolist()
    if pc.all(pc.is_finite(column)).as_py() and not column.null_count:
        return list(values)
    return [value if value is not None and math.isfinite(value) else None for value in values]


def _lists(column: pa.Array, tuples: bool) -> list[Any]:
    offsets = column.offsets.to_numpy().tolist()
    first, last = offsets[0], offsets[-1]
    inside = _shared(column.values.slice(first, last - first), tuples)
    rows: list[Any] = [inside[start - first : end - first] for start, end in pairwise(offsets)]
    return (
        rows if not column.null_count else [row if ok else None for row, ok in zip(rows, _valid(column), strict=True)]
    )


def _shared(column: pa.Array, tuples: bool) -> list[Any]:
    """Return values in which equal strings are one object: words and labels come over and over."""
    if not pt.is_string(column.type):
        return python_values(column, tuples=tuples)
    encoded = column.dictionary_encode()
    words = [*encoded.dictionary.to_numpy(zero_copy_only=False).tolist(), None]
    return [words[at] for at in encoded.indices.fill_null(-1).to_numpy().tolist()]


def _structs(column: pa.Array, tuples: bool) -> list[Any]:
    names = [field.name for field in column.type]
    parts = [_shared(part, tuples) for part in column.flatten()]
    rows: list[Any] = list(zip(*parts, strict=True)) if parts else [()] * len(column)
    if not tuples:
        rows = [dict(zip(names, row, strict=True)) for row in rows]
    return (
        rows if not column.null_count else [row if ok else None for row, ok in zip(rows, _valid(column), strict=True)]
    )


def _others(column: pa.Array) -> list[Any]:
    """Return what has no fast way: dates, decimals, bytes, maps, lists of one size."""
    if not pt.is_nested(column.type) and not _is_bytes(column.type):
        try:
            return list(column.cast(pa.string()).to_pylist())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pass
    return [_plain(value) for value in column.to_pylist()]


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pt.is_binary(kind) or pt.is_large_binary(kind) or pt.is_fixed_size_binary(kind))


def _plain(value: Any) -> Any:
    """Return a value with everything in it that JSON lacks turned into text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    written: Callable[[], str] | None = getattr(value, "isoformat", None)
    return written() if written is not None else str(value)
