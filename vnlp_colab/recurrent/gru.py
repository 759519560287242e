"""GRU weights as Keras and ONNX lay them out, and the plain NumPy form of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class GRUWeights:
    """The weights of one GRU layer and direction, gates in the order z, r, h.

    Attributes
    ----------
    kernel, recurrent
        Of shape (inputs, 3 units) and (units, 3 units).
    input_bias, recurrent_bias
        Of shape (3 units,).
    """

    kernel: np.ndarray
    recurrent: np.ndarray
    input_bias: np.ndarray
    recurrent_bias: np.ndarray

    @classmethod
    def from_onnx(cls, weights: Mapping[str, np.ndarray], name: str, direction: int = 0) -> GRUWeights:
        """Read ``<name>/W``, ``/R`` and ``/B`` of an ONNX ``GRU`` node; `direction` 1 is the backward half."""
        bias = weights[f"{name}/B"][direction]
        half = bias.shape[0] // 2
        kernel = np.ascontiguousarray(weights[f"{name}/W"][direction].T)
        recurrent = np.ascontiguousarray(weights[f"{name}/R"][direction].T)
        return cls(kernel, recurrent, bias[:half], bias[half:])

    @property
    def units(self) -> int:
        """The width of the state."""
        return int(self.recurrent.shape[0])

    @property
    def bias(self) -> np.ndarray:
        """The bias that belongs to the projection: all of it but the candidate's recurrent part, which r scales."""
        bias = self.input_bias.copy()
        bias[: 2 * self.units] += self.recurrent_bias[: 2 * self.units]
        return bias

    def project(self, inputs: np.ndarray) -> np.ndarray:
        """Return what `inputs` (n, inputs) add to the gates, biases included: (n, 3 units)."""
        return np.asarray(inputs @ self.kernel + self.bias)

    def step(self, states: np.ndarray, projected: np.ndarray) -> np.ndarray:
        """Return the states after one step; the plain NumPy form, for tables made at load and for tests."""
        two = 2 * self.units
        gates = states @ self.recurrent
        # sigmoid by tanh: exact, and it cannot overflow
        zr = 0.5 * np.tanh(0.5 * (gates[:, :two] + projected[:, :two])) + 0.5
        z, r = zr[:, : self.units], zr[:, self.units :]
        candidate = np.tanh(projected[:, two:] + r * (gates[:, two:] + self.recurrent_bias[two:]))
        return np.asarray(candidate + z * (states - candidate))


def stack_from_onnx(weights: Mapping[str, np.ndarray], block: str) -> list[GRUWeights]:
    """Return the layers ``<block>/gru_0``, ``gru_1``, ... of a block."""
    layers: list[GRUWeights] = []
    while f"{block}/gru_{len(layers)}/W" in weights:
        layers.append(GRUWeights.from_onnx(weights, f"{block}/gru_{len(layers)}"))
    return layers


def pad_states(layers: Sequence[GRUWeights], pad: np.ndarray, count: int) -> list[np.ndarray]:
    """Return, for each layer, its states after 0, 1, ..., `count` steps of the vector `pad`: (count + 1, units).

    Row ``k`` is where a chain starts whose window begins with ``k`` pads.
    """
    inputs = np.repeat(np.asarray(pad, np.float32)[None], count, axis=0)
    tables = []
    for layer in layers:
        tables.append(states_after_pads(layer, layer.project(inputs), count))
        inputs = tables[-1][1:]
    return tables


def states_after_pads(layer: GRUWeights, projected: np.ndarray, count: int) -> np.ndarray:
    """Return a layer's states after 0, 1, ..., `count` pads, given their projection: of all pads or a row for each."""
    inputs = np.broadcast_to(projected, (count, 3 * layer.units))
    states = np.zeros((count + 1, layer.units), np.float32)
    for k in range(count):
        states[k + 1] = layer.step(states[k : k + 1], inputs[k : k + 1])[0]
    return states
