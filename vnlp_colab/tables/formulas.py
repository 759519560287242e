"""Cells of a sheet that have no value though something stands there: formulas nobody computed, and errors.

They are looked for in the sheet's XML itself: openpyxl gives either formulas or values, each time from the whole sheet.
"""

from __future__ import annotations

import logging
import re
from typing import IO, TYPE_CHECKING, Literal, NamedTuple
from xml.parsers import expat

from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

logger = logging.getLogger(__name__)

_BLOCK = 1 << 20
_MARK = re.compile(rb"""<(?:[\w.-]{1,40}:)?f[\s/>]|\st=["']e["']""")  # a formula, a cell that holds an error
_LONGEST_MARK = 64
_SHOWN = 5
_SAVE = "open the file in Excel or LibreOffice and save it"
_HELD = {
    "uncomputed": "formulas that were never computed",
    "zero": "formulas with the value 0, which may never have been computed",
    "error": "errors",
}


class Trouble(NamedTuple):
    """One such cell: where it is (both counted from 1), what is wrong with it, and what it is called."""

    row: int
    column: int
    kind: Literal["uncomputed", "zero", "error"]
    cell: str


def find_troubles(open_sheet: Callable[[], IO[bytes]]) -> list[Trouble]:
    """Return these cells of a sheet in its order; most sheets have none, which a search of their bytes tells."""
    with open_sheet() as stream:
        if not _has_mark(stream):
            return []
    with open_sheet() as stream:
        return _Scan().troubles(stream)


def _has_mark(stream: IO[bytes]) -> bool:
    end = b""
    while block := stream.read(_BLOCK):
        seen = end + block
        if _MARK.search(seen):
            return True
        end = seen[-_LONGEST_MARK:]
    return False


class _Scan:
    """Goes through the cells of a sheet and remembers those in trouble.

    An error cell without a value is read as empty, like a formula that nobody computed.

    A formula that Excel computed to nothing is a cell of type ``str``; one that nobody computed has no type and no
    value (openpyxl and many others), or the number 0 (XlsxWriter).
    """

    def __init__(self) -> None:
        from openpyxl.utils import coordinate_to_tuple, get_column_letter

        self._place, self._letter = coordinate_to_tuple, get_column_letter
        self._found: list[Trouble] = []
        self._row = self._column = 0
        self._type, self._value = "", ""
        self._has_formula = self._in_value = False

    def troubles(self, stream: IO[bytes]) -> list[Trouble]:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.ParseFile(stream)
        return self._found

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2]
        if tag == "c":
            place = attributes.get("r")
            self._column = self._place(place)[1] if place else self._column + 1
            self._type, self._value, self._has_formula = attributes.get("t", "n"), "", False
        elif tag == "row":
            self._row, self._column = int(float(attributes.get("r", self._row + 1))), 0
        elif tag == "f":
            self._has_formula = True
        elif tag == "v":
            self._in_value = True

    def _text(self, text: str) -> None:
        if self._in_value:
            self._value += text

    def _end(self, name: str) -> None:
        tag = name.rpartition(":")[2]
        if tag == "v":
            self._in_value = False
        elif tag == "c" and (kind := self._kind()):
            cell = f"{self._letter(self._column)}{self._row}"
            told = f"{self._value.strip()} in {cell}" if kind == "error" else cell
            self._found.append(Trouble(self._row, self._column, kind, told))

    def _kind(self) -> Literal["uncomputed", "zero", "error"] | None:
        if self._type == "e":
            return "error" if self._value.strip() else "uncomputed"
        if not self._has_formula or self._type in ("str", "inlineStr"):
            return None
        if not self._value.strip():
            return "uncomputed"
        return "zero" if self._type == "n" and float(self._value) == 0 else None


def check_computed(path: Path, troubles: Sequence[Trouble]) -> None:
    """Raise `TableError` if a sheet without any value has formulas."""
    if empty := _uncomputed(troubles):
        raise TableError(f"{path}: nothing but {_HELD['uncomputed']} ({_listed(empty)}); {_SAVE}")


def tell_uncomputed(path: Path, troubles: Sequence[Trouble], first_row: int) -> None:
    """Warn of formulas in any column that are read as empty; `first_row` is the first row with a value."""
    if empty := _uncomputed(troubles):
        begin = f", and the table begins in row {first_row}" if empty[0].row < first_row else ""
        logger.warning("%s: %s are read as empty (%s)%s; %s", path, _HELD["uncomputed"], _listed(empty), begin, _SAVE)


def _uncomputed(troubles: Sequence[Trouble]) -> list[Trouble]:
    return [trouble for trouble in troubles if trouble.kind == "uncomputed"]


def check_text(path: Path, name: str, troubles: Sequence[Trouble], filled: int) -> None:
    """Warn of zeros and errors in the column of text; where it has no other text it is an error.

    Parameters
    ----------
    name, troubles
        The column, and what is wrong in its rows.
    filled
        How many cells of it have a value, these among them.
    """
    values = [trouble for trouble in troubles if trouble.kind != "uncomputed"]
    mend = "look at the column in Excel or LibreOffice and save the file there"
    if troubles and filled <= len(values):
        raise TableError(f"{path}: no text in the column {name!r}, only {_held(troubles)}; {mend}")
    if values:
        logger.warning(
            "%s: in the column of text, %r, are %s; they are read as they are; %s", path, name, _held(values), mend
        )


def _held(troubles: Sequence[Trouble]) -> str:
    groups = ((what, [trouble for trouble in troubles if trouble.kind == kind]) for kind, what in _HELD.items())
    return " and ".join(f"{what} ({_listed(group)})" for what, group in groups if group)


def _listed(troubles: Sequence[Trouble]) -> str:
    shown = ", ".join(trouble.cell for trouble in troubles[:_SHOWN])
    return f"{shown} ... {len(troubles):,} in all" if len(troubles) > _SHOWN else shown
