"""The joint network's weights: as training hands them over, as the graphs hold them, and rounded to eight bits."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from vnlp_colab.errors import VNLPError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Arrays = dict[str, np.ndarray]
Activation = Literal["relu", "gelu"]
Range = tuple[float, float]

HEAD_WIDTH = 64
# Where a product has no instruction of its own (before VNNI), two of them are added in 16 bits:
# 2 x 255 x 64 = 32,640 fits there, so 64 is as far as a weight may go.
LARGEST_WEIGHT = 64
# Tables of vectors are looked up, not multiplied in eight bits, so they may use the whole range.
LARGEST_ENTRY = 127


class NetworkError(VNLPError):
    """The weights are not those of a joint network; the message says what is missing or does not fit."""


@dataclass(frozen=True)
class Network:
    """The weights of the joint network and what is needed to build its graphs.

    Attributes
    ----------
    arrays
        Float32, by name; matrices are (outputs, inputs).
    activation
        What stands between two layers and in the gates.
    ranges
        The least and greatest value seen at the input of every product that is done in eight bits.
    """

    arrays: Arrays
    activation: Activation = "relu"
    ranges: Mapping[str, Range] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Numbers in the vector of a word."""
        return int(self.arrays["norm.weight"].shape[0])

    @property
    def layers(self) -> int:
        """Layers of the transformer over words."""
        return sum(name.endswith(".q.weight") for name in self.arrays)

    @property
    def blocks(self) -> int:
        """Feed-forward blocks inside a word."""
        return sum(name.startswith("pieces.blocks.") and name.endswith(".up.weight") for name in self.arrays)

    @property
    def heads(self) -> int:
        """Attention heads of a layer."""
        return self.width // HEAD_WIDTH


def from_training(arrays: Mapping[str, np.ndarray], activation: Activation = "relu") -> Network:
    """Return the network of arrays as training names them.

    Packed matrices are taken apart (queries, keys and values; gate and value), and what does not depend on the words
    is worked out once: the root's vectors.
    """
    given = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    made: Arrays = {}
    try:
        root = given.pop("root")
        matrix = given.pop("arc.matrix")
        for name, array in given.items():
            if name.endswith(".qkv.weight"):
                made |= _parts(name, array, ("q", "k", "v"), ".qkv.")
            elif name.startswith("layers.") and name.endswith(".up.weight"):
                made |= _parts(name, array, ("gate", "value"), ".up.")
            else:
                made[name] = array
        for name in ("arc", "rel"):
            made[f"{name}.root"] = activate(made[f"{name}.head.weight"] @ root + made[f"{name}.head.bias"], activation)
    except KeyError as error:
        raise NetworkError(f"the weights of the joint network have no {error.args[0]!r}") from error
    made["arc.product.weight"], made["arc.product.bias"] = matrix[:-1].T, matrix[-1]
    return Network(made, activation)


def activate(values: np.ndarray, activation: Activation) -> np.ndarray:
    """Return the values after the network's non-linearity."""
    if activation == "relu":
        made: np.ndarray = np.maximum(values, 0)
    else:
        made = (values * 0.5 * (1 + np.vectorize(math.erf)(values / np.sqrt(2)))).astype(np.float32)
    return made


def quantize_columns(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix (inputs, outputs) as 8-bit numbers and the scale of every output.

    Examples
    --------
    >>> numbers, scales = quantize_columns(np.array([[1.0, 0.5], [-2.0, 0.25]], np.float32))
    >>> numbers.tolist(), scales.tolist()
    ([[32, 64], [-64, 32]], [0.03125, 0.0078125])
    """
    scales = np.maximum(np.abs(matrix).max(axis=0), np.float32(1e-12)) / LARGEST_WEIGHT
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)


def quantize_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of vectors as 8-bit numbers and the scale (rows, 1) of every vector."""
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), np.float32(1e-12)) / LARGEST_ENTRY
    return np.rint(table / scales).astype(np.int8), scales.astype(np.float32)


def rounded(network: Network) -> Network:
    """Return the network with the weights its 8-bit files stand for."""
    arrays = dict(network.arrays)
    for name, array in arrays.items():
        if is_product(name):
            numbers, scales = quantize_columns(array.T)
            arrays[name] = np.ascontiguousarray((numbers * scales).T)
        elif is_table(name):
            numbers, scales = quantize_rows(array)
            arrays[name] = numbers * scales
    return Network(arrays, network.activation, network.ranges)


def is_product(name: str) -> bool:
    """Tell whether an array is a matrix that is multiplied in eight bits."""
    # what is scored once a sentence or after the tree is little work, and stays in float32
    return name.endswith(".weight") and "norm" not in name and not name.startswith(("sentiment.", "rel.weight"))


def is_table(name: str) -> bool:
    """Tell whether an array is a large table of vectors."""
    return name in ("pieces.embedding", "pieces.affixes")


def read_network(graphs: Iterable[bytes], activation: Activation = "relu") -> Network:
    """Return the network whose weights its 8-bit graphs hold, turned back into float32."""
    import onnx
    from onnx import numpy_helper

    held: Arrays = {}
    for graph in graphs:
        for tensor in onnx.load_from_string(graph).graph.initializer:
            held[tensor.name] = numpy_helper.to_array(tensor)
    arrays: Arrays = {}
    for name, array in held.items():
        if name.startswith("_") or name.endswith((".scale", ".zero")):
            continue
        whole = (array * held[f"{name}.scale"] if array.dtype == np.int8 else array).astype(np.float32)
        # graphs multiply from the right
        arrays[name] = np.ascontiguousarray(whole.T) if name.endswith(".weight") and whole.ndim > 1 else whole
    return Network(arrays, activation)


def _parts(name: str, array: np.ndarray, parts: tuple[str, ...], packed: str) -> Arrays:
    return {
        name.replace(packed, f".{part}."): piece for part, piece in zip(parts, np.split(array, len(parts)), strict=True)
    }
