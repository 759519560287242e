"""Recording what a conversion wrote in the folder's ``manifest.json``."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.resources.manifest import DamagedFileError, Manifest, check_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LIBRARIES = {
    "tensorflow": ("tensorflow", "tensorflow-cpu"),
    "tf_keras": ("tf_keras",),
    "tf2onnx": ("tf2onnx",),
    "onnx": ("onnx",),
    "onnxruntime": ("onnxruntime-gpu", "onnxruntime"),
}


def write_manifest_entry(folder: str | Path, key: str, entry: Mapping[str, Any], files: Iterable[str]) -> None:
    """Add or replace one model in the folder's manifest, with size and sha256 of the ``files`` that belong to it."""
    folder = Path(folder)
    manifest = Manifest.read(folder)
    models = {**manifest.models, key: dict(entry)}
    records = {**manifest.files, **{name: _facts(folder / name) for name in files}}
    Manifest(dict(sorted(models.items())), dict(sorted(records.items())), store=manifest.store).write(folder)


def is_finished(folder: Path, key: str, source: str) -> bool:
    """Say whether the folder has the model, made from the same source, with all its files undamaged."""
    manifest = Manifest.read(folder)
    if manifest.models.get(key, {}).get("source") != source:
        return False
    try:
        for record in manifest.files_of(key):
            check_file(folder, record)
    except DamagedFileError:
        return False
    return True


def _facts(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"sha256": digest, "size": path.stat().st_size}


def library_versions() -> dict[str, str]:
    """Return the versions of the libraries a conversion goes through."""
    versions = {}
    for name, packages in _LIBRARIES.items():
        for package in packages:
            with contextlib.suppress(PackageNotFoundError):
                versions[name] = version(package)
                break
    return versions


def write_atomically(path: Path, content: bytes) -> None:
    """Write under a temporary name and rename, so that nobody ever reads half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        temporary.chmod(0o644)  # a temporary file is private; a cache may be shared
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
