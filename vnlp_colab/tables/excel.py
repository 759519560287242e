"""Excel workbooks: the first sheet as rows of values; needs openpyxl."""

from __future__ import annotations

import datetime as dt
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vnlp_colab.tables.files import InputFile
    from vnlp_colab.tables.records import Record

logger = logging.getLogger(__name__)


def excel_rows(file: InputFile, skipped: list[int]) -> list[Record]:
    """Return the rows of the first sheet with their numbers; formulas stand as the value Excel last saw.

    A row without a value is one if others come after it, as in the sheet; above the first one it is no row. After the
    last one it is none either, but its number goes to `skipped`: there may be formulas without a value in it.
    """
    rows: list[Record] = []
    with _open_book(file, data_only=True) as book:
        others = [other.title for other in book.worksheets[1:]]
        for number, row in enumerate(book.worksheets[0].iter_rows(values_only=True), 1):
            if rows or any(value is not None for value in row):
                rows.append((number, [_value(value) for value in row]))
    if others:
        logger.warning("%s: the first sheet is read; there are others: %s", file.path, ", ".join(others))
    while rows and all(value is None for value in rows[-1][1]):
        skipped.append(rows.pop()[0])
    width = max((len(row) for _, row in rows), default=0)
    return [(number, row + [None] * (width - len(row))) for number, row in rows]


def check_formulas(file: InputFile, name: str, place: int, first_row: int, *, some: bool) -> None:
    """Tell of formulas without a value in a column of text, which were read as empty.

    Programs other than Excel often write formulas and leave computing them to Excel. (A formula that Excel computed to
    nothing is a cell of type ``str``; one that nobody computed has no type.) Where the column has no text at all, it
    is a `TableError`.

    Parameters
    ----------
    name, place
        The column: what it is called, and where it is, from 0.
    first_row
        The number of the first row that is no header.
    some
        Whether some cells of the column do have text.
    """
    formulas = [kind == "f" for _, kind in _column(file, place, first_row, data_only=False)]
    if not any(formulas):  # nearly always, and the file need not be read once more
        return
    values = _column(file, place, first_row, data_only=True)
    empty = (value is None and kind != "str" for value, kind in values)
    count = sum(formula and no_value for formula, no_value in zip(formulas, empty, strict=True))
    if not count:
        return
    held = f"{count:,} {'cell' if count == 1 else 'cells'} of the column {name!r}"
    mend = "open the file in Excel and save it"
    if not some:
        raise TableError(f"{file.path}: no text, {held} hold formulas that were never computed; {mend}")
    logger.warning("%s: formulas that were never computed are read as empty (%s); %s", file.path, held, mend)


def _column(file: InputFile, place: int, first_row: int, *, data_only: bool) -> list[tuple[Any, str]]:
    """Return the values and types of a column's cells: ``f`` for a formula, which with `data_only` is its value."""
    with _open_book(file, data_only=data_only) as book:
        rows = book.worksheets[0].iter_rows(min_row=first_row, min_col=place + 1, max_col=place + 1)
        return [(cell.value, cell.data_type) for (cell,) in rows]


@contextmanager
def _open_book(file: InputFile, *, data_only: bool) -> Iterator[Any]:
    """Give the workbook; whatever goes wrong while it is read is told as damage."""
    try:
        import openpyxl
    except ImportError:
        raise TableError(
            f"{file.path}: reading Excel files needs openpyxl (pip install 'vnlp-colab[excel]'), "
            "or save the table as CSV (UTF-8)"
        ) from None
    with file.random_access() as handle:
        try:
            book = openpyxl.load_workbook(handle, read_only=True, data_only=data_only)
            yield book
            book.close()
        except Exception as error:  # openpyxl raises whatever the damage leads to
            raise TableError(f"{file.path}: not an Excel workbook ({type(error).__name__}: {error})") from None


def _value(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float | dt.datetime):
        return value
    return str(value)  # a time, a duration
