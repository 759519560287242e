"""``nlp(text)`` and ``nlp.pipe``."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline_fakes import fake_models

from vnlp_colab.errors import VNLPError
from vnlp_colab.pipeline_colab import VNLPipeline

TEXT = "Kâmil  Bey geldi.  Sonra Ankara’ya gitti!"


def test_sentences_and_offsets(nlp):
    doc = nlp(TEXT)
    assert [sentence.text for sentence in doc] == ["Kâmil  Bey geldi.", "Sonra Ankara’ya gitti!"]
    assert all(doc.text[sentence.start : sentence.end] == sentence.text for sentence in doc.sentences)
    assert [doc.text[token.start : token.end] for token in doc.tokens][:3] == ["Kâmil", "Bey", "geldi"]
    assert [token.text for token in doc.tokens] == ["Kamil", "Bey", "geldi", ".", "Sonra", "Ankara'ya", "gitti", "!"]
    assert len(doc) == 8


def test_columns_are_attributes(nlp):
    doc = nlp(TEXT)
    assert doc.pos == ["VERB", "VERB", "VERB", "PUNCT", "VERB", "VERB", "VERB", "PUNCT"]
    assert doc.lemma[0] == "Kamil"
    assert doc.ner[:3] == ["PER", "PER", "O"]
    assert doc.morph[0] == "Kamil+Noun+A3sg+Pnon+Nom"
    assert [head for head, _ in doc.dep] == [0, 1, 2, 3, 0, 1, 2, 3], "heads count within the sentence"
    assert doc.sentiment == pytest.approx(nlp.models["sentiment"].predict_proba_batch([_cleaned(TEXT)])[0], abs=1e-6)
    assert doc.tokens[1].head == 1
    assert doc.tokens[1].relation == "obj"


def _cleaned(text):
    return " ".join(text.replace("â", "a").split())


def test_entities_are_runs_of_one_label(nlp):
    entities = nlp(TEXT).entities
    assert [(entity.text, entity.label) for entity in entities] == [
        ("Kâmil  Bey", "PER"),
        ("Sonra Ankara’ya", "PER"),
    ]
    assert all(TEXT[entity.start : entity.end] == entity.text for entity in entities)


def test_same_answers_as_the_table(nlp):
    sentences = ["Kâmil Bey geldi.", "Resmî evrak nerede?", "Ali’nin evi büyük"]
    table = nlp.process_dataframe(pd.DataFrame({"sentence": sentences}))
    rows = pd.concat([nlp(sentence).to_dataframe() for sentence in sentences], ignore_index=True)
    for name in table.columns:
        assert rows[name].tolist() == table[name].tolist(), name


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_nothing_gives_an_empty_document(nlp, text):
    doc = nlp(text)
    assert doc.sentences == doc.tokens == doc.pos == doc.entities == []
    assert math.isnan(doc.sentiment)
    assert doc.to_conllu() == ""
    assert len(doc.to_dataframe()) == 0


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80))
def test_any_text_has_ordered_tokens_inside_it(nlp, text):
    end = 0
    for token in nlp(text).tokens:
        assert end <= token.start < token.end <= len(text)
        end = token.end


def test_pipe_keeps_order_and_context(nlp):
    texts = [f"Metin {number}. " * (number % 4) for number in range(25)]
    assert [doc.text for doc in nlp.pipe(texts, batch_size=7)] == texts
    assert [doc.pos for doc in nlp.pipe(texts, batch_size=7)] == [nlp(text).pos for text in texts]
    pairs = list(nlp.pipe(((text, number) for number, text in enumerate(texts)), as_tuples=True))
    assert [(doc.text, context) for doc, context in pairs] == [(text, number) for number, text in enumerate(texts)]


def test_pipe_is_lazy(nlp):
    def endless():
        while True:
            yield "Ali geldi."

    assert next(nlp.pipe(endless(), batch_size=3)).text == "Ali geldi."


@pytest.mark.parametrize("value", [None, 5, ["Ali"], b"Ali"])
def test_a_text_is_a_string(nlp, value):
    with pytest.raises(TypeError, match="a text is a string, not"):
        nlp(value)


def test_a_column_whose_model_is_not_loaded():
    doc = VNLPipeline(fake_models("pos"))("Ali geldi.")
    assert doc.pos == ["VERB", "VERB", "PUNCT"]
    assert doc.tokens[0].lemma is None
    with pytest.raises(VNLPError, match="no 'lemma': the model for it was not loaded"):
        doc.lemma  # noqa: B018
    assert list(doc.to_dataframe().columns) == ["sentence", "no_accents", "tokens", "tokens_40", "pos"]


def test_displacy_gets_what_its_manual_mode_draws(nlp):
    tree = nlp("Ali eve geldi.").to_displacy()[0]
    assert [word["text"] for word in tree["words"]] == ["Ali", "eve", "geldi", "."]
    assert tree["arcs"][0] == {"start": 0, "end": 1, "label": "obj", "dir": "right"}
    assert nlp("Ali geldi.").to_displacy("ent")[0]["ents"] == [{"start": 0, "end": 3, "label": "PER"}]
    with pytest.raises(ValueError, match="unknown style"):
        nlp("Ali").to_displacy("span")
