"""The word cache: bounded, and never seen in the answers."""

from __future__ import annotations

import numpy as np
from small_models import random_sentences

from vnlp_colab.pieces.pieces import PieceTokenizer
from vnlp_colab.spucontext.network import SPUContextNetwork
from vnlp_colab.spucontext.words import PieceWordVectors

# the same cell in runs of other sizes: sums may be taken in another order
TOLERANCE = 1e-6


def test_vectors_stay_the_same_while_words_come_and_go(small_models):
    network = SPUContextNetwork.read(small_models / "PoS_SPUContext_prod.onnx")
    tokenizer = PieceTokenizer(small_models / "tokenizer.model")
    large = PieceWordVectors(network, tokenizer, "cpu")
    small = PieceWordVectors(network, tokenizer, "cpu", capacity=20)
    for seed in range(10):
        words = list(dict.fromkeys(random_sentences([30], seed=seed)[0]))
        np.testing.assert_allclose(small.vectors(words), large.vectors(words), atol=TOLERANCE, rtol=0)
        assert len(small) <= 20


def test_words_used_last_are_kept(small_models):
    network = SPUContextNetwork.read(small_models / "PoS_SPUContext_prod.onnx")
    words = PieceWordVectors(network, PieceTokenizer(small_models / "tokenizer.model"), "cpu", capacity=4)
    for batch in (["a", "b"], ["c", "d"], ["a", "d"], ["e"]):
        words.vectors(batch)
    assert len(words) == 3
    words.vectors(["x" * 5000])  # too long to be worth keeping
    assert len(words) == 3


def test_only_the_last_pieces_count(small_models):
    tokenizer = PieceTokenizer(small_models / "tokenizer.model")
    pieces, counts = tokenizer.word_pieces(["ali", "", "alieve" * 2000, "\ud800", "\0", "😀"], 8)
    assert pieces.shape == (6, 8)
    assert counts[1] == 0
    assert not pieces[1].any()
    assert counts[2] == 8
    assert (pieces[0, : 8 - counts[0]] == 0).all()
