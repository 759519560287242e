"""A lock on a folder that dies with the process that holds it."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from typing import IO, TYPE_CHECKING, Any

from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 30  # Windows locks bytes, and nobody may read locked ones: lock one behind what the file tells


class FolderLock:
    """The file ``lock`` in a folder, locked by the operating system; it says who holds it.

    The system lets go of it when the process ends, however it ends, so there is no stale lock to clear away.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lock"
        self._handle: IO[str] | None = None

    def take(self) -> None:
        """Take the lock, or raise `TableError` that says who has it."""
        while self._handle is None:
            handle = self.path.open("a+", encoding="utf-8")
            try:
                _lock(handle)
                if not self._is_the_file(handle):  # its holder removed the folder between open and lock
                    handle.close()
                    self.path.parent.mkdir(exist_ok=True)
                    continue
            except OSError:
                told = _holder(handle)
                handle.close()
                raise TableError(
                    f"{self.path.parent}: another run is writing this output ({told}); wait for it"
                ) from None
            handle.truncate(0)
            handle.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}))
            handle.flush()
            self._handle = handle

    def release(self) -> None:
        """Let go."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None

    def _is_the_file(self, handle: IO[str]) -> bool:
        try:
            return os.path.samestat(os.fstat(handle.fileno()), self.path.stat())
        except FileNotFoundError:
            return False


def _lock(handle: IO[Any]) -> None:
    if sys.platform == "win32":
        handle.seek(_FAR)
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holder(handle: IO[str]) -> str:
    try:
        handle.seek(0)
        told = json.loads(handle.read())
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(told["since"]))
        return f"process {int(told['pid'])} on {told['host']}, since {since}"
    except (OSError, ValueError, KeyError, TypeError):
        return "process unknown"
