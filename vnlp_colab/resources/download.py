"""Fetching one file into a folder: checked, retried, renamed into place only when it is whole."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from vnlp_colab.resources.addresses import cause, without_secrets
from vnlp_colab.resources.manifest import ResourceError, check_file_name
from vnlp_colab.resources.transfer import Downloader

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS = 30.0
RETRIES = 2
# The most that is written of a file whose size nobody said; upstream's largest is 0.1 GB.
MOST_BYTES = 4 << 30
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class OfflineError(ResourceError):
    """The network was needed and VNLP_COLAB_OFFLINE forbids it."""


def cache_dir() -> Path:
    """Return the folder of converted and downloaded models: VNLP_COLAB_CACHE, or the user's cache folder.

    Examples
    --------
    >>> cache_dir().is_absolute()
    True
    """
    named = os.environ.get("VNLP_COLAB_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    try:
        return Path(platformdirs.user_cache_dir("vnlp-colab", appauthor=False))
    except RuntimeError:  # a user without a home: embedded models need no cache, and nothing can be kept anywhere
        return Path(os.devnull) / "no home folder, set VNLP_COLAB_CACHE"


def is_offline() -> bool:
    """Say whether VNLP_COLAB_OFFLINE is set (to anything but 0, false, no or off)."""
    return os.environ.get("VNLP_COLAB_OFFLINE", "").strip().casefold() not in ("", "0", "false", "no", "off")


def is_network(url: str) -> bool:
    """Say whether an address leaves this machine; `file://` addresses and plain paths do not."""
    scheme = urlsplit(url).scheme
    # One letter before the colon is a drive of Windows.
    return len(scheme) > 1 and scheme not in ("file", "local")


def download_resource(
    file_name: str,
    file_url: str,
    cache_dir: str | os.PathLike[str] | None = None,
    known_hash: str | None = None,
    *,
    size: int | None = None,
    retries: int = RETRIES,
    timeout: float | None = None,
    progress: bool | None = None,
) -> Path:
    """Return the path of a file, downloading it only where it is not in the cache yet.

    The download goes to a temporary name in the same folder, its hash is compared, and only then is it renamed: a file
    of that name is always whole, and two processes that fetch it at once do no harm.

    Parameters
    ----------
    file_name
        Plain name the file gets in the cache.
    file_url
        Address of the file: `http(s)://`, `file://`, a path, `s3://` or any other protocol of fsspec.
    cache_dir
        Folder to keep it in; by default that of :func:`cache_dir`.
    known_hash
        Its sha256. A cached file with another one is fetched again. Without it a cached file is taken as it is.
    size
        Its size in bytes: what is longer is given up as soon as that shows. Without it, what is longer than 4 GiB.
    retries
        How often a failed or damaged transfer is begun again, after 1 s, 2 s and so on.
    timeout
        Seconds of silence after which a server is given up; default VNLP_COLAB_TIMEOUT or 30. One that brings less
        than 16 KiB in that time is given up too.
    progress
        Show a progress bar; by default where the error stream is a terminal or a notebook.

    Raises
    ------
    ResourceError
        Naming the file, the address and what to do.
    """
    check_file_name(file_name, "file_name")
    folder = _default_cache_dir() if cache_dir is None else Path(cache_dir).expanduser().absolute()
    path = folder / file_name
    if _is_cached(path, known_hash):
        return path
    if is_offline() and is_network(file_url):
        raise OfflineError(
            f"{file_name} is not in {folder} and VNLP_COLAB_OFFLINE is set: unset it to download "
            f"{without_secrets(file_url)}, "
            f"or put the file there"
        )
    fetch_file(path, file_url, known_hash, size=size, retries=retries, timeout=timeout, progress=progress)
    return path


_default_cache_dir = cache_dir  # download_resource has a parameter of that name


def fetch_file(
    path: Path,
    url: str,
    known_hash: str | None = None,
    *,
    size: int | None = None,
    most: int = MOST_BYTES,
    retries: int = RETRIES,
    timeout: float | None = None,
    progress: bool | None = None,
) -> None:
    """Download a file whatever is there already, as :func:`download_resource` says; `most` is a limit of its size."""
    import pooch

    logger.info("downloading %s to %s", without_secrets(url), path.parent)
    store = pooch.create(
        path=path.parent,
        base_url="",
        registry={path.name: known_hash},
        urls={path.name: url},
        retry_if_failed=retries,
    )
    with (
        writing_to(path.parent, path.name),
        _told_to_a_person(path.name, url),
        _quiet_pooch(),
        _progress_bar(path.name, progress) as bar,
    ):
        limit = most if size is None else size
        downloader = Downloader(_timeout(timeout), bar, limit, exact=size is not None)
        store.fetch(path.name, downloader=downloader)
    with contextlib.suppress(OSError):
        path.chmod(0o644)  # temporary files are private; a cache may be shared by the users of a machine


def _is_cached(path: Path, known_hash: str | None) -> bool:
    import pooch

    try:
        return path.is_file() and bool(pooch.hashes.hash_matches(str(path), known_hash))
    except OSError:  # unreadable is as good as absent: the download replaces it or says why it cannot
        return False


def _timeout(given: float | None) -> float:
    if given is not None:
        return given
    text = os.environ.get("VNLP_COLAB_TIMEOUT", "")
    try:
        seconds = float(text) if text else TIMEOUT_SECONDS
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ResourceError(f"VNLP_COLAB_TIMEOUT must be a number of seconds above 0, not {text!r}")
    return seconds


@contextlib.contextmanager
def _told_to_a_person(file_name: str, url: str) -> Iterator[None]:
    """Turn the errors of requests and pooch into one sentence that says what to do."""
    import requests

    start = f"{file_name} could not be fetched from {without_secrets(url)}"
    online = "check the network and the address, or set VNLP_COLAB_OFFLINE=1 to work with local models only"
    try:
        yield
    except requests.Timeout as error:
        raise _too_slow(start) from cause(error, url)
    except requests.HTTPError as error:
        told = without_secrets(str(error))
        raise ResourceError(f"{start}: the server fails ({told}); try again later") from cause(error, url)
    except requests.exceptions.ChunkedEncodingError as error:
        raise ResourceError(f"{start}: the transfer broke off each time; try again") from cause(error, url)
    except requests.ConnectionError as error:
        raise ResourceError(f"{start}: no connection to the server; {online}") from cause(error, url)
    except requests.exceptions.InvalidURL as error:  # its words may hold a piece of a password
        escaped = "special characters of a password are written as %23 for #, %2F for / and so on"
        raise ResourceError(f"{start}: the address is not well-formed; {escaped}") from cause(error, url)
    except requests.RequestException as error:
        raise ResourceError(f"{start}: {without_secrets(str(error))}; {online}") from cause(error, url)
    except ResourceError:
        raise
    except ValueError as error:  # pooch's word for a wrong hash
        raise ResourceError(
            f"{start}: what arrived is not the expected file (wrong sha256), so it was deleted; "
            f"try again, and if it stays so, the file there and its manifest do not belong together"
        ) from cause(error, url)


def _too_slow(start: str) -> ResourceError:
    return ResourceError(
        f"{start}: the server did not answer in time, or sends hardly anything; try again, "
        f"or give it longer with VNLP_COLAB_TIMEOUT (seconds)"
    )


@contextlib.contextmanager
def writing_to(folder: Path, file_name: str) -> Iterator[None]:
    """Turn what the disk refuses into one sentence that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise ResourceError(
                f"{file_name} does not fit on the disk of {folder} ({error.strerror}): "
                f"free some space or set VNLP_COLAB_CACHE to a folder on another disk"
            ) from error
        raise ResourceError(
            f"{file_name} cannot be written to {folder} ({error.strerror or error}): "
            f"set VNLP_COLAB_CACHE to a folder you may write to"
        ) from error


@contextlib.contextmanager
def _progress_bar(name: str, progress: bool | None) -> Iterator[Any]:
    from tqdm.auto import tqdm

    disable = None if progress is None else not progress
    with tqdm(total=0, desc=name, unit="B", unit_scale=True, unit_divisor=1024, disable=disable) as bar:
        yield bar


@contextlib.contextmanager
def _quiet_pooch() -> Iterator[None]:
    """Keep pooch's own messages off the error stream: ours say the same."""
    import pooch

    log = pooch.get_logger()
    level = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(level)
