"""Input files as bytes: unpacked while they are read, hashed as they pass, and checked for changes at the end."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import shutil
import stat
import sys
import tempfile
import weakref
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

import pyarrow as pa

from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BLOCK = 1 << 20
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x04\x22\x4d\x18", "lz4"),
)
_UNPACK: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda raw: gzip.GzipFile(fileobj=raw),
    "bz2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zstd": lambda raw: pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd"),
    "lz4": lambda raw: pa.CompressedInputStream(pa.PythonFile(raw, "r"), "lz4"),
}


class InputFile:
    """One file to be read. What is no regular file (a pipe, the standard input) is kept in a file without a name.

    A file without a name is gone with the process that made it, however that ends.
    """

    def __init__(self, path: Path, spool: IO[bytes] | None = None) -> None:
        self.path = path
        self.sha256 = ""
        self._spool = spool
        if spool is not None:
            weakref.finalize(self, spool.close)
        self._seen = self._stat()
        with self._told(), self._raw() as raw:
            start = raw.read(8)
        self.compression = next((name for mark, name in _MAGIC if start.startswith(mark)), "")

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self._seen[0]

    @contextmanager
    def read(self, *, hashed: bool = False) -> Iterator[BinaryIO]:
        """Give the unpacked bytes; with `hashed`, ``sha256`` is that of the file when they have been read."""
        digest = hashlib.sha256() if hashed else None
        with self._told(), self._raw() as raw:
            source = raw if digest is None else io.BufferedReader(_Hashing(raw, digest.update), _BLOCK)
            if self.compression:
                yield cast("BinaryIO", io.BufferedReader(_UNPACK[self.compression](source), _BLOCK))
            else:
                yield source
            if digest is not None:
                while source.read(_BLOCK):  # what stands behind the end of the packed data
                    pass
                self.sha256 = digest.hexdigest()

    def random_access(self) -> BinaryIO:
        """Return the file open for reading anywhere in it, unpacked to a file without a name where that is needed."""
        if not self.compression:
            return self._raw()
        unpacked = cast("BinaryIO", tempfile.TemporaryFile(prefix="vnlp-colab-"))  # noqa: SIM115 - the caller closes it
        with self.read() as stream:
            shutil.copyfileobj(stream, unpacked, _BLOCK)
        unpacked.seek(0)
        return unpacked

    def hash(self) -> None:
        """Find ``sha256`` without reading the content."""
        with self._told(), self._raw() as raw:
            self.sha256 = _sha256(raw).hexdigest()

    def check_unchanged(self) -> None:
        """Raise `TableError` if the file is not what it was when it was opened."""
        if self._spool is not None:
            return
        try:
            with self._raw() as raw:
                same = self._stat() == self._seen and _sha256(raw).hexdigest() == self.sha256
        except (OSError, TableError):
            same = False
        if not same:
            raise TableError(f"{self.path}: the file changed while it was being analysed; run again with --restart")

    def _stat(self) -> tuple[int, int, int]:
        if self._spool is not None:
            return os.fstat(self._spool.fileno()).st_size, 0, 0
        with self._told():
            found = self.path.stat()
        return found.st_size, found.st_mtime_ns, found.st_ino

    def _raw(self) -> BinaryIO:
        if self._spool is None:
            return self.path.open("rb", buffering=_BLOCK)
        self._spool.seek(0)
        return os.fdopen(os.dup(self._spool.fileno()), "rb", buffering=_BLOCK)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, zlib.error, lzma.LZMAError, pa.ArrowException, OSError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            packed = f"damaged {self.compression} data: " if getattr(self, "compression", "") else ""
            raise TableError(f"{self.path}: {packed}{reason}") from None


def _sha256(raw: BinaryIO) -> hashlib._Hash:
    return hashlib.file_digest(cast("Any", raw), "sha256")


def open_file(path: str | Path) -> InputFile:
    """Return the file at `path`; pipes and ``-`` (the standard input) are read to their end first."""
    if str(path) == "-":
        stdin = sys.stdin
        if stdin is None or stdin.closed:
            raise TableError("-: the standard input is closed; name a file")
        return InputFile(Path("standard input"), _spooled(stdin.buffer, "standard input"))
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise TableError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise TableError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISREG(mode):
        return InputFile(path)
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        raise TableError(f"{path}: not a file, a folder or a pipe")
    try:
        with path.open("rb") as pipe:
            return InputFile(path, _spooled(pipe, str(path)))
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}") from None


def _spooled(stream: IO[bytes], name: str) -> IO[bytes]:
    spool = tempfile.TemporaryFile(prefix="vnlp-colab-")  # noqa: SIM115 - lives as long as the input
    try:
        shutil.copyfileobj(stream, spool, _BLOCK)
    except OSError as error:
        spool.close()
        raise TableError(f"{name}: cannot be kept in {tempfile.gettempdir()} ({error.strerror or error})") from None
    spool.flush()
    return cast("IO[bytes]", spool)


class _Hashing(io.RawIOBase):
    """A raw face of a file that shows every byte to a hash."""

    def __init__(self, raw: BinaryIO, see: Callable[[Any], object]) -> None:
        self._raw = raw
        self._see = see

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = int(self._raw.readinto(buffer))  # type: ignore[attr-defined]
        self._see(memoryview(buffer)[:count])
        return count
