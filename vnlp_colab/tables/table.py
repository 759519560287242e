"""One input file: looked through once (counts, types, problems), then read as Arrow tables of bounded size."""

from __future__ import annotations

import codecs
import logging
import re
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from vnlp_colab.tables.decoding import find_encoding, line_end, lines, text_of
from vnlp_colab.tables.duplicates import RepeatedKeys
from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.excel import excel_rows
from vnlp_colab.tables.formats import check_input_format, check_readable, input_ending
from vnlp_colab.tables.formulas import Trouble, check_computed, check_text, tell_uncomputed
from vnlp_colab.tables.header import (
    FIVE_COLUMNS,
    are_header_and_row,
    find_delimiter,
    find_text_column,
    header_names,
    is_five_columns,
    is_header,
    made_up_names,
)
from vnlp_colab.tables.inference import ColumnTypes, strings
from vnlp_colab.tables.parquet import parquet_chunks, parquet_schema
from vnlp_colab.tables.records import delimited, json_array, json_lines, tab_separated, without_end
from vnlp_colab.text import SentenceSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from vnlp_colab.tables.files import InputFile

logger = logging.getLogger(__name__)

DOCUMENT_COLUMNS = ("document", "s_no", "sentence")

_START = 1 << 16  # bytes that tell what a file is
_BLOCK_ROWS = 4096
# A file up to this size is kept when it has been looked through, and so read once; a larger one is read again.
_KEPT_BYTES = 8 << 20
_NO_HEADER = {
    "five-column": f"a table without a header ({', '.join(FIVE_COLUMNS)})",
    "text": "plain text, one document a line",
}
_JSON_ARRAY = re.compile(r'\s*\[\s*\{\s*["}]')


@dataclass(frozen=True)
class Kind:
    """How to read a file: its format, and for text what its characters, lines and fields are."""

    format: str
    encoding: str = ""
    line_end: str = "\n"
    delimiter: str = ""
    header: bool | None = None  # None where a format has none

    @property
    def told(self) -> str:
        """All of it in one line, for the journal."""
        marks = f"{self.delimiter!r} {self.line_end!r}"
        return f"{self} ({self.encoding} {marks})" if self.encoding else str(self)

    def __str__(self) -> str:
        named = {True: " with a header", False: " without a header", None: ""}[self.header]
        return f"{self.format}{named}"


@dataclass(frozen=True)
class Table:
    """One input file that was looked through and found readable.

    ``rows`` counts the rows it will give, ``schema`` holds the types of its columns, ``sha256`` names its content.
    """

    file: InputFile
    kind: Kind
    schema: pa.Schema
    text_column: str
    rows: int
    _types: ColumnTypes | None = None
    _kept: _Kept | None = field(default=None, repr=False)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.file.path

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        return self.file.sha256

    def chunks(self, size: int, skip: int = 0) -> Iterator[pa.Table]:
        """Yield the rows as Arrow tables of `size` rows, leaving out the first `skip` tables."""
        if self._types is None:
            yield from parquet_chunks(self.file, self.schema, size, skip)
            return
        try:
            for columns in self._read(size, skip):
                yield self._types.table(columns, self.schema)
        except (ValueError, TypeError, KeyError, RecursionError):  # not what was found when it was looked through
            self.file.check_unchanged()
            raise

    def _read(self, size: int, skip: int) -> Iterator[Mapping[str, Any]]:
        """Yield the rows column by column, `size` at a time."""
        if self._kept is not None and self._kept.cells:
            cells = pa.concat_tables(self._kept.cells)
            for start in range(skip * size, self.rows, size):
                part = cells.slice(start, size).combine_chunks()
                yield dict(zip(part.column_names, part.columns, strict=True))
            return
        rows = (row for _, row in _rows(self.file, self.kind, [])) if self._kept is None else self._kept.rows
        left = islice(rows, skip * size, None)
        while chunk := list(islice(left, size)):
            yield _columns(chunk, self.schema.names)


@dataclass
class _Kept:
    """The rows of a small file, so that it is read once.

    Cells of text are Arrow's, which takes an eighth of the memory.
    """

    rows: list[Any] = field(default_factory=list)
    cells: list[pa.Table] = field(default_factory=list)

    def add(self, rows: list[Any], columns: Mapping[str, Sequence[Any]] | None) -> None:
        if columns is None:
            self.rows += rows
        else:
            self.cells.append(pa.table({name: strings(values) for name, values in columns.items()}))


