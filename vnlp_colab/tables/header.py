"""Whether the first row is a header, what the columns are called, and which of them holds the text."""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import TYPE_CHECKING

from vnlp_colab.batches.frames import TEXT_LIKE_NAMES, spellings, text_places
from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FIVE_COLUMNS = ("t_code", "ch_no", "p_no", "s_no", "sentence")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)*")
_SENTENCE_END = (".", "!", "?", "…", '."', '!"', '?"', ".”", "!”", "?”")


def is_five_columns(fields: Sequence[str], text_column: str | int | None) -> bool:
    """Whether a first line of fields between tabs belongs to the five-column table, which has no header."""
    if len(fields) != len(FIVE_COLUMNS):
        return False
    names = set[str]().union(*map(_plain, fields))
    asked = _plain(text_column) if isinstance(text_column, str) else set()
    return not names & (TEXT_LIKE_NAMES | asked)


def is_header(fields: Sequence[str], text_column: str | int | None) -> bool:
    """Whether the first row names the columns; a row with a number or a sentence in it clearly does not.

    One column alone is a header only under a name people give to columns of text: a first row taken for a sentence
    by mistake is seen in the result, a lost sentence is not.
    """
    if any(map(_is_like_text, fields)) or (isinstance(text_column, str) and text_column in fields):
        return True
    return len(fields) > 1 and any(map(str.strip, fields)) and not any(_is_data(field) for field in fields)


def _plain(field: str) -> set[str]:
    return spellings(field.strip().strip('"'))


def _is_like_text(field: str) -> bool:
    return not _plain(field).isdisjoint(TEXT_LIKE_NAMES)


def _is_data(field: str) -> bool:
    text = field.strip()
    words = len(text.split())
    return _NUMBER.fullmatch(text) is not None or words > 8 or (words > 1 and text.endswith(_SENTENCE_END))


def header_names(fields: Sequence[object], path: Path) -> list[str]:
    """Return the names a header gives, each of them once; a column without one is called by its place."""
    names = [str(field).strip() or f"column_{place}" for place, field in enumerate(fields, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{path}, line 1: the header names the column {twice[0]!r} twice")
    return names


def made_up_names(count: int) -> list[str]:
    """Return names for the columns of a table without a header."""
    return ["sentence"] if count == 1 else [f"column_{number}" for number in range(1, count + 1)]


def find_delimiter(first_line: str) -> str:
    """Return what separates the first line's fields: the candidate that cuts it most often, a comma if none does."""
    counts = {mark: len(_fields(first_line, mark)) for mark in ",;\t|"}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] > 1 else ","


def are_header_and_row(first_line: str, second_line: str) -> bool:
    """Whether the first lines of a file of unknown kind are those of a table: a text column named, as many fields.

    Examples
    --------
    >>> are_header_and_row("no,text", "1,Ali geldi."), are_header_and_row("Haber, yorum", "Ali geldi.")
    (True, False)
    """
    delimiter = find_delimiter(first_line)
    names = _fields(first_line, delimiter)
    named = any(map(_is_like_text, names)) and not any(map(_is_data, names))
    return named and len(names) > 1 and len(_fields(second_line, delimiter)) == len(names)


def _fields(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # what is wrong with the line is told when it is read
        return []


def find_text_column(
    columns: Sequence[str], asked: str | int | None, path: object, first_row: Sequence[str] | None = None
) -> str:
    """Return the name of the column that holds the text.

    Parameters
    ----------
    columns
        The names there are.
    asked
        A name; a place counted from 0 (an integer) or from 1 (digits in a string that are no column's name).
    path
        The file, for messages.
    first_row
        The first row of a table without a header: its only sentence tells the column if nobody does.
    """
    known = _listed(columns)
    if asked is not None and asked not in columns:
        place = asked if isinstance(asked, int) else int(asked) - 1 if asked.isdecimal() and len(asked) < 10 else -1
        if isinstance(asked, bool) or not 0 <= place < len(columns):
            raise TableError(f"{path}: no column {asked!r}; there are {known}")
        return columns[place]
    if isinstance(asked, str):
        return asked
    if places := text_places(columns):
        return columns[places[0]]
    if first_row is not None:
        with_spaces = [name for name, cell in zip(columns, first_row, strict=True) if len(cell.split()) > 1]
        if len(with_spaces) == 1:
            return with_spaces[0]
    raise TableError(
        f"{path}: cannot tell which column holds the text; name it with --text-column (text_column=): {known}"
    )


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(map(repr, columns[:50])) or "none"
    return f"{shown} and {len(columns) - 50} more" if len(columns) > 50 else shown
