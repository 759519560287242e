"""The input of a run: one table, or all tables of a folder as one, in the order of their names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.formats import is_table
from vnlp_colab.tables.source import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

SOURCE_COLUMN = "source_file"


@dataclass(frozen=True)
class Input:
    """One or more tables read as one; several get a column ``source_file`` with the file each row is from."""

    tables: tuple[Table, ...]
    schema: pa.Schema
    text_column: str

    @property
    def rows(self) -> int:
        """Rows of all tables together."""
        return sum(table.rows for table in self.tables)

    @property
    def fingerprint(self) -> str:
        """A digest of names and contents."""
        parts = "".join(f"{table.path.name}\0{table.kind.format}\0{table.sha256}\n" for table in self.tables)
        return hashlib.sha256(parts.encode()).hexdigest()

    def chunk_count(self, size: int) -> int:
        """Return how many chunks of at most `size` rows there are; a chunk never spans two files."""
        return sum(-(-table.rows // size) for table in self.tables)

    def chunks(self, size: int, skip: int = 0) -> Iterator[pd.DataFrame]:
        """Yield the rows in chunks, leaving out the first `skip` chunks."""
        if self.schema.names == self.tables[0].schema.names:
            yield from self.tables[0].chunks(size, skip)
            return
        import pandas as pd

        start = 0
        for table in self.tables:
            count = -(-table.rows // size)
            for frame in table.chunks(size, min(skip, count)):
                frame = frame.rename(columns={table.text_column: self.text_column})
                frame.insert(0, SOURCE_COLUMN, table.path.name)
                frame = frame.reindex(columns=self.schema.names)
                if isinstance(frame.index, pd.RangeIndex):
                    frame.index = frame.index + start
                yield frame
            start += table.rows
            skip = max(0, skip - count)


def open_input(
    path: str | Path,
    *,
    text_column: str | None = None,
    input_format: str = "auto",
    encoding: str | None = None,
    leave_out: Path | None = None,
) -> Input:
    """Look through a file, or every table in a folder (but `leave_out`, the output of an earlier run)."""
    path = Path(path)
    if not path.is_dir():
        table = open_table(path, text_column=text_column, input_format=input_format, encoding=encoding)
        return Input((table,), table.schema, table.text_column)
    files = sorted(file for file in path.iterdir() if file.is_file() and is_table(file))
    files = [file for file in files if leave_out is None or file.resolve() != leave_out.resolve()]
    if not files:
        raise TableError(f"{path}: no table in this folder (.tsv, .csv, .parquet, .jsonl or .txt)")
    tables = tuple(
        open_table(file, text_column=text_column, input_format=input_format, encoding=encoding) for file in files
    )
    return Input(tables, _joined_schema(tables), tables[0].text_column)


def _joined_schema(tables: tuple[Table, ...]) -> pa.Schema:
    """Return all columns of all tables; where two disagree about a type, text holds both."""
    text_column = tables[0].text_column
    fields: dict[str, pa.Field] = {SOURCE_COLUMN: pa.field(SOURCE_COLUMN, pa.string(), metadata={"kind": "text"})}
    for table in tables:
        if SOURCE_COLUMN in table.schema.names:
            raise TableError(f"{table.path}: a folder's tables cannot have a column {SOURCE_COLUMN!r} of their own")
        for field in table.schema:
            name = text_column if field.name == table.text_column else field.name
            known = fields.setdefault(name, field.with_name(name))
            if known.type != field.type:
                fields[name] = pa.field(name, pa.string(), metadata={"kind": "text"})
    return pa.schema(list(fields.values()))
