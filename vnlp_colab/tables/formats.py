"""The formats of tables and the endings of their files; a compressed file has a second ending (``.csv.gz``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vnlp_colab.tables.errors import TableError

InputFormat = Literal["auto", "five-column", "csv", "tsv", "parquet", "jsonl", "json", "excel", "text"]
INPUT_FORMATS: tuple[str, ...] = ("auto", "five-column", "csv", "tsv", "parquet", "jsonl", "json", "excel", "text")
OutputFormat = Literal["parquet", "pkl", "csv", "tsv", "jsonl", "conllu"]
OUTPUT_FORMATS: tuple[str, ...] = ("parquet", "pkl", "csv", "tsv", "jsonl", "conllu")
# Formats whose pieces follow one another, so that a pipe can take them as they come; only these are compressed.
STREAMED: tuple[str, ...] = ("csv", "tsv", "jsonl", "conllu")

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".xz": "xz", ".lz4": "lz4"}

_INPUT_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".txt": "text",
}
# What people have text in and no format here reads: as plain text it would be rubbish.
_NO_INPUT = frozenset(
    {".conllu", ".conll", ".html", ".htm", ".xml", ".pdf", ".doc", ".docx", ".odt", ".rtf", ".ods"} | {".pptx", ".zip"}
)

_OUTPUT_ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".pkl": "pkl",
    ".pickle": "pkl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".conllu": "conllu",
}


@dataclass(frozen=True)
class OutputKind:
    """How a result is written: its format and, for streamed ones, how it is compressed (``""`` for not)."""

    format: str
    compression: str = ""


def input_ending(path: Path) -> str:
    """Return the input format a file's name tells, ``""`` for none; the ending of a compression is passed over."""
    return _INPUT_ENDINGS.get(_uncompressed(path).suffix.lower(), "")


def check_readable(path: Path) -> None:
    """Raise `TableError` where a file's name tells a format that is not read."""
    ending = _uncompressed(path).suffix.lower()
    if ending in _NO_INPUT:
        raise TableError(
            f"{path}: {ending} files are not read; save it as CSV, .xlsx, JSON lines or plain text (.txt). "
            "If it is one of these all the same, say so with --input-format"
        )


def is_table(path: Path) -> bool:
    """Whether a file of a folder is read as a table, by its ending."""
    return input_ending(path) != "" and not path.name.startswith((".", "~$"))


def check_input_format(asked: str) -> str:
    """Return `asked` if it is an input format, else raise ``ValueError``."""
    if asked not in INPUT_FORMATS:
        raise ValueError(f"unknown input format {asked!r}; choose from {', '.join(INPUT_FORMATS)}")
    return asked


def output_kind(path: str, asked: str | None = None) -> OutputKind:
    """Return how a result at `path` is written, or raise ``ValueError`` with the endings there are.

    Examples
    --------
    >>> output_kind("analysis.jsonl.zst")
    OutputKind(format='jsonl', compression='zstd')
    """
    if asked is not None and asked not in OUTPUT_FORMATS:
        raise ValueError(f"unknown output format {asked!r}; choose from {', '.join(OUTPUT_FORMATS)}")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ValueError(f"the name of the output, {path!r}, is not UTF-8") from None
    compression = COMPRESSIONS.get(Path(path).suffix.lower(), "")
    name = asked or _OUTPUT_ENDINGS.get(_uncompressed(Path(path)).suffix.lower())
    if name is None:
        raise ValueError(
            f"cannot tell the output format of {path!r}; end it in .{', .'.join(OUTPUT_FORMATS)} "
            f"(.{', .'.join(STREAMED)} also with {', '.join(COMPRESSIONS)} after it)"
        )
    if compression and name not in STREAMED:
        raise ValueError(f"{path!r}: {name} is not compressed from outside; leave {Path(path).suffix} off")
    return OutputKind(name, compression)


def output_format(path: str, asked: str | None = None) -> str:
    """Return the name of the output format for a path, or raise with the endings there are."""
    return output_kind(path, asked).format


def check_stream(name: str) -> str:
    """Return a format's name if it can be written to a stream, else raise ``ValueError``."""
    if name not in STREAMED:
        raise ValueError(f"{name} cannot be written to a stream; choose {', '.join(STREAMED)}")
    return name


def _uncompressed(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path


__all__ = [
    "COMPRESSIONS",
    "INPUT_FORMATS",
    "OUTPUT_FORMATS",
    "STREAMED",
    "InputFormat",
    "OutputFormat",
    "OutputKind",
    "TableError",
    "check_input_format",
    "check_readable",
    "check_stream",
    "input_ending",
    "is_table",
    "output_format",
    "output_kind",
]
