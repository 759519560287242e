"""Keras against onnxruntime: a graph counts as converted when both give the same answer to the same inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from vnlp_colab.conversion.errors import ConversionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vnlp_colab.conversion.catalog import Input, Network

# Both sides compute in float32 and add in different orders; what that costs is about 1e-6 over 40 GRU steps.
TOLERANCE = 1e-5
_ROWS = 12

Feeds = list[np.ndarray]


def prove(network: Network, model: Any, onnx_bytes: bytes, real: Mapping[str, Feeds] | None = None) -> float:
    """Return the largest difference found; raise `ConversionError` if it or a decoded class is off.

    Inputs are random ids, random ids padded the way sentences are, and the ``real`` ones given, by name.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(onnx_bytes, options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    largest = 0.0
    for kind, arrays in {**generated_inputs(network), **(real or {})}.items():
        expected = np.asarray(model(arrays, training=False))
        (got,) = session.run(None, dict(zip(names, arrays, strict=True)))
        largest = max(largest, _compare(network, kind, expected, got))
    return largest


def generated_inputs(network: Network, *, rows: int = _ROWS, seed: int = 7) -> dict[str, Feeds]:
    """Return random inputs in the order of the signature, full ones and padded ones."""
    random = np.random.default_rng(seed)
    full = [_random_input(spec, rows, random) for spec in network.inputs]
    lengths = random.integers(0, 41, size=(rows, 2))
    padded = [_pad(spec, array.copy(), lengths, random) for spec, array in zip(network.inputs, full, strict=True)]
    return {"random": full, "padded": padded}


def _random_input(spec: Input, rows: int, random: np.random.Generator) -> np.ndarray:
    if spec.one_hot:
        chosen = random.integers(1, spec.size, size=(rows, *spec.shape[:-1]))
        return np.eye(spec.size, dtype=np.float32)[chosen]
    return random.integers(1, spec.size, size=(rows, *spec.shape), dtype=np.int32)


def _pad(spec: Input, array: np.ndarray, lengths: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Zero what lies outside the sentence, and the front of each row of pieces, characters or tags."""
    after = spec.name.startswith(("right", "surface_right", "chars"))
    for row, (left, right) in zip(array, lengths, strict=True):
        if len(spec.shape) > 1 or spec.shape[0] >= 40:
            kept = round((right if after else left) / 40 * spec.shape[0])
            row[kept if after else 0 : None if after else spec.shape[0] - kept] = 0
        if len(spec.shape) > 1 and not spec.one_hot:
            for units in row:
                units[: random.integers(0, spec.shape[-1])] = 0
    return array


def _compare(network: Network, kind: str, expected: np.ndarray, got: np.ndarray) -> float:
    if expected.shape != got.shape:
        raise ConversionError(f"{network.name}: Keras gives shape {expected.shape}, onnxruntime {got.shape}")
    difference = np.abs(expected - got)
    if not difference.max() <= TOLERANCE:  # also true for NaN
        where = np.unravel_index(int(np.argmax(difference)), difference.shape)
        raise ConversionError(
            f"{network.name}: Keras and onnxruntime differ by {difference.max():.2g} on {kind} inputs, "
            f"{_place(where)}: {expected[where]:.6f} against {got[where]:.6f} (at most {TOLERANCE:g} is allowed)"
        )
    for start, end in zip((0, *network.decisions), network.decisions, strict=False):
        wrong = expected[..., start:end].argmax(-1) != got[..., start:end].argmax(-1)
        if wrong.any():
            raise ConversionError(
                f"{network.name}: Keras and onnxruntime choose different classes on {kind} inputs, "
                f"{_place(np.argwhere(wrong)[0])}"
            )
    if not network.decisions and ((expected >= 0.5) != (got >= 0.5)).any():
        raise ConversionError(f"{network.name}: Keras and onnxruntime choose different classes on {kind} inputs")
    return float(difference.max())


def _place(where: Any) -> str:
    row, *rest = (int(index) for index in where)
    return f"row {row}" + (f", position {', '.join(map(str, rest))}" if rest else "")
