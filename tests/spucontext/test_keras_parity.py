"""The runtime gives the labels the Keras networks give, with real windows built position by position."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from vnlp_colab.recurrent import Chains
from vnlp_colab.recurrent.gru import GRUWeights, pad_states
from vnlp_colab.spucontext.incremental import IncrementalDecoder
from vnlp_colab.spucontext.network import Dense, Network
from vnlp_colab.spucontext.stepwise import full_windows


def network_of(weights: list[np.ndarray], stacks: int, activation: str) -> Network:
    """Lay the arrays of ``get_weights`` out: embedding, word, left, right, history (3 arrays a layer), dense."""
    rest = iter(weights[1:])
    layers = {
        block: [
            GRUWeights(kernel, recurrent, *bias)
            for kernel, recurrent, bias in ((next(rest), next(rest), next(rest)) for _ in range(stacks))
        ]
        for block in ("word", "left", "right", "history")
    }
    dense = [Dense(next(rest), next(rest)) for _ in range(3)]
    word_pads = pad_states(layers["word"], weights[0][0], 8)
    pad = word_pads[-1][8]
    return Network(
        weights[0], **layers, dense=dense, activation=activation, window=40, pieces=8,
        word_pads=word_pads,
        left_pads=pad_states(layers["left"], pad, 40),
        right_pads=pad_states(layers["right"][:1], pad, 40)[0],
        history_pads=pad_states(layers["history"], np.zeros(layers["history"][0].kernel.shape[0]), 40),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("builder", "stacks", "fields", "activation", "lengths"),
    [
        ("create_spucontext_pos_model", 1, [18], "Softmax", [1, 3, 44]),
        ("create_spucontext_ner_model", 2, [5], "Softmax", [1, 3, 44]),
        ("create_spucontext_dp_model", 2, [41, 49], "Sigmoid", [1, 3, 40]),
    ],
)
def test_labels_equal_keras(builder, stacks, fields, activation, lengths):
    import tensorflow as tf

    from vnlp_colab import keras_models

    model = getattr(keras_models, builder)(vocabulary=100, dimension=10, units=14)
    rng = np.random.default_rng(3)
    model.set_weights([rng.normal(0, 0.4, array.shape).astype(np.float32) for array in model.get_weights()])
    network = network_of(model.get_weights(), stacks, activation)
    run = tf.function(model, reduce_retracing=True)
    pieces = rng.integers(1, 100, (25, 8))
    vectors = Chains(network.word, network.embedding, device="cpu").run(pieces)
    sentences = [rng.integers(0, 25, length) for length in lengths]
    ours = IncrementalDecoder(network, fields, "cpu").scores(vectors, sentences)

    bounds = np.cumsum([0, *fields])
    for sentence, scores in zip(sentences, ours, strict=True):
        history = np.zeros((len(sentence), sum(fields)), np.float32)
        for position in range(len(sentence)):
            expected = run(list(full_windows([pieces[sentence]], [history], position, 40))).numpy()[0]
            # float32 sums in another order over some hundred steps
            np.testing.assert_allclose(scores[position], expected, atol=1e-5, rtol=0)
            for start, end in pairwise(bounds):
                assert scores[position, start:end].argmax() == expected[start:end].argmax()
                history[position, start + expected[start:end].argmax()] = 1
