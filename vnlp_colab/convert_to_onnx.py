"""From weights to a checked ``.onnx`` file: Keras builds the network, tf2onnx converts it, onnxruntime proves it.

>>> from vnlp_colab.convert_to_onnx import convert_model
>>> result = convert_model("CharNER", weights, "NER_CharNER_prod.onnx")  # doctest: +SKIP
>>> result.max_difference <= 1e-5  # doctest: +SKIP
True
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vnlp_colab.atomic import write_atomically
from vnlp_colab.conversion import catalog, sources, vocabularies
from vnlp_colab.conversion.errors import ConversionError, WeightsError
from vnlp_colab.conversion.versions import library_versions
from vnlp_colab.resources.download import cache_dir
from vnlp_colab.resources.manifest import DamagedFileError, Manifest, check_file, write_manifest_entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "MODEL_NAMES",
    "ConversionError",
    "ConversionResult",
    "WeightsError",
    "convert",
    "convert_model",
    "model_name",
    "write_manifest_entry",
]

MODEL_NAMES = tuple(catalog.NETWORKS)

logger = logging.getLogger(__name__)

# The prepared Keras network is shared by all conversions of it, and takes their weights in turn.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class ConversionResult:
    """A file that was written, and the proof it passed."""

    path: Path
    model: str
    max_difference: float
    opset: int
    versions: Mapping[str, str]


def model_name(name: str) -> str:
    """Return the class name of a model given by class name or file stem; the error lists the valid names."""
    return catalog.network(name).name


def convert(
    name: str,
    *,
    output: str | Path | None = None,
    weights: Literal["prod", "eval"] = "prod",
    source: str = "auto",
) -> Path:
    """Convert one of upstream's models, with its vocabulary and manifest entry; return the ``.onnx`` file.

    A model that is there already, made from the same source and undamaged, is left as it is.

    Parameters
    ----------
    name
        One of `MODEL_NAMES`.
    output
        Folder to write to; the user cache by default, where the model classes find it.
    weights
        ``prod``, trained on all data, or ``eval``, trained without the test sets.
    source
        ``wheel`` (the package index), ``store`` (upstream's remote store), an address or a folder of ``.weights`` and
        ``.matrix`` files; ``auto`` takes the wheel where it has the weights and else the store.
    """
    if weights not in ("prod", "eval"):
        raise ValueError(f"weights must be 'prod' or 'eval', not {weights!r}")
    network = catalog.network(name)
    folder = cache_dir() if output is None else Path(output).expanduser()
    found = sources.find_weights(network, weights, source)
    key = network.key(weights)
    path = folder / f"{key}.onnx"
    if _is_finished(folder, key, found.source):
        logger.info("%s is already in %s", key, folder)
        return path
    arrays = found.read()
    folder.mkdir(parents=True, exist_ok=True)
    vocabularies.write_resources(network.resources.values(), folder, found.folder)
    from vnlp_colab.conversion import samples

    result = convert_model(name, arrays, path, real_inputs=samples.real_inputs(network, folder))
    resources = {role: resource.file for role, resource in network.resources.items()}
    entry = {
        "model": network.name,
        "file": path.name,
        "weights": weights,
        "source": found.source,
        "opset": result.opset,
        "max_difference": result.max_difference,
        "versions": dict(result.versions),
        "resources": resources,
        "options": dict(found.options),
    }
    write_manifest_entry(folder, key, entry, [path.name, *resources.values()])
    return path


def _is_finished(folder: Path, key: str, source: str) -> bool:
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
    with _one_at_a_time:
        model, template = _prepared(network.name)
        model.set_weights(_checked_weights(network, model, weights, float16=float16))
        onnx_bytes = graph.fill(template, model, float16=float16).SerializeToString()
        inputs = {"random": proof.random_sentences(network), **(real_inputs or {})}
        difference = proof.prove(network, model, onnx_bytes, inputs)
    path = Path(path)
    write_atomically(path, onnx_bytes, shared=True)
    return ConversionResult(path, network.name, difference, graph.OPSET, library_versions())


@cache
def _prepared(name: str) -> tuple[Any, Any]:
    """Return a network in Keras and its graph, proven on full windows with tame weights; made once a process."""
    from vnlp_colab.conversion import graph, proof

    network = catalog.network(name)
    model = graph.build_keras_model(network)
    model.set_weights(graph.probe_weights(model))
    template = graph.make_template(network, model)
    proof.prove(network, model, template.SerializeToString(), {"random": proof.random_windows(network)})
    return model, template


def _checked_weights(
    network: catalog.NetworkSpec, model: Any, weights: Sequence[np.ndarray], *, float16: bool
) -> list[np.ndarray]:
    """Return the weights as float32, after saying clearly which one does not fit."""
    wanted = [(weight.name, tuple(weight.shape)) for weight in model.weights]
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
