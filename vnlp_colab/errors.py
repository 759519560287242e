"""The base of every error this package tells a person about."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class VNLPError(Exception):
    """Something the user can act on: the message says what was wrong, with which value, and what to do.

    The command line prints the message as one line and exits with 1. Each room derives its own class where a caller
    may want to catch one kind of failure alone.
    """


def told(error: BaseException) -> str:
    """Return an error as one line for a person: a file's trouble as ``name: trouble``, without the number.

    Examples
    --------
    >>> told(FileNotFoundError(2, "No such file or directory", "a.csv"))
    'a.csv: No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Give the errors of a file its name, which those of writing lack: a full disk is told with the file.

    Examples
    --------
    >>> with naming("out.csv"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'out.csv'
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, name) from error
