"""The morphological disambiguator of Shen et al. (2016): which candidate analysis fits the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tensorflow as tf
from tf_keras.layers import Dot

from vnlp_colab.keras_models import layers

if TYPE_CHECKING:
    from tf_keras import Model


def create_stemmer_model(
    *,
    char_vocabulary: int = 116,
    tag_vocabulary: int = 127,
    dimension: int = 32,
    units: int = 128,
    candidates: int = 10,
    stem_length: int = 10,
    tag_length: int = 15,
    window: int = 40,
    surface_length: int = 15,
) -> Model:
    """Build the disambiguator: candidates (stem and tags) against the context, softmax over the candidates."""
    stem = layers.ids("stem", candidates, stem_length)
    tag = layers.ids("tag", candidates, tag_length)
    left = layers.ids("surface_left", window, surface_length)
    right = layers.ids("surface_right", window, surface_length)
    chars = layers.embedding("chars", char_vocabulary, dimension)
    tags = layers.embedding("tags", tag_vocabulary, dimension)

    def encode(block: str, embedded: layers.Tensor, width: int, rows: int) -> layers.Tensor:
        encoded = layers.bigru(f"{block}/gru_0", layers.fold(embedded), width, sequences=False)
        return layers.unfold(encoded, rows)

    context = layers.gru_stack("left", encode("surface_left", chars(left), 2 * units, window), 2 * units, 1)
    context += layers.gru_stack(
        "right", encode("surface_right", chars(right), 2 * units, window), 2 * units, 1, backwards=True
    )
    analyses = encode("stem", chars(stem), units, candidates) + encode("tag", tags(tag), units, candidates)
    scores = Dot(axes=(2, 1), name="scores")([tf.tanh(analyses), tf.tanh(context)])
    output = layers.dense_head(scores, (2 * candidates, candidates), ("tanh", "softmax"))
    blocks = ("chars", "tags", "surface_left", "surface_right", "stem", "tag", "left", "right")
    return layers.network("stemmer", (stem, tag, left, right), output, blocks)
