"""An SPUContext network, read out of its ``.onnx`` file: the word encoder, and the decoder that follows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vnlp_colab.decoding.network import DecoderNetwork, dense_from_onnx
from vnlp_colab.errors import VNLPError
from vnlp_colab.recurrent import GRUWeights, pad_states, stack_from_onnx
from vnlp_colab.recurrent.graph import load_graph, weights_of

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np


@dataclass(frozen=True)
class SPUContextNetwork:
    """Weights, sizes and pad tables of one SPUContext network.

    Attributes
    ----------
    embedding, word
        The vectors of pieces, and the GRU stack that makes a word's vector of its pieces.
    pieces
        How many pieces a word has (8).
    word_pads
        For each layer of the word stack, its states after 0, 1, 2, ... pads (see `recurrent.gru.pad_states`).
    decoder
        All that follows the words' vectors.
    """

    embedding: np.ndarray
    word: list[GRUWeights]
    pieces: int
    word_pads: list[np.ndarray]
    decoder: DecoderNetwork

    @classmethod
    def read(cls, model: Path | bytes, name: str = "") -> SPUContextNetwork:
        """Read the network of a model file, or of its content; an error says `name`."""
        graph = load_graph(model)
        arrays = weights_of(graph)
        # the left context is the one input with rows, words and pieces
        shapes = [[size.dim_value for size in value.type.tensor_type.shape.dim] for value in graph.input]
        _, window, pieces = next(shape for shape in shapes if len(shape) == 3)
        try:
            embedding, dense = arrays["word/embedding"], dense_from_onnx(arrays)
        except KeyError as error:
            name = name or ("this content" if isinstance(model, bytes) else str(model))
            raise VNLPError(f"{name} is no SPUContext model of this version: it has no weight named {error}") from error
        word, left, right, history = (stack_from_onnx(arrays, block) for block in ("word", "left", "right", "history"))
        word_pads = pad_states(word, embedding[0], pieces)
        # a pad in a context is a word of pad pieces, and has a vector like any other
        pad = word_pads[-1][pieces]
        activation = next(node.op_type for node in reversed(graph.node) if node.op_type in ("Softmax", "Sigmoid"))
        decoder = DecoderNetwork.of((left, right, history), dense, activation, window, pad=pad)
        return cls(embedding, word, pieces, word_pads, decoder)
