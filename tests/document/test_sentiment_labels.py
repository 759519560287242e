"""The label of a document's sentiment is the one the model gave, as in a table; without one its score is cut."""

from __future__ import annotations

import json
import math
import pickle

import pandas as pd
import pytest

from vnlp_colab import VNLPipeline
from vnlp_colab.document.document import Document
from vnlp_colab.document.texts import documents
from vnlp_colab.errors import VNLPError

# The share of the letter a: neutral, negative and positive; as one text they are neutral.
TEXT = "Baba aba. Göl. Aaa a!"
LABELS = ["neutral", "negative", "positive"]


class Opinion:
    """The share of the letter a among the letters; from 0.3 to 0.7 a text is neutral, which a cut does not know."""

    needs = ()
    device = "cpu"
    fingerprint = "opinion"

    def __init__(self, *provides):
        self.provides = provides or ("sentiment", "sentiment_label")
        self.asked = []

    def annotate(self, batch, wanted):
        self.asked.append(sorted(wanted))
        letters = [[letter for letter in "".join(words).casefold() if letter.isalpha()] for words in batch.tokens]
        scores = [sum(letter == "a" for letter in some) / max(1, len(some)) for some in letters]
        labels = ["neutral" if 0.3 <= score <= 0.7 else "positive" if score > 0.7 else "negative" for score in scores]
        return {name: scores if name == "sentiment" else labels for name in wanted}


def pipeline(*provides, **settings):
    return VNLPipeline({"sentiment": Opinion(*provides)}, **settings)


@pytest.fixture
def doc():
    return pipeline()(TEXT)


def test_a_neutral_text_is_neutral_whatever_side_of_the_middle_it_is_on(doc):
    assert [sentence.sentiment_label for sentence in doc.sentences] == LABELS
    assert doc.sentiment > 0.5
    assert doc.sentiment_label == doc.column("sentiment_label") == "neutral", "of the whole text, read as one"
    assert pipeline()("Baba aba.").sentiment_label == "neutral", "of its one sentence"


def test_the_table_says_the_same():
    nlp = pipeline(columns=["sentiment_label"])
    texts = [sentence.text for sentence in nlp(TEXT).sentences]
    table = nlp.process_dataframe(pd.DataFrame({"sentence": texts}))
    assert table["sentiment_label"].tolist() == LABELS
    assert nlp(TEXT).to_dataframe()["sentiment_label"].tolist() == LABELS


def test_rows_of_several_sentences_need_no_label_to_be_wanted():
    table = pipeline(split="sentences").process_dataframe(pd.DataFrame({"sentence": [TEXT]}))
    assert "sentiment_label" not in table
    assert table["sentiment"].tolist() == [pipeline()(TEXT).sentiment]


def test_score_and_label_come_from_one_pass():
    nlp = pipeline()
    nlp(TEXT)
    both = ["sentiment", "sentiment_label"]
    assert nlp.models["sentiment"].asked == [both, both], "once for the sentences, once for the whole text"


def test_without_a_label_of_the_models_the_score_is_cut():
    doc = pipeline("sentiment")(TEXT)
    assert [sentence.sentiment_label for sentence in doc.sentences] == ["positive", "negative", "positive"]
    assert doc.sentiment_label == "positive"
    assert "sentiment_label" not in doc.to_dict()
    assert Document.from_dict(doc.to_dict()) == doc


def test_nothing_has_no_label(doc):
    empty = pipeline()("\u200b\nBaba aba.")
    assert empty.sentences[0].sentiment_label is None
    assert empty.to_dict()["sentences"][0]["sentiment_label"] is None
    assert pipeline()("").to_dict()["sentiment_label"] is None
    assert Document.from_json(empty.to_json()) == empty


def test_a_label_alone_may_be_asked_for():
    doc = pipeline(columns=["tokens", "sentiment_label"])(TEXT)
    assert (doc.sentiment_label, doc.sentences[1].sentiment_label) == ("neutral", "negative")
    assert Document.from_json(doc.to_json()).to_dataframe()["sentiment_label"].tolist() == LABELS


@pytest.mark.parametrize(
    "again",
    [
        lambda doc: Document.from_dict(doc.to_dict()),
        lambda doc: Document.from_json(doc.to_json()),
        lambda doc: pickle.loads(pickle.dumps(doc)),
    ],
    ids=["dict", "json", "pickle"],
)
def test_labels_survive(doc, again):
    copy = again(doc)
    assert copy == doc
    assert copy.sentiment_label == "neutral"
    assert [sentence.label for sentence in copy.sentences] == LABELS


def test_labels_stand_beside_the_scores(doc):
    data = json.loads(doc.to_json())
    for one in (data, *data["sentences"]):
        names = list(one)
        assert names.index("sentiment_label") == names.index("sentiment") + 1
    assert data["sentences"][0]["sentiment_label"] == "neutral"


def test_json_from_before_labels_were_kept(doc):
    data = doc.to_dict()
    for one in (data, *data["sentences"]):
        del one["sentiment_label"]
    old = Document.from_dict(data)
    assert old.sentiment_label == "positive", "cut at 0.5"
    assert old.to_dict() == data
    assert old != doc, "a label the model gave is part of the document"


def test_a_label_is_a_text(doc):
    with pytest.raises(VNLPError, match="'sentiment_label' is a string or null, not int"):
        Document.from_dict(doc.to_dict() | {"sentiment_label": 1})


def test_the_words_of_tokens_have_the_label_of_their_sentence():
    nlp = pipeline()
    (doc,) = documents(nlp._analyzer, ["Ahmaktaydı."], 8, False, multiword=True)
    (plain,) = documents(nlp._analyzer, ["Ahmaktaydı."], 8, False)
    (sentence,) = doc.sentences
    assert sentence.words is not None
    assert sentence.label == sentence.words.label == plain.label == doc.label == "neutral"
    assert Document.from_json(doc.to_json()).sentences[0].words.label == "neutral"


@pytest.mark.slow
def test_labels_come_from_other_processes():
    nlp = pipeline()
    texts = [TEXT, "", "Baba aba."]
    shared = list(nlp.pipe(texts, n_process=2))
    assert shared == list(nlp.pipe(texts))
    assert [doc.sentiment_label for doc in shared] == ["neutral", None, "neutral"]
    assert math.isnan(shared[1].sentiment)


def test_spacy_has_the_label_if_it_alone_is_wanted():
    doc = pipeline(columns=["tokens", "sentiment_label"])(TEXT).to_spacy()
    assert doc._.sentiment_label == "neutral"
    assert doc._.sentiment is None
