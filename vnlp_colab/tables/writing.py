"""Results on disk: each format writes a part from a data frame and joins finished parts into the final file.

A run always goes through parts, so a file joined after a crash has the same bytes as one written in a single run.
"""

from __future__ import annotations

import csv
import json
import pickle
import shutil
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vnlp_colab.tables.conllu_parts import conllu_text
from vnlp_colab.tables.inference import column_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd

_ROW_GROUP = 16_384
_words = pa.list_(pa.string())
_RESULT_TYPES: dict[str, pa.DataType] = {
    "no_accents": pa.string(),
    "tokens": _words,
    "tokens_40": pa.list_(_words),
    "sentiment": pa.float64(),
    "morph": _words,
    "lemma": _words,
    "pos": _words,
    "ner": _words,
    "dep": pa.list_(pa.struct([("head", pa.int32()), ("relation", pa.string())])),
    "pos_confidence": pa.list_(pa.float32()),
    "ner_confidence": pa.list_(pa.float32()),
    "sentiment_label": pa.string(),
    "offsets": pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())])),
}


@dataclass(frozen=True)
class Layout:
    """What every part of one result has in common."""

    schema: pa.Schema  # of the input columns
    text_column: str
    results: tuple[str, ...]

    @property
    def full_schema(self) -> pa.Schema:
        """The input columns and then the result columns; metadata (such as the index of the input) is kept."""
        fields = [_storage_field(field) for field in self.schema]
        fields += [pa.field(name, _RESULT_TYPES[name]) for name in self.results]
        return pa.schema(fields, metadata=self.schema.metadata)


@dataclass(frozen=True)
class Chunk:
    """Some analysed rows of a table: the first of them is the table's row `first_row`."""

    frame: pd.DataFrame
    layout: Layout
    first_row: int

    @property
    def flat(self) -> pd.DataFrame:
        """The rows with a meaningful index turned into columns, for formats that have no index."""
        import pandas as pd

        return self.frame if isinstance(self.frame.index, pd.RangeIndex) else self.frame.reset_index()


@dataclass(frozen=True)
class Format:
    """One output format: how a part is written and how parts are joined."""

    write: Callable[[Chunk, IO[bytes]], None]
    join: Callable[[Sequence[Path], Layout, IO[bytes]], None]
    streams: bool = True  # parts are plain pieces of the final file, so a pipe can take them one by one


def _storage_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, field.type) if column_kind(field) else field


def _values(column: pd.Series[Any]) -> list[Any]:
    """Return a column as plain Python values, missing ones as ``None``."""
    values = column.astype(object).where(column.notna(), None) if column.dtype != object else column
    return values.tolist()


def _plain(value: Any) -> Any:
    """Return what ``json`` cannot write itself as something it can."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


_dumps = json.JSONEncoder(ensure_ascii=False, default=_plain).encode


def _cell(value: Any) -> Any:
    """Return a value as it stands in a CSV cell: text as it is, lists as JSON, a missing value as nothing."""
    if value is None or value != value:
        return ""
    return value if isinstance(value, str | int | float) else _dumps(value)


def _csv_cells(column: pd.Series[Any]) -> list[Any]:
    values = _values(column)
    if values and isinstance(values[0], list):  # result lists: no need to look for missing values in them
        return [_dumps(value) for value in values]
    return [_cell(value) if not isinstance(value, list | np.ndarray | dict) else _dumps(value) for value in values]


class _Utf8:
    """A text face for a binary stream that leaves it open."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text.encode("utf-8", "replace"))


def _write_csv(chunk: Chunk, stream: IO[bytes]) -> None:
    frame = chunk.flat
    writer = csv.writer(_Utf8(stream), lineterminator="\n")
    if chunk.first_row == 0:
        writer.writerow(frame.columns)
    writer.writerows(zip(*(_csv_cells(frame[name]) for name in frame.columns), strict=True))


def _json_values(column: pd.Series[Any]) -> list[Any]:
    return [None if isinstance(value, float) and value != value else value for value in _values(column)]


