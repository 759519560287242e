"""Which kind of table a file is: told by its content first, since the five-column table comes under many endings."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vnlp_colab.tables.errors import TableError
from vnlp_colab.text.case import lower_case

InputFormat = Literal["auto", "five-column", "csv", "tsv", "parquet", "jsonl", "text"]
INPUT_FORMATS: tuple[str, ...] = ("auto", "five-column", "csv", "tsv", "parquet", "jsonl", "text")
OutputFormat = Literal["parquet", "pkl", "csv", "jsonl", "conllu"]
OUTPUT_FORMATS: tuple[str, ...] = ("parquet", "pkl", "csv", "jsonl", "conllu")

FIVE_COLUMNS = ("t_code", "ch_no", "p_no", "s_no", "sentence")
TEXT_NAMES = ("sentence", "text", "cümle", "metin", "cumle")

_NO_HEADER = {
    "five-column": f"a table without a header ({', '.join(FIVE_COLUMNS)})",
    "text": "plain text, one document a line",
}
_INPUT_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".txt": "text",
}
_OUTPUT_ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".pkl": "pkl",
    ".pickle": "pkl",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".conllu": "conllu",
}


@dataclass(frozen=True)
class Kind:
    """How to read a file: its format and, for delimited ones, what stands between two fields."""

    format: str
    delimiter: str = ""


def is_table(path: Path) -> bool:
    """Whether a file of a folder is read as a table, by its ending."""
    return path.suffix.lower() in _INPUT_ENDINGS and not path.name.startswith(".")


def output_format(path: str, asked: str | None = None) -> str:
    """Return the output format for a path, or raise with the endings there are."""
    if asked is not None:
        if asked not in OUTPUT_FORMATS:
            raise ValueError(f"unknown output format {asked!r}; choose from {', '.join(OUTPUT_FORMATS)}")
        return asked
    ending = Path(path).suffix.lower()
    if ending not in _OUTPUT_ENDINGS:
        raise ValueError(f"cannot tell the output format of {path!r}; end it in .{', .'.join(OUTPUT_FORMATS)}")
    return _OUTPUT_ENDINGS[ending]


def detect(path: Path, first_line: str, text_column: str | None, asked: str = "auto") -> Kind:
    """Return the kind of the file at `path`, given its first line decoded.

    A first line of five tab-separated fields, none of which names a text column, is the five-column table without a
    header, whatever the file is called.
    """
    if asked not in INPUT_FORMATS:
        raise ValueError(f"unknown input format {asked!r}; choose from {', '.join(INPUT_FORMATS)}")
    if asked == "auto":
        asked = _INPUT_ENDINGS.get(path.suffix.lower(), "")
        if asked not in ("parquet", "jsonl") and _is_five_columns(first_line, text_column):
            return Kind("five-column", "\t")
        if not asked:
            asked = "jsonl" if first_line.lstrip().startswith("{") else "text"
    if asked == "tsv" or asked == "five-column":
        return Kind(asked, "\t")
    if asked == "csv":
        return Kind("csv", _delimiter(first_line))
    return Kind(asked)


def _is_five_columns(first_line: str, text_column: str | None) -> bool:
    fields = first_line.split("\t")
    if len(fields) != len(FIVE_COLUMNS):
        return False
    names = {lower_case(field.strip().strip('"')) for field in fields}
    header_names = {*TEXT_NAMES, *({lower_case(text_column)} if text_column else ())}
    return not names & header_names


def _delimiter(header: str) -> str:
    """Return what separates the header's fields: the candidate that cuts it most often, a comma if none does."""
    counts = {mark: len(next(csv.reader(io.StringIO(header), delimiter=mark), [])) for mark in ",;\t|"}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] > 1 else ","


def find_text_column(columns: list[str], text_column: str | None, path: Path, kind: Kind | None = None) -> str:
    """Return the name of the column that holds the sentences."""
    if kind is not None and kind.format in _NO_HEADER:
        if text_column not in (None, columns[-1]):
            raise TableError(
                f"{path}: no column {text_column!r}; it is read as {_NO_HEADER[kind.format]}. If its first line names "
                "the columns, add --input-format csv or tsv (input_format=)"
            )
        return columns[-1]
    if text_column is not None:
        if text_column not in columns:
            raise TableError(f"{path}: no column {text_column!r}; there are {', '.join(map(repr, columns))}")
        return text_column
    for wanted in TEXT_NAMES:
        for column in columns:
            if lower_case(column) == wanted:
                return column
    if len(columns) == 1:
        return columns[0]
    raise TableError(
        f"{path}: cannot tell which column holds the text; name it with --text-column (text_column=): "
        f"{', '.join(map(repr, columns))}"
    )
