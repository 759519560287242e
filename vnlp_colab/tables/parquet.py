"""Parquet tables: types come with the file, chunks are read row group by row group."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.formats import Kind, find_text_column

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd

    from vnlp_colab.tables.source import Table


def open_parquet(path: Path, text_column: str | None) -> Table:
    """Look a parquet file through; its footer says all there is to know."""
    from vnlp_colab.tables.source import Table

    try:
        with pq.ParquetFile(path) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
    except (pa.ArrowInvalid, pa.ArrowIOError) as error:
        raise TableError(f"{path}: not a parquet file ({error})") from None
    text = find_text_column(list(schema.names), text_column, path)
    with path.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    return Table(path, Kind("parquet"), "", schema, text, rows, digest)


def parquet_chunks(path: Path, size: int) -> Iterator[pd.DataFrame]:
    """Yield data frames of exactly `size` rows but the last; an index the file carries is kept."""
    import pandas as pd

    start = 0
    waiting: list[pa.RecordBatch] = []
    with pq.ParquetFile(path) as file:
        for batch in _cut(file.iter_batches(batch_size=size), size, waiting):
            frame = batch.to_pandas()
            if isinstance(frame.index, pd.RangeIndex):
                frame.index = pd.RangeIndex(start, start + len(frame), name=frame.index.name)
            start += len(frame)
            yield frame


def _cut(batches: Iterator[pa.RecordBatch], size: int, waiting: list[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Join and cut batches (which end at row groups) so that chunk boundaries depend on `size` alone."""
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += len(batch)
        while count >= size:
            table = pa.Table.from_batches(waiting)
            yield table.slice(0, size)
            count -= size
            waiting[:] = table.slice(size).to_batches()
    if count:
        yield pa.Table.from_batches(waiting)
