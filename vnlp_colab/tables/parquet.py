"""Parquet tables: types come with the file, chunks are read row group by row group."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vnlp_colab.tables.files import InputFile

logger = logging.getLogger(__name__)


def parquet_schema(file: InputFile) -> tuple[pa.Schema, int]:
    """Return the columns of a parquet file and its count of rows; its footer says all there is to know."""
    with file.random_access() as handle:
        try:
            with pq.ParquetFile(handle) as parquet:
                schema, rows = parquet.schema_arrow, parquet.metadata.num_rows
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise TableError(f"{file.path}: not a parquet file ({error})") from None
    for name, count in Counter(schema.names).items():
        if count > 1:
            raise TableError(f"{file.path}: {count} columns are named {name!r}; rename them")
    return _with_sound_metadata(schema, file), rows


def _with_sound_metadata(schema: pa.Schema, file: InputFile) -> pa.Schema:
    """Leave out what the file says about a pandas index if pandas could not read it."""
    if b"pandas" not in (schema.metadata or {}):
        return schema
    try:
        schema.empty_table().to_pandas()
    except Exception:  # pyarrow raises whatever the broken text leads to
        logger.warning("%s: its description of a pandas index is broken and left out", file.path)
        return schema.with_metadata({key: text for key, text in schema.metadata.items() if key != b"pandas"})
    return schema


def parquet_chunks(file: InputFile, schema: pa.Schema, size: int, skip: int) -> Iterator[pa.Table]:
    """Yield tables of exactly `size` rows but the last, leaving out `skip` of them."""
    with file.random_access() as handle:
        try:
            with pq.ParquetFile(handle) as parquet:
                groups, passed = _groups_from(parquet.metadata, skip * size)
                batches = parquet.iter_batches(batch_size=size, row_groups=groups)
                for table in _cut(batches, size, skip * size - passed):
                    table.validate(full=True)
                    yield table.replace_schema_metadata(schema.metadata)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise TableError(f"{file.path}: damaged parquet data ({error})") from None


def _groups_from(metadata: pq.FileMetaData, row: int) -> tuple[list[int], int]:
    """Return the row groups from the one that holds `row` on, and how many rows stand before them."""
    passed = 0
    for group in range(metadata.num_row_groups):
        count = metadata.row_group(group).num_rows
        if passed + count > row:
            return list(range(group, metadata.num_row_groups)), passed
        passed += count
    return [], passed


def _cut(batches: Iterator[pa.RecordBatch], size: int, leave_out: int) -> Iterator[pa.Table]:
    """Join and cut batches (which end at row groups) so that chunk boundaries depend on `size` alone."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch.slice(min(leave_out, len(batch))))
        leave_out -= len(batch) - len(waiting[-1])
        count += len(waiting[-1])
        while count >= size:
            table = pa.Table.from_batches(waiting)
            yield table.slice(0, size)
            count -= size
            waiting = table.slice(size).to_batches()
    if count:
        yield pa.Table.from_batches(waiting)
