"""Parts of an unfinished result and the journal of those that are done, in a folder beside the output."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from vnlp_colab.atomic import write_atomically
from vnlp_colab.tables.errors import TableError
from vnlp_colab.tables.identity import difference
from vnlp_colab.tables.lock import FolderLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_PROGRAM = "vnlp-colab"
_OURS = re.compile(r"journal\.jsonl|lock|part-\d+\.arrow|\..*\.tmp|part-\d+")
_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")


@dataclass(frozen=True)
class Part:
    """A finished part: its number, what is in it (``empty`` counts the rows without a token), how long it took."""

    number: int
    rows: int
    tokens: int
    empty: int
    seconds: float
    sha256: str


class Journal:
    """The folder ``OUTPUT.parts`` with one Arrow file a part and ``journal.jsonl``, one line a finished part.

    A part is written under a temporary name, flushed to disk and renamed, and only then entered in the journal with
    its hash; so whatever the moment of a crash, a part in the journal is whole. Parts are data alone: reading one that
    somebody else put there runs nothing. A folder without a journal of ours is left alone.
    """

    def __init__(self, output: Path) -> None:
        self.folder = output.with_name(output.name + ".parts")
        self.parts: list[Part] = []
        self._output = output
        self._file = self.folder / "journal.jsonl"
        self._lock = FolderLock(self.folder)

    @contextmanager
    def held(self) -> Iterator[Journal]:
        """Hold the folder, which nobody else may then write to; an empty one is removed at the end."""
        try:
            self.folder.mkdir(exist_ok=True)
            known = list(self.folder.iterdir())
        except OSError as error:
            raise TableError(f"{self.folder}: {error.strerror}") from None
        if [path for path in known if path.name != "lock"] and not self._is_ours():
            raise TableError(
                f"{self.folder}: this folder is not one of {_PROGRAM}'s (it has no journal of its own) and would be in "
                "the way; move it, or choose another output"
            )
        with _told(self.folder):
            self._lock.take()
        try:
            yield self
        finally:
            if self.folder.exists() and not self._file.exists():
                self._remove_ours()
            self._lock.release()

    def told(self) -> dict[str, Any]:
        """Return what the unfinished run says of itself; nothing if there is none."""
        lines = self._lines()
        return lines[0] if lines else {}

    def start(self, identity: dict[str, Any], *, restart: bool) -> None:
        """Begin anew; finished parts of an earlier run are only removed if that is said."""
        count = max(0, len(self._lines()) - 1) if self._file.exists() and not restart else 0
        if count:
            raise TableError(
                f"{self.folder}: an unfinished run left {count} finished part{'s' if count > 1 else ''}; "
                "go on with --resume (resume=True) or start again with --restart (restart=True)"
            )
        for path in self.folder.iterdir():
            if _OURS.fullmatch(path.name) and path.name != "lock":
                path.unlink()
        self.parts = []
        self._append({"program": _PROGRAM, **identity})

    def resume(self, identity: dict[str, Any]) -> None:
        """Take over the finished parts of an earlier run of the same job; begin anew if there was none."""
        lines = self._lines()
        if not lines:
            self.start(identity, restart=True)
            return
        if differs := difference(lines[0], {"program": _PROGRAM, **identity}):
            raise TableError(
                f"{self.folder}: the unfinished run is another job ({differs}); "
                "go on with what it was begun with, or start again with --restart (restart=True)"
            )
        self.parts = []
        for number, line in enumerate(lines[1:]):
            part = self._part(line, number + 2)
            path = self.path(number)
            if part.number != number or not path.is_file() or _sha256(path) != part.sha256:
                break  # missing or damaged: from here on it is done again
            self.parts.append(part)
        # Rewrite it: the last line may be torn, and a line after a missing part must not count later.
        text = "".join(map(_line, [lines[0], *map(asdict, self.parts)]))
        self._put(self._file, text.encode())

    def write(self, table: pa.Table, tokens: int, empty: int, seconds: float) -> None:
        """Write the next part and enter it in the journal."""
        number = len(self.parts)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=_OPTIONS) as writer:
            writer.write_table(table)
        data = sink.getvalue()
        self._put(self.path(number), data)
        part = Part(number, len(table), tokens, empty, round(seconds, 3), hashlib.sha256(data).hexdigest())
        self._append(asdict(part))
        self.parts.append(part)

    def tables(self) -> Iterator[pa.Table]:
        """Yield the finished parts."""
        for part in self.parts:
            path = self.path(part.number)
            try:
                with pa.OSFile(str(path)) as handle, pa.ipc.open_stream(handle) as reader:
                    table = reader.read_all()
            except (pa.ArrowException, OSError) as error:
                raise TableError(f"{path}: damaged ({error}); run again with --resume") from None
            yield table

    def path(self, number: int) -> Path:
        """Return where a part lies."""
        return self.folder / f"part-{number:06d}.arrow"

    def finish(self, write: Callable[[IO[bytes]], object]) -> None:
        """Write the output, which appears whole or not at all, and remove the parts."""
        self._put(self._output, write)
        self._remove_ours()

    def _remove_ours(self) -> None:
        """Remove our files and then the folder, unless somebody put another file there."""
        if sys.platform == "win32":  # where an open file cannot be removed
            self._lock.release()
        paths = sorted(self.folder.iterdir(), key=lambda path: path.name == "journal.jsonl")  # last: a crash can go on
        for path in paths:
            if _OURS.fullmatch(path.name):
                path.unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _is_ours(self) -> bool:
        try:
            with self._file.open("rb") as handle:
                first = json.loads(handle.readline(1 << 20))
        except (OSError, ValueError, RecursionError):
            return False
        return isinstance(first, dict) and (first.get("program") == _PROGRAM or first.get("journal") == 1)

    def _lines(self) -> list[dict[str, Any]]:
        try:
            text = self._file.read_bytes()
        except FileNotFoundError:
            return []
        lines = []
        written = text.split(b"\n")
        for number, line in enumerate(written[:-1], 1):  # what follows the last line end was torn by the crash
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise self._garbage(number)
            lines.append(value)
        return lines

    def _part(self, line: dict[str, Any], number: int) -> Part:
        kinds = {"rows": int, "tokens": int, "empty": int, "number": int, "seconds": int | float, "sha256": str}
        if set(line) != {field.name for field in fields(Part)} or not all(
            isinstance(line[key], kind) for key, kind in kinds.items()
        ):
            raise self._garbage(number)
        return Part(**line)

    def _garbage(self, number: int) -> TableError:
        return TableError(f"{self._file}, line {number}: not a line of {_PROGRAM}; start again with --restart")

    def _put(self, path: Path, content: bytes | Callable[[IO[bytes]], object]) -> None:
        with _told(path):
            write_atomically(path, content, self.folder)

    def _append(self, line: dict[str, Any]) -> None:
        with _told(self._file), self._file.open("ab") as handle:
            handle.write(_line(line).encode())
            handle.flush()
            os.fsync(handle.fileno())


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value) + "\n"


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Name the file where a system's error does not (a full disk)."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        raise TableError(f"{path}: {error.strerror or error}") from error
