"""Keras against onnxruntime: a graph counts as converted when both give the same answer to the same inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from vnlp_colab.conversion.errors import ConversionError
from vnlp_colab.conversion.graph import quiet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vnlp_colab.conversion.catalog import InputSpec, NetworkSpec

# Both sides compute in float32 and add in different orders. On sentences that costs 1e-6 to 6e-6.
TOLERANCE = 1e-5
_ROWS = 12
# The trained TreeStackDP amplifies rounding on long nonsense: at 40 random words on each side, Keras itself is 1e-4
# away from its own result in float64 (figures in docs/parity.md). Ten words on each side are a sentence of common
# length; full windows are proven with tame weights, when the graph is made.
_SENTENCE_WORDS = 10

Feeds = list[np.ndarray]


def prove(network: NetworkSpec, model: Any, onnx_bytes: bytes, inputs: Mapping[str, Feeds]) -> float:
    """Return the largest difference found; raise `ConversionError` if it or a decoded class is off.

    ``inputs`` are arrays in the order of the signature, under a name for the error to tell.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(onnx_bytes, options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    largest = 0.0
    for kind, arrays in inputs.items():
        with quiet("tensorflow"):  # it finds it strange that batches differ in size
            expected = model.predict_on_batch(arrays)  # compiled, unlike a plain call
        (got,) = session.run(None, dict(zip(names, arrays, strict=True)))
        largest = max(largest, _compare(network, kind, expected, got))
    return largest


def random_windows(network: NetworkSpec, *, rows: int = _ROWS, seed: int = 7) -> Feeds:
    """Return random inputs without any padding, in the order of the signature."""
    random = np.random.default_rng(seed)
    return [_random_input(spec, rows, random) for spec in network.inputs]


def random_sentences(network: NetworkSpec, *, rows: int = _ROWS, seed: int = 8) -> Feeds:
    """Return random inputs padded the way sentences of up to 21 words are, in the order of the signature."""
    random = np.random.default_rng(seed)
    words = random.integers(0, _SENTENCE_WORDS + 1, size=(rows, 2))
    return [_pad(spec, _random_input(spec, rows, random), words, random) for spec in network.inputs]


def _random_input(spec: InputSpec, rows: int, random: np.random.Generator) -> np.ndarray:
    if spec.one_hot:
        chosen = random.integers(1, spec.size, size=(rows, *spec.shape[:-1]))
        return np.eye(spec.size, dtype=np.float32)[chosen]
    return random.integers(1, spec.size, size=(rows, *spec.shape), dtype=np.int32)


def _pad(spec: InputSpec, array: np.ndarray, words: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Zero what lies outside the sentence, and the front of each row of pieces, characters or tags."""
    after = spec.name.startswith(("right", "surface_right", "chars"))
    is_text = len(spec.shape) == 1 and spec.name in ("chars", "pieces")
    is_context = is_text or spec.one_hot or "left" in spec.name or "right" in spec.name
    for row, (left, right) in zip(array, words, strict=True):
        kept = len(row)
        if is_context:
            kept = 8 * (left + right) if is_text else right if after else left
        row[kept if after else 0 : None if after else len(row) - kept] = 0
        if len(spec.shape) > 1 and not spec.one_hot:
            for units in row:
                units[: random.integers(0, len(units))] = 0
    return array


def _compare(network: NetworkSpec, kind: str, expected: np.ndarray, got: np.ndarray) -> float:
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
