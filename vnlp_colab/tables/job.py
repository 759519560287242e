"""One run over tables on disk: chunks in, parts out, a journal to go on from, a summary at the end."""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from vnlp_colab import __version__
from vnlp_colab.batches.chunk import Rows
from vnlp_colab.batches.frames import with_columns
from vnlp_colab.pipeline_colab import chunk_rows, load_tensorflow
from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.folder import Input, open_input
from vnlp_colab.tables.formats import output_format as format_of
from vnlp_colab.tables.journal import Journal
from vnlp_colab.tables.writing import FORMATS, Chunk, Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from vnlp_colab.pipeline_colab import VNLPipeline

with warnings.catch_warnings():  # a notebook without ipywidgets gets a plain bar, and needs no advice about it
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm

logger = logging.getLogger(__name__)


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

    def __str__(self) -> str:
        resumed = f" ({self.resumed_rows:,} of them from the run before)" if self.resumed_rows else ""
        text = (
            f"{_counted(self.rows, 'row')}{resumed}, {_counted(self.tokens, 'token')} in {self.seconds:.1f} s "
            f"({self.tokens_per_second:,.0f} tokens/s on {self.device}) -> {self.output}"
        )
        if self.rows and self.empty_rows == self.rows:
            text += "\nno row has a token: is the text in another column (--text-column, text_column=)?"
        elif self.format == "conllu" and self.empty_rows:
            text += f"\nrows without a token, and so without a sentence in CoNLL-U: {self.empty_rows:,}"
        return text


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def analyze_file(
    pipeline: VNLPipeline,
    source: str | Path | Input,
    output: str | Path,
    *,
    batch_size: int | None = None,
    text_column: str | None = None,
    resume: bool = False,
    progress: bool | None = None,
    output_format: str | None = None,
) -> RunSummary:
    """Analyse `source` into `output`; see `VNLPipeline.run`."""
    to_stream = str(output) == "-"
    name = format_of(str(output), output_format or ("jsonl" if to_stream else None))
    if to_stream and not FORMATS[name].streams:
        raise ValueError(f"{name} cannot be written to a stream; choose csv, jsonl or conllu")
    table = source if isinstance(source, Input) else open_input(source, text_column=text_column, leave_out=Path(output))
    if any(part.path.resolve() == Path(output).resolve() for part in table.tables):
        raise TableError(f"{output}: the output would overwrite the input")
    if batch_size is None and resume and not to_stream:  # the default depends on the device, which may be another now
        batch_size = Journal(Path(output), {}).told("batch_size")
    job = _Job(pipeline, table, pipeline.batch_size_or_default(batch_size), name, progress)
    if to_stream:
        return job.to_stream(sys.stdout.buffer)
    return job.to_file(Path(output), resume)


