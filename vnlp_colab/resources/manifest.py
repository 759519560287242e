"""`manifest.json`: which models a folder or a store holds, and the size and sha256 of every file.

A manifest may come from a server, so nothing in it is trusted: names must be plain file names (no folders, no `..`),
and a file is used only when its bytes have the size and the hash written here.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.atomic import write_atomically
from vnlp_colab.errors import VNLPError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MANIFEST_NAME = "manifest.json"
MANIFEST_FORMAT = 1

# Letters, digits and a few signs, not beginning with a dot: neither a folder of any system nor a hidden file.
_PLAIN_NAME = re.compile(r"[\w+-][\w.+ &=@-]*", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")

_verified: set[tuple[str, int, int, str]] = set()
_verified_lock = threading.Lock()


class ResourceError(VNLPError):
    """A model file could not be found, fetched, checked or published."""


class DamagedFileError(ResourceError):
    """A file is missing or is not the one its manifest describes."""


@dataclass(frozen=True)
class FileRecord:
    """What a manifest says of one file; `location` is its path from the manifest, its name unless `path` is given."""

    name: str
    sha256: str
    size: int
    location: str


@dataclass(frozen=True)
class Manifest:
    """The content of one `manifest.json`; an empty one describes an empty folder.

    Examples
    --------
    >>> manifest = Manifest(models={"M_prod": {"file": "M.onnx"}}, files={"M.onnx": {"sha256": "0" * 64, "size": 1}})
    >>> [record.name for record in manifest.files_of("M_prod")]
    ['M.onnx']
    """

    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    place: str = ""
    store: str = ""

    @classmethod
    def parse(cls, text: str | bytes, place: str) -> Manifest:
        """Read a manifest; `place` is the path or address that errors name."""
        try:
            content = json.loads(text)
        except ValueError as error:  # also the UnicodeDecodeError of bytes that are no text
            raise ResourceError(f"{place} is not a manifest: {error}") from error
        except RecursionError as error:
            raise ResourceError(f"{place} is not a manifest: it is nested too deep") from error
        if not isinstance(content, dict):
            raise ResourceError(f"{place} is not a manifest: it holds no JSON object")
        if content.get("format") != MANIFEST_FORMAT:
            raise ResourceError(
                f"{place} has format {content.get('format')!r}, and this version of vnlp-colab reads format "
                f"{MANIFEST_FORMAT}: if it is a newer one, upgrade vnlp-colab"
            )
        tables = [content.get("models", {}), content.get("files", {})]
        for table in tables:
            if not isinstance(table, dict) or not all(isinstance(value, dict) for value in table.values()):
                raise ResourceError(f"{place} is not a manifest: `models` and `files` must be objects of objects")
        return cls(tables[0], tables[1], place, str(content.get("store", "")))

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of a folder; a folder without one is empty."""
        path = folder / MANIFEST_NAME
        try:
            return cls.parse(path.read_bytes(), str(path))
        except (FileNotFoundError, NotADirectoryError):
            return cls(place=str(path))
        except OSError as error:
            raise ResourceError(f"cannot read {path}: {error.strerror or error}") from error
        except ResourceError as error:
            raise ResourceError(f"{error}; delete it, or make the folder again with `vnlp-colab convert`") from error

    def file(self, name: object) -> FileRecord:
        """Return the checked record of one file."""
        check_file_name(name, self.place)
        record = self.files.get(str(name))
        if record is None:
            raise ResourceError(f"{self.place} names {name} but has no entry for it under `files`")
        sha256, size, location = record.get("sha256"), record.get("size"), record.get("path", name)
        if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256) or type(size) is not int or size < 0:
            raise ResourceError(f"{self.place}: the entry of {name} needs a sha256 of 64 hex digits and a size")
        for part in location.split("/") if isinstance(location, str) else [location]:
            check_file_name(part, self.place)
        return FileRecord(str(name), sha256, size, str(location))

    def files_of(self, key: str) -> list[FileRecord]:
        """Return the records of a model's file and of the files that belong to it, each once."""
        check_file_name(key, self.place)
        entry = self.models[key]
        resources = entry.get("resources", {})
        if not isinstance(resources, dict):
            raise ResourceError(f"{self.place}: `resources` of {key} must be an object (role: file name)")
        records = [self.file(name) for name in (entry.get("file"), *resources.values())]
        return list({record.name: record for record in records}.values())

    def only(self, key: str, store: str = "") -> Manifest:
        """Return the manifest of one model alone, as a snapshot of `store`."""
        files = {r.name: {"sha256": r.sha256, "size": r.size} for r in self.files_of(key)}
        return Manifest({key: self.models[key]}, files, self.place, store)

    def to_json(self) -> str:
        """Return the text of the file."""
        content: dict[str, Any] = {"format": MANIFEST_FORMAT}
        if self.store:
            content["store"] = self.store
        content |= {"models": dict(self.models), "files": dict(self.files)}
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"

    def write(self, folder: Path) -> None:
        """Write `manifest.json`."""
        write_atomically(folder / MANIFEST_NAME, self.to_json().encode(), shared=True)


def write_manifest_entry(folder: str | Path, key: str, entry: Mapping[str, Any], files: Iterable[str]) -> None:
    """Add or replace one model in the folder's manifest, with size and sha256 of the `files` that belong to it."""
    folder = Path(folder)
    manifest = Manifest.read(folder)
    models = {**manifest.models, key: dict(entry)}
    records = dict(manifest.files)
    for name in files:
        records[name] = {"sha256": _sha256(folder / name), "size": (folder / name).stat().st_size}
    Manifest(dict(sorted(models.items())), dict(sorted(records.items())), store=manifest.store).write(folder)


def check_file_name(name: object, place: str) -> None:
    """Refuse what is not the plain name of a file: folders, `..`, drive letters, the manifest itself."""
    if not isinstance(name, str) or not _PLAIN_NAME.fullmatch(name) or name == MANIFEST_NAME:
        raise ResourceError(f"{place} names {name!r}, which is not allowed: only plain file names are (no folders)")


def check_file(folder: Path, record: FileRecord, *, content: bool = True) -> Path:
    """Return the path of a file after comparing its size and, once per process, its sha256.

    The hash is remembered for the path, size and time of change, so a file that changes is read again.
    """
    path = folder / record.location
    try:
        state = path.stat()
    except OSError as error:
        raise DamagedFileError(f"{path} is listed in {MANIFEST_NAME} but cannot be read: {error.strerror}") from error
    if state.st_size != record.size:
        raise DamagedFileError(f"{path} is damaged: it has {state.st_size} bytes and should have {record.size}")
    stamp = (str(path), state.st_size, state.st_mtime_ns, record.sha256)
    if not content or stamp in _verified:
        return path
    try:
        digest = _sha256(path)
    except OSError as error:
        raise DamagedFileError(f"{path} cannot be read: {error.strerror or error}") from error
    if digest != record.sha256:
        raise DamagedFileError(f"{path} is damaged: its sha256 is {digest[:16]}… and should be {record.sha256[:16]}…")
    with _verified_lock:
        _verified.add(stamp)
    return path


def read_file(folder: Path, record: FileRecord, *, content: bool = True) -> bytes:
    """Return the content of a file after comparing its size and, if `content` says so, its sha256."""
    path = folder / record.location
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DamagedFileError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) != record.size or (content and hashlib.sha256(data).hexdigest() != record.sha256):
        raise DamagedFileError(f"{path} is damaged, or was changed while it was loaded: it is not what was checked")
    return data


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
