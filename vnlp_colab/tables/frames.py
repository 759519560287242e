"""An analysed table as a pandas data frame that has lost nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.types as pt

from vnlp_colab.tables.inference import is_json
from vnlp_colab.tables.values import python_values

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd

_NULLABLE = {
    pa.bool_(): "boolean",
    **{
        getattr(pa, f"{sign}int{bits}")(): f"{'U' if sign else ''}Int{bits}"
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
}
_TUPLES = ("dep", "offsets")  # lists of pairs are lists of tuples in pandas


def to_frame(table: pa.Table, results: Collection[str]) -> pd.DataFrame:
    """Return the table as a data frame with the index it came with; `results` are lists, not arrays, in it.

    A column keeps pandas' usual type where that holds every value; integers and truths with gaps are of the nullable
    types, and what pandas would change (times in nanoseconds, large decimals) stays Arrow.
    """
    own = table.select([name for name in table.schema.names if name not in results])
    frame = _usual_frame(own)
    for name in frame.columns.intersection(own.schema.names):
        frame[name] = _column(own[name], own.schema.field(name), frame[name])
    return _with_results(frame, table, results)


def _usual_frame(own: pa.Table) -> pd.DataFrame:
    """Return what pyarrow makes of a table; types whose values Python has nothing for stay Arrow."""
    import pandas as pd

    frame: pd.DataFrame
    try:
        frame = own.to_pandas()
    except (pa.ArrowException, ValueError, OverflowError):
        hard = {field.type for field in own.schema if not _converts(own[field.name])}
        frame = own.to_pandas(types_mapper=lambda kind: pd.ArrowDtype(kind) if kind in hard else None)
    return frame


def _converts(column: pa.ChunkedArray) -> bool:
    try:
        column.to_pandas()
    except (pa.ArrowException, ValueError, OverflowError):
        return False
    return True


def _with_results(frame: pd.DataFrame, table: pa.Table, results: Collection[str]) -> pd.DataFrame:
    import pandas as pd

    added = {}
    for name in table.schema.names:
        if name in results:
            kind = table.schema.field(name).type
            if pt.is_nested(kind):
                values = python_values(table[name], tuples=name in _TUPLES)
                added[name] = pd.Series(values, index=frame.index, dtype=object)
            else:
                added[name] = table[name].to_pandas().set_axis(frame.index)
    return pd.concat([frame, pd.DataFrame(added, index=frame.index)], axis=1)


def _column(column: pa.ChunkedArray, field: pa.Field, usual: pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    if is_json(field):
        loaded = [None if text is None else json.loads(text) for text in python_values(column)]
        return pd.Series(loaded, index=usual.index, dtype=object)
    if pt.is_floating(field.type) or pt.is_string(field.type):
        return usual
    if column.null_count and field.type in _NULLABLE:
        dtype = pd.api.types.pandas_dtype(_NULLABLE[field.type])
        return pd.Series(column.to_pandas(types_mapper=lambda _: dtype).array, index=usual.index)
    if isinstance(usual.dtype, pd.ArrowDtype) or _is_exact(column, usual):
        return usual
    return pd.Series(pd.arrays.ArrowExtensionArray(column), index=usual.index)


def _is_exact(column: pa.ChunkedArray, usual: pd.Series[Any]) -> bool:
    try:
        back = pa.array(usual, column.type, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return bool(pa.chunked_array([back] if isinstance(back, pa.Array) else back.chunks, column.type).equals(column))
