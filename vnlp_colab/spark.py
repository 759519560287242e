"""Analysis on Spark: a DataFrame with the result columns, by ``mapInArrow``.

Spark is imported when the function is called: ``pip install vnlp-colab[spark]``, and Java 17 or newer.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from vnlp_colab import registry
from vnlp_colab.batches.frames import text_place
from vnlp_colab.engines.worker import (
    EngineError,
    analyze_table,
    load_once,
    own_names,
    result_schema,
    settings_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame


def analyze(
    df: DataFrame,
    models_to_load: Sequence[str] | Mapping[str, Any] = registry.DEFAULT_TASKS,
    *,
    text_column: str | int | None = None,
    threads: int | None = None,
    device: str = "auto",
    **settings: Any,
) -> DataFrame:
    """Return a Spark DataFrame with the result columns of `VNLPipeline.arrow_schema` and ``analysis_error`` added.

    Every row in is a row out, in its partition and in its place there. One that no model gets through has empty values
    and the reason in ``analysis_error``. A Python worker loads the models once, however many partitions it is given,
    and keeps them as long as Spark keeps the worker (``spark.python.worker.reuse``, on by default).

    Parameters
    ----------
    df
        Any DataFrame with a column of texts; a column of its own that is called like a result is kept as
        ``input_NAME``.
    models_to_load
        As in `VNLPipeline`.
    text_column
        The column with the texts, by name or by place.
    threads
        Threads of a worker; by default as many as a task has CPUs (``spark.task.cpus``, 1 unless set).
    device
        ``"auto"`` takes the GPU that Spark gave to the task (``spark.task.resource.gpu.amount``), else the CPU.
    settings
        What else `VNLPipeline` takes: ``columns``, ``split``, ``normalize`` ...

    Examples
    --------
    A million rows, eight columns, whatever the number of machines::

        from vnlp_colab.spark import analyze

        df = spark.read.parquet("s3a://bucket/news")
        analyze(df, ["pos", "dep"], text_column="body").write.parquet("s3a://bucket/news-analysed")
    """
    try:
        from pyspark.sql.pandas.types import from_arrow_schema
        from pyspark.sql.types import StructType
    except ImportError as error:
        raise EngineError(f"Spark is not installed ({error}); `pip install 'vnlp-colab[spark]'` brings it") from None
    if threads is None:
        threads = int(df.sparkSession.conf.get("spark.task.cpus", "1") or 1)
    settings = {"models_to_load": models_to_load, "threads": threads, "device": device, **settings}
    results = result_schema(settings)
    place = text_place(df.columns, text_column)
    names = own_names(tuple(df.columns), tuple(results.names))
    if names != df.columns:
        df = df.toDF(*names)
    schema = StructType([*df.schema.fields, *from_arrow_schema(results).fields])
    return df.mapInArrow(partial(_analyze, settings_key(settings), settings, names[place]), schema)


def _analyze(
    key: str, settings: dict[str, Any], text_column: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Analyse the batches of a partition, in a Python worker."""
    import pyarrow as pa

    if settings["device"] == "auto":
        device = _task_device()
        key, settings = f"{key} {device}", {**settings, "device": device}
    for batch in batches:
        table = analyze_table(load_once(key, settings), pa.Table.from_batches([batch]), text_column)
        yield from table.combine_chunks().to_batches()


def _task_device() -> str:
    """Return the GPU Spark gave to this task, or the CPU: a worker must not take a GPU that is another's."""
    from pyspark import TaskContext

    context = TaskContext.get()
    gpus = context.resources().get("gpu") if context is not None else None
    return f"cuda:{gpus.addresses[0]}" if gpus is not None and gpus.addresses else "cpu"
