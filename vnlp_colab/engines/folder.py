"""The output of a job over many inputs: a folder of parquet parts and, beside them, what is finished.

Parts are ``part-INPUT-ROW.parquet``: the number of the input and that of the part's first row in it, so their names
sort into the order of the rows. ``_job.json`` says what the job is, ``_finished/INPUT.json`` that an input is done. All
of them appear whole or not at all, and readers of parquet folders skip names that start with ``_``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.atomic import write_atomically
from vnlp_colab.engines.addresses import file_system, is_local
from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa

_JOB = "_job.json"
_FINISHED = "_finished"


class PartsFolder:
    """A folder of parts at any address."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/") or address
        self._fs, self._root = file_system(self.address)

    def __reduce__(self) -> tuple[Any, ...]:
        return PartsFolder, (self.address,)

    def job(self) -> dict[str, Any] | None:
        """Return what the folder's job says of itself, or ``None`` for a new folder."""
        path = self._path(_JOB)
        self._fs.invalidate_cache()
        if self._fs.exists(path):
            return dict(json.loads(self._fs.cat_file(path)))
        if self._fs.isfile(self._root):
            raise TableError(f"{self.address}: a file; the parts go into a folder")
        if self._fs.exists(self._root) and self._fs.ls(self._root, detail=False):
            raise TableError(f"{self.address}: the folder is not empty, and what lies in it is no result of analyze")
        return None

    def start(self, job: dict[str, Any]) -> None:
        """Write down what the job is."""
        self._fs.makedirs(self._path(_FINISHED), exist_ok=True)
        self._put(_JOB, json.dumps(job, ensure_ascii=False, indent=1).encode())

    def clear(self) -> None:
        """Remove all that a job left here, and nothing else."""
        if self._fs.exists(self._path(_FINISHED)):
            self._fs.rm(self._path(_FINISHED), recursive=True)
        for path in [*self._fs.glob(self._path("part-*.parquet")), self._path(_JOB)]:
            if self._fs.exists(path):
                self._fs.rm_file(path)

    def finished(self) -> dict[int, dict[str, Any]]:
        """Return what is known of every finished input, by its number."""
        self._fs.invalidate_cache()
        paths = self._fs.glob(self._path(f"{_FINISHED}/*.json"))
        told = (json.loads(self._fs.cat_file(path)) for path in paths)
        return {int(one["number"]): one for one in told}

    def finish(self, number: int, told: dict[str, Any]) -> None:
        """Write down that an input is done."""
        line = json.dumps({"number": number, **told}, ensure_ascii=False)
        self._put(f"{_FINISHED}/{number:06d}.json", line.encode())

    def drop(self, number: int) -> None:
        """Remove the parts an earlier run left of an unfinished input."""
        for path in self._fs.glob(self._path(f"part-{number:06d}-*.parquet")):
            self._fs.rm_file(path)

    def write(self, table: pa.Table, number: int, first_row: int) -> None:
        """Write a part; the same rows again make the same file, so a repeated task doubles nothing."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        self._put(f"part-{number:06d}-{first_row:012d}.parquet", sink.getvalue().to_pybytes())

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _put(self, name: str, content: bytes) -> None:
        if not is_local(self._fs):  # an object store shows an object when all of it is there
            self._fs.pipe_file(self._path(name), content)
            return
        path = Path(self._path(name))
        write_atomically(path, content, path.parent)
