"""From weights to a checked ``.onnx`` file: Keras builds the network, tf2onnx converts it, onnxruntime proves it.

>>> from vnlp_colab.convert_to_onnx import convert_model
>>> result = convert_model("CharNER", weights, "NER_CharNER_prod.onnx")  # doctest: +SKIP
>>> result.max_difference <= 1e-5  # doctest: +SKIP
True
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.conversion import catalog, manifest
from vnlp_colab.conversion.errors import ConversionError, WeightsError
from vnlp_colab.conversion.manifest import write_manifest_entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ConversionError", "ConversionResult", "WeightsError", "convert_model", "write_manifest_entry"]


@dataclass(frozen=True)
class ConversionResult:
    """A file that was written, and the proof it passed."""

    path: Path
    model: str
    max_difference: float
    opset: int
    versions: Mapping[str, str]


def convert_model(
    name: str,
    weights: Sequence[np.ndarray],
    path: str | Path,
    *,
    float16: bool = False,
    real_inputs: Mapping[str, list[np.ndarray]] | None = None,
) -> ConversionResult:
    """Convert one network and write it once Keras and onnxruntime agree on it.

    Parameters
    ----------
    name
        Class name or file stem of the network, such as ``"SPUContextPoS"`` or ``"PoS_SPUContext"``.
    weights
        The arrays of ``model.get_weights()``, in that order.
    path
        The ``.onnx`` file to write, replaced atomically.
    float16
        Round the weights to float16 and store them so. The rounded weights are then the model: the graph computes in
        float32 with exactly these values, and Keras is held against the same.
    real_inputs
        More inputs to prove the graph on, beside random ones: by name, arrays in the order of the signature.

    Raises
    ------
    ConversionError
        If the weights do not fit, or Keras and onnxruntime differ; the file is not written then.
    """
    from vnlp_colab.conversion import graph, proof

    network = catalog.network(name)
    model = graph.build_keras_model(network)
    model.set_weights(_checked_weights(network, model, weights, float16=float16))
    onnx_bytes = graph.to_onnx(network, model, float16=float16).SerializeToString()
    difference = proof.prove(network, model, onnx_bytes, real_inputs)
    path = Path(path)
    manifest.write_atomically(path, onnx_bytes)
    return ConversionResult(path, network.name, difference, graph.OPSET, manifest.library_versions())


def _checked_weights(
    network: catalog.Network, model: object, weights: Sequence[np.ndarray], *, float16: bool
) -> list[np.ndarray]:
    """Return the weights as float32, after saying clearly which one does not fit."""
    wanted = [(weight.name, tuple(weight.shape)) for weight in model.weights]  # type: ignore[attr-defined]
    if len(weights) != len(wanted):
        raise WeightsError(f"{network.name} has {len(wanted)} weight arrays, but {len(weights)} were given")
    checked = []
    for index, ((name, shape), array) in enumerate(zip(wanted, weights, strict=True)):
        array = np.asarray(array)
        if array.shape != shape:
            raise WeightsError(f"{network.name}: weight {index} ({name}) must have shape {shape}, not {array.shape}")
        if float16:
            with np.errstate(over="ignore"):  # what overflows is infinite, and told below
                array = array.astype(np.float16)
        array = array.astype(np.float32)
        if not np.isfinite(array).all():
            raise WeightsError(f"{network.name}: weight {index} ({name}) holds values that are not finite")
        checked.append(array)
    return checked
