"""A job over many inputs into one folder: which are finished, what their columns are, what is still to come."""

from __future__ import annotations

import base64
import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vnlp_colab import __version__
from vnlp_colab.engines.addresses import version_of
from vnlp_colab.engines.inputs import Columns, Seen, joined
from vnlp_colab.engines.worker import ERROR_COLUMN, EngineError, result_schema
from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.identity import difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from vnlp_colab.engines.folder import PartsFolder

logger = logging.getLogger(__name__)


@dataclass
class FilesSummary:
    """What a job did.

    ``failed`` says for each input that could not be read why; ``error_rows`` counts the rows that have no analysis and
    the reason in ``analysis_error``.
    """

    output: str
    inputs: int
    finished_before: int = 0
    rows: int = 0
    tokens: int = 0
    error_rows: int = 0
    seconds: float = 0.0
    failed: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        speed = self.tokens / self.seconds if self.seconds else 0.0
        before = f" ({self.finished_before:,} finished before)" if self.finished_before else ""
        done = f"{self.inputs:,} input{'s' * (self.inputs != 1)}{before}, {self.rows:,} rows, {self.tokens:,} tokens"
        lines = [f"{done} in {self.seconds:.1f} s ({speed:,.0f} tokens/s) -> {self.output}"]
        if self.error_rows:
            lines.append(f"rows without analysis, the reason in {ERROR_COLUMN!r}: {self.error_rows:,}")
        return "\n".join([*lines, *(f"not read: {reason}" for reason in self.failed.values())])


class FilesJob:
    """The inputs of one job.

    Parameters
    ----------
    folder
        Where the result goes, and what is known of an earlier run of the job.
    names
        The addresses of the inputs.
    settings, reading
        How they are analysed and how they are read; a job goes on only with the same.
    resume, restart
        What to do with an earlier run.
    """

    def __init__(
        self,
        folder: PartsFolder,
        names: Sequence[str],
        settings: dict[str, Any],
        reading: dict[str, Any],
        *,
        resume: bool = False,
        restart: bool = False,
    ) -> None:
        self.folder = folder
        self.reading = reading
        self.results = result_schema(settings)
        self.columns: Columns | None = None
        self.rows: dict[int, int] = {}
        self.failed: dict[str, str] = {}
        self.names: list[str] = []
        self._done: dict[int, int] = {}
        told = {"version": __version__, "settings": settings, "reading": reading}
        self._identity = json.loads(json.dumps(told, default=repr))
        known = folder.job()
        if known is not None and restart:
            folder.clear()
        elif known is not None:
            self._take_over(known, resume)
        self.names += [name for name in names if name not in self.names]
        asked = set(names)
        self.versions = {number: version_of(name) for number, name in enumerate(self.names) if name in asked}
        finished = folder.finished()
        self.pending = [
            number for number, version in self.versions.items() if finished.get(number, {}).get("version") != version
        ]

    @property
    def row_count(self) -> int:
        """Rows that are to be analysed."""
        return sum(self.rows.values())

    def settle(self, found: Sequence[Seen | str]) -> None:
        """Take in what was seen of each pending input (or why it cannot be read), and settle the columns."""
        good: list[tuple[int, Seen]] = []
        for number, seen in zip(self.pending, found, strict=True):
            if isinstance(seen, str):
                self._fail(number, seen)
            else:
                good.append((number, seen))
        if good and self.columns is None:
            self.columns = joined([seen for _, seen in good], self.results.names)
        if self.columns is None:
            if self.failed:
                raise TableError("; ".join(self.failed.values()))
            return
        for number, seen in good:
            problem = self.columns.misfit(seen)
            if problem:
                self._fail(number, f"{self.names[number]}: {problem}")
            else:
                self.rows[number] = seen.rows
                self.folder.drop(number)
        schema = base64.b64encode(self.columns.own.serialize().to_pybytes()).decode()
        told = {"inputs": self.names, "text_column": self.columns.text_column, "schema": schema}
        self.folder.start({"identity": self._identity, **told})

    def part_done(self, number: int, rows: int) -> None:
        """Count a written part; with the last of its input, the input is finished."""
        self._done[number] = self._done.get(number, 0) + rows
        if self._done[number] == self.rows[number]:
            self._finish(number)

    def check_complete(self) -> None:
        """See that every row of every input was written; an input without rows gets a part without rows."""
        for number, count in self.rows.items():
            done = self._done.get(number, 0)
            if done != count:
                raise EngineError(f"{self.names[number]}: {done:,} of {count:,} rows were written; --resume goes on")
            if not count:
                self.folder.write(self._schema().empty_table(), number, 0)
                self._finish(number)

    def _take_over(self, known: dict[str, Any], resume: bool) -> None:
        import pyarrow as pa

        where = self.folder.address
        if not resume:
            raise TableError(f"{where}: there is a job in this folder; --resume goes on with it, --restart removes it")
        if differs := difference(known["identity"], self._identity):
            raise TableError(
                f"{where}: the job in this folder is another one ({differs}); "
                "go on with what it was begun with, or --restart removes it"
            )
        self.names = list(known["inputs"])
        own = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(known["schema"])))
        self.columns = Columns.of(own, known["text_column"], self.results.names)

    def _fail(self, number: int, reason: str) -> None:
        logger.error("%s", reason)
        self.failed[self.names[number]] = reason

    def _finish(self, number: int) -> None:
        told = {"input": self.names[number], "version": self.versions[number], "rows": self.rows[number]}
        self.folder.finish(number, told)

    def _schema(self) -> pa.Schema:
        import pyarrow as pa

        return pa.schema([*(self.columns.schema if self.columns else ()), *self.results])
