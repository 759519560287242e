"""The parts of an SPUContext network, read out of its ``.onnx`` file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.errors import VNLPError
from vnlp_colab.recurrent import GRUWeights, pad_states, stack_from_onnx

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Dense:
    """A dense layer."""

    kernel: np.ndarray
    bias: np.ndarray


@dataclass(frozen=True)
class Network:
    """Weights, sizes and pad tables of one SPUContext network.

    Attributes
    ----------
    window, pieces
        Words a context sees (40), and pieces a word has (8).
    word_pads, left_pads, right_pads, history_pads
        For each layer of a stack, its states after 0, 1, 2, ... pads (see `recurrent.gru.pad_states`); of the
        right stack only the first layer's, the one that reads its pads first.
    activation
        ``"Softmax"`` or ``"Sigmoid"``.
    """

    embedding: np.ndarray
    word: list[GRUWeights]
    left: list[GRUWeights]
    right: list[GRUWeights]
    history: list[GRUWeights]
    dense: list[Dense]
    activation: str
    window: int
    pieces: int
    word_pads: list[np.ndarray]
    left_pads: list[np.ndarray]
    right_pads: np.ndarray
    history_pads: list[np.ndarray]

    @property
    def classes(self) -> int:
        """The width of the output."""
        return int(self.dense[-1].bias.shape[0])

    @classmethod
    def read(cls, path: Path) -> Network:
        """Read the network of a model file."""
        import onnx
        from onnx import numpy_helper

        graph = onnx.load(str(path)).graph
        # float16 is how weights are stored; the network computes in float32
        arrays = {
            tensor.name: numpy_helper.to_array(tensor).astype(np.float32)
            for tensor in graph.initializer
            if tensor.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16)
        }
        # the left context is the one input with rows, words and pieces
        shapes = [[size.dim_value for size in value.type.tensor_type.shape.dim] for value in graph.input]
        _, window, pieces = next(shape for shape in shapes if len(shape) == 3)
        try:
            embedding = arrays["word/embedding"]
            stacks = {block: stack_from_onnx(arrays, block) for block in ("word", "left", "right", "history")}
            dense = [Dense(arrays[f"dense_{number}/kernel"], arrays[f"dense_{number}/bias"]) for number in range(3)]
        except KeyError as error:
            raise VNLPError(f"{path} is no SPUContext model of this version: it has no weight named {error}") from error
        word_pads = pad_states(stacks["word"], embedding[0], pieces)
        pad_word = word_pads[-1][pieces]  # a pad in a context is a word of pad pieces, and has a vector like any other
        no_label = np.zeros(stacks["history"][0].kernel.shape[0], np.float32)
        return cls(
            embedding=embedding,
            **stacks,
            dense=dense,
            activation=next(node.op_type for node in reversed(graph.node) if node.op_type in ("Softmax", "Sigmoid")),
            window=window,
            pieces=pieces,
            word_pads=word_pads,
            left_pads=pad_states(stacks["left"], pad_word, window),
            right_pads=pad_states(stacks["right"][:1], pad_word, window)[0],
            history_pads=pad_states(stacks["history"], no_label, window),
        )
