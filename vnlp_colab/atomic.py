"""Files that appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def write_atomically(
    path: Path,
    content: bytes | Callable[[IO[bytes]], object],
    folder: Path | None = None,
    *,
    shared: bool = False,
) -> None:
    """Write under a temporary name, flush to disk and rename: a reader sees the old file or the new one, never a half.

    Parameters
    ----------
    path
        The file.
    content
        Its bytes, or what writes them to a stream.
    folder
        Where it lies meanwhile, on the same disk; by default the folder of `path`, which is made if it is not there.
    shared
        Let everybody read it, as in a cache that may be shared; by default the process's umask says who may.
    """
    if folder is None:
        folder = path.parent
        folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{path.name}.{secrets.token_hex(4)}.tmp"
    with _naming(path, temporary):
        try:
            with temporary.open("wb") as stream:
                if callable(content):
                    content(stream)
                else:
                    stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            if shared:
                temporary.chmod(0o644)
            temporary.replace(path)
        finally:
            with suppress(OSError):  # there is none where all went well, or where it could not be made
                temporary.unlink()


@contextmanager
def _naming(path: Path, temporary: Path) -> Iterator[None]:
    """Give errors the name of the file that was asked for; they have the temporary one, or none where a disk is full.

    Those of other files, which the content may be read from, keep theirs.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
