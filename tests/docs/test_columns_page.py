"""The page about columns says what the table of columns says."""

from __future__ import annotations

from pathlib import Path

from vnlp_colab.columns import COLUMNS

PAGE = (Path(__file__).parents[2] / "docs" / "columns.md").read_text(encoding="utf-8")
EMPTY = {"''": '`""`', "[]": "`[]`", "nan": "`NaN`", "None": "missing"}


def test_every_column_is_told_of_as_the_table_has_it():
    for column in COLUMNS.values():
        tasks = " or ".join(f"`{task}`" for task in column.tasks) or "always"
        per = "one a token" if column.per == "token" else "one"
        about = column.about.replace("|", "\\|")
        line = f"| `{column.name}` | {tasks} | {per} | {about} | {EMPTY[repr(column.empty)]} |"
        assert line in PAGE, line
        optional = PAGE.index(line) > PAGE.index("On request")
        assert optional == column.optional, column.name
