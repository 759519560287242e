"""The part of a network that follows its word vectors: two contexts, the labels before, and the dense head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.recurrent import GRUWeights, pad_states

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Dense:
    """A dense layer."""

    kernel: np.ndarray
    bias: np.ndarray


def dense_from_onnx(weights: Mapping[str, np.ndarray], layers: int = 3) -> list[Dense]:
    """Return the layers ``dense_0``, ``dense_1``, ... of a model file."""
    return [Dense(weights[f"dense_{number}/kernel"], weights[f"dense_{number}/bias"]) for number in range(layers)]


@dataclass(frozen=True)
class DecoderNetwork:
    """Weights and pad tables of a decoder.

    Attributes
    ----------
    left, right, history
        The GRU stacks over the words before, the words after (each layer reads backwards) and the labels before; a
        network without a left stack has none there.
    dense
        The head; the first layer reads word, left, right and history, in this order.
    activation
        ``"Softmax"`` or ``"Sigmoid"``.
    window
        Words a context sees.
    pad
        The vector of a pad word.
    left_pads, right_pads, history_pads
        For each layer of a stack, its states after 0, 1, 2, ... pads (see `recurrent.gru.pad_states`); of the
        right stack only the first layer's, the one that reads its pads first.
    """

    left: list[GRUWeights]
    right: list[GRUWeights]
    history: list[GRUWeights]
    dense: list[Dense]
    activation: str
    window: int
    pad: np.ndarray
    left_pads: list[np.ndarray]
    right_pads: np.ndarray
    history_pads: list[np.ndarray]

    def check_classes(self, classes: int) -> None:
        """Raise `ValueError` if the network scores another number of classes: it is that of another model."""
        if self.classes != classes:
            raise ValueError(f"it scores {self.classes} classes, and there are labels for {classes}")

    @classmethod
    def of(
        cls,
        stacks: tuple[list[GRUWeights], list[GRUWeights], list[GRUWeights]],
        dense: list[Dense],
        activation: str,
        window: int,
        *,
        pad: np.ndarray,
        history_pad: np.ndarray | None = None,
    ) -> DecoderNetwork:
        """Make the tables of `stacks` (left, right, history); the history's pad is a row of zeros unless given."""
        left, right, history = stacks
        if history_pad is None:
            history_pad = np.zeros(len(history[0].kernel), np.float32)
        return cls(
            *stacks,
            dense,
            activation,
            window,
            pad,
            left_pads=pad_states(left, pad, window),
            right_pads=pad_states(right[:1], pad, window)[0],
            history_pads=pad_states(history, history_pad, window),
        )

    @property
    def width(self) -> int:
        """The width of a word's vector."""
        return len(self.pad)

    @property
    def classes(self) -> int:
        """The width of the output."""
        return len(self.dense[-1].bias)

    @property
    def history_row(self) -> int:
        """Where the history's rows begin in the first dense kernel."""
        return len(self.dense[0].kernel) - self.history[-1].units