def _write_jsonl(chunk: Chunk, stream: IO[bytes]) -> None:
    frame = chunk.flat
    names = [str(name) for name in frame.columns]
    rows = zip(*(_json_values(frame[name]) for name in frame.columns), strict=True)
    text = "".join(_dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    stream.write(text.encode("utf-8", "replace"))


def _write_conllu(chunk: Chunk, stream: IO[bytes]) -> None:
    frame, layout = chunk.flat, chunk.layout
    extra = [name for name in frame.columns if name not in layout.results and name != layout.text_column]
    text = conllu_text(frame, layout.text_column, extra, chunk.first_row, layout.results)
    stream.write(text.encode("utf-8", "replace"))


def _concatenate(parts: Sequence[Path], _layout: Layout, stream: IO[bytes]) -> None:
    for part in parts:
        with part.open("rb") as handle:
            shutil.copyfileobj(handle, stream, 1 << 20)


def _arrow(frame: pd.DataFrame, layout: Layout) -> pa.Table:
    arrays = []
    for field in layout.schema:
        values = frame[field.name] if field.name in frame.columns else _index_level(frame, field.name)
        kind = column_kind(field)
        if kind == "json":
            arrays.append(pa.array([_dumps(value) for value in values], pa.string()))
        elif kind == "text":
            texts = [None if value is None or value != value else _text(value) for value in values]
            arrays.append(pa.array(texts, pa.string()))
        else:
            arrays.append(pa.array(values, field.type, from_pandas=True))
    arrays += [_result_array(name, frame[name].tolist()) for name in layout.results]
    return pa.Table.from_arrays(
        [array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array for array in arrays],
        schema=layout.full_schema,
    )


def _text(value: Any) -> str:
    return (value if isinstance(value, str) else _dumps(value)).encode("utf-8", "replace").decode()


def _result_array(name: str, rows: list[Any]) -> pa.Array:
    kind = _RESULT_TYPES[name]
    if name not in ("dep", "offsets"):
        return pa.array(rows, kind)
    # A list of pairs is a list of structs in parquet; its two columns at once are much faster than a dict a pair.
    fields = list(kind.value_type)
    pairs = [pair for row in rows for pair in row]
    parts = [pa.array([pair[at] for pair in pairs], field.type) for at, field in enumerate(fields)]
    ends = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), pa.StructArray.from_arrays(parts, fields=fields))


def _index_level(frame: pd.DataFrame, name: str) -> Any:
    names = list(frame.index.names)
    return frame.index.get_level_values(names.index(name) if name in names else 0)


def _write_parquet(chunk: Chunk, stream: IO[bytes]) -> None:
    pq.write_table(_arrow(chunk.frame, chunk.layout), stream)


def _join_parquet(parts: Sequence[Path], layout: Layout, stream: IO[bytes]) -> None:
    waiting: list[pa.Table] = []
    count = 0
    with pq.ParquetWriter(stream, layout.full_schema) as writer:
        for part in parts:
            waiting.append(pq.read_table(part))
            count += len(waiting[-1])
            if count >= _ROW_GROUP:
                writer.write_table(pa.concat_tables(waiting), row_group_size=count)
                waiting, count = [], 0
        if count:
            writer.write_table(pa.concat_tables(waiting), row_group_size=count)


def _write_pickle(chunk: Chunk, stream: IO[bytes]) -> None:
    pickle.dump(chunk.frame, stream, protocol=pickle.HIGHEST_PROTOCOL)


def _join_pickle(parts: Sequence[Path], _layout: Layout, stream: IO[bytes]) -> None:
    """Join into one pickled data frame; the one format that needs the whole table in memory."""
    import pandas as pd

    frames = []
    for part in parts:
        with part.open("rb") as handle:
            frames.append(pickle.load(handle))  # noqa: S301 - written by this very run
    pickle.dump(pd.concat(frames) if len(frames) > 1 else frames[0], stream, protocol=pickle.HIGHEST_PROTOCOL)


FORMATS: dict[str, Format] = {
    "parquet": Format(_write_parquet, _join_parquet, streams=False),
    "pkl": Format(_write_pickle, _join_pickle, streams=False),
    "csv": Format(_write_csv, _concatenate),
    "jsonl": Format(_write_jsonl, _concatenate),
    "conllu": Format(_write_conllu, _concatenate),
}
