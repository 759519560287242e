"""A pipeline travels as its settings: pickled, spawned, forked, and shared out among processes."""

from __future__ import annotations

import multiprocessing
import pickle

import pytest

from vnlp_colab.pipeline_colab import VNLPipeline

TEXTS = ["Kediler uyudu.", "", "Ali eve geldi. Sonra yemek yedi.", "Kâğıt bitti!"] * 5


@pytest.fixture(scope="module")
def stemmer():
    return VNLPipeline(["stemmer"], device="cpu", threads=1, columns=["offsets"])


def lemmas(nlp, text):
    return nlp(text).lemma


def test_it_is_pickled_as_its_settings(stemmer):
    data = pickle.dumps(stemmer)
    assert len(data) < 1000, "no weights travel"
    again = pickle.loads(data)
    assert again.columns == stemmer.columns
    assert again("Kediler uyudu.").lemma == ["kedi", "uyu", "."]


def test_its_styles_travel_with_it():
    nlp = VNLPipeline(["ner"], device="cpu", threads=1, style="penn", entity_style="starlang_penn15_v2")
    again = pickle.loads(pickle.dumps(nlp))
    assert again.models["ner"].entity_style == "starlang_penn15_v2"
    assert again.model_keys == nlp.model_keys
    assert again.model_keys != VNLPipeline(["ner"], device="cpu", threads=1, style="penn").model_keys


@pytest.mark.slow
def test_other_processes_annotate_in_its_styles():
    nlp = VNLPipeline(["ner"], device="cpu", threads=1, entity_style="starlang_penn15_v2")
    (document,) = nlp.pipe(["Ali Ayşe'yi gördü."], n_process=2)
    assert [entity.name for entity in document.entities] == ["Ali Ayşe"], "as in that set: side by side, one name"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_other_processes_take_it(stemmer, method):
    context = multiprocessing.get_context(method)
    with context.Pool(1) as pool:
        assert pool.starmap(lemmas, [(stemmer, "Kediler uyudu.")]) == [["kedi", "uyu", "."]]


@pytest.mark.slow
def test_several_processes_give_the_same_documents_in_order(stemmer):
    alone = list(stemmer.pipe(TEXTS, batch_size=4))
    shared = list(stemmer.pipe(TEXTS, batch_size=4, n_process=2))
    assert shared == alone
    pairs = [(text, number) for number, text in enumerate(TEXTS[:5])]
    assert [number for _, number in stemmer.pipe(pairs, as_tuples=True, n_process=2)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("count", [0, -1, 1.5, True])
def test_wrong_number_of_processes(stemmer, count):
    if count is True:
        assert list(stemmer.pipe([], n_process=count)) == []
        return
    with pytest.raises(ValueError, match="n_process is a whole number from 1 on"):
        list(stemmer.pipe(["a"], n_process=count))


def test_annotate_takes_tokens_and_gives_columns(stemmer):
    found = stemmer.annotate([["Kediler", "uyudu", "."], []])
    assert found["lemma"] == [["kedi", "uyu", "."], []]
    assert found.keys() == {"morph", "lemma"}
    with pytest.raises(ValueError, match="1 sentences of tokens and 2 texts"):
        stemmer.annotate([["a"]], ["a", "b"])
    with pytest.raises(TypeError, match="a list of tokens is expected, not the str"):
        stemmer.annotate(["bir cümle"])
