"""Analysis on Ray: a Ray Dataset with the result columns, or files in and a folder of parquet parts out.

Ray is imported when a function is called: ``pip install vnlp-colab[ray]``.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

from vnlp_colab import registry
from vnlp_colab.batches.progress import Progress
from vnlp_colab.engines.addresses import find_tables
from vnlp_colab.engines.folder import PartsFolder
from vnlp_colab.engines.inputs import ROW_COLUMN, SOURCE_COLUMN, Columns, look_through, read
from vnlp_colab.engines.job import FilesJob, FilesSummary
from vnlp_colab.engines.worker import ERROR_COLUMN, EngineError, analyze_table, result_schema
from vnlp_colab.pipeline_colab import VNLPipeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from ray.data import Dataset

logger = logging.getLogger(__name__)

# Rows that an actor takes at a time: what the pipeline sorts by length and analyses together (docs/scale.md).
_ROWS = 4096
_GPU_ROWS = 16_384
_LEAST_ROWS = 256
_TURNS = 4  # a worker's, at least, where there are rows enough
# CPUs of a local Ray that no actor has: reading, cutting and writing share the cores, and need little of them.
_SPARE_CPUS = 2
# Settings of a local Ray: its workers are no nicer than a plain process would be (Ray adds 15, so that they come after
# all other work of the machine).
_STARTED_HERE = {"RAY_worker_niceness": "0"}
# The last line of a traceback in a text, if it is not of Ray's own errors.
_RAISED = re.compile(r"^(?!ray\.)[\w.]*(?:Error|Exception): (.+)$", re.MULTILINE)


def analyze(
    dataset: Dataset,
    models_to_load: Sequence[str] | Mapping[str, Any] = registry.DEFAULT_TASKS,
    *,
    concurrency: int | tuple[int, int] = 1,
    num_cpus: float = 1,
    num_gpus: float = 0,
    rows: int | None = None,
    text_column: str | int | None = None,
    device: str = "auto",
    threads: int | None = None,
    **settings: Any,
) -> Dataset:
    """Return a Ray Dataset with the result columns of `VNLPipeline.arrow_schema` and ``analysis_error`` added.

    Every row in is a row out. One that no model gets through has empty values and the reason in ``analysis_error``.
    Ray restarts an actor that dies and repeats what it was doing. Nothing is computed before the dataset is used.

    Parameters
    ----------
    dataset
        Any dataset with a column of texts.
    models_to_load
        As in `VNLPipeline`.
    concurrency
        How many actors: a number, or the least and the most. Each loads the models once.
    num_cpus, num_gpus
        What an actor reserves. Its models run on the GPU if it has one, or a share of one.
    rows
        Rows an actor takes at a time; by default 4,096, with a GPU 16,384.
    text_column
        The column with the texts, by name or by place.
    device
        As in `VNLPipeline`; ``"auto"`` is what the actor reserves.
    threads
        Threads of an actor; by default ``num_cpus``, so that actors do not fight for cores.
    settings
        What else `VNLPipeline` takes: ``columns``, ``split``, ``normalize`` ...
    """
    settings = {**settings, "models_to_load": models_to_load, "device": device, "threads": threads}
    result_schema(settings)  # wrong settings are told here, not by an actor when the dataset is used
    return _through_actors(
        dataset,
        _Analysis,
        settings,
        (text_column,),
        concurrency=concurrency,
        num_cpus=num_cpus,
        num_gpus=num_gpus,
        rows=rows,
    )


def _through_actors(
    dataset: Dataset,
    actor: type[_Analysis],
    settings: dict[str, Any],
    arguments: tuple[Any, ...],
    *,
    concurrency: int | tuple[int, int],
    num_cpus: float,
    num_gpus: float,
    rows: int | None,
) -> Dataset:
    """Return what actors of this kind, each with a pipeline of these settings, make of a dataset."""
    ray = _ray()
    least, most = (concurrency, concurrency) if isinstance(concurrency, int) else concurrency
    if not 1 <= least <= most:
        raise ValueError(
            f"concurrency is the number of actors, from 1 on, or the least and the most, not {concurrency}"
        )
    rows = rows or (_GPU_ROWS if num_gpus else _ROWS)
    settings = {
        **settings,
        "device": _device(settings.get("device") or "auto", num_gpus),
        "threads": settings.get("threads") or max(1, math.floor(num_cpus)),
    }
    # Blocks come as large as a file, and Ray shares work out by blocks.
    return dataset.repartition(target_num_rows_per_block=rows).map_batches(
        actor,
        fn_constructor_args=(settings, *arguments),
        batch_format="pyarrow",
        batch_size=rows,
        zero_copy_batch=True,
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        num_cpus=num_cpus,
        num_gpus=num_gpus,
    )


def _device(asked: str, num_gpus: float) -> str:
    if asked.startswith("cuda") and not num_gpus:
        raise ValueError(f"device={asked!r} needs actors that reserve a GPU or a share of one: num_gpus=1")
    return ("cuda" if num_gpus else "cpu") if asked == "auto" else asked


class _Analysis:
    """What an actor is: a pipeline of its own."""

    def __init__(self, settings: dict[str, Any], text_column: str | int | None) -> None:
        self._pipeline = VNLPipeline(**settings)
        self._text_column = text_column

    def __call__(self, table: pa.Table) -> pa.Table:
        return analyze_table(self._pipeline, table, self._text_column)


class _AnalysisInParts(_Analysis):
    """An actor that writes what it analysed itself: results need not travel to another process, nor one be started."""

    def __init__(
        self, settings: dict[str, Any], text_column: str | int | None, folder: PartsFolder, numbers: dict[str, int]
    ) -> None:
        super().__init__(settings, text_column)
        self._folder = folder
        self._numbers = numbers

    def __call__(self, table: pa.Table) -> pa.Table:
        return _write(super().__call__(table), self._folder, self._numbers)


def analyze_files(
    inputs: Iterable[str | Path],
    output: str | Path,
    models_to_load: Sequence[str] | Mapping[str, Any] = registry.DEFAULT_TASKS,
    *,
    workers: int = 1,
    num_cpus: float = 1,
    num_gpus: float = 0,
    rows: int | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: bool | None = None,
    text_column: str | int | None = None,
    input_format: str = "auto",
    encoding: str | None = None,
    header: bool | None = None,
    address: str | None = None,
    **settings: Any,
) -> FilesSummary:
    """Analyse files into a folder of parquet parts on a Ray cluster, or on a Ray of this machine's own.

    The parts have the columns ``source_file`` and ``row`` (the row's number in its file, from 0), those of the inputs,
    those of the analysis and ``analysis_error``; sorted by their names they are in the order of the inputs and rows.

    Parameters
    ----------
    inputs
        Files, folders, globs, or addresses fsspec knows (``s3://bucket/folder``); tables as the plain command reads.
    output
        The folder, here or at an address.
    models_to_load
        As in `VNLPipeline`.
    workers
        How many actors.
    num_cpus, num_gpus, rows
        As in `analyze`.
    resume, restart
        Go on with an unfinished job of this folder, where finished inputs are skipped, or throw it away; without
        either a folder that is not empty is an error.
    progress
        Show a progress bar; ``None`` shows it on a terminal only.
    text_column, input_format, encoding, header
        How the inputs are read, as in `vnlp_colab.tables.open_input`.
    address
        The cluster; by default ``RAY_ADDRESS``, else a Ray is started here, listening on this machine alone, and
        stopped in the end.
    settings
        What else `VNLPipeline` takes.
    """
    started = time.perf_counter()
    _device(settings.get("device") or "auto", num_gpus)  # told here, before anything is started or written
    folder = PartsFolder(str(output))
    settings = {**settings, "models_to_load": models_to_load}
    reading = {"text_column": text_column, "input_format": input_format, "encoding": encoding, "header": header}
    job = FilesJob(folder, find_tables(inputs), settings, reading, resume=resume, restart=restart)
    summary = FilesSummary(folder.address, len(job.versions), len(job.versions) - len(job.pending), failed=job.failed)
    if job.pending:
        with _cluster(address, workers, num_cpus, num_gpus) as ray:
            look = ray.remote(num_cpus=0.5)(look_through)
            job.settle(ray.get([look.remote(job.names[number], reading) for number in job.pending]))
            if job.row_count:
                actors = {"concurrency": workers, "num_cpus": num_cpus, "num_gpus": num_gpus, "rows": rows}
                try:
                    _run(ray, job, summary, progress, settings, **actors)
                except ray.exceptions.RayError as error:
                    raise EngineError(f"{_reason(error)} (finished inputs are kept; --resume goes on)") from error
            job.check_complete()
    summary.seconds = time.perf_counter() - started
    return summary


def _run(
    ray: Any, job: FilesJob, summary: FilesSummary, progress: bool | None, settings: dict[str, Any], **actors: Any
) -> None:
    columns = job.columns
    assert columns is not None  # noqa: S101 - settled, since there are rows
    if actors["rows"] is None:  # a small job is cut finer, so that every worker has something to do
        share = math.ceil(job.row_count / (_TURNS * actors["concurrency"]))
        actors["rows"] = max(_LEAST_ROWS, min(share, _GPU_ROWS if actors["num_gpus"] else _ROWS))
    dataset = ray.data.read_datasource(_source(job, columns), override_num_blocks=len(job.rows), num_cpus=0)
    numbers = {name: number for number, name in enumerate(job.names)}
    written = _through_actors(dataset, _AnalysisInParts, settings, (columns.text_name, job.folder, numbers), **actors)
    with Progress(job.row_count, 0, progress) as bar:
        for part in written.iter_rows():
            job.part_done(part["number"], part["rows"])
            bar.batch_done(part["rows"], part["tokens"])
            summary.rows += part["rows"]
            summary.tokens += part["tokens"]
            summary.error_rows += part["errors"]


def _source(job: FilesJob, columns: Columns) -> Any:
    """Return Ray's data source of the inputs: one task reads one of them, block by block."""
    from ray.data.block import BlockMetadata
    from ray.data.datasource import Datasource, ReadTask

    reading = job.reading

    def task(name: str, rows: int) -> ReadTask:
        about = BlockMetadata(num_rows=rows, size_bytes=None, input_files=[name], exec_stats=None)
        return ReadTask(lambda: read(name, reading, columns, _ROWS), about)

    class Inputs(Datasource):  # type: ignore[misc]
        def estimate_inmemory_data_size(self) -> None:
            return None

        def get_read_tasks(self, *_: Any, **__: Any) -> list[ReadTask]:
            return tasks

    tasks = [task(job.names[number], rows) for number, rows in job.rows.items()]
    return Inputs()


def _write(table: pa.Table, folder: PartsFolder, numbers: dict[str, int]) -> pa.Table:
    """Write the rows of each input as a part of its own, and tell how many they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    told: dict[str, list[int]] = {"number": [], "rows": [], "tokens": [], "errors": []}
    for name in table[SOURCE_COLUMN].unique().to_pylist():
        part = table.filter(pc.equal(table[SOURCE_COLUMN], name)).sort_by(ROW_COLUMN)
        folder.write(part, numbers[name], part[ROW_COLUMN][0].as_py())
        tokens = pc.sum(pc.list_value_length(part["tokens"])).as_py() if "tokens" in part.column_names else 0
        told["number"].append(numbers[name])
        told["rows"].append(part.num_rows)
        told["tokens"].append(tokens or 0)
        told["errors"].append(part.num_rows - part[ERROR_COLUMN].null_count)
    return pa.table(told)


def _reason(error: BaseException) -> str:
    """Return what went wrong in an actor: Ray tells it as the text of a traceback, with many frames of its own."""
    told = str(error)
    raised = _RAISED.search(told)
    return raised[1] if raised else told.strip().splitlines()[-1]


@contextlib.contextmanager
def _cluster(address: str | None, workers: int, num_cpus: float, num_gpus: float) -> Iterator[Any]:
    """Give Ray, connected: one that is running is used as it is, one that is started here is stopped in the end."""
    local = address is None and not os.environ.get("RAY_ADDRESS")
    if local and "ray" not in sys.modules:
        # Ray calls it a choice of other systems; it makes all of its servers listen on this machine alone.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        logging_level = logging.ERROR if not logger.isEnabledFor(logging.INFO) else logging.INFO
        started_here = {
            "num_cpus": math.ceil(workers * num_cpus) + _SPARE_CPUS,
            "num_gpus": math.ceil(workers * num_gpus) or None,
            "include_dashboard": False,
        }
        with _environment(_STARTED_HERE if local else {}):
            ray.init(address, logging_level=logging_level, log_to_driver=False, **(started_here if local else {}))
    try:
        have = ray.cluster_resources().get("CPU", 0)
        if have < workers * num_cpus + 1:
            raise EngineError(
                f"{workers} workers with {num_cpus:g} CPUs each and 1 for reading do not fit: the cluster has {have:g}"
            )
        context = ray.data.DataContext.get_current()
        with _quiet(context):
            yield ray
    finally:
        if ours:
            ray.shutdown()


@contextlib.contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    """Set variables for what is started meanwhile; those that are set already stay as they are."""
    new = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            del os.environ[name]


@contextlib.contextmanager
def _quiet(context: Any) -> Iterator[None]:
    """Keep Ray Data's own bars and notes back: one progress line is enough."""
    log = logging.getLogger("ray.data")
    before = context.enable_progress_bars, log.level
    context.enable_progress_bars = False
    if not logger.isEnabledFor(logging.INFO):
        log.setLevel(logging.CRITICAL)  # an error is told once, by us
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"ray\.")
            yield
    finally:
        context.enable_progress_bars = before[0]
        log.setLevel(before[1])


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise EngineError(f"Ray Data is not installed ({error}); `pip install 'vnlp-colab[ray]'` brings it") from None
    return ray
