"""One run over tables on disk: read, prepare, annotate, write; a journal to go on from, a summary at the end."""

from __future__ import annotations

import stat
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from vnlp_colab import __version__
from vnlp_colab.batches.analyzer import check_batch_size
from vnlp_colab.batches.chunk import Rows
from vnlp_colab.batches.progress import Progress
from vnlp_colab.collector import collector_paused
from vnlp_colab.errors import naming
from vnlp_colab.tables.arrow import text_cells
from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.formats import OutputKind, check_stream, output_kind
from vnlp_colab.tables.journal import Journal
from vnlp_colab.tables.layout import Layout, conllu_results
from vnlp_colab.tables.source import InputTables, open_input
from vnlp_colab.tables.writing import Style, make_writer, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from vnlp_colab.batches.chunk import PreparedChunk
    from vnlp_colab.batches.preparation import Preparation

_JOURNAL = 3  # the layout of parts and journal


class TableAnalyzer(Protocol):
    """What a run needs of `vnlp_colab.batches.analyzer.Analyzer`."""

    columns: tuple[str, ...]
    preparation: Preparation
    seconds: dict[str, float]

    @property
    def device(self) -> str:
        """Where the models run."""

    @property
    def fingerprints(self) -> dict[str, str]:
        """What tells each model from one of other weights."""

    def get_ready(self) -> None:
        """Load what the stream needs, before the clock of a run starts: those seconds say nothing about the table."""

    def default_batch_size(self) -> int:
        """Return how many sentences a batch holds if nobody says."""

    def chunk_rows(self, batch_size: int) -> int:
        """Return how many rows are sorted and analysed together, and so make a part."""

    def stream(
        self, chunks: Iterable[Rows], batch_size: int, on_batch: Callable[[int, int], object]
    ) -> Iterator[PreparedChunk]:
        """Yield each chunk with its columns filled, in order."""


@dataclass(frozen=True)
class RunSummary:
    """What a run did. Rows and tokens are those of the whole result; seconds are those of this run."""

    rows: int
    tokens: int
    empty_rows: int
    resumed_rows: int
    seconds: float
    tokens_per_second: float
    model_seconds: dict[str, float]
    device: str
    output: str
    format: str
    input: str = ""

    def __str__(self) -> str:
        resumed = f" ({self.resumed_rows:,} of them from the run before)" if self.resumed_rows else ""
        device = f" on {self.device}" if self.device else ""  # tokens alone need no model
        text = (
            f"{_counted(self.rows, 'row')}{resumed}, {_counted(self.tokens, 'token')} in {self.seconds:.1f} s "
            f"({self.tokens_per_second:,.0f} tokens/s{device}) -> {self.output}"
        )
        if self.input:
            text += f" (read as {self.input})"
        if self.rows and self.empty_rows == self.rows:
            text += "\nno row has a token: is the text in another column (--text-column, text_column=)?"
        elif self.format == "conllu" and self.empty_rows:
            text += f"\nrows without a token, and so without a sentence in CoNLL-U: {self.empty_rows:,}"
        return text


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def analyze_file(
    analyzer: TableAnalyzer,
    source: str | Path | InputTables,
    output: str | Path,
    *,
    batch_size: int | None = None,
    columns: Sequence[str] | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: bool | None = None,
    output_format: str | None = None,
    bom: bool = False,
    escape_formulas: bool = False,
    **reading: Any,
) -> RunSummary:
    """Analyse `source` into `output`.

    Parameters
    ----------
    analyzer
        What fills the result columns.
    source
        A path as `open_input` takes it, or what it returned.
    output
        The result; its ending tells the format. ``"-"`` is the standard output, JSON lines unless told otherwise.
    batch_size
        Sentences that go through a model together.
    columns
        The result columns to write, all of them by default. CoNLL-U takes those it has a place for.
    resume, restart
        Go on with an unfinished run of the same job, or throw its parts away. Without either they are an error.
    progress
        Show a progress bar; ``None`` shows it on a terminal and in a notebook.
    output_format
        The format, where the ending does not tell it.
    bom
        Begin CSV and TSV with a byte order mark, by which Excel knows UTF-8.
    escape_formulas
        Put an apostrophe before text in CSV and TSV that a spreadsheet would take for a formula.
    reading
        What `open_input` takes: ``text_column``, ``input_format``, ``encoding``, ``header``.
    """
    to_stream = str(output) == "-"
    kind = output_kind(str(output), output_format or ("jsonl" if to_stream else None))
    if to_stream:
        check_stream(kind.format)
    if batch_size is not None:
        check_batch_size(batch_size)
    if resume and restart:
        raise ValueError("resume and restart exclude each other")
    results = analyzer.columns if columns is None else tuple(columns)
    if unknown := [name for name in results if name not in analyzer.columns]:
        raise ValueError(f"no result column {unknown[0]!r}; there are {', '.join(analyzer.columns)}")
    path = Path(output) if to_stream else _checked_output(Path(output))
    table = source if isinstance(source, InputTables) else open_input(source, leave_out=path, **reading)
    table.check_output(path, results)
    layout = Layout.of(table, conllu_results(results) if kind.format == "conllu" else results)
    job = _Job(analyzer, table, layout, kind, Style(bom, escape_formulas), progress)
    if to_stream:
        return job.to_stream(analyzer.default_batch_size() if batch_size is None else batch_size)
    with Journal(path).held() as journal:
        if batch_size is None and resume:  # the default depends on the device, which may be another now
            told = journal.told().get("batch_size")
            batch_size = told if isinstance(told, int) and told > 0 else None
        size = analyzer.default_batch_size() if batch_size is None else batch_size
        return job.to_file(path, journal, size, resume, restart)


