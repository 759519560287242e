"""The versions of the libraries a conversion goes through."""

from __future__ import annotations

import contextlib
from importlib.metadata import PackageNotFoundError, version

# Name in the manifest -> the packages it may come as.
_LIBRARIES = {
    "tensorflow": ("tensorflow", "tensorflow-cpu"),
    "tf_keras": ("tf_keras",),
    "tf2onnx": ("tf2onnx",),
    "onnx": ("onnx",),
    "onnxruntime": ("onnxruntime-gpu", "onnxruntime"),
}


def library_versions() -> dict[str, str]:
    """Return the versions that are installed, by name."""
    versions = {}
    for name, packages in _LIBRARIES.items():
        for package in packages:
            with contextlib.suppress(PackageNotFoundError):
                versions[name] = version(package)
                break
    return versions
