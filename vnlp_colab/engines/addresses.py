"""Inputs by address: files, folders, globs, here or wherever fsspec reaches (``s3://bucket/folder``)."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.engines.worker import EngineError
from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.formats import is_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def file_system(address: str) -> tuple[Any, str]:
    """Return the file system of an address and the path in it."""
    import fsspec

    try:
        fs, path = fsspec.core.url_to_fs(address)
    except ImportError as error:  # a protocol whose package is not installed
        raise EngineError(f"{address}: {error}") from None
    except ValueError as error:
        raise TableError(f"{address}: {error}") from None
    return fs, str(path)


def is_local(fs: Any) -> bool:
    """Whether a file system is this machine's own."""
    from fsspec.implementations.local import LocalFileSystem

    return isinstance(fs, LocalFileSystem)


def find_tables(inputs: Iterable[str | Path]) -> list[str]:
    """Return the address of every table that files, folders and globs name: in their order, each once.

    A folder gives the tables that lie in it, in the order of their names, as the plain command reads it; ``**`` in a
    glob reaches those below.
    """
    found: dict[str, None] = {}
    for one in inputs:
        address = str(one)
        fs, path = file_system(address)
        if any(mark in path for mark in "*?[") and not fs.exists(path):
            paths = sorted(file for file in fs.glob(path) if fs.isfile(file))
        elif fs.isdir(path):
            paths = sorted(file for file in fs.ls(path, detail=False) if is_table(Path(file)) and fs.isfile(file))
        elif fs.exists(path):
            paths = [path]
        else:
            raise TableError(f"{address}: no such file")
        if not paths:
            raise TableError(f"{address}: no table is there")
        found |= dict.fromkeys(str(file) if is_local(fs) else fs.unstrip_protocol(file) for file in paths)
    if not found:
        raise TableError("name at least one input: a file, a folder, a glob or an address such as s3://bucket/folder")
    return list(found)


def version_of(address: str) -> str:
    """Return what changes when the file does: a digest of what its file system says of it (size, time, tag)."""
    fs, path = file_system(address)
    return str(fs.ukey(path))


@contextlib.contextmanager
def as_local_file(address: str) -> Iterator[Path]:
    """Give the file at an address as one on this machine; a copy of a remote one is gone in the end."""
    fs, path = file_system(address)
    if is_local(fs):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="vnlp-colab-") as folder:
        copy = Path(folder) / Path(path).name
        try:
            fs.get_file(path, str(copy))
        except FileNotFoundError:
            raise TableError(f"{address}: no such file") from None
        yield copy
