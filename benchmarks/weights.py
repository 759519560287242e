"""The weights of a model file in a Keras network, so that every side of a comparison computes with the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.recurrent.graph import read_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import numpy as np


def fill_network(layers: Iterable[Any], path: Path) -> None:
    """Give Keras layers (of Keras 2 or 3) the weights that bear their names in a model file.

    Keras 3 allows no ``/`` in names, so a ``.`` stands for it there.
    """
    arrays = read_weights(path)
    for layer in layers:
        if not layer.weights:
            continue
        name = layer.name.replace(".", "/")
        wanted = _keras_arrays(arrays, name)
        layer.set_weights([array.reshape(weight.shape) for array, weight in zip(wanted, layer.weights, strict=True)])


def _keras_arrays(arrays: Mapping[str, np.ndarray], name: str) -> list[np.ndarray]:
    if name in arrays:  # an embedding
        return [arrays[name]]
    if f"{name}/kernel" in arrays:
        return [arrays[f"{name}/kernel"], arrays[f"{name}/bias"]]
    found = []
    for kernel, recurrent, bias in zip(*(arrays[f"{name}/{part}"] for part in "WRB"), strict=True):
        found += [kernel.T, recurrent.T, bias.reshape(2, -1)]
    return found
