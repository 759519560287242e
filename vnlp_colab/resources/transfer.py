"""One attempt to transfer a file: requests for HTTP, fsspec for the other protocols; never too long, never too slow."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from vnlp_colab.resources.addresses import cause, without_secrets
from vnlp_colab.resources.manifest import ResourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHUNK = 1 << 18
# Bytes that must come in the time of silence (30 s by default) after which a server is given up: a line of 4 kbit/s
# does that, and a server that keeps a connection open with a byte now and then does not.
LEAST_BYTES = 1 << 14
# Answers that may be different in a moment; the other 4xx say that the request itself is wrong.
_PASSING_STATUS = (408, 425, 429)


class Meter:
    """Counts what comes, and stops a transfer that brings more than it should or hardly anything."""

    def __init__(self, url: str, most: int, exact: bool, seconds: float, bar: Any) -> None:
        self.url = url
        self.most = most
        self.exact = exact
        self.seconds = seconds
        self.bar = bar
        self.bytes = 0
        self._window = (time.monotonic(), 0)

    def announce(self, size: int) -> None:
        """Take note of the size the server promises."""
        self._check(size)
        self.bar.total = size

    def count(self, more: int) -> None:
        """Take note of bytes that came."""
        import requests

        self.bytes += more
        self.bar.update(more)
        self._check(self.bytes)
        now, (start, had) = time.monotonic(), self._window
        if now - start >= self.seconds:
            if self.bytes - had < LEAST_BYTES:
                raise requests.Timeout(f"{self.bytes - had} bytes in {now - start:.0f} s")
            self._window = (now, self.bytes)

    def _check(self, size: int) -> None:
        if size > self.most:
            known = f"the {self.most} bytes its manifest says" if self.exact else f"{self.most} bytes, the most allowed"
            raise _refused(self.url, f"it is longer than {known}")


class Downloader:
    """What pooch calls for each attempt: requests for HTTP, fsspec for the rest.

    pooch begins again after a ValueError or an error of requests, and after no other: a ResourceError ends it at once.

    Parameters
    ----------
    timeout
        Seconds of silence after which a server is given up.
    bar
        The progress bar.
    most, exact
        Bytes after which the transfer ends; whether that is the size of the file, or only a limit.
    """

    def __init__(self, timeout: float, bar: Any, most: int, *, exact: bool) -> None:
        self.timeout = timeout
        self.bar = bar
        self.most = most
        self.exact = exact

    def __call__(self, url: str, output_file: str, store: Any) -> None:  # noqa: ARG002
        """Fetch `url` into the file pooch made for it."""
        self.bar.reset()
        meter = Meter(url, self.most, self.exact, self.timeout, self.bar)
        over_http = urlsplit(url).scheme in ("http", "https")
        fetch = self._over_http if over_http else self._over_fsspec
        with Path(output_file).open("wb") as target:
            fetch(url, target.write, meter)

    def _over_http(self, url: str, write: Callable[[bytes], object], meter: Meter) -> None:
        import requests

        response = _in_time(lambda: _ask(url, self.timeout), self.timeout)
        with response:
            if 400 <= response.status_code < 500 and response.status_code not in _PASSING_STATUS:
                raise _refused(url, f"the server answers {response.status_code} {response.reason}")
            response.raise_for_status()
            promised = response.headers.get("Content-Length", "")
            size = int(promised) if promised.isdecimal() and "Content-Encoding" not in response.headers else None
            if size is not None:
                meter.announce(size)
            for chunk in _chunks(response):
                meter.count(len(chunk))
                write(chunk)
        if size is not None and meter.bytes < size:
            raise requests.exceptions.ChunkedEncodingError(f"{meter.bytes} of {size} bytes")

    def _over_fsspec(self, url: str, write: Callable[[bytes], object], meter: Meter) -> None:
        with _open_remote(url) as source:
            while chunk := _read_chunk(source, url):
                meter.count(len(chunk))
                write(chunk)


def _ask(url: str, timeout: float) -> Any:
    import requests

    # Packed content would hide its size.
    return requests.get(url, stream=True, timeout=timeout, headers={"Accept-Encoding": "identity"})


def _in_time(work: Callable[[], Any], seconds: float) -> Any:
    """Return what `work` returns, if it does so in time.

    requests waits for each byte of an answer's head anew, so a server may drip that too; there is no way to interrupt
    it, so the thread is left behind.
    """
    import requests

    done: list[tuple[Any, Exception | None]] = []

    def run() -> None:
        try:
            done.append((work(), None))
        except Exception as error:
            done.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    # connecting, and each of a few redirections, may take the time of silence
    thread.join(3 * seconds)
    if not done:
        raise requests.Timeout(f"no answer in {3 * seconds:g} s")
    answer, error = done[0]
    if error is not None:
        raise error
    return answer


def _chunks(response: Any) -> Iterator[bytes]:
    """Yield what comes as it comes: `iter_content` would wait for a whole chunk, byte by byte if need be."""
    import requests
    import urllib3

    while True:
        try:
            chunk = response.raw.read1(_CHUNK, decode_content=True)
        except urllib3.exceptions.ReadTimeoutError as error:
            raise requests.Timeout(str(error)) from error
        except urllib3.exceptions.HTTPError as error:
            raise requests.exceptions.ChunkedEncodingError(str(error)) from error
        if not chunk:
            return
        yield chunk


@contextlib.contextmanager
def _open_remote(url: str) -> Iterator[Any]:
    """Open an address of any protocol fsspec knows for reading; failures are ResourceErrors that name it."""
    filesystem, path = remote_filesystem(url)
    try:
        source = filesystem.open(path, "rb")
    except FileNotFoundError as error:
        raise _refused(url, "there is no such file") from cause(error, url)
    except Exception as error:  # each protocol has its own errors (botocore, paramiko, ...)
        raise _refused(url, str(error) or type(error).__name__) from cause(error, url)
    with source:
        yield source


def _read_chunk(source: Any, url: str) -> bytes:
    try:
        return bytes(source.read(_CHUNK))
    except Exception as error:
        raise _refused(url, f"the transfer broke off: {error}") from cause(error, url)


def remote_filesystem(url: str) -> tuple[Any, str]:
    """Return the fsspec filesystem of an address and the path in it."""
    import fsspec

    shown = without_secrets(url)
    try:
        filesystem, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        hint = " (`pip install 'vnlp-colab[s3]'`)" if urlsplit(url).scheme in ("s3", "s3a") else ""
        raise ResourceError(f"{shown} needs a library that is not installed{hint}: {error}") from error
    except ValueError as error:
        reason = without_secrets(str(error))
        raise ResourceError(f"{shown} is not an address that can be read: {reason}") from cause(error, url)
    filesystem.invalidate_cache()  # listings are kept per process; another one may have published meanwhile
    return filesystem, str(path)


def _refused(url: str, reason: str) -> ResourceError:
    return ResourceError(without_secrets(f"cannot fetch {url}: {reason}"))
