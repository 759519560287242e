"""TreeStack: word vectors, morphological tags and labels of a sentence (PoS, dependency parsing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tensorflow as tf

from vnlp_colab.keras_models import layers

if TYPE_CHECKING:
    from tf_keras import Model

WINDOW = 40
TAGS = 15


def create_treestack_pos_model(
    *,
    vocabulary: int = 63_992,
    dimension: int = 128,
    tag_vocabulary: int = 127,
    tag_dimension: int = 32,
    tag_units: int = 128,
    units: int = 256,
    stacks: int = 2,
    labels: int = 18,
) -> Model:
    """Build the part-of-speech tagger: 17 tags and the padding class 0, sigmoid."""
    words, tags = _word_inputs()
    left_pos = layers.vectors("left_pos", WINDOW, labels)

    tag_states = _encode_tags(tags, tag_vocabulary, tag_dimension, tag_units, stacks)
    states = tf.concat([_embed_words(words, vocabulary, dimension), tag_states], axis=-1)
    current, left, right = states[:, 0], states[:, 1 : 1 + WINDOW], states[:, 1 + WINDOW :]
    left = tf.concat([left, left_pos], axis=-1)
    joined = tf.concat(
        [
            current,
            layers.gru_stack("left", left, units, stacks),
            layers.gru_stack("right", right, units, stacks, backwards=True),
        ],
        axis=-1,
    )
    output = layers.dense_head(joined, (2 * tag_units, tag_units, labels), ("relu", "relu", "sigmoid"))
    inputs = (words[0], tags[0], words[1], tags[1], left_pos, words[2], tags[2])
    return layers.network("treestack_pos", inputs, output, ("tags", "words", "tag", "left", "right"))


def create_treestack_dp_model(
    *,
    vocabulary: int = 63_992,
    dimension: int = 128,
    tag_vocabulary: int = 127,
    tag_dimension: int = 32,
    pos_vocabulary: int = 18,
    pos_dimension: int = 8,
    tag_units: int = 128,
    units: int = 384,
    stacks: int = 2,
    labels: int = 90,
) -> Model:
    """Build the dependency parser: 41 arcs then 49 relations, sigmoid."""
    words, tags = _word_inputs()
    pos = (layers.ids("pos", 1), layers.ids("left_pos", WINDOW), layers.ids("right_pos", WINDOW))
    left_arc_label = layers.vectors("left_arc_label", WINDOW, labels)

    tag_states = _encode_tags(tags, tag_vocabulary, tag_dimension, tag_units, stacks)
    embedded = _embed_words(words, vocabulary, dimension)
    pos_embedded = layers.embedding("pos", pos_vocabulary, pos_dimension)(tf.concat(pos, axis=1))
    states = tf.concat([embedded, tag_states, pos_embedded], axis=-1)
    joined = tf.concat(
        [
            states[:, 0],
            layers.gru_stack("left", states[:, 1 : 1 + WINDOW], units, stacks),
            layers.gru_stack("arc_label", left_arc_label, units, stacks),
            layers.gru_stack("right", states[:, 1 + WINDOW :], units, stacks, backwards=True),
        ],
        axis=-1,
    )
    output = layers.dense_head(joined, (8 * tag_units, 4 * tag_units, labels), ("relu", "relu", "sigmoid"))
    inputs = (
        *(words[0], tags[0], pos[0]),
        *(words[1], tags[1], pos[1], left_arc_label),
        *(words[2], tags[2], pos[2]),
    )
    blocks = ("tags", "words", "pos", "tag", "left", "arc_label", "right")
    return layers.network("treestack_dp", inputs, output, blocks)


def _word_inputs() -> tuple[tuple[layers.Tensor, ...], tuple[layers.Tensor, ...]]:
    """Return the word and tag inputs, each for the word itself, its left and its right context."""
    words = (layers.ids("word", 1), layers.ids("left_words", WINDOW), layers.ids("right_words", WINDOW))
    tags = (layers.ids("tags", TAGS), layers.ids("left_tags", WINDOW, TAGS), layers.ids("right_tags", WINDOW, TAGS))
    return words, tags


def _encode_tags(
    tags: tuple[layers.Tensor, ...], vocabulary: int, dimension: int, units: int, stacks: int
) -> layers.Tensor:
    word, left, right = tags
    rows = tf.concat([word[:, tf.newaxis], left, right], axis=1)
    embedded = layers.embedding("tags", vocabulary, dimension)(layers.fold(rows))
    return layers.unfold(layers.gru_stack("tag", embedded, units, stacks), 1 + 2 * WINDOW)


def _embed_words(words: tuple[layers.Tensor, ...], vocabulary: int, dimension: int) -> layers.Tensor:
    return layers.embedding("words", vocabulary, dimension)(tf.concat(words, axis=1))
