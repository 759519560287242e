"""Putting a folder of converted models where others fetch them: `vnlp-colab publish`.

A file is uploaded under a name that holds its hash, and the manifest last. So the store always serves whole models: the
old ones until the new manifest is there, the new ones from then on; and an upload that broke off goes on where it was.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from vnlp_colab.resources.addresses import cause, without_secrets
from vnlp_colab.resources.manifest import MANIFEST_NAME, Manifest, ResourceError, check_file
from vnlp_colab.resources.transfer import remote_filesystem

if TYPE_CHECKING:
    from collections.abc import Callable

# There a written object appears whole or not at all, and folders (or, worse, buckets) need not be made.
_OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"})


@dataclass(frozen=True)
class Published:
    """What an upload did."""

    url: str
    models: list[str]
    uploaded: list[str]
    already_there: list[str]
    size: int


def publish_models(
    folder: str | os.PathLike[str], url: str, *, replace: bool = False, progress: bool | None = None
) -> Published:
    """Upload the models of a folder, with its manifest, to a store.

    Parameters
    ----------
    folder
        What `vnlp-colab convert --output` wrote. All its files are checked before the first is sent.
    url
        `s3://bucket/path`, `file:///path`, a path, or any address fsspec can write to.
    replace
        Forget the models the store has; by default they stay, beside those of the folder.
    progress
        Show a progress bar; by default where the error stream is a terminal or a notebook.

    Raises
    ------
    ResourceError
        If a file is damaged, the address cannot be written, or a model that stays would lose a file.
    """
    url = url.rstrip("/")
    if urlsplit(url).scheme in ("http", "https"):
        raise ResourceError(
            f"{without_secrets(url)} can only be read: publish to s3://, file:// or another address that can be written"
        )
    source = Path(folder)
    manifest = _read_source(source)
    target = _Target.open(url)
    if target.local and Path(target.root).resolve() == source.resolve():
        raise ResourceError(f"{folder} cannot be published to itself: give another address")
    kept = Manifest(place=target.shown) if replace else target.manifest()
    _refuse_clashes(manifest, kept)
    uploaded, already_there = _upload_files(source, manifest, target, progress)
    models = {**kept.models, **manifest.models}
    files = {**kept.files, **{name: _published_entry(manifest, name) for name in manifest.files}}
    target.write(MANIFEST_NAME, Manifest(models, files).to_json().encode())
    size = sum(manifest.file(name).size for name in uploaded)
    return Published(target.shown, sorted(manifest.models), uploaded, already_there, size)


def _read_source(folder: Path) -> Manifest:
    manifest = Manifest.read(folder)
    if not manifest.models:
        raise ResourceError(
            f"{folder} has no models to publish (no {MANIFEST_NAME} with any): "
            f"give a folder that `vnlp-colab convert --output` wrote"
        )
    for key in manifest.models:
        manifest.files_of(key)
    for name in manifest.files:
        check_file(folder, manifest.file(name))
    return manifest


def _refuse_clashes(manifest: Manifest, kept: Manifest) -> None:
    """Files are listed by name, so a new file must not take the name of another one that a kept model needs."""
    for key in kept.models.keys() - manifest.models.keys():
        for record in kept.files_of(key):
            if record.name in manifest.files and manifest.file(record.name).sha256 != record.sha256:
                raise ResourceError(
                    f"{record.name} is another file than the one {key} uses in {kept.place}: "
                    f"publish to another address, or give --replace to take {key} out"
                )


def _upload_files(
    source: Path, manifest: Manifest, target: _Target, progress: bool | None
) -> tuple[list[str], list[str]]:
    from tqdm.auto import tqdm

    records = [manifest.file(name) for name in manifest.files]
    missing = [record for record in records if target.size(_published_path(manifest, record.name)) != record.size]
    disable = None if progress is None else not progress
    total = sum(record.size for record in missing)
    with tqdm(total=total, unit="B", unit_scale=True, unit_divisor=1024, disable=disable) as bar:
        for record in missing:
            bar.set_description(record.name)
            target.upload(check_file(source, record), _published_path(manifest, record.name))
            bar.update(record.size)
    uploaded = [record.name for record in missing]
    return uploaded, [record.name for record in records if record.name not in uploaded]


def _published_path(manifest: Manifest, name: str) -> str:
    return f"{manifest.file(name).sha256[:16]}/{name}"


def _published_entry(manifest: Manifest, name: str) -> dict[str, Any]:
    return {**manifest.files[name], "path": _published_path(manifest, name)}


@dataclass(frozen=True)
class _Target:
    """The place written to; `shown` is its address without passwords."""

    shown: str
    url: str
    filesystem: Any
    root: str
    atomic: bool
    local: bool

    @classmethod
    def open(cls, url: str) -> _Target:
        filesystem, root = remote_filesystem(url)
        protocols = filesystem.protocol if isinstance(filesystem.protocol, tuple) else (filesystem.protocol,)
        return cls(
            without_secrets(url),
            url,
            filesystem,
            root.rstrip("/"),
            not _OBJECT_STORES.isdisjoint(protocols),
            "file" in protocols,
        )

    def manifest(self) -> Manifest:
        """Return what the store serves now; nothing if it does not exist yet."""
        address = f"{self.shown}/{MANIFEST_NAME}"
        try:
            text = self.filesystem.cat_file(f"{self.root}/{MANIFEST_NAME}")
        except (FileNotFoundError, NotADirectoryError):
            return Manifest(place=address)
        except Exception as error:  # each protocol has its own errors
            raise ResourceError(f"cannot read {address} to keep what it lists: {_words(error)}") from cause(
                error, self.url
            )
        return Manifest.parse(text, address)

    def size(self, path: str) -> int | None:
        try:
            return int(self.filesystem.info(f"{self.root}/{path}")["size"])
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Exception as error:
            raise ResourceError(f"cannot look into {self.shown}: {_words(error)}") from cause(error, self.url)

    def upload(self, source: Path, path: str) -> None:
        self._put(path, lambda remote: self.filesystem.put_file(str(source), remote))
        if self.size(path) != source.stat().st_size:
            raise ResourceError(f"{path} did not arrive whole at {self.shown}: publish again")

    def write(self, path: str, content: bytes) -> None:
        self._put(path, lambda remote: self.filesystem.pipe_file(remote, content))

    def _put(self, path: str, put: Callable[[str], None]) -> None:
        remote = f"{self.root}/{path}"
        try:
            if self.atomic:
                put(remote)
            else:
                folder, _, name = remote.rpartition("/")
                temporary = f"{folder}/.{name}.{os.getpid()}.part"
                self.filesystem.makedirs(folder, exist_ok=True)
                put(temporary)
                self.filesystem.mv(temporary, remote)
        except Exception as error:
            raise ResourceError(
                f"cannot write {path} to {self.shown}: {_words(error)}; the store still serves what it served before"
            ) from cause(error, self.url)
        finally:
            self.filesystem.invalidate_cache()


def _words(error: Exception) -> str:
    return without_secrets(str(error)) or type(error).__name__
