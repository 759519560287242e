"""The input of a run: one table, or all tables of a folder as one, in the order of their names."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from vnlp_colab.columns import PREPARED
from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.files import open_file
from vnlp_colab.tables.formats import is_table
from vnlp_colab.tables.inference import is_json
from vnlp_colab.tables.names import has_columns, is_empty
from vnlp_colab.tables.table import Table, open_table
from vnlp_colab.tables.values import cells

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

logger = logging.getLogger(__name__)

SOURCE_COLUMN = "source_file"


@dataclass(frozen=True)
class InputTables:
    """One or more tables read as one; several get a column ``source_file`` with the file each row is from.

    ``left_out`` is the output where it lies in the folder of the input: it would be replaced.
    """

    tables: tuple[Table, ...]
    schema: pa.Schema
    text_column: str
    left_out: Path | None = None

    @property
    def rows(self) -> int:
        """Rows of all tables together."""
        return sum(table.rows for table in self.tables)

    @property
    def fingerprint(self) -> str:
        """A digest of names, contents and how they are read."""
        parts = [[table.path.name, table.kind.told, table.text_column, table.sha256] for table in self.tables]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def reading(self) -> list[str]:
        """How the files are read: another encoding or header makes another table of the same bytes."""
        return list(dict.fromkeys(table.kind.told for table in self.tables))

    def __str__(self) -> str:
        kinds = ", ".join(dict.fromkeys(str(table.kind) for table in self.tables))
        return f"{kinds}, text in {self.text_column!r}"

    def chunk_count(self, size: int) -> int:
        """Return how many chunks of at most `size` rows there are; a chunk never spans two files."""
        return sum(-(-table.rows // size) for table in self.tables)

    def chunks(self, size: int, skip: int = 0) -> Iterator[pa.Table]:
        """Yield the rows in chunks, all of them with ``schema``, leaving out the first `skip` chunks."""
        if self.schema.names == self.tables[0].schema.names:
            yield from self.tables[0].chunks(size, skip)
            return
        for table in self.tables:
            count = -(-table.rows // size)
            for chunk in table.chunks(size, min(skip, count)):
                yield self._fitted(chunk, table)
            skip = max(0, skip - count)

    def check_unchanged(self) -> None:
        """Raise `TableError` if a file is not what it was when it was opened."""
        for table in self.tables:
            table.file.check_unchanged()

    def check_output(self, output: Path, results: Collection[str]) -> None:
        """Raise `TableError` if a run that writes `results` would overwrite what is no result of an earlier one."""
        target = output.resolve()
        if any(table.path.resolve() == target for table in self.tables):
            raise TableError(f"{output}: the output would overwrite the input; give it another name")
        if self.left_out is not None and self.left_out.resolve() == target:
            _check_replaceable(self.left_out, results)
            logger.warning("%s: this is the output, left out of the input", self.left_out)

    def _fitted(self, chunk: pa.Table, table: Table) -> pa.Table:
        arrays = []
        for field in self.schema:
            name = table.text_column if field.name == self.text_column else field.name
            if field.name == SOURCE_COLUMN:
                arrays.append(pa.repeat(table.path.name, len(chunk)))
            elif name not in chunk.schema.names:
                arrays.append(pa.nulls(len(chunk), field.type))
            elif (own := chunk.schema.field(name)).type == field.type and is_json(own) == is_json(field):
                arrays.append(chunk[name])
            else:
                texts = cells(chunk[name], as_json=is_json(own))
                arrays.append(pa.array([None if text is None else str(text) for text in texts], pa.string()))
        return pa.Table.from_arrays(arrays, schema=self.schema)


def open_input(
    path: str | Path,
    *,
    text_column: str | int | None = None,
    input_format: str = "auto",
    encoding: str | None = None,
    header: bool | None = None,
    leave_out: Path | None = None,
) -> InputTables:
    """Look through a file, or every table in a folder.

    Parameters
    ----------
    path
        A file, a folder, a pipe, or ``"-"`` for the standard input.
    text_column
        The column with the text: its name, its place from 0 (an integer) or from 1 (``"3"``).
    input_format
        What the file is (`vnlp_colab.tables.formats.INPUT_FORMATS`), where its content and ending do not tell.
    encoding
        UTF-8, or what a byte order mark says, if none is given.
    header
        Whether the first row of CSV, TSV and Excel names the columns; ``None`` looks at it.
    leave_out
        The output. If it lies in the folder and is the result of an earlier run it is no input; any other file there
        would be lost, and is a `TableError`. `InputTables.check_output` says the rest when the results are known.
    """
    options = {"text_column": text_column, "input_format": input_format, "encoding": encoding, "header": header}
    folder = Path(path)
    if str(path) == "-" or not folder.is_dir():
        table = open_table(open_file(path), **options)  # type: ignore[arg-type]
        return InputTables((table,), table.schema, table.text_column)
    files, left_out = _tables_of(folder, leave_out)
    if not files:
        raise TableError(f"{path}: no table in this folder (.tsv, .csv, .parquet, .jsonl, .json, .xlsx or .txt)")
    opened = [open_file(file) for file in files]
    filled = [file for file in opened if file.size]
    for file in opened:
        if not file.size:
            logger.warning("%s: empty, left out", file.path)
    if not filled:
        raise TableError(f"{path}: all tables in this folder are empty")
    tables = tuple(open_table(file, **options) for file in filled)  # type: ignore[arg-type]
    return InputTables(tables, common_schema(tables), tables[0].text_column, left_out)


def _tables_of(folder: Path, output: Path | None) -> tuple[list[Path], Path | None]:
    """Return the tables that lie in a folder, in the order of their names, and the earlier result among them."""
    files = sorted(file for file in folder.iterdir() if file.is_file() and is_table(file))
    target = None if output is None else output.resolve()
    outputs = [file for file in files if file.resolve() == target]
    for file in outputs:
        _check_replaceable(file, ())
    return [file for file in files if file not in outputs], next(iter(outputs), None)


def _check_replaceable(file: Path, results: Collection[str]) -> None:
    """Raise `TableError` unless a file in the input's folder has nothing in it or all that a run over it writes.

    A table made by hand may well have a ``source_file`` and a ``sentiment``; what every run prepares it has not. A
    result written without these columns cannot be told from such a table, and is kept too.
    """
    opened = open_file(file)
    if not is_empty(opened) and not has_columns(opened, {SOURCE_COLUMN, *PREPARED, *results}):
        raise TableError(
            f"{file}: the output would overwrite the input; give it another name or folder, "
            "or delete this file if it is the result of an earlier run"
        )


def read_frame(path: str | Path, **reading: object) -> pd.DataFrame:
    """Return a whole input as a data frame; `reading` is what `open_input` takes."""
    from vnlp_colab.tables.frames import to_frame

    table = open_input(path, **reading)  # type: ignore[arg-type]
    chunks = list(table.chunks(1 << 16))
    whole = pa.concat_tables(chunks) if chunks else table.schema.empty_table()
    return to_frame(whole.replace_schema_metadata(table.schema.metadata), ())


def common_schema(tables: tuple[Table, ...]) -> pa.Schema:
    """Return all columns of all tables; where two disagree about a type, text holds both."""
    text_column = tables[0].text_column
    fields: dict[str, pa.Field] = {SOURCE_COLUMN: pa.field(SOURCE_COLUMN, pa.string())}
    for table in tables:
        if SOURCE_COLUMN in table.schema.names:
            raise TableError(
                f"{table.path}: a folder's tables cannot have a column {SOURCE_COLUMN!r} of their own; "
                "if this is the output of an earlier run, move it out of the folder"
            )
        if table.text_column != text_column and text_column in table.schema.names:
            raise TableError(
                f"{table.path}: its text is in {table.text_column!r}, that of {tables[0].path} in {text_column!r}, "
                "which both have; name the column with --text-column (text_column=)"
            )
        for field in table.schema:
            name = text_column if field.name == table.text_column else field.name
            known = fields.setdefault(name, field.with_name(name))
            if known.type != field.type or is_json(known) != is_json(field):
                fields[name] = pa.field(name, pa.string())
    return pa.schema(list(fields.values()))