def _checked_output(path: Path) -> Path:
    """Return where to write: the file itself, or the one that a symbolic link leads to."""
    try:
        mode = path.stat().st_mode if path.exists() else stat.S_IFREG
        target = path.resolve() if path.is_symlink() else path
        folder = target.parent.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise TableError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISDIR(mode):
        raise TableError(f"{path}: the output is a folder; name a file")
    if not stat.S_ISREG(mode) or path.parts[:2] in (("/", "dev"), ("/", "proc")):
        raise TableError(
            f"{path}: a device or a pipe cannot hold the output; name a file, or - for the standard output"
        )
    if not folder:
        raise TableError(f"{target.parent}: no such folder for the output")
    return target


@dataclass
class _Counts:
    """What was done so far in this run."""

    rows: int = 0
    tokens: int = 0
    empty: int = 0
    started: float = field(default_factory=time.perf_counter)

    def add(self, rows: int, tokens: int, empty: int) -> None:
        self.rows, self.tokens, self.empty = self.rows + rows, self.tokens + tokens, self.empty + empty


@dataclass(frozen=True)
class _Job:
    analyzer: TableAnalyzer
    table: InputTables
    layout: Layout
    kind: OutputKind
    style: Style
    progress: bool | None

    def to_file(self, output: Path, journal: Journal, batch_size: int, resume: bool, restart: bool) -> RunSummary:
        identity = self._identity(batch_size)
        if resume:
            journal.resume(identity)
        else:
            journal.start(identity, restart=restart)
        resumed = sum(part.rows for part in journal.parts)
        self.analyzer.get_ready()
        before, now = dict(self.analyzer.seconds), _Counts()
        clock = time.perf_counter()
        for rows, tokens, empty in self._analyzed(batch_size, len(journal.parts), resumed):
            seconds, clock = time.perf_counter() - clock, time.perf_counter()
            journal.write(rows, tokens, empty, seconds)
            now.add(len(rows), tokens, empty)
        self.table.check_unchanged()
        parts = list(journal.parts)
        journal.finish(lambda stream: self._write(journal.tables(), stream))
        total = _Counts(*(sum(getattr(part, name) for part in parts) for name in ("rows", "tokens", "empty")))
        return self._summary(total, now, before, resumed, str(output))

    def to_stream(self, batch_size: int) -> RunSummary:
        if sys.stdout is None or sys.stdout.closed:
            raise TableError("-: the standard output is closed; name a file")
        self.analyzer.get_ready()
        before, now = dict(self.analyzer.seconds), _Counts()
        stream = sys.stdout.buffer
        with naming("the standard output"):
            writer = make_writer(self.kind.format, stream, self.layout, self.style)
            for rows, tokens, empty in self._analyzed(batch_size, 0, 0):
                with collector_paused():
                    writer.write(rows)
                stream.flush()
                now.add(len(rows), tokens, empty)
            writer.close()
            stream.flush()
        self.table.check_unchanged()
        return self._summary(now, now, before, 0, "standard output")

    def _identity(self, batch_size: int) -> dict[str, Any]:
        """Return what must be the same for an unfinished run to be taken up; the device may change."""
        how = self.analyzer.preparation
        return {
            "journal": _JOURNAL,
            "version": __version__,
            "reading": self.table.reading,
            "text_column": self.table.text_column,
            "input": self.table.fingerprint,
            "models": dict(self.analyzer.fingerprints),
            "preparation": {"split": how.split, "normalize": list(how.normalize), "multiword": how.multiword},
            "columns": list(self.layout.results),
            "batch_size": batch_size,
            "format": f"{self.kind.format} {self.kind.compression}".strip(),
            "bom": self.style.bom,
            "escape_formulas": self.style.escape_formulas,
        }

    def _analyzed(self, batch_size: int, skip: int, resumed: int) -> Iterator[tuple[pa.Table, int, int]]:
        """Yield each analysed chunk with its count of tokens and of rows without any."""
        size = self.analyzer.chunk_rows(batch_size)
        text = self.table.text_column
        chunks = (Rows(text_cells(own, text), source=own) for own in self.table.chunks(size, skip))
        with Progress(self.table.rows, resumed, self.progress) as bar:
            for chunk in self.analyzer.stream(chunks, batch_size, bar.batch_done):
                tokens = chunk.columns["tokens"]
                empty = sum(not row for row in tokens)
                bar.batch_done(empty, 0)
                with collector_paused():
                    rows = self.layout.table(chunk.source, chunk.columns)
                yield rows, sum(map(len, tokens)), empty

    def _write(self, tables: Iterable[pa.Table], stream: IO[bytes]) -> None:
        with packed(stream, self.kind.compression) as target:
            writer = make_writer(self.kind.format, target, self.layout, self.style)
            with collector_paused():
                for table in tables:
                    writer.write(table)
                writer.close()

    def _summary(self, total: _Counts, now: _Counts, before: dict[str, float], resumed: int, output: str) -> RunSummary:
        seconds = time.perf_counter() - now.started
        return RunSummary(
            rows=total.rows,
            tokens=total.tokens,
            empty_rows=total.empty,
            resumed_rows=resumed,
            seconds=seconds,
            tokens_per_second=now.tokens / seconds if seconds else 0.0,
            model_seconds={name: spent - before.get(name, 0.0) for name, spent in self.analyzer.seconds.items()},
            device=self.analyzer.device,
            output=output,
            format=self.kind.format,
            input=str(self.table),
        )
