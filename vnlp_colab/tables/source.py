"""A table to be analysed: looked through once (counts, types, problems), then read in chunks of bounded size."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.tables.duplicates import RepeatedKeys
from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.formats import FIVE_COLUMNS, Kind, detect, find_text_column
from vnlp_colab.tables.inference import ColumnTypes
from vnlp_colab.tables.records import (
    Record,
    decoded_lines,
    delimited,
    json_lines,
    sniff_encoding,
    tab_separated,
)
from vnlp_colab.text import SentenceSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import pyarrow as pa

logger = logging.getLogger(__name__)

DOCUMENT_COLUMNS = ("document", "s_no", "sentence")


@dataclass(frozen=True)
class Table:
    """One input file that was looked through and found readable.

    ``rows`` counts the rows it will give, ``schema`` holds the types of its columns, ``sha256`` names its content.
    """

    path: Path
    kind: Kind
    encoding: str
    schema: pa.Schema
    text_column: str
    rows: int
    sha256: str

    def chunks(self, size: int, skip: int = 0) -> Iterator[pd.DataFrame]:
        """Yield the rows as data frames of `size` rows, leaving out the first `skip` chunks."""
        if self.kind.format == "parquet":
            from vnlp_colab.tables.parquet import parquet_chunks

            yield from islice(parquet_chunks(self.path, size), skip, None)
            return
        import pandas as pd

        types = ColumnTypes.from_schema(self.schema)
        records = islice(_records(self.path, self.kind, self.encoding, self.schema.names), skip * size, None)
        start = skip * size
        while chunk := list(islice(records, size)):
            index = pd.RangeIndex(start, start + len(chunk))
            yield types.frame([fields for _, fields in chunk], index)
            start += len(chunk)


def open_table(
    path: str | Path, *, text_column: str | None = None, input_format: str = "auto", encoding: str | None = None
) -> Table:
    """Look a file through and return it as a `Table`; every problem in it is told here, before any work is done."""
    path = Path(path)
    if not path.exists():
        raise TableError(f"{path}: no such file")
    if path.suffix.lower() in (".parquet", ".pq") or input_format == "parquet":
        from vnlp_colab.tables.parquet import open_parquet

        return open_parquet(path, text_column)
    encoding = sniff_encoding(path, encoding)
    kind = detect(path, _first_line(path, encoding), text_column, input_format)
    digest = hashlib.sha256()
    skipped: list[int] = []
    repeated = RepeatedKeys(path, FIVE_COLUMNS[:4]) if kind.format == "five-column" else None
    columns: list[str] | None = None
    if kind.format == "jsonl":
        columns = _union_of_keys(path, encoding)
    records = _records(path, kind, encoding, columns, digest.update, skipped)
    if kind.format in ("csv", "tsv"):
        columns = _header(records, path)
    elif columns is None:
        columns = list(DOCUMENT_COLUMNS if kind.format == "text" else FIVE_COLUMNS)
    text = find_text_column(columns, text_column, path, kind)
    types = ColumnTypes(columns, text)
    see = types.see_values if kind.format in ("jsonl", "text") else types.see_cells
    rows = 0
    for number, fields in records:
        see(fields)
        if repeated is not None:
            repeated.see(number, fields)
        rows += 1
    if repeated is not None:
        repeated.tell()
    if skipped:
        first = ", ".join(map(str, skipped[:5])) + (", ..." if len(skipped) > 5 else "")
        logger.warning("%s: blank lines hold no row (%d in all, at line %s)", path, len(skipped), first)
    return Table(path, kind, encoding, types.schema(), text, rows, digest.hexdigest())


def _first_line(path: Path, encoding: str) -> str:
    for _, line in decoded_lines(path, encoding):
        if line.strip():
            return line
    return ""


def _records(
    path: Path,
    kind: Kind,
    encoding: str,
    columns: list[str] | None,
    on_line: Any = None,
    skipped: list[int] | None = None,
) -> Iterator[Record]:
    """Yield the rows; when `columns` is known the header of a delimited file is left out, else it comes first."""
    skipped = [] if skipped is None else skipped
    lines = decoded_lines(path, encoding, on_line)
    if kind.format == "text":
        yield from _sentences(lines)
    elif kind.format == "jsonl":
        for number, value in json_lines(lines, path, skipped):
            yield number, [value.get(column) for column in columns or ()]
    elif kind.format == "five-column":
        yield from tab_separated(lines, path, skipped, len(FIVE_COLUMNS))
    else:
        rows = (
            tab_separated(lines, path, skipped)
            if kind.delimiter == "\t"
            else delimited(lines, kind.delimiter, path, skipped)
        )
        yield from rows if columns is None else islice(rows, 1, None)


def _sentences(lines: Iterator[tuple[int, str]]) -> Iterator[Record]:
    """One document a line; a document without a sentence still gives its row."""
    splitter = SentenceSplitter()
    for number, line in lines:
        for count, sentence in enumerate(splitter.split_sentences(line) or [""], 1):
            yield number, [number, count, sentence]


def _header(records: Iterator[Record], path: Path) -> list[str]:
    _, columns = next(records, (0, None))
    if columns is None:
        raise TableError(f"{path}: empty, not even a header line")
    columns = [str(column).strip() for column in columns]
    for column in columns:
        if columns.count(column) > 1:
            raise TableError(f"{path}, line 1: the header names the column {column!r} twice")
    return columns


def _union_of_keys(path: Path, encoding: str) -> list[str]:
    keys: dict[str, None] = {}
    for _, value in json_lines(decoded_lines(path, encoding), path, []):
        keys.update(dict.fromkeys(value))
    if not keys:
        raise TableError(f"{path}: no JSON object in it")
    return list(keys)
