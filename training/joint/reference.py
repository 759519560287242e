"""The joint network in NumPy, word for word as it is defined: what the graphs are proven against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.joint.network import HEAD_WIDTH, activate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vnlp_colab.joint.network import Network


class Reference:
    """The network in float32, a sentence at a time."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def words(self, pieces: np.ndarray, affixes: np.ndarray | None = None) -> np.ndarray:
        """Return the vectors of words given by their pieces (words, 8) and affixes."""
        arrays = self.network.arrays
        parts = [arrays["pieces.embedding"][pieces].reshape(len(pieces), -1)]
        if affixes is not None:
            parts.append(arrays["pieces.affixes"][affixes].reshape(len(affixes), -1))
        x = self._linear(np.concatenate(parts, axis=1), "pieces.compose")
        for number in range(self.network.blocks):
            name = f"pieces.blocks.{number}"
            hidden = self._act(self._linear(self._norm(x, f"{name}.norm"), f"{name}.up"))
            x = x + self._linear(hidden, f"{name}.down")
        return x

    def sentence(self, vectors: np.ndarray, style: int, entity_style: int) -> dict[str, np.ndarray]:
        """Return everything the graph of the sentences says of one sentence."""
        arrays = self.network.arrays
        x = vectors + arrays["style"][style]
        for number in range(self.network.layers):
            x = self._layer(x, f"layers.{number}")
        x = self._act(self._linear(self._norm(x, "norm"), "mix"))
        found = {name: self._linear(x, name) for name in ("upos", "feats", "lemma")}
        hidden = self._act(self._linear(x, "entity.hidden") + arrays["entity.style"][entity_style])
        found["entity"] = self._linear(hidden, "entity")
        deps = self._linear(self._act(self._linear(x, "arc.dep")), "arc.product")
        heads = self._act(self._linear(x, "arc.head"))
        found["arcs"] = deps @ np.vstack([arrays["arc.root"], heads]).T
        found["up"], found["down"] = self._ends(x)
        return found | {"states": x, "means": x.mean(axis=0)}

    def tags(self, states: np.ndarray) -> np.ndarray:
        """Return the scores of the parts of speech of words, given by their states."""
        return self._linear(states, "upos")

    def related(self, states: np.ndarray, heads: Sequence[int]) -> np.ndarray:
        """Return the scores of the relations of a sentence's words, given by their states, to these heads."""
        up, down = self._ends(states)
        return self.relations(up[np.array(heads)], down)

    def relations(self, up: np.ndarray, down: np.ndarray) -> np.ndarray:
        """Return the scores of the relations of arcs, given by the vectors of head and dependent."""
        return self._linear(np.concatenate([up * down, up, down], axis=-1), "rel")

    def sentiments(self, mean: np.ndarray) -> np.ndarray:
        """Return the probabilities of the sentiments of texts, given by the means of their words."""
        hidden = self._act(self._linear(mean, "sentiment.hidden"))
        return _softmax(self._linear(hidden, "sentiment"))

    def _ends(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the vectors of words as heads, the root first, and as dependents."""
        up = np.vstack([self.network.arrays["rel.root"], self._act(self._linear(states, "rel.head"))])
        return up, self._act(self._linear(states, "rel.dep"))

    def _layer(self, x: np.ndarray, name: str) -> np.ndarray:
        normed = self._norm(x, f"{name}.norm1")
        query, key, value = (_in_heads(self._linear(normed, f"{name}.{part}")) for part in "qkv")
        scores = _turned(query) @ _turned(key).transpose(0, 2, 1) / np.float32(HEAD_WIDTH**0.5)
        mixed = (_softmax(scores) @ value).transpose(1, 0, 2).reshape(x.shape)
        x = x + self._linear(mixed, f"{name}.out")
        normed = self._norm(x, f"{name}.norm2")
        gate, value = (self._linear(normed, f"{name}.{part}") for part in ("gate", "value"))
        made: np.ndarray = x + self._linear(self._act(gate) * value, f"{name}.down")
        return made

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        arrays = self.network.arrays
        product: np.ndarray = x @ arrays[f"{name}.weight"].T
        return product + arrays[f"{name}.bias"] if f"{name}.bias" in arrays else product

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        normed = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        arrays = self.network.arrays
        scaled: np.ndarray = normed * arrays[f"{name}.weight"]
        return scaled + arrays[f"{name}.bias"] if f"{name}.bias" in arrays else scaled

    def _act(self, x: np.ndarray) -> np.ndarray:
        return activate(x, self.network.activation)


def _in_heads(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), -1, HEAD_WIDTH).transpose(1, 0, 2)


def _turned(x: np.ndarray) -> np.ndarray:
    angles = np.outer(np.arange(x.shape[1]), 10_000 ** -np.linspace(0, 1, HEAD_WIDTH // 2)).astype(np.float32)
    cos, sin = np.cos(angles), np.sin(angles)
    one, other = np.split(x, 2, axis=-1)
    return np.concatenate([one * cos - other * sin, other * cos + one * sin], axis=-1)


def _softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    shares: np.ndarray = powers / powers.sum(axis=-1, keepdims=True)
    return shares
