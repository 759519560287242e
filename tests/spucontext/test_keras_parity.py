"""The runtime gives the labels the Keras networks give, with real windows built position by position."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from vnlp_colab.decoding.incremental import IncrementalDecoder
from vnlp_colab.decoding.network import DecoderNetwork, Dense
from vnlp_colab.decoding.stepwise import EncodedSentence, full_windows
from vnlp_colab.recurrent import Chains
from vnlp_colab.recurrent.gru import GRUWeights, pad_states
from vnlp_colab.spucontext.model import SIGNATURE
from vnlp_colab.spucontext.network import SPUContextNetwork


def network_of(weights: list[np.ndarray], stacks: int, activation: str) -> SPUContextNetwork:
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
    stacks = layers["left"], layers["right"], layers["history"]
    decoder = DecoderNetwork.of(stacks, dense, activation, 40, pad=word_pads[-1][8])
    return SPUContextNetwork(weights[0], layers["word"], 8, word_pads, decoder)


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
    ours = IncrementalDecoder(network.decoder, fields, "cpu").scores(vectors, sentences)

    bounds = np.cumsum([0, *fields])
    for sentence, scores in zip(sentences, ours, strict=True):
        history = np.zeros((len(sentence), sum(fields)), np.float32)
        encoded = EncodedSentence((pieces[sentence],))
        for position in range(len(sentence)):
            expected = run(full_windows([encoded], [history], position, SIGNATURE, 40)).numpy()[0]
            # float32 sums in another order over some hundred steps
            np.testing.assert_allclose(scores[position], expected, atol=1e-5, rtol=0)
            for start, end in pairwise(bounds):
                assert scores[position, start:end].argmax() == expected[start:end].argmax()
                history[position, start + expected[start:end].argmax()] = 1
