"""Every model fills columns through one protocol, with what its own answers say."""

from __future__ import annotations

import numpy as np
import pytest
from small_models import random_sentences

from vnlp_colab import CharNER, SPUCBiGRUSentimentAnalyzer, SPUContextDP, SPUContextNER, SPUContextPoS
from vnlp_colab.annotator.answers import Labelled
from vnlp_colab.annotator.model import symbols_tagged
from vnlp_colab.annotator.protocol import Annotator, Batch
from vnlp_colab.columns import COLUMNS
from vnlp_colab.registry import MODELS
from vnlp_colab.stemmer.stemmer_colab import get_stemmer_analyzer, lemma_of
from vnlp_colab.stemmer.ud_features import ud_features


def batch_of(tokens: list[list[str]], **columns) -> Batch:
    return Batch(tokens, [" ".join(words) for words in tokens], columns)


@pytest.fixture
def batch() -> Batch:
    return batch_of(random_sentences([3, 45, 1]))


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.source == "embedded" and model.vnlp])
def test_every_embedded_model_is_an_annotator(name):
    model = MODELS[name].load_class()(device="cpu")
    assert isinstance(model, Annotator)
    assert set(model.provides) <= set(COLUMNS)
    assert set(MODELS[name].tasks) <= {task for column in model.provides for task in COLUMNS[column].tasks}
    assert model.needs == ()
    assert model.device == "cpu"
    assert model.fingerprint.startswith(f"{name}:")


@pytest.mark.parametrize(("model", "column"), [(SPUContextPoS, "pos"), (SPUContextNER, "ner")])
def test_labels_and_confidences_are_those_of_the_tagger(small_models, batch, model, column):
    tagger = model(device="cpu")
    columns = tagger.annotate(batch, tagger.provides)
    answers = tagger.label_batch(batch.tokens)
    assert columns[column] == [answer.labels for answer in answers]
    for row, answer in zip(columns[f"{column}_confidence"], answers, strict=True):
        assert row == np.round(answer.confidence.astype(np.float64), 4).tolist()


def test_only_what_is_wanted_comes_back(small_models, batch):
    tagger = SPUContextPoS(device="cpu")
    assert list(tagger.annotate(batch, ["pos"])) == ["pos"]
    assert list(tagger.annotate(batch, ["pos_confidence"])) == ["pos_confidence"]


def test_trees_are_lists_of_arcs(small_models, batch):
    parser = SPUContextDP(device="cpu")
    (column,) = parser.annotate(batch, ["dep"]).values()
    assert column == [[arc[2:] for arc in tree] for tree in parser.predict_batch(batch.tokens)]


def test_analyses_lemmas_and_features_come_from_one_run(monkeypatch):
    stemmer = get_stemmer_analyzer(device="cpu")
    tokens = [["Evlerimizde", "oturduk", "."], ["Geldi"]]
    asked = []
    predict_batch = stemmer.predict_batch
    monkeypatch.setattr(stemmer, "predict_batch", lambda batch: asked.append(1) or predict_batch(batch))
    columns = stemmer.annotate(batch_of(tokens), ["morph", "lemma", "feats"])
    assert columns["morph"] == predict_batch(tokens)
    assert columns["lemma"] == [[lemma_of(analysis) for analysis in row] for row in columns["morph"]]
    assert columns["feats"] == [[ud_features(analysis) for analysis in row] for row in columns["morph"]]
    assert len(asked) == 1


def test_sentiment_reads_the_texts(small_models):
    model = SPUCBiGRUSentimentAnalyzer(device="cpu")
    texts = ["çok güzel bir kitap", "hava çok kötü"]
    columns = model.annotate(Batch([["x"], ["y"]], texts), ["sentiment", "sentiment_label"])
    assert columns["sentiment"] == [round(score, 6) for score in model.predict_proba_batch(texts)]
    assert columns["sentiment_label"] == ["positive" if score > 0.5 else "negative" for score in columns["sentiment"]]


def test_symbols_are_sym_whatever_the_network_says(small_models):
    tagger = SPUContextPoS(device="cpu")
    tokens = ["çok", "güzel", "😀", "👩🏽‍💻", "→"]
    columns = tagger.annotate(batch_of([tokens]), ["pos"])
    assert columns["pos"][0][2:] == ["SYM"] * 3
    raw = [label for _, label in tagger.predict(tokens)]  # what is held against Keras is the network's own
    assert columns["pos"][0][:2] == raw[:2]
    assert tagger.label_batch([tokens])[0].labels == raw


def test_a_tag_that_was_put_right_is_sure():
    answer = symbols_tagged(["a", "😀", "€"], Labelled(["NOUN", "PUNCT", "SYM"], np.float32([0.5, 0.5, 0.5])))
    assert answer.labels == ["NOUN", "SYM", "SYM"]
    assert answer.confidence.tolist() == [0.5, 1.0, 0.5]


def test_entities_of_symbols_are_left_to_the_network(small_models):
    tagger = SPUContextNER(device="cpu")
    (labels,) = tagger.annotate(batch_of([["ali", "😀"]]), ["ner"])["ner"]
    assert labels == [label for _, label in tagger.predict(["ali", "😀"])]


def test_other_weights_have_another_fingerprint(small_models, monkeypatch):
    small = SPUContextPoS(device="cpu").fingerprint
    assert small == SPUContextPoS(device="cpu", decoding="stepwise").fingerprint  # the labels are the same
    monkeypatch.delenv("VNLP_COLAB_MODELS")
    assert SPUContextPoS(device="cpu").fingerprint != small


def test_raw_heads_have_a_fingerprint_of_their_own(small_models):
    assert SPUContextDP(device="cpu").fingerprint != SPUContextDP(device="cpu", tree=False).fingerprint


def test_a_fingerprint_reads_no_file(small_models, monkeypatch):
    model = CharNER(device="cpu")
    monkeypatch.setattr("pathlib.Path.open", lambda *_: pytest.fail("a file was read"))
    assert model.fingerprint == model.fingerprint


def test_a_subclass_of_a_model_has_its_files(small_models):
    class MyTagger(SPUContextPoS):
        pass

    assert MyTagger(device="cpu").files.key == "PoS_SPUContext_prod"