def open_table(
    file: InputFile,
    *,
    text_column: str | int | None = None,
    input_format: str = "auto",
    encoding: str | None = None,
    header: bool | None = None,
) -> Table:
    """Look a file through and return it as a `Table`; every problem in it is told here, before any work is done."""
    with file.read() as stream:
        start = stream.read(_START)
    name = _binary_format(file, start, check_input_format(input_format))
    if name == "parquet":
        schema, rows = parquet_schema(file)
        file.hash()
        return Table(file, Kind(name), schema, find_text_column(schema.names, text_column, file.path), rows)
    if name == "excel":
        return _looked_through(file, Kind("excel"), text_column, header)
    kind = _text_kind(file, start, name, input_format != "auto", encoding, text_column, header)
    return _looked_through(file, kind, text_column, header)


def _binary_format(file: InputFile, start: bytes, asked: str) -> str:
    """Return the format as far as bytes alone tell it."""
    if asked != "auto":
        return asked
    if start.startswith(b"PAR1"):
        return "parquet"
    check_readable(file.path)
    name = input_ending(file.path)
    if start.startswith(b"PK\x03\x04") and (name == "excel" or b"xl/" in start or b"[Content_Types].xml" in start):
        return "excel"
    if name == "excel":
        raise TableError(
            f"{file.path}: not an .xlsx workbook (an older .xls, or encrypted?); save the table as .xlsx or CSV"
        )
    return name


def _text_kind(
    file: InputFile,
    start: bytes,
    name: str,
    asked: bool,
    encoding: str | None,
    text_column: str | int | None,
    header: bool | None,
) -> Kind:
    """Return the kind of a text file: five columns and JSON are known by their content, whatever the file is called."""
    encoding = find_encoding(file, start, encoding)
    end = line_end(start, encoding)
    begun = (without_end(line) for _, line in lines(file, encoding, end) if line.strip())
    first, second = next(begun, ""), next(begun, "")
    if not asked and name in ("", "csv", "tsv", "text"):
        if header is not True and is_five_columns(first.split("\t"), text_column):
            name = "five-column"
        elif _JSON_ARRAY.match(_decoded(start, encoding)):
            name = "json"
        elif not name:
            name = "jsonl" if first.lstrip().startswith("{") else "text"
            if name == "text" and (header or are_header_and_row(first, second)):
                name = "tsv" if find_delimiter(first) == "\t" else "csv"
    elif name in ("json", "jsonl"):
        name = "jsonl" if first.lstrip().startswith("{") else "json" if first.lstrip().startswith("[") else name
    if name in ("tsv", "five-column"):
        return Kind(name, encoding, end, "\t")
    return Kind(name, encoding, end, find_delimiter(first) if name == "csv" else "")


def _decoded(start: bytes, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)("replace").decode(start).lstrip("\ufeff")


