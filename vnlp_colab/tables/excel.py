"""Excel workbooks: the first sheet as rows of values; needs openpyxl."""

from __future__ import annotations

import datetime as dt
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.formulas import find_troubles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vnlp_colab.tables.files import InputFile
    from vnlp_colab.tables.formulas import Trouble
    from vnlp_colab.tables.records import Record

logger = logging.getLogger(__name__)


def excel_rows(file: InputFile, troubles: list[Trouble]) -> list[Record]:
    """Return the rows of the first sheet with their numbers; formulas stand as the value Excel last saw.

    A row without a value is one if others come before and after it, as in the sheet. Cells that have no value though
    something stands there, in whichever row, go to `troubles`.
    """
    rows: list[Record] = []
    with _open_book(file) as book:
        others = [other.title for other in book.worksheets[1:]]
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # what some programs write there (A1) is less than the sheet
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            if rows or any(value is not None for value in row):
                rows.append((number, [_value(value) for value in row]))
        troubles += find_troubles(sheet._get_source)  # the sheet's XML
    if others:
        logger.warning("%s: the first sheet is read; there are others: %s", file.path, ", ".join(others))
    while rows and all(value is None for value in rows[-1][1]):
        rows.pop()
    width = max((len(row) for _, row in rows), default=0)
    return [(number, row + [None] * (width - len(row))) for number, row in rows]


@contextmanager
def _open_book(file: InputFile) -> Iterator[Any]:
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
            book = openpyxl.load_workbook(handle, read_only=True, data_only=True)
            yield book
            book.close()
        except Exception as error:  # openpyxl raises whatever the damage leads to
            raise TableError(f"{file.path}: not an Excel workbook ({type(error).__name__}: {error})") from None


def _value(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float | dt.datetime):
        return value
    return str(value)  # a time, a duration
