"""``manifest.json``: what a folder of models holds, where it came from, and the hashes to check it by."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.conversion.errors import ConversionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FORMAT = 1
NAME = "manifest.json"
_LIBRARIES = {
    "tensorflow": ("tensorflow", "tensorflow-cpu"),
    "tf_keras": ("tf_keras",),
    "tf2onnx": ("tf2onnx",),
    "onnx": ("onnx",),
    "onnxruntime": ("onnxruntime-gpu", "onnxruntime"),
}


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the folder's manifest, an empty one where there is none."""
    path = folder / NAME
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"format": FORMAT, "models": {}, "files": {}}
    except ValueError as error:
        raise ConversionError(f"{path} is not valid JSON ({error}); delete it and convert again") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ConversionError(f"{path} has another format than this version of vnlp-colab writes; use another folder")
    return manifest


def write_manifest_entry(folder: Path, key: str, entry: Mapping[str, Any], files: Iterable[str]) -> None:
    """Add or replace one model in the folder's manifest, with size and sha256 of the ``files`` that belong to it."""
    manifest = read_manifest(folder)
    manifest["models"][key] = dict(entry)
    for name in files:
        manifest["files"][name] = file_facts(folder / name)
    manifest["models"] = dict(sorted(manifest["models"].items()))
    manifest["files"] = dict(sorted(manifest["files"].items()))
    write_atomically(folder / NAME, (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode())


def is_finished(folder: Path, key: str, expected: Mapping[str, Any]) -> bool:
    """Say whether the model is there as the manifest has it: same source, all files with their hashes."""
    manifest = read_manifest(folder)
    entry = manifest["models"].get(key)
    if entry is None or any(entry.get(name) != value for name, value in expected.items()):
        return False
    for name in (entry["file"], *entry["resources"].values()):
        facts = manifest["files"].get(name)
        if facts is None or not (folder / name).is_file() or file_facts(folder / name) != facts:
            return False
    return True


def file_facts(path: Path) -> dict[str, Any]:
    """Return sha256 and size of a file."""
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
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        # mkstemp makes files for their owner alone; a model is for whoever may read the folder.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
