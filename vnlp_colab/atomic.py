"""Files that appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import secrets
from typing import IO, TYPE_CHECKING

from vnlp_colab.errors import naming

if TYPE_CHECKING:
    from collections.abc import Callable
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
    try:
        with naming(str(path)), temporary.open("wb") as stream:
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
        temporary.unlink(missing_ok=True)  # where it failed
