"""Which columns a file has as its start tells them, without looking through the file."""

from __future__ import annotations

import csv
import io
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.parquet import parquet_schema

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import TextIO

    from vnlp_colab.tables.files import InputFile

_LONGEST = 64 << 20  # characters of a header or a first line: in JSON lines it is a whole row


def has_columns(file: InputFile, wanted: Collection[str]) -> bool:
    """Whether a file is parquet, JSON lines, CSV or TSV as results are written, with all these columns."""
    return any(set(wanted) <= names for names in _readings(file))


def is_empty(file: InputFile) -> bool:
    """Whether nothing is in a file, packed or not."""
    try:
        with file.read() as stream:
            return not stream.read(1)
    except TableError:  # damaged: something is in it
        return False


def _readings(file: InputFile) -> Iterator[set[str]]:
    """Yield the names of the columns under each format that fits."""
    for read in (_parquet_names, _json_names, _csv_names, _tsv_names):
        try:
            yield set(read(file))
        except (TableError, ValueError, RecursionError, csv.Error):
            continue


def _parquet_names(file: InputFile) -> list[str]:
    with file.read() as stream:
        if stream.read(4) != b"PAR1":
            return []
    return list(parquet_schema(file)[0].names)


def _json_names(file: InputFile) -> list[str]:
    with _text(file) as text:
        line = text.readline(_LONGEST)
    return list(json.loads(line)) if line.startswith("{") else []


def _csv_names(file: InputFile) -> list[str]:
    return _header(file, ",")


def _tsv_names(file: InputFile) -> list[str]:
    return _header(file, "\t")


def _header(file: InputFile, delimiter: str) -> list[str]:
    with _text(file) as text:
        return next(csv.reader(_begin(text), delimiter=delimiter), [])


def _begin(text: TextIO) -> Iterator[str]:
    """Yield lines up to a bound: a quote that nothing closes would make a field of the whole file."""
    left = _LONGEST
    while left and (line := text.readline(left)):
        left -= len(line)
        yield line


@contextmanager
def _text(file: InputFile) -> Iterator[TextIO]:
    with file.read() as stream:
        reader = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        try:
            yield reader
        finally:
            reader.detach()
