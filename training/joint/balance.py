"""Makes the network easier to round, and leaves it the same.

Eight bits for a whole vector serve its large numbers well and its small ones badly. Where a vector comes out of a
product or a norm and goes into another product, each of its numbers may be made smaller by any factor if the columns
that read it grow by the same: the answers do not change. Half of the imbalance of the vector is moved into those
columns, whose eight bits have a scale for every output. (ReLU lets a factor through; so do attention and gates, along
the values.) A network that goes on from one that was balanced is better left as it is: `conversion` tries both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vnlp_colab.joint.network import Network

Ranges = tuple[np.ndarray, np.ndarray]
_MOST = 16.0  # a factor beyond this is of a number that is nearly always 0

_READ_STATES = ("upos", "feats", "lemma", "entity.hidden", "arc.dep", "arc.head", "rel.head", "rel.dep")


@dataclass(frozen=True)
class _Seam:
    """A vector between those that make it (rows and biases, or norms) and those that read it (columns)."""

    place: str
    makers: tuple[str, ...]
    readers: tuple[str, ...]


def balanced(network: Network, measured: Mapping[str, Ranges]) -> Network:
    """Return a network with the same answers and its ranges, given the ranges of every number of products' inputs."""
    arrays = dict(network.arrays)
    ranges = {place: (low.copy(), high.copy()) for place, (low, high) in measured.items()}
    for seam in _seams(network):
        low, high = ranges[seam.place]
        factors = _factors(np.maximum(-low, high), [arrays[f"{name}.weight"] for name in seam.readers])
        for name in seam.makers:
            for key in (name, f"{name}.weight", f"{name}.bias"):
                if key in arrays:
                    array = arrays[key]
                    # rows of a matrix make the numbers; of a table of styles the columns do
                    by_row = array.ndim == 2 and key.endswith(".weight")
                    arrays[key] = array / (factors[:, None] if by_row else factors)
        for name in seam.readers:
            arrays[f"{name}.weight"] = arrays[f"{name}.weight"] * factors
        ranges[seam.place] = low / factors, high / factors
    return ranged(replace(network, arrays=arrays), ranges)


def ranged(network: Network, measured: Mapping[str, Ranges]) -> Network:
    """Return a network with the ranges of the inputs of its products."""
    whole = {place: (float(low.min()), float(high.max())) for place, (low, high) in measured.items()}
    return replace(network, ranges=whole)


def _factors(sizes: np.ndarray, readers: list[np.ndarray]) -> np.ndarray:
    weights = np.max([np.abs(weight).max(axis=0) for weight in readers], axis=0)
    factors = np.sqrt(np.maximum(sizes, 1e-6) / np.maximum(weights, 1e-6))
    factors /= np.exp(np.log(factors).mean())
    made: np.ndarray = np.clip(factors, 1 / _MOST, _MOST).astype(np.float32)
    return made


def _seams(network: Network) -> Iterator[_Seam]:
    for number in range(network.layers):
        name = f"layers.{number}"
        yield _Seam(f"{name}.qkv.input", (f"{name}.norm1",), tuple(f"{name}.{part}" for part in "qkv"))
        yield _Seam(f"{name}.out.input", (f"{name}.v",), (f"{name}.out",))
        yield _Seam(f"{name}.up.input", (f"{name}.norm2",), (f"{name}.gate", f"{name}.value"))
        yield _Seam(f"{name}.down.input", (f"{name}.value",), (f"{name}.down",))
    yield _Seam("mix.input", ("norm",), ("mix",))
    for number in range(network.blocks):
        name = f"pieces.blocks.{number}"
        yield _Seam(f"{name}.up.input", (f"{name}.norm",), (f"{name}.up",))
        if network.activation == "relu":
            yield _Seam(f"{name}.down.input", (f"{name}.up",), (f"{name}.down",))
    if network.activation == "relu":
        yield _Seam("heads.input", ("mix",), (*_READ_STATES, "sentiment.hidden"))
        yield _Seam("entity.input", ("entity.hidden", "entity.style"), ("entity",))
        yield _Seam("arc.product.input", ("arc.dep",), ("arc.product",))
