"""``nlp(text)`` and ``nlp.pipe``: what a document is and gives."""

from __future__ import annotations

import json
import math
import pickle

import pandas as pd
import pytest
from document_fakes import FakePipeline

from vnlp_colab import VNLPipeline
from vnlp_colab.document.document import Document, NotLoadedError
from vnlp_colab.errors import VNLPError

TEXT = "Kâmil  Bey geldi.  Sonra Ankara’ya gitti!"


def test_tokens_as_written_and_as_read(nlp):
    doc = nlp(TEXT)
    assert [token.text for token in doc] == ["Kâmil", "Bey", "geldi", ".", "Sonra", "Ankara’ya", "gitti", "!"]
    assert [token.norm for token in doc] == ["Kamil", "Bey", "geldi", ".", "Sonra", "Ankara'ya", "gitti", "!"]
    assert str(doc[0]) == "Kâmil"


def test_a_document_is_a_sequence_of_tokens(nlp):
    doc = nlp(TEXT)
    assert len(doc) == len(list(doc)) == len(doc.tokens) == 8
    assert doc[5].text == "Ankara’ya"
    assert doc[-1] == doc.tokens[-1]
    assert [token.text for token in doc[1:3]] == ["Bey", "geldi"]
    assert [token.number for token in doc] == [1, 2, 3, 4, 1, 2, 3, 4]
    assert doc[0] in doc
    assert doc[0] != doc[1]


def test_sentences(nlp):
    doc = nlp(TEXT)
    assert [sentence.text for sentence in doc.sentences] == ["Kâmil  Bey geldi.", "Sonra Ankara’ya gitti!"]
    assert all(doc.text[sentence.start : sentence.end] == sentence.text for sentence in doc.sentences)
    assert [len(sentence) for sentence in doc.sentences] == [4, 4]
    assert doc.sentences[1][0] == doc[4]
    assert doc.sentences[1].pos == doc.pos[4:]
    assert doc[4].sentence is doc.sentences[1]


def test_columns_are_attributes(nlp):
    doc = nlp(TEXT)
    assert doc.pos == ["VERB", "VERB", "VERB", "PUNCT", "VERB", "VERB", "VERB", "PUNCT"]
    assert doc.lemma[0] == "Kâmil", "the lemma has the circumflex of the text"
    assert doc.ner[:3] == ["PER", "PER", "O"]
    assert doc.morph[0] == "Kamil+Noun+A3sg+Pnon+Nom"
    assert doc.feats[0] == doc[0].feats == "Case=Nom|Number=Sing|Person=3", "made of the analysis"
    assert [head for head, _ in doc.dep] == [0, 1, 2, 3, 0, 1, 2, 3], "heads count within the sentence"
    assert (doc[1].head, doc[1].relation) == (1, "obj")
    cleaned = "Kamil Bey geldi. Sonra Ankara’ya gitti!"
    assert doc.sentiment == pytest.approx(cleaned.count("a") / len(cleaned))
    assert doc.sentences[0].sentiment != doc.sentiment


ASKS = {
    "doc.pos": lambda doc: doc.pos,
    "doc.feats": lambda doc: doc.feats,
    "doc.dep": lambda doc: doc.dep,
    "doc.sentiment": lambda doc: doc.sentiment,
    "doc.entities": lambda doc: doc.entities,
    "sentence.pos": lambda doc: doc.sentences[0].pos,
    "sentence.sentiment": lambda doc: doc.sentences[0].sentiment,
    "sentence.entities": lambda doc: doc.sentences[0].entities,
    "token.pos": lambda doc: doc[0].pos,
    "token.head": lambda doc: doc[0].head,
    "token.relation": lambda doc: doc[0].relation,
    "token.pos_confidence": lambda doc: doc[0].pos_confidence,
    "to_displacy": lambda doc: doc.to_displacy(),
    "to_displacy ent": lambda doc: doc.to_displacy("ent"),
    "to_svg": lambda doc: doc.to_svg(),
    "sentence.to_svg": lambda doc: doc.sentences[0].to_svg(),
    "column": lambda doc: doc.column("nothing"),
}


class OnlyLemmas(FakePipeline):
    def __init__(self):
        super().__init__("stemmer")
        self.analyzer.columns = tuple(name for name in self.analyzer.columns if name != "morph")


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_asking_for_what_was_not_loaded(ask):
    doc = OnlyLemmas()("Ali geldi.")
    assert doc.lemma == ["Ali", "geldi", "."]
    with pytest.raises(NotLoadedError, match=r"there is no '.*' here: the model for it was not loaded") as told:
        ask(doc)
    assert isinstance(told.value, VNLPError)
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)


def test_the_message_says_what_to_load():
    doc = FakePipeline("pos")("Ali geldi.")
    with pytest.raises(NotLoadedError, match="add 'ner' to models_to_load"):
        doc.entities  # noqa: B018
    with pytest.raises(NotLoadedError, match="'stemmer' to models_to_load"):
        doc[0].lemma  # noqa: B018
    with pytest.raises(NotLoadedError, match=r"VNLPipeline\(columns=\['pos_confidence'\]\)"):
        doc[0].pos_confidence  # noqa: B018


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_nothing_gives_an_empty_document(nlp, text):
    doc = nlp(text)
    assert doc.sentences == doc.tokens == doc.pos == doc.entities == []
    assert math.isnan(doc.sentiment)
    assert doc.to_conllu() == ""
    assert len(doc.to_dataframe()) == len(doc.to_pandas()) == 0
    assert Document.from_json(doc.to_json()) == doc
    assert "<div>" in doc._repr_html_()


