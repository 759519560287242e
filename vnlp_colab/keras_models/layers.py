"""The pieces the networks are built from: GRU stacks, dense heads, and words folded into the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tensorflow as tf
from tf_keras import Input, Model
from tf_keras.layers import GRU, Bidirectional, Dense, Embedding

if TYPE_CHECKING:
    from collections.abc import Sequence

# A symbolic tensor of the functional API; tf_keras has no public type for it.
Tensor = Any


def ids(name: str, *shape: int) -> Tensor:
    """Return an int32 input; 0 pads and is looked up like any other id, as the weights were trained."""
    return Input(shape, dtype="int32", name=name)


def vectors(name: str, *shape: int) -> Tensor:
    """Return a float32 input: one-hot labels already predicted, zero vectors where there are none yet."""
    return Input(shape, dtype="float32", name=name)


def embedding(block: str, size: int, dimension: int) -> Embedding:
    """Return the lookup table ``<block>/embedding``."""
    return Embedding(size, dimension, name=f"{block}/embedding")


def gru_stack(block: str, x: Tensor, units: int, layers: int, *, backwards: bool = False) -> Tensor:
    """Read a sequence with a stack of GRUs and return the last state of the top one.

    ``backwards`` holds for every layer, so a second layer reads the first one's (already reversed) output reversed
    again, that is, in reading order.
    """
    for index in range(layers):
        top = index == layers - 1
        x = GRU(units, return_sequences=not top, go_backwards=backwards, name=f"{block}/gru_{index}")(x)
    return x


def bigru(block: str, x: Tensor, units: int, *, sequences: bool = True) -> Tensor:
    """Read a sequence in both directions, forward and backward outputs side by side."""
    return Bidirectional(GRU(units, return_sequences=sequences), name=block)(x)


def dense_head(x: Tensor, sizes: Sequence[int], activations: Sequence[str]) -> Tensor:
    """Apply the dense layers ``dense_0``, ``dense_1``, ..."""
    for index, (size, activation) in enumerate(zip(sizes, activations, strict=True)):
        x = Dense(size, activation, name=f"dense_{index}")(x)
    return x


def fold(x: Tensor) -> Tensor:
    """Move the words of a sentence into the batch: (N, words, ...) becomes (N * words, ...).

    ``TimeDistributed`` would say the same, but tf2onnx turns it into one Loop per GRU.
    """
    return tf.reshape(x, (-1, *x.shape[2:]))


def unfold(x: Tensor, words: int) -> Tensor:
    """Undo `fold`: (N * words, ...) becomes (N, words, ...)."""
    return tf.reshape(x, (-1, words, *x.shape[1:]))


class BlockModel(Model):  # type: ignore[misc]
    """A functional model whose weights come block by block, in the order upstream's arrays do.

    Keras orders layers by their depth in the graph, which would mix the layers of parallel stacks.
    """

    block_order: tuple[str, ...] = ()

    @property
    def weights(self) -> list[Any]:
        """The weights, in the order of `get_weights` and `set_weights`."""
        blocks = self.block_order

        def rank(layer: Any) -> tuple[int, str]:
            block = layer.name.partition("/")[0]
            return (blocks.index(block) if block in blocks else len(blocks), layer.name)

        return [weight for layer in sorted(self.layers, key=rank) for weight in layer.weights]


def network(name: str, inputs: Sequence[Tensor], output: Tensor, blocks: Sequence[str]) -> BlockModel:
    """Close a functional model; ``blocks`` is the order of its weights (the dense head comes last)."""
    model = BlockModel(list(inputs), output, name=name)
    model.block_order = tuple(blocks)
    return model
