"""SPUCBiGRU: sentiment of a whole text from its pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tf_keras.layers import GlobalAveragePooling1D

from vnlp_colab.keras_models import layers

if TYPE_CHECKING:
    from tf_keras import Model


def create_spucbigru_sentiment_model(
    *, vocabulary: int = 16_000, dimension: int = 128, units: int = 128, stacks: int = 3, length: int = 256
) -> Model:
    """Build the sentiment network: bidirectional GRUs, mean over the text, one sigmoid (1 is positive)."""
    pieces = layers.ids("pieces", length)
    x = layers.embedding("pieces", vocabulary, dimension)(pieces)
    for index in range(stacks):
        x = layers.bigru(f"gru_{index}", x, units)
    x = GlobalAveragePooling1D(name="mean")(x)
    output = layers.dense_head(x, (units // 8, 1), ("relu", "sigmoid"))
    return layers.network("sentiment", (pieces,), output, ("pieces", *(f"gru_{index}" for index in range(stacks))))
