"""The names of a file's columns as its start tells them, without looking through the file."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.header import find_delimiter
from vnlp_colab.tables.parquet import parquet_schema

if TYPE_CHECKING:
    from vnlp_colab.tables.files import InputFile

_LONGEST = 64 << 20  # bytes of a first line: in JSON lines it is a whole row


def column_names(file: InputFile) -> frozenset[str]:
    """Return the names of the columns of a parquet, CSV, TSV or JSON lines file; none where it is nothing of these."""
    try:
        with file.read() as stream:
            line = stream.readline(_LONGEST)
        if line.startswith(b"PAR1"):
            return frozenset(parquet_schema(file)[0].names)
        return frozenset(_names(line.decode("utf-8-sig")))
    except (TableError, ValueError, RecursionError, csv.Error):
        return frozenset()


def _names(line: str) -> list[str]:
    if line.startswith("{"):
        return list(json.loads(line))
    return next(csv.reader([line], delimiter=find_delimiter(line)), [])