def test_a_sentence_without_a_token(nlp):
    doc = nlp("\u200b\u200b\nAli geldi.")
    assert [len(sentence) for sentence in doc.sentences] == [0, 3]
    assert doc.sentences[0].pos == []
    assert doc.to_conllu().count("# text") == 1
    assert len(doc.to_dataframe()) == 2
    assert Document.from_dict(doc.to_dict()) == doc


def test_json_that_any_parser_takes():
    nlp = FakePipeline(columns=["ner_confidence", "pos_confidence"])  # the fake's ner_confidence is NaN
    doc = nlp("Ali geldi. \u200b\nVeli \ud800 gitti.")
    text = doc.to_json()

    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    data = json.loads(text.encode("utf-8"), parse_constant=refuse)
    token = data["sentences"][0]["tokens"][0]
    assert token == {
        "number": 1,
        "text": "Ali",
        "norm": "Ali",
        "start": 0,
        "end": 3,
        "morph": "Ali+Noun+A3sg+Pnon+Nom",
        "lemma": "Ali",
        "pos": "VERB",
        "ner": "PER",
        "head": 0,
        "relation": "root",
        "pos_confidence": 0.5,
        "ner_confidence": None,
    }
    assert data["sentences"][0]["entities"] == [{"text": "Ali", "name": "Ali", "type": "PER", "start": 0, "end": 3}]
    assert Document.from_dict(doc.to_dict()) == doc
    assert Document.from_json(text).to_conllu() == doc.to_conllu()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data.pop("sentences"), "'sentences' is missing"),
        (lambda data: data["sentences"][0]["tokens"][0].pop("lemma"), "'lemma' is missing"),
        (lambda data: data["sentences"][0]["tokens"][0].update(start=99), "do not follow each other"),
        (lambda data: data["sentences"][0].update(end=99), "do not follow each other"),
        (lambda data: data["sentences"][0]["tokens"][0].update(head=9), "is none of its 3 tokens"),
        (lambda data: data["columns"].append("colour"), "unknown column 'colour'"),
        (lambda data: data.update(text=5), "'text' is a string"),
        (lambda data: data.update(sentences=3), "no document"),
    ],
)
def test_what_is_no_document(nlp, change, told):
    data = json.loads(nlp("Ali geldi.").to_json())
    change(data)
    with pytest.raises(VNLPError, match=told):
        Document.from_dict(data)


@pytest.mark.parametrize("text", ["", "[", "[]", "5", "null", "[" * 100_000])
def test_what_is_no_json_of_a_document(text):
    with pytest.raises(VNLPError, match=r"no (JSON of a )?document"):
        Document.from_json(text)


def test_a_row_a_token(nlp):
    table = nlp(TEXT).to_pandas()
    assert len(table) == 8
    assert table["sentence"].tolist() == [1, 1, 1, 1, 2, 2, 2, 2]
    names = ["sentence", "number", "text", "norm", "start", "end", "morph", "lemma", "pos", "ner", "head", "relation"]
    assert list(table.columns) == names
    assert [TEXT[start:end] for start, end in zip(table["start"], table["end"], strict=True)] == table["text"].tolist()


def test_a_row_a_sentence():
    doc = FakePipeline("ner", columns=["entities", "offsets"])("Ali geldi. Tom'un evi.")
    table = doc.to_dataframe()
    assert list(table.columns) == ["sentence", "no_accents", "tokens", "tokens_40", "ner", "entities", "offsets"]
    assert table["entities"][1] == [{"text": "Tom'un", "name": "Tom", "type": "PER", "start": 0, "end": 6}]
    assert doc.sentences[1].column("ner_bio") == ["B-PER", "O", "O"]
    assert doc.sentences[1].column("sentence_ends") == [3]
    assert table["offsets"][1] == [(0, 6), (7, 10), (10, 11)], "in the sentence"


def test_same_answers_as_the_table():
    nlp = VNLPipeline(["pos", "stemmer"], columns=["offsets"])
    sentences = ["Kâmil Bey geldi.", "Resmî evrak nerede?", "Ali’nin evi büyük"]
    table = nlp.process_dataframe(pd.DataFrame({"sentence": sentences}))
    rows = pd.concat([nlp(sentence).to_dataframe() for sentence in sentences], ignore_index=True)
    for name in table.columns:
        assert rows[name].tolist() == table[name].tolist(), name


def test_pipe_keeps_order_and_context(nlp):
    texts = [f"Metin {number}. " * (number % 4) for number in range(25)]
    assert [doc.text for doc in nlp.pipe(texts, batch_size=7)] == texts
    assert list(nlp.pipe(texts, batch_size=7)) == [nlp(text) for text in texts]
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


def test_documents_can_be_pickled(nlp):
    doc = nlp(TEXT)
    assert pickle.loads(pickle.dumps(doc)) == doc


def test_displacy_gets_what_its_manual_mode_draws(nlp):
    tree = nlp("Ali eve geldi.").to_displacy()[0]
    assert [word["text"] for word in tree["words"]] == ["Ali", "eve", "geldi", "."]
    assert tree["arcs"][0] == {"start": 0, "end": 1, "label": "obj", "dir": "right"}
    assert nlp("Ali geldi.").to_displacy("ent")[0]["ents"] == [{"start": 0, "end": 3, "label": "PER"}]
    with pytest.raises(ValueError, match="unknown style"):
        nlp("Ali").to_displacy("span")
