"""Arrow columns as text: JSON for JSON lines, cells for CSV.

Whole columns are turned into text by Arrow's kernels. A value at a time through Python's objects and its JSON encoder
takes several times as long; the text is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from vnlp_colab.tables.values import cells, dumps, python_values

if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXT = pa.large_string()  # the cells of a few thousand rows may be more than the two gigabytes of the small one
# What JSON escapes in a string; Python's encoder does it, for the few strings that have any of them.
_ESCAPED = '["\\\\\\x00-\\x1f]'
# What a spreadsheet takes for the start of a formula.
_FORMULA = r"\A[=+\-@\t\r]"


def json_text(column: pa.Array | pa.ChunkedArray, *, tuples: bool = False) -> pa.Array:
    """Return each value of a column as JSON, a missing one as ``null``; with `tuples`, structs are lists.

    Examples
    --------
    >>> json_text(pa.array([["ev", "evler"], None])).to_pylist()
    ['["ev", "evler"]', 'null']
    """
    return pc.fill_null(_json(column, tuples), "null")


def json_lines_text(names: Sequence[str], columns: Sequence[pa.Array]) -> pa.Array:
    """Return a line for each row, an object with these names, of columns that are JSON already."""
    parts: list[pa.Array | str] = []
    for name, column in zip(names, columns, strict=True):
        parts += [f"{', ' if parts else '{'}{dumps(name)}: ", column]
    return joined(*parts, "}\n")


def cell_text(
    column: pa.Array | pa.ChunkedArray, *, as_json: bool = False, tuples: bool = False, escape_formulas: bool = False
) -> pa.Array:
    """Return each value as it stands in a cell: text as it is, lists as JSON, a missing one as nothing.

    Parameters
    ----------
    column
        Any column.
    as_json
        Its texts are JSON; strings and numbers in it are cells like any other.
    tuples
        Structs inside it are lists, not objects.
    escape_formulas
        Put an apostrophe before text that a spreadsheet would take for a formula.
    """
    if as_json:
        values = cells(column, as_json=True)
        texts = pa.array([None if value is None else str(value) for value in values], _TEXT)
        numbers = pa.array([not isinstance(value, str) for value in values], pa.bool_())
    else:
        texts = _cells(column, tuples)
        numbers = pa.scalar(_is_number(column.type))
    texts = pc.fill_null(texts, "")
    if escape_formulas:
        formula = pc.and_(pc.match_substring_regex(texts, _FORMULA), pc.invert(numbers))
        texts = pc.if_else(formula, joined("'", texts), texts)
    return texts


def delimited_text(columns: Sequence[pa.Array], delimiter: str) -> pa.Array:
    """Return a line for each row; a cell with a delimiter, a quote or a line end of any kind stands in quotes."""
    lines = joined(*(_quoted(column, delimiter) for column in columns), between=delimiter)
    if len(columns) == 1:  # a single empty cell would be a blank line
        lines = pc.if_else(pc.equal(lines, ""), '""', lines)
    return joined(lines, "\n")


def joined(*parts: pa.Array | str, between: str = "") -> pa.Array:
    """Return texts put together row by row; one that lacks a part is missing."""
    return pc.binary_join_element_wise(*(_text(part) for part in (*parts, between)))


def as_bytes(texts: pa.Array) -> pa.Buffer | bytes:
    """Return texts one after the other, as they lie in memory."""
    if not len(texts):
        return b""
    _, offsets, data = texts.buffers()
    ends = memoryview(offsets).cast("q")
    return data[ends[texts.offset] : ends[texts.offset + len(texts)]]


def _text(part: pa.Array | str) -> pa.Array | pa.Scalar:
    return pa.scalar(part, _TEXT) if isinstance(part, str) else part


def _quoted(texts: pa.Array, delimiter: str) -> pa.Array:
    special = pc.match_substring_regex(texts, f'[{delimiter}"\\r\\n]')
    if not pc.any(special).as_py():
        return texts
    return pc.if_else(special, joined('"', pc.replace_substring(texts, '"', '""'), '"'), texts)


def _json(column: pa.Array | pa.ChunkedArray, tuples: bool) -> pa.Array:
    """Return each value as JSON; what is missing stays missing."""
    if isinstance(column, pa.ChunkedArray):
        return pa.concat_arrays([pa.array([], _TEXT), *(_json(chunk, tuples) for chunk in column.chunks)])
    kind = column.type
    if pt.is_dictionary(kind):
        return _json(column.dictionary_decode(), tuples)
    if isinstance(kind, pa.BaseExtensionType):
        return _json(column.storage, tuples)
    if pt.is_string(kind) or pt.is_large_string(kind):
        return _json_strings(column.cast(_TEXT))
    if pt.is_integer(kind) or pt.is_boolean(kind):
        return column.cast(_TEXT)
    if (pt.is_list(kind) or pt.is_large_list(kind)) and len(column):
        return _json_lists(column, tuples)
    if pt.is_struct(kind) and 0 < kind.num_fields == len({field.name for field in kind}):
        return _json_structs(column, tuples)
    return pa.array([None if value is None else dumps(value) for value in python_values(column, tuples=tuples)], _TEXT)


def _json_strings(texts: pa.Array) -> pa.Array:
    quoted = joined('"', texts, '"')
    odd = pc.fill_null(pc.match_substring_regex(texts, _ESCAPED), fill_value=False)
    if not pc.any(odd).as_py():
        return quoted
    escaped = pa.array([dumps(text) for text in texts.filter(odd).to_pylist()], _TEXT)
    return pc.replace_with_mask(quoted, odd, escaped)


def _json_lists(column: pa.Array, tuples: bool) -> pa.Array:
    offsets = column.offsets.cast(pa.int64())
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    inside = json_text(column.values.slice(first, last - first), tuples=tuples)
    lists = pa.LargeListArray.from_arrays(pc.subtract(offsets, first), inside)
    return _where_valid(column, joined("[", pc.binary_join(lists, _text(", ")), "]"))


def _json_structs(column: pa.Array, tuples: bool) -> pa.Array:
    parts: list[pa.Array | str] = []
    for field, values in zip(column.type, column.flatten(), strict=True):
        name = "" if tuples else f"{dumps(field.name)}: "
        before = ", " if parts else "[" if tuples else "{"
        parts += [before + name, json_text(values, tuples=tuples)]
    return _where_valid(column, joined(*parts, "]" if tuples else "}"))


def _where_valid(column: pa.Array, texts: pa.Array) -> pa.Array:
    return pc.if_else(column.is_valid(), texts, pa.scalar(None, _TEXT)) if column.null_count else texts


def _is_number(kind: pa.DataType) -> bool:
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    return bool(pt.is_integer(kind) or pt.is_floating(kind))


def _cells(column: pa.Array | pa.ChunkedArray, tuples: bool) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return pa.concat_arrays([pa.array([], _TEXT), *(_cells(chunk, tuples) for chunk in column.chunks)])
    kind = column.type
    if pt.is_string(kind) or pt.is_large_string(kind) or pt.is_integer(kind):
        return column.cast(_TEXT)
    if pt.is_nested(kind):
        return _json(column, tuples)
    return pa.array([None if value is None else str(value) for value in python_values(column)], _TEXT)