class _Job:
    def __init__(
        self, pipeline: VNLPipeline, table: Input, batch_size: int, format_name: str, progress: bool | None
    ) -> None:
        self.pipeline = pipeline
        self.table = table
        self.batch_size = batch_size
        self.chunk_rows = chunk_rows(batch_size)
        self.format_name = format_name
        self.format = FORMATS[format_name]
        self.progress = progress
        self.renamed = _clashes(table, pipeline.columns)
        fields = [field.with_name(self.renamed.get(field.name, field.name)) for field in table.schema]
        self.layout = Layout(
            pa.schema(fields, metadata=table.schema.metadata),
            self.renamed.get(table.text_column, table.text_column),
            tuple(pipeline.columns),
        )
        load_tensorflow()  # before the clock starts: its seconds say nothing about the table
        self.started = time.perf_counter()
        self.models_before = pipeline.model_seconds

    def identity(self) -> dict[str, Any]:
        """Return what must be the same for an unfinished run to be taken up; the device may change."""
        return {
            "journal": 1,
            "version": __version__,
            "input": self.table.fingerprint,
            "text_column": self.table.text_column,
            "models": self.pipeline.model_keys,
            "columns": list(self.pipeline.columns),
            "batch_size": self.batch_size,
            "format": self.format_name,
        }

    def to_file(self, output: Path, resume: bool) -> RunSummary:
        if not output.parent.is_dir():
            raise TableError(f"{output.parent}: no such folder for the output")
        if output.is_dir():
            raise TableError(f"{output}: the output is a folder; name a file")
        journal = Journal(output, self.identity())
        if resume:
            journal.resume()
        else:
            if journal.unfinished:
                logger.warning("%s: parts of an unfinished run are dropped (--resume keeps them)", journal.folder)
            journal.start()
        resumed = sum(part.rows for part in journal.parts)
        first_row, clock = resumed, time.perf_counter()
        for frame, tokens, empty in self._frames(len(journal.parts), resumed):
            seconds, clock = time.perf_counter() - clock, time.perf_counter()
            journal.write(len(frame), tokens, empty, seconds, self._writer(frame, first_row))
            first_row += len(frame)
        if not journal.parts:  # a table without rows still has a result, with its columns
            journal.write(0, 0, 0, 0.0, self._writer(self._no_rows(), 0))
        parts = list(journal.parts)
        journal.finish(output, lambda paths, stream: self.format.join(paths, self.layout, stream))
        return self._summary(
            sum(part.rows for part in parts),
            sum(part.tokens for part in parts),
            sum(part.empty for part in parts),
            parts_tokens_now=sum(part.tokens for part in parts[len(parts) - self.new_parts :]),
            resumed=resumed,
            output=str(output),
        )

    def to_stream(self, stream: IO[bytes]) -> RunSummary:
        rows = tokens = empty = 0
        for frame, some_tokens, some_empty in self._frames(0, 0):
            self._writer(frame, rows)(stream)
            stream.flush()
            rows, tokens, empty = rows + len(frame), tokens + some_tokens, empty + some_empty
        return self._summary(rows, tokens, empty, tokens, 0, "standard output")

    def _writer(self, frame: pd.DataFrame, first_row: int) -> Callable[[IO[bytes]], None]:
        return partial(self.format.write, Chunk(frame, self.layout, first_row))

    def _no_rows(self) -> pd.DataFrame:
        return with_columns(self.layout.schema.empty_table().to_pandas(), {name: [] for name in self.pipeline.columns})

    def _frames(self, skip: int, resumed: int) -> Iterator[tuple[pd.DataFrame, int, int]]:
        """Yield each analysed chunk with its count of tokens and of rows without any."""
        frames: deque[pd.DataFrame] = deque()

        def rows() -> Iterator[Rows]:
            for frame in self.table.chunks(self.chunk_rows, skip):
                frames.append(frame.rename(columns=self.renamed))
                yield Rows(frames[-1][self.layout.text_column].tolist())

        self.new_parts = 0
        with _Progress(self.table.rows, resumed, self.progress) as bar:
            for chunk in self.pipeline.stream(rows(), self.batch_size, bar.batch_done):
                frame = frames.popleft()
                empty = len(frame) - len(chunk.order)
                bar.batch_done(empty, 0)
                self.new_parts += 1
                yield with_columns(frame, chunk.columns), chunk.token_count, empty

    def _summary(
        self, rows: int, tokens: int, empty: int, parts_tokens_now: int, resumed: int, output: str
    ) -> RunSummary:
        seconds = time.perf_counter() - self.started
        after = self.pipeline.model_seconds
        return RunSummary(
            rows=rows,
            tokens=tokens,
            empty_rows=empty,
            resumed_rows=resumed,
            seconds=seconds,
            tokens_per_second=parts_tokens_now / seconds if seconds else 0.0,
            model_seconds={task: after[task] - self.models_before[task] for task in after},
            device=self.pipeline.device,
            output=output,
            format=self.format_name,
        )


class _Progress:
    """A bar over sentences that also tells tokens a second."""

    def __init__(self, rows: int, done: int, shown: bool | None) -> None:
        if shown is None and "ipykernel" in sys.modules:  # a notebook is no terminal, but it can show a bar
            shown = True
        disabled = None if shown is None else not shown  # None: a terminal decides
        self._bar = tqdm(total=rows, initial=done, unit=" sentences", disable=disabled, file=sys.stderr)
        self._tokens = 0
        self._started = time.perf_counter()

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def batch_done(self, rows: int, tokens: int) -> None:
        self._tokens += tokens
        speed = self._tokens / max(time.perf_counter() - self._started, 1e-9)
        self._bar.set_postfix_str(f"{speed:.0f} tokens/s", refresh=False)
        self._bar.update(rows)


def _clashes(table: Input, results: tuple[str, ...]) -> dict[str, str]:
    """Return new names for input columns that are called like a result column, and say so."""
    names = set(table.schema.names)
    renamed = {}
    for name in table.schema.names:
        if name in results:
            new = f"input_{name}"
            while new in names:
                new = f"{new}_"
            renamed[name] = new
            logger.warning("the input's column %r is kept as %r, since the result has one of that name", name, new)
    return renamed
