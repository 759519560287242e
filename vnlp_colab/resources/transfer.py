"""One attempt to transfer a file: requests for HTTP, fsspec for the other protocols."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from vnlp_colab.resources.manifest import ResourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = 1 << 18
# Answers that may be different in a moment; the other 4xx say that the request itself is wrong.
_PASSING_STATUS = (408, 425, 429)


class Downloader:
    """What pooch calls for each attempt: requests for HTTP, fsspec for the rest.

    pooch begins again after a ValueError or an error of requests, and after no other: a ResourceError ends it at once.
    """

    def __init__(self, timeout: float, bar: Any) -> None:
        self.timeout = timeout
        self.bar = bar

    def __call__(self, url: str, output_file: str, store: Any) -> None:
        """Fetch `url` into the file pooch made for it."""
        self.bar.reset()
        if urlsplit(url).scheme in ("http", "https"):
            self._over_http(url, output_file, store)
        else:
            self._over_fsspec(url, output_file)

    def _over_http(self, url: str, output_file: str, store: Any) -> None:
        import pooch
        import requests

        fetch = pooch.HTTPDownloader(progressbar=self.bar, chunk_size=_CHUNK, timeout=self.timeout)
        try:
            fetch(url, output_file, store)
        except requests.HTTPError as error:
            response = error.response
            if (
                response is not None
                and 400 <= response.status_code < 500
                and response.status_code not in _PASSING_STATUS
            ):
                raise _refused(url, f"the server answers {response.status_code} {response.reason}") from error
            raise

    def _over_fsspec(self, url: str, output_file: str) -> None:
        with _open_remote(url) as source, Path(output_file).open("wb") as target:
            while chunk := _read_chunk(source, url):
                target.write(chunk)
                self.bar.update(len(chunk))


@contextlib.contextmanager
def _open_remote(url: str) -> Iterator[Any]:
    """Open an address of any protocol fsspec knows for reading; failures are ResourceErrors that name it."""
    filesystem, path = remote_filesystem(url)
    try:
        source = filesystem.open(path, "rb")
    except FileNotFoundError as error:
        raise _refused(url, "there is no such file") from error
    except Exception as error:  # each protocol has its own errors (botocore, paramiko, ...)
        raise _refused(url, str(error) or type(error).__name__) from error
    with source:
        yield source


def _read_chunk(source: Any, url: str) -> bytes:
    try:
        return bytes(source.read(_CHUNK))
    except Exception as error:
        raise _refused(url, f"the transfer broke off: {error}") from error


def remote_filesystem(url: str) -> tuple[Any, str]:
    """Return the fsspec filesystem of an address and the path in it."""
    import fsspec

    try:
        filesystem, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        hint = " (`pip install 'vnlp-colab[s3]'`)" if urlsplit(url).scheme in ("s3", "s3a") else ""
        raise ResourceError(f"{url} needs a library that is not installed{hint}: {error}") from error
    except ValueError as error:
        raise ResourceError(f"{url} is not an address that can be read: {error}") from error
    filesystem.invalidate_cache()  # listings are kept per process; another one may have published meanwhile
    return filesystem, str(path)


def _refused(url: str, reason: str) -> ResourceError:
    return ResourceError(f"cannot fetch {url}: {reason}")