def _looked_through(file: InputFile, kind: Kind, text_column: str | int | None, header: bool | None) -> Table:
    skipped: list[int] = []
    troubles: list[Trouble] = []
    rows = _excel_rows(file, troubles) if kind.format == "excel" else _rows(file, kind, skipped, hashed=True)
    first = next(rows, None)
    if first is None:
        check_computed(file.path, troubles)
    names: list[str] | None = None
    text = ""
    if kind.format in ("csv", "tsv", "excel"):
        if first is None:
            raise TableError(f"{file.path}: empty, not even a header line")
        cells = ["" if cell is None else str(cell) for cell in first[1]]
        has_header = is_header(cells, text_column) if header is None else header
        try:
            names = header_names(cells, file.path) if has_header else made_up_names(len(cells))
            text = find_text_column(names, text_column, file.path, None if has_header else cells)
        except TableError:  # formulas may be why
            tell_uncomputed(file.path, troubles, first[0])
            raise
        kind = Kind(kind.format, kind.encoding, kind.line_end, kind.delimiter, has_header)
    elif kind.format in _NO_HEADER:
        names = list(DOCUMENT_COLUMNS if kind.format == "text" else FIVE_COLUMNS)
        text = _text_without_header(names, text_column, file.path, kind.format)
    if first is not None and not kind.header:
        rows = chain([first], rows)
    all_text = kind.format in ("csv", "tsv", "five-column")
    types = ColumnTypes(cells=all_text)
    if names is not None and kind.format != "excel":
        types.kinds |= dict.fromkeys(names, "")
        types.fix(text, "text")
    repeated = RepeatedKeys(file.path, FIVE_COLUMNS[:4]) if kind.format == "five-column" else None
    # A workbook is parsed slowly and is whole in memory anyway.
    keep = kind.format == "excel" or file.size <= (_KEPT_BYTES // 8 if file.compression else _KEPT_BYTES)
    kept = _Kept()
    count = 0
    while block := list(islice(rows, _BLOCK_ROWS)):
        values = [row for _, row in block]
        columns = _columns(values, names)
        types.see(columns)
        if repeated is not None:
            for number, row in block:
                repeated.see(number, row)
        count += len(block)
        if keep:
            kept.add(values, columns if all_text else None)
    if kind.format != "excel":
        _tell(file.path, repeated, skipped)
    elif first is not None and names is not None:
        place, begin = names.index(text), first[0] + bool(kind.header)
        own = [trouble for trouble in troubles if trouble.column == place + 1 and trouble.row >= begin]
        check_text(file.path, text, own, sum(row[place] is not None for row in kept.rows))
        tell_uncomputed(file.path, troubles, first[0])
    if names is None:
        if not types.kinds:
            raise TableError(f"{file.path}: no JSON object in it")
        if count == 1 and set(types.kinds.values()) == {"json"}:
            raise TableError(
                f"{file.path}: one JSON object of columns and no table of rows; write it with "
                'df.to_json(orient="records"), lines=True or not'
            )
        text = find_text_column(list(types.kinds), text_column, file.path)
    else:
        types.kinds = {name: types.kinds.get(name, "") for name in names}
    return Table(file, kind, types.schema(), text, count, types, kept if keep else None)


def _text_without_header(names: list[str], text_column: str | int | None, path: Path, name: str) -> str:
    if text_column is None:
        return names[-1]
    try:
        return find_text_column(names, text_column, path)
    except TableError:
        raise TableError(
            f"{path}: no column {text_column!r}; it is read as {_NO_HEADER[name]}. If its first line names "
            "the columns, add --header (header=True)"
        ) from None


def _tell(path: Path, repeated: RepeatedKeys | None, skipped: list[int]) -> None:
    if repeated is not None:
        repeated.tell()
    if skipped:
        first = ", ".join(map(str, skipped[:5])) + (", ..." if len(skipped) > 5 else "")
        logger.warning("%s: blank lines hold no row (%d in all, at line %s)", path, len(skipped), first)


def _columns(rows: Sequence[Any], names: Sequence[str] | None) -> Mapping[str, Sequence[Any]]:
    """Return rows (lists, or the objects of JSON) column by column."""
    if rows and isinstance(rows[0], dict):
        keys = dict.fromkeys(chain.from_iterable(rows))
        return {key: [row.get(key) for row in rows] for key in keys}
    return dict(zip(names or (), zip(*rows, strict=True), strict=True))


def _rows(file: InputFile, kind: Kind, skipped: list[int], *, hashed: bool = False) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a file of text with their numbers, without the header of a table known to have one."""
    if kind.format == "json":
        with file.read(hashed=hashed) as stream:
            yield from json_array(text_of(file, stream, kind.encoding), file.path)
        return
    source = lines(file, kind.encoding, kind.line_end, hashed=hashed)
    if kind.format == "text":
        yield from _sentences(source)
    elif kind.format == "jsonl":
        yield from json_lines(source, file.path, skipped)
    elif kind.format == "five-column":
        yield from tab_separated(source, file.path, skipped, len(FIVE_COLUMNS))
    else:
        rows = (
            tab_separated(source, file.path, skipped)
            if kind.format == "tsv"
            else delimited(source, kind.delimiter, file.path, skipped)
        )
        yield from islice(rows, 1 if kind.header else 0, None)


def _excel_rows(file: InputFile, troubles: list[Trouble]) -> Iterator[tuple[int, Any]]:
    file.hash()
    return iter(excel_rows(file, troubles))


def _sentences(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, Any]]:
    """One document a line; a document without a sentence still gives its row."""
    splitter = SentenceSplitter()
    for number, line in lines:
        for count, sentence in enumerate(splitter.split_sentences(without_end(line)) or [""], 1):
            yield number, [number, count, sentence]
