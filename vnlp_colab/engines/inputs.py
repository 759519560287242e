"""Many inputs with the columns of one result: looked through wherever there is a worker, then read in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vnlp_colab.engines.addresses import as_local_file
from vnlp_colab.engines.worker import ERROR_COLUMN, own_names
from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

SOURCE_COLUMN = "source_file"
ROW_COLUMN = "row"


@dataclass(frozen=True)
class Seen:
    """What a look through an input found; the names are those of `vnlp_colab.tables.table.Table`."""

    path: str
    schema: pa.Schema
    text_column: str
    rows: int


@dataclass(frozen=True)
class Columns:
    """The columns of a result before the analysis: ``source_file``, ``row`` and those of the inputs.

    Attributes
    ----------
    own
        ``source_file`` and the columns of all inputs, as `vnlp_colab.tables` joins them.
    text_column
        Which of them holds the text.
    names
        What the inputs' columns are called in the result.
    """

    own: pa.Schema
    text_column: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, own: pa.Schema, text_column: str, results: Sequence[str]) -> Columns:
        """Return the columns beside these results; an input's column of a name that is taken is renamed."""
        taken = (ROW_COLUMN, *results, ERROR_COLUMN)
        return cls(own, text_column, tuple(own_names(tuple(own.names[1:]), taken)))

    @property
    def text_name(self) -> str:
        """What the text's column is called in the result."""
        return self.names[int(self.own.names.index(self.text_column)) - 1]

    @property
    def schema(self) -> pa.Schema:
        """The schema of what `read` gives."""
        import pyarrow as pa

        first = [pa.field(SOURCE_COLUMN, pa.string()), pa.field(ROW_COLUMN, pa.int64())]
        own = list(self.own)[1:]
        return pa.schema([*first, *(field.with_name(name) for field, name in zip(own, self.names, strict=True))])

    def misfit(self, seen: Seen) -> str | None:
        """Return why an input does not fit in, such as one that came after the columns were settled."""
        import pyarrow as pa

        for field in seen.schema:
            name = self.text_column if field.name == seen.text_column else field.name
            if name not in self.own.names:
                return f"column {field.name!r} is not among those of the job ({', '.join(self.own.names[1:])})"
            wanted = self.own.field(name).type
            if wanted not in (field.type, pa.string()):
                return f"column {field.name!r} is {field.type}, and {wanted} in the job"
        return None


def look_through(name: str, reading: dict[str, Any]) -> Seen | str:
    """Return what there is to know of an input, or why it cannot be read."""
    from vnlp_colab.tables import open_input

    try:
        with as_local_file(name) as path:
            table = open_input(path, **reading)
            return Seen(name, table.schema, table.text_column, table.rows)
    except (TableError, OSError) as error:
        return str(error) if name in str(error) else f"{name}: {error}"


def joined(seen: Sequence[Seen], results: Sequence[str]) -> Columns:
    """Return the columns of several inputs: all that any has; where two disagree about a type, text holds both."""
    from vnlp_colab.tables.source import common_schema

    return Columns.of(common_schema(tuple(seen)), seen[0].text_column, results)  # type: ignore[arg-type]


def read(name: str, reading: dict[str, Any], columns: Columns, rows: int) -> Iterator[pa.Table]:
    """Yield an input in tables of at most `rows` rows."""
    import pyarrow as pa

    from vnlp_colab.tables import open_input
    from vnlp_colab.tables.source import InputTables

    schema = columns.schema
    with as_local_file(name) as path:
        tables = open_input(path, **reading).tables
        start = 0
        for chunk in InputTables(tables, columns.own, columns.text_column).chunks(rows):
            count = chunk.num_rows
            numbers = pa.array(range(start, start + count), pa.int64())
            start += count
            yield pa.Table.from_arrays([pa.repeat(name, count), numbers, *chunk.columns[1:]], schema=schema)
