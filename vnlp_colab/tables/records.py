"""Line-based tables as a stream of records, each with its line number; what is wrong is told with it."""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import replace_surrogates
from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from vnlp_colab.tables.decoding import Line

Record = tuple[int, list[Any]]
Item = tuple[int, dict[str, Any]]

# A whole chapter may stand in one cell; the default limit of 128 KiB is for spreadsheets.
_MAX_FIELD = 1 << 30


def without_end(line: str) -> str:
    """Return a line without the characters that end it."""
    return line.removesuffix("\n").removesuffix("\r")


# What the csv module says, and what it means.
_CSV_ERRORS = {
    "new-line": "a carriage return in a cell without quotes",
    "unexpected end of data": "a quote is opened and never closed",
    "expected after": "text follows a closing quote; a quote inside a cell in quotes is written twice",
}


def tab_separated(lines: Iterable[Line], path: Path, skipped: list[int], expected: int = 0) -> Iterator[Record]:
    """Yield the records of a tab-separated table: a line is a row, whatever quotes are in it.

    A field a spreadsheet quoted (quotes around it, each inner quote doubled) is read as what it was. Blank lines hold
    no row; their numbers go to `skipped`. Without `expected` the first line says how many fields there are.
    """
    for number, line in lines:
        line = without_end(line)
        fields = line.split("\t")
        if not expected or len(fields) != expected:
            if not line.strip():
                skipped.append(number)
                continue
            expected = expected or len(fields)
            if len(fields) != expected:
                hint = "; if cells in quotes hold line ends, add --input-format csv" if '"' in line else ""
                told = f"{_fields(len(fields))} between tabs, expected {expected}{hint}"
                raise TableError(f"{path}, line {number}: {told}")
        elif expected == 1 and not line.strip():
            skipped.append(number)
            continue
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


def delimited(lines: Iterable[Line], delimiter: str, path: Path, skipped: list[int]) -> Iterator[Record]:
    """Yield the records of a CSV file, its header too if it has one. Quoted fields may hold line ends of any kind."""
    csv.field_size_limit(_MAX_FIELD)
    started = 0

    def feed() -> Iterator[str]:
        nonlocal started
        for number, line in lines:
            started = number
            yield line

    reader = csv.reader(feed(), delimiter=delimiter, strict=True)
    expected = 0
    while True:
        first_line = started + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = next((told for said, told in _CSV_ERRORS.items() if said in str(error)), str(error))
            raise TableError(f"{path}, line {first_line}: {reason}") from None
        if not fields:
            skipped.append(first_line)
            continue
        if expected and len(fields) != expected:
            hint = f"a cell with {delimiter!r} in it stands in quotes; plain text is read with --input-format text"
            found = f"{_fields(len(fields))}, the first line has {expected}"
            raise TableError(f"{path}, line {first_line}: {found} ({hint})")
        expected = len(fields)
        yield first_line, fields


def json_lines(lines: Iterable[Line], path: Path, skipped: list[int]) -> Iterator[Item]:
    """Yield the objects of a JSON Lines file."""
    for number, line in lines:
        if not line.strip():
            skipped.append(number)
            continue
        place = f"{path}, line {number}"
        try:
            value = _decoder.decode(line)
        except ValueError as error:
            raise TableError(f"{place}: not JSON ({error})") from None
        except RecursionError:
            raise TableError(f"{place}: JSON nested too deep") from None
        yield number, _object(value, place, "\\ud" in line or "\\uD" in line)


def json_array(blocks: Iterable[str], path: Path) -> Iterator[Item]:
    """Yield the objects of a JSON array such as ``DataFrame.to_json(orient="records")`` writes; one at a time."""
    source = iter(blocks)
    text, at, count = next(source, "").lstrip("\ufeff"), 0, 0
    wanted = "["
    while True:
        at = _past_space(text, at)
        if at == len(text):
            block = next(source, None)
            if block is None:
                if wanted != "end":
                    raise TableError(f"{path}: not JSON (it ends inside the array, after item {count})")
                return
            text, at = block, 0
        elif wanted == "item" and text[at] != "]":
            place = f"{path}, item {count + 1}"
            value, end, text, at = _next_item(text, at, source, place)
            count += 1
            yield count, _object(value, place, "\\ud" in text[at:end] or "\\uD" in text[at:end])
            at, wanted = end, ", or ]"
        elif text[at] == "]" and wanted in ("item or ]", ", or ]"):
            at, wanted = at + 1, "end"
        elif wanted == "item or ]":
            wanted = "item"
        elif text[at] == wanted[0] and wanted in ("[", ", or ]"):
            at, wanted = at + 1, "item or ]" if wanted == "[" else "item"
        else:
            after = f"after item {count}" if count else "at its start"
            raise TableError(f"{path}: not a JSON array of objects ({text[at]!r} {after})")


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _next_item(text: str, at: int, source: Iterator[str], place: str) -> tuple[Any, int, str, int]:
    """Decode the value at `at`, with as many more blocks as it takes: twice as many each time, so that it is linear."""
    more = 1
    while True:
        try:
            value, end = _decoder.raw_decode(text, at)
            return value, end, text, at
        except RecursionError:
            raise TableError(f"{place}: JSON nested too deep") from None
        except ValueError as error:
            blocks = [block for block in (next(source, "") for _ in range(more)) if block]
            if not blocks or len(text) - at > _MAX_FIELD >> 2:
                raise TableError(f"{place}: not JSON ({str(error).partition(': line')[0]})") from None
            text, at = text[at:] + "".join(blocks), 0
            more *= 2


def _object(value: Any, place: str, surrogates: bool) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TableError(f"{place}: expected a JSON object, found {type(value).__name__}")
    if surrogates:  # only an escape can bring a lone one into decoded text, at any depth
        return dict(json.loads(replace_surrogates(json.dumps(value, ensure_ascii=False))))
    return value


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {text:.40} is too large")
    return number


# NaN and Infinity are no JSON, but Python writes them; they are read as what JSON has for them.
_decoder = json.JSONDecoder(parse_float=_number, parse_constant=lambda _: None)
