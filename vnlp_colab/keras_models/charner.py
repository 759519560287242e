"""CharNER: an entity label for every character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vnlp_colab.keras_models import layers

if TYPE_CHECKING:
    from tf_keras import Model


def create_charner_model(
    *, vocabulary: int = 150, dimension: int = 32, units: int = 128, stacks: int = 5, labels: int = 5, length: int = 256
) -> Model:
    """Build the character network: bidirectional GRUs over the text, softmax at each of its characters."""
    chars = layers.ids("chars", length)
    x = layers.embedding("chars", vocabulary, dimension)(chars)
    for index in range(stacks):
        x = layers.bigru(f"gru_{index}", x, units)
    output = layers.unfold(layers.dense_head(layers.fold(x), (32, labels), ("relu", "softmax")), length)
    return layers.network("charner", (chars,), output, ("chars", *(f"gru_{index}" for index in range(stacks))))
