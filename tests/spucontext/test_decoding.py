"""Incremental decoding gives the labels of the full-window network, whatever the lengths and the mixture."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from small_models import random_sentences, spucontext

import vnlp_colab
from vnlp_colab.decoding.incremental import IncrementalDecoder
from vnlp_colab.decoding.stepwise import EncodedSentence, stepwise_scores
from vnlp_colab.ner.ner_colab import SPUContextNER
from vnlp_colab.pos.pos_colab import SPUContextPoS
from vnlp_colab.recurrent import Chains
from vnlp_colab.runtime import SessionOptions
from vnlp_colab.spucontext.model import SIGNATURE
from vnlp_colab.spucontext.network import SPUContextNetwork

# float32 sums in another order: up to some 100 steps of about 1e-7 each; observed are differences up to 1e-6
TOLERANCE = 1e-5
LENGTHS = [1, 2, 5, 20, 39, 40, 41, 42, 80, 81, 100, 120]


@pytest.mark.parametrize("model", [SPUContextPoS, SPUContextNER], ids=["one layer", "two layers"])
def test_labels_and_scores_equal_the_full_windows(small_models, model):
    sentences = random_sentences(LENGTHS)
    fast, plain = model(device="cpu"), model(device="cpu", decoding="stepwise")
    assert fast.predict_batch(sentences) == plain.predict_batch(sentences)
    for ours, reference in zip(fast.scores(sentences), plain.scores(sentences), strict=True):
        np.testing.assert_allclose(ours, reference, atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_sentence_alone_and_in_a_batch_has_the_same_labels(small_models, length):
    model = SPUContextNER(device="cpu")
    sentences = random_sentences([7, length, 1, 60, length, 12], seed=length)
    together = model.predict_batch(sentences)
    assert together == [model.predict(sentence) for sentence in sentences]


def test_sentences_come_back_in_order_and_repeated_or_empty_ones_do_no_harm(small_models):
    model = SPUContextPoS(device="cpu")
    one, two, three = random_sentences([4, 9, 1])
    batch = [one, [], two, one, three, [], two]
    answers = model.predict_batch(batch)
    assert [[token for token, _ in answer] for answer in answers] == batch
    assert answers[0] == answers[3]
    assert answers[2] == answers[6]
    assert model.predict_batch([]) == []


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("fields", [[6], [4, 3]], ids=["one field", "two fields"])
@pytest.mark.parametrize("contexts", ["chains", "windows"])
@pytest.mark.parametrize("unrolled", [False, True], ids=["loops", "unrolled"])
def test_any_number_of_layers_and_fields(tmp_path, layers, fields, unrolled, contexts):
    content = spucontext("history", sum(fields), "Sigmoid", units=6, layers=layers, seed=layers, half=False)
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    network = SPUContextNetwork.read(path)
    rng = np.random.default_rng(layers)
    counts = rng.integers(0, network.pieces + 1, 30)
    counts[0] = 0  # a word without pieces is what a pad is, and yet a word
    pieces = rng.integers(1, 200, (30, network.pieces)).astype(np.int32)
    pieces[np.arange(network.pieces) < network.pieces - counts[:, None]] = 0
    starts = [table[network.pieces - counts] for table in network.word_pads]
    vectors = Chains(network.word, network.embedding, device="cpu").run(pieces, counts, initial=starts)
    lengths = [3, 1, 40, 17, 5] if unrolled else [3, 1, 40, 41, 17, 90]
    sentences = [rng.integers(0, 30, length) for length in lengths]
    sentences += [np.array([0, 0]), np.array([5, 6, 7]), np.array([8, 6, 7])]  # two share what follows their first word

    decoder = IncrementalDecoder(network.decoder, fields, "cpu", unrolled=unrolled, contexts=contexts)
    ours = decoder.scores(vectors, sentences)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    encoded = [EncodedSentence((pieces[sentence],)) for sentence in sentences]
    reference = stepwise_scores(session, encoded, SIGNATURE, fields, rows=100)
    for one, other in zip(ours, reference, strict=True):
        np.testing.assert_allclose(one, other, atol=TOLERANCE, rtol=0)
        assert (one[:, : fields[0]].argmax(1) == other[:, : fields[0]].argmax(1)).all()

    for longest in (5, 17):  # graphs with fewer steps, where they are written out
        chosen = [number for number, sentence in enumerate(sentences) if len(sentence) <= longest]
        shorter = decoder.scores(vectors, [sentences[number] for number in chosen])
        for number, one in zip(chosen, shorter, strict=True):
            np.testing.assert_allclose(one, reference[number], atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize(("stem", "fields"), [("PoS_SPUContext", [18]), ("DP_SPUContext", [41, 49])])
def test_windows_give_what_chains_give_with_the_packaged_models(stem, fields, monkeypatch):
    path = Path(vnlp_colab.__file__).parent / "models" / f"{stem}_prod.onnx"
    if not path.exists():
        pytest.skip("no packaged models here")
    network = SPUContextNetwork.read(path)
    rng = np.random.default_rng(3)
    pieces = rng.integers(1, len(network.embedding), (50, network.pieces)).astype(np.int32)
    vectors = Chains(network.word, network.embedding, device="cpu").run(pieces, np.full(50, network.pieces))
    sentences = [rng.integers(0, 50, length) for length in (7, 1, 40, 45)]
    chains = IncrementalDecoder(network.decoder, fields, "cpu").scores(vectors, sentences)
    monkeypatch.setattr("vnlp_colab.decoding.incremental._CPU_TOKENS", 30)  # windows in several runs
    windows = IncrementalDecoder(network.decoder, fields, "cpu", unrolled=True, contexts="windows").scores(
        vectors, sentences
    )
    for one, other in zip(windows, chains, strict=True):
        np.testing.assert_allclose(one, other, atol=TOLERANCE, rtol=0)
        for ours, reference in zip(*(np.split(part, fields[:-1], axis=1) for part in (one, other)), strict=True):
            assert (ours.argmax(1) == reference.argmax(1)).all()


def test_where_cuda_does_not_load_the_cpu_decodes(small_models, monkeypatch):
    monkeypatch.setattr("vnlp_colab.runtime.cuda_problem", lambda: None)  # a driver, but not CUDA's libraries
    sentences = random_sentences([7, 1, 45])
    with_auto = SPUContextPoS(device="auto")
    assert with_auto.device == "cpu"
    assert with_auto.predict_batch(sentences) == SPUContextPoS(device="cpu").predict_batch(sentences)


def test_contexts_made_in_parts_are_the_same(small_models, monkeypatch):
    sentences = random_sentences([300, 80, 5])
    model = SPUContextNER(device="cpu")
    whole = model.scores(sentences)
    monkeypatch.setattr("vnlp_colab.decoding.incremental._CPU_TOKENS", 16)
    monkeypatch.setattr("vnlp_colab.spucontext.model._TOKENS", 100)
    parts = SPUContextNER(device="cpu").scores(sentences)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, atol=TOLERANCE, rtol=0)


def test_threads_may_share_a_model(small_models):
    model = SPUContextPoS(device="cpu", options=SessionOptions(threads=2))
    batches = [random_sentences([5, 41, 12, 30], seed=seed) for seed in range(6)]
    expected = [SPUContextPoS(device="cpu").predict_batch(batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(model.predict_batch, batches * 3)) == expected * 3


def test_confidence_is_the_score_of_the_label(small_models):
    model = SPUContextPoS(device="cpu")
    sentence = random_sentences([6])[0]
    (labelled,), (scores,) = model.label_batch([sentence]), model.scores([sentence])
    assert labelled.confidence.dtype == np.float32
    np.testing.assert_array_equal(labelled.confidence, scores.max(axis=1))
    assert labelled.labels == [model.labels[number] for number in scores.argmax(axis=1)]


def test_unknown_decoding_is_refused(small_models):
    with pytest.raises(ValueError, match="incremental, stepwise"):
        SPUContextPoS(decoding="greedy")  # type: ignore[arg-type]
