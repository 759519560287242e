"""Line-based tables as a stream of records, each with its line number; what is wrong is told with it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import replace_surrogates
from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from pathlib import Path

Record = tuple[int, list[Any]]
OnLine = Callable[[bytes], object]

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# A whole chapter may stand in one cell; the default limit of 128 KiB is for spreadsheets.
_MAX_FIELD = 1 << 30


def sniff_encoding(path: Path, asked: str | None) -> str:
    """Return the encoding to read with: the one asked for, else what the byte order mark says, else UTF-8."""
    with path.open("rb") as handle:
        start = handle.read(4)
    for mark, encoding in _BOMS:
        if start.startswith(mark) and (asked is None or asked.lower().replace("_", "-") in ("utf-8", "utf8")):
            return encoding
    return asked or "utf-8"


def decoded_lines(path: Path, encoding: str, on_line: OnLine | None = None) -> Iterator[tuple[int, str]]:
    """Yield ``(number, line)`` without line ends; `on_line` sees the raw bytes as they pass (for the fingerprint).

    Lines end at a line feed and nowhere else, so a stray form feed or U+2028 in a sentence never makes two rows.
    """
    if encoding.lower().startswith(("utf-16", "utf-32")):
        yield from _wide_lines(path, encoding, on_line)
        return
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    with path.open("rb") as handle:
        for number, raw in enumerate(handle, 1):
            if on_line is not None:
                on_line(raw)
            try:
                line = raw.decode(encoding if number == 1 else codec)
            except UnicodeDecodeError as error:
                raise TableError(_not_decodable(path, number, raw, error)) from None
            except LookupError:
                raise TableError(f"unknown encoding {encoding!r}; utf-8, cp1254 and iso-8859-9 are common") from None
            yield number, line.rstrip("\r\n")


def _wide_lines(path: Path, encoding: str, on_line: OnLine | None) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        with path.open(encoding=encoding, newline="\n") as handle:
            for number, line in enumerate(handle, 1):
                if on_line is not None:
                    on_line(line.encode("utf-8", "surrogatepass"))
                yield number, line.rstrip("\r\n")
    except UnicodeError as error:
        raise TableError(f"{path}, line {number + 1}: not {encoding} ({error})") from None


def _not_decodable(path: Path, number: int, raw: bytes, error: UnicodeDecodeError) -> str:
    with path.open("rb") as handle:
        start = handle.read(4096)
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return f"{path}: an Excel file or an archive, not a text table; save the table as CSV (UTF-8) or parquet"
    if b"\0" in start:
        return f"{path}: a binary file, not a text table (CSV, TSV, JSON lines, plain text; parquet ends in .parquet)"
    message = f"{path}, line {number}: byte {error.start + 1} (0x{raw[error.start]:02x}) is not {error.encoding}"
    if error.encoding == "utf-8":
        message += "; if the file comes from an older Windows program, add --encoding cp1254 (encoding=)"
    return message


def tab_separated(
    lines: Iterator[tuple[int, str]], path: Path, skipped: list[int], expected: int = 0
) -> Iterator[Record]:
    """Yield the records of a tab-separated table: a line is a row, whatever quotes are in it.

    A field a spreadsheet quoted (quotes around it, each inner quote doubled) is read as what it was. Blank lines hold
    no row; their numbers go to `skipped`. Without `expected` the first line says how many fields there are.
    """
    for number, line in lines:
        if not line.strip():
            skipped.append(number)
            continue
        fields = line.split("\t")
        expected = expected or len(fields)
        if len(fields) != expected:
            raise TableError(f"{path}, line {number}: {_fields(len(fields))} between tabs, expected {expected}")
        if '""' in line:
            fields = [_unquote(field) for field in fields]
        yield number, fields


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"


def _unquote(field: str) -> str:
    if len(field) > 3 and field[0] == field[-1] == '"':
        inner = field[1:-1].replace('""', "\0")
        if '"' not in inner and "\0" in inner:
            return inner.replace("\0", '"')
    return field


def delimited(lines: Iterator[tuple[int, str]], delimiter: str, path: Path, skipped: list[int]) -> Iterator[Record]:
    """Yield the records of a CSV file; the first is its header. Quoted fields may hold line ends."""
    csv.field_size_limit(_MAX_FIELD)
    started = 0

    def feed() -> Iterator[str]:
        nonlocal started
        for number, line in lines:
            started = number
            yield line + "\n"

    reader = csv.reader(feed(), delimiter=delimiter, strict=True)
    expected = first_line = 0
    while True:
        first_line = started + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise TableError(f"{path}, line {first_line}: {error}") from None
        if not fields:
            skipped.append(first_line)
            continue
        if expected and len(fields) != expected:
            raise TableError(f"{path}, line {first_line}: {_fields(len(fields))}, the header has {expected}")
        expected = len(fields)
        yield first_line, fields


def json_lines(
    lines: Iterator[tuple[int, str]], path: Path, skipped: list[int]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file."""
    for number, line in lines:
        if not line.strip():
            skipped.append(number)
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise TableError(f"{path}, line {number}: not JSON ({error})") from None
        if not isinstance(value, dict):
            raise TableError(f"{path}, line {number}: expected a JSON object, found {type(value).__name__}")
        if "\\ud" in line or "\\uD" in line:  # only an escape can bring a lone surrogate into decoded text
            value = {_storable(key): _storable(item) for key, item in value.items()}
        yield number, value


def _storable(value: Any) -> Any:
    return replace_surrogates(value) if isinstance(value, str) else value
