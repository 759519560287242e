"""SPUContext: a word, its neighbours and the labels before it (PoS, NER, dependency parsing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tensorflow as tf

from vnlp_colab.keras_models import layers

if TYPE_CHECKING:
    from tf_keras import Model


def create_spucontext_pos_model(
    *, vocabulary: int = 16_000, dimension: int = 128, units: int = 128, stacks: int = 1, labels: int = 18
) -> Model:
    """Build the part-of-speech tagger: 17 tags and the padding class 0, softmax."""
    return _spucontext("lc_pos", labels, "softmax", vocabulary, dimension, units, stacks)


def create_spucontext_ner_model(
    *, vocabulary: int = 16_000, dimension: int = 128, units: int = 256, stacks: int = 2, labels: int = 5
) -> Model:
    """Build the entity recognizer: 4 labels and the padding class 0, softmax."""
    return _spucontext("lc_entity", labels, "softmax", vocabulary, dimension, units, stacks)


def create_spucontext_dp_model(
    *, vocabulary: int = 16_000, dimension: int = 128, units: int = 256, stacks: int = 2, labels: int = 90
) -> Model:
    """Build the dependency parser: 41 arcs then 49 relations, sigmoid."""
    return _spucontext("lc_arc_label", labels, "sigmoid", vocabulary, dimension, units, stacks)


def _spucontext(
    history_name: str,
    labels: int,
    activation: str,
    vocabulary: int,
    dimension: int,
    units: int,
    stacks: int,
    *,
    window: int = 40,
    pieces: int = 8,
) -> Model:
    word = layers.ids("word", pieces)
    left = layers.ids("left", window, pieces)
    right = layers.ids("right", window, pieces)
    history = layers.vectors(history_name, window, labels)

    # One pass of the word encoder over the word and both contexts: one GRU node per layer in the graph, not three.
    words = tf.concat([word[:, tf.newaxis], left, right], axis=1)
    embedded = layers.embedding("word", vocabulary, dimension)(layers.fold(words))
    encoded = layers.unfold(layers.gru_stack("word", embedded, units, stacks), 1 + 2 * window)

    joined = tf.concat(
        [
            encoded[:, 0],
            layers.gru_stack("left", encoded[:, 1 : 1 + window], units, stacks),
            layers.gru_stack("right", encoded[:, 1 + window :], units, stacks, backwards=True),
            layers.gru_stack("history", history, units, stacks),
        ],
        axis=-1,
    )
    output = layers.dense_head(joined, (2 * units, units, labels), ("relu", "relu", activation))
    return layers.network("spucontext", (word, left, right, history), output, ("word", "left", "right", "history"))
