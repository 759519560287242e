"""The networks as one writes them first (Keras 3, ``TimeDistributed`` words), converted as tf2onnx comes: with Loops.

    python -m benchmarks.plain_conversion [PoS_SPUContext ...]

Converting takes from half a minute to half an hour a network, so the files are kept in the user's cache; the weights
are those of the model the package uses. A file made from other weights is made anew.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import time
from pathlib import Path
from typing import Any

import platformdirs

from vnlp_colab.resources import find_model

BUILDERS = {
    "PoS_SPUContext": lambda: spucontext(18, "softmax", units=128, stacks=1),
    "NER_SPUContext": lambda: spucontext(5, "softmax", units=256, stacks=2),
    "DP_SPUContext": lambda: spucontext(90, "sigmoid", units=256, stacks=2),
    "Stemmer_Shen": lambda: stemmer(),
    "NER_CharNER": lambda: charner(),
    "Sentiment_SPUCBiGRU": lambda: sentiment(),
}


def plain_path(stem: str) -> Path:
    """Return where the plain conversion of a model is kept; the name tells which weights it has."""
    digest = hashlib.sha256(find_model(stem).path.read_bytes()).hexdigest()[:12]
    return Path(platformdirs.user_cache_dir("vnlp-colab-benchmarks")) / f"{stem}_{digest}_plain.onnx"


def convert(stem: str) -> Path:
    """Convert a network the plain way, if that was not done before, and return the file."""
    path = plain_path(stem)
    if path.exists():
        return path
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import tensorflow as tf
    import tf2onnx

    from benchmarks.weights import fill_network
    from vnlp_colab.conversion.graph import hide_gpus

    hide_gpus()
    model = BUILDERS[stem]()
    fill_network(_leaves(model), find_model(stem).path)
    signature = [tf.TensorSpec((None, *value.shape[1:]), value.dtype, name=value.name) for value in model.inputs]
    proto, _ = tf2onnx.convert.from_keras(model, input_signature=signature, opset=13)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(proto.SerializeToString())
    unfinished.replace(path)
    return path


def _leaves(layer: Any) -> list[Any]:
    """Return the layers that hold weights under names of their own."""
    import keras

    if isinstance(layer, keras.layers.TimeDistributed):
        return _leaves(layer.layer)
    if isinstance(layer, keras.Model):
        return [leaf for inner in layer.layers for leaf in _leaves(inner)]
    return [layer]


def spucontext(labels: int, activation: str, *, units: int, stacks: int) -> Any:
    """Return the network of PoS, entities or dependencies."""
    import keras
    from keras import layers

    def stack(block: str, *, backwards: bool = False) -> list[Any]:
        return [
            layers.GRU(units, return_sequences=index < stacks - 1, go_backwards=backwards, name=f"{block}.gru_{index}")
            for index in range(stacks)
        ]

    def read(value: Any, block: str, *, backwards: bool = False) -> Any:
        for layer in stack(block, backwards=backwards):
            value = layer(value)
        return value

    pieces = keras.Input((8,), dtype="int32")
    encoded = layers.Embedding(16_000, 128, name="word.embedding")(pieces)
    word_rnn = keras.Model(pieces, read(encoded, "word"), name="word_rnn")
    word = keras.Input((8,), dtype="int32", name="word")
    left = keras.Input((40, 8), dtype="int32", name="left")
    right = keras.Input((40, 8), dtype="int32", name="right")
    history = keras.Input((40, labels), dtype="float32", name="history")
    parts = [
        word_rnn(word),
        read(layers.TimeDistributed(word_rnn)(left), "left"),
        read(layers.TimeDistributed(word_rnn)(right), "right", backwards=True),
        read(history, "history"),
    ]
    value = _dense(layers.Concatenate()(parts), (2 * units, units, labels), ("relu", "relu", activation))
    return keras.Model([word, left, right, history], value)


def stemmer() -> Any:
    """Return the disambiguator."""
    import keras
    from keras import layers

    def encoder(block: str, embedding: Any, length: int, units: int) -> Any:
        ids = keras.Input((length,), dtype="int32")
        gru = layers.Bidirectional(layers.GRU(units), name=f"{block}.gru_0")
        return layers.TimeDistributed(keras.Model(ids, gru(embedding(ids))))

    chars = layers.Embedding(116, 32, name="chars.embedding")
    tags = layers.Embedding(127, 32, name="tags.embedding")
    stem = keras.Input((10, 10), dtype="int32", name="stem")
    tag = keras.Input((10, 15), dtype="int32", name="tag")
    left = keras.Input((40, 15), dtype="int32", name="surface_left")
    right = keras.Input((40, 15), dtype="int32", name="surface_right")
    before = layers.GRU(256, name="left.gru_0")(encoder("surface_left", chars, 15, 256)(left))
    after = layers.GRU(256, go_backwards=True, name="right.gru_0")(encoder("surface_right", chars, 15, 256)(right))
    analyses = layers.Add()([encoder("stem", chars, 10, 128)(stem), encoder("tag", tags, 15, 128)(tag)])
    tanh = layers.Activation("tanh")
    scores = layers.Dot(axes=(2, 1))([tanh(analyses), tanh(layers.Add()([before, after]))])
    return keras.Model([stem, tag, left, right], _dense(scores, (20, 10), ("tanh", "softmax")))


def charner() -> Any:
    """Return the character network."""
    import keras
    from keras import layers

    chars = keras.Input((256,), dtype="int32", name="chars")
    value = _bigrus(layers.Embedding(150, 32, name="chars.embedding")(chars), 5)
    return keras.Model(chars, _dense(value, (32, 5), ("relu", "softmax")))


def sentiment() -> Any:
    """Return the sentiment network."""
    import keras
    from keras import layers

    pieces = keras.Input((256,), dtype="int32", name="pieces")
    value = _bigrus(layers.Embedding(16_000, 128, name="pieces.embedding")(pieces), 3)
    value = layers.GlobalAveragePooling1D()(value)
    return keras.Model(pieces, _dense(value, (16, 1), ("relu", "sigmoid")))


def _bigrus(value: Any, count: int) -> Any:
    from keras import layers

    for index in range(count):
        value = layers.Bidirectional(layers.GRU(128, return_sequences=True), name=f"gru_{index}")(value)
    return value


def _dense(value: Any, sizes: tuple[int, ...], activations: tuple[str, ...]) -> Any:
    from keras import layers

    for index, (size, activation) in enumerate(zip(sizes, activations, strict=True)):
        value = layers.Dense(size, activation, name=f"dense_{index}")(value)
    return value


def main() -> None:
    """Convert the named networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stems", nargs="*", metavar="NAME", help=f"some of {', '.join(BUILDERS)} (default: all)")
    stems = parser.parse_args().stems or list(BUILDERS)
    unknown = set(stems) - set(BUILDERS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(BUILDERS)}")
    for stem in stems:
        started = time.perf_counter()
        print(f"{convert(stem)} ({time.perf_counter() - started:.0f} s)")


if __name__ == "__main__":
    main()
