"""Results in their final format: each writer takes Arrow tables one after another.

A run always goes through the same parts, so a file written after a crash has the same bytes as one of a single run.
"""

from __future__ import annotations

import lzma
import pickle
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

import pyarrow as pa
import pyarrow.parquet as pq

from vnlp_colab.tables.conllu import conllu_blocks
from vnlp_colab.tables.values import cells, dumps, python_values
from vnlp_colab.tables.written import as_bytes, cell_text, delimited_text, json_lines_text, json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vnlp_colab.tables.layout import Layout

_ROW_GROUP = 16_384
_TUPLES = ("dep", "offsets")  # pairs are written as [head, relation], not as objects


@dataclass(frozen=True)
class Style:
    """How CSV and TSV are written."""

    bom: bool = False
    escape_formulas: bool = False


class Writer(Protocol):
    """Writes tables of one layout to a stream."""

    def write(self, table: pa.Table) -> None:
        """Write the next rows."""

    def close(self) -> None:
        """Write what is left."""


class _Delimited:
    """CSV and TSV."""

    def __init__(self, stream: IO[bytes], layout: Layout, style: Style, delimiter: str) -> None:
        self._stream, self._layout, self._delimiter = stream, layout, delimiter
        self._escape = style.escape_formulas
        if style.bom:
            stream.write(b"\xef\xbb\xbf")
        self._lines([self._cells(pa.array([name]), "") for _, name in layout.flat])

    def write(self, table: pa.Table) -> None:
        self._lines([self._cells(table[name], name) for name, _ in self._layout.flat])

    def _cells(self, column: pa.Array | pa.ChunkedArray, name: str) -> pa.Array:
        as_json, tuples = name in self._layout.json_columns, _is_pairs(self._layout, name)
        return cell_text(column, as_json=as_json, tuples=tuples, escape_formulas=self._escape)

    def _lines(self, columns: list[pa.Array]) -> None:
        self._stream.write(as_bytes(delimited_text(columns, self._delimiter)))

    def close(self) -> None:
        pass


class _JsonLines:
    def __init__(self, stream: IO[bytes], layout: Layout) -> None:
        self._stream, self._layout = stream, layout

    def write(self, table: pa.Table) -> None:
        names = [name for _, name in self._layout.flat]
        columns = [self._values(table[name], name) for name, _ in self._layout.flat]
        self._stream.write(as_bytes(json_lines_text(names, columns)))

    def _values(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        if name in self._layout.json_columns:
            return pa.array(list(map(dumps, _loaded(column))), pa.large_string())
        return json_text(column, tuples=_is_pairs(self._layout, name))

    def close(self) -> None:
        pass


class _Conllu:
    def __init__(self, stream: IO[bytes], layout: Layout) -> None:
        self._stream, self._layout = stream, layout
        self._row = 0

    def write(self, table: pa.Table) -> None:
        layout = self._layout
        results = {name: python_values(table[name], tuples=True) for name in layout.results}
        own = {
            name: cells(table[column], as_json=column in layout.json_columns)
            for column, name in layout.flat
            if column not in layout.results and column != layout.text_column
        }
        json_text = layout.text_column in layout.json_columns
        texts = _loaded(table[layout.text_column]) if json_text else python_values(table[layout.text_column])
        self._stream.write("".join(conllu_blocks(texts, results, own, self._row)).encode())
        self._row += len(table)

    def close(self) -> None:
        pass


class _Parquet:
    """Row groups of many parts: few enough that a reader need not hop, small enough to be held."""

    def __init__(self, stream: IO[bytes], layout: Layout) -> None:
        fields = [field.remove_metadata() if name in layout.json_columns else field for name, field in _named(layout)]
        self._schema = pa.schema(fields, metadata=layout.own.metadata)
        self._writer = pq.ParquetWriter(stream, self._schema)
        self._waiting: list[pa.Table] = []
        self._count = 0

    def write(self, table: pa.Table) -> None:
        self._waiting.append(pa.Table.from_arrays(table.columns, schema=self._schema))
        self._count += len(table)
        if self._count >= _ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._count:
            self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=self._count)
        self._waiting, self._count = [], 0

    def close(self) -> None:
        self._flush()
        self._writer.close()


class _Pickle:
    """One pickled data frame; the one format that needs the whole table in memory."""

    def __init__(self, stream: IO[bytes], layout: Layout) -> None:
        self._stream, self._layout = stream, layout
        self._tables: list[pa.Table] = []

    def write(self, table: pa.Table) -> None:
        self._tables.append(table)

    def close(self) -> None:
        from vnlp_colab.tables.frames import to_frame

        whole = pa.concat_tables(self._tables) if self._tables else self._layout.schema.empty_table()
        self._tables = []
        pickle.dump(to_frame(whole, self._layout.results), self._stream, protocol=pickle.HIGHEST_PROTOCOL)


def make_writer(name: str, stream: IO[bytes], layout: Layout, style: Style) -> Writer:
    """Return the writer of an output format."""
    if name in ("csv", "tsv"):
        return _Delimited(stream, layout, style, "," if name == "csv" else "\t")
    kinds: dict[str, Callable[[IO[bytes], Layout], Writer]] = {
        "jsonl": _JsonLines,
        "conllu": _Conllu,
        "parquet": _Parquet,
        "pkl": _Pickle,
    }
    return kinds[name](stream, layout)


@contextmanager
def packed(stream: IO[bytes], compression: str) -> Iterator[IO[bytes]]:
    """Give a stream that packs what is written to it; the same bytes give the same file, whatever the time."""
    if not compression:
        yield stream
        return
    if compression == "xz":
        with lzma.LZMAFile(stream, "wb") as packer:
            yield cast("IO[bytes]", packer)
        return
    with pa.CompressedOutputStream(pa.PythonFile(_KeptOpen(stream), "w"), compression) as packer:
        yield cast("IO[bytes]", packer)


class _KeptOpen:
    """A stream that others may close without closing it: it is flushed to disk afterwards."""

    closed = False

    def __init__(self, stream: IO[bytes]) -> None:
        self.write = stream.write
        self.flush = stream.flush

    def close(self) -> None:
        pass


def _named(layout: Layout) -> Sequence[tuple[str, pa.Field]]:
    return [(field.name, field) for field in layout.schema]


def _is_pairs(layout: Layout, name: str) -> bool:
    return name in _TUPLES and name in layout.results


def _loaded(column: pa.ChunkedArray) -> list[Any]:
    import json

    return [None if text is None else json.loads(text) for text in python_values(column)]
