"""Documents that know the syntactic words of their tokens."""

from __future__ import annotations

import conllu
import pytest
from document_fakes import FakePipeline
from test_conllu import problems

from vnlp_colab.document.document import Document
from vnlp_colab.document.texts import documents

TEXT = "Sorun yoktu.  Ali geldi. Hâlâ hikâyeydi."


@pytest.fixture(scope="module")
def analyzer():
    return FakePipeline().analyzer


@pytest.fixture(scope="module")
def document(analyzer):
    return next(documents(analyzer, [TEXT], 8, False, multiword=True))


def forms(block):
    return [(row["id"], row["form"]) for row in block]


def test_tokens_stay_and_words_are_written(document):
    assert [token.text for token in document][:3] == ["Sorun", "yoktu", "."]
    first, second, third = conllu.parse(document.to_conllu())
    assert forms(first) == [(1, "Sorun"), ((2, "-", 3), "yoktu"), (2, "yok"), (3, "tu"), (4, ".")]
    assert forms(second) == [(1, "Ali"), (2, "geldi"), (3, ".")]
    assert forms(third)[1:4] == [((2, "-", 3), "hikâyeydi"), (2, "hikâye"), (3, "ydi")]
    assert [block.metadata["text"] for block in (first, second, third)] == [
        "Sorun yoktu.",
        "Ali geldi.",
        "Hâlâ hikâyeydi.",
    ]


def test_the_models_are_asked_about_the_words(document):
    (words, *_) = [sentence.words for sentence in document.sentences]
    assert words.lemma == ["Sorun", "yok", "tu", "."]
    assert words.dep == [(0, "root"), (1, "obj"), (2, "obj"), (3, "obj")]
    assert document.sentences[1].words is None, "every token is one word"


def test_surface_tokens_on_wish(document, analyzer):
    plain = next(documents(analyzer, [TEXT], 8, False))
    assert document.to_conllu(multiword=False) == plain.to_conllu()
    assert "2-3" not in plain.to_conllu()
    assert document.to_pandas().equals(plain.to_pandas())


def test_words_survive_json(document):
    again = Document.from_json(document.to_json())
    assert again == document
    assert again.to_conllu() == document.to_conllu()


def test_a_style_that_splits_tokens_asks_for_words(analyzer):
    class Boun(type(analyzer.annotators["pos"])):
        style = "boun"

    styled = FakePipeline().analyzer
    styled.annotators["pos"] = Boun()
    assert "2-3\tyoktu" in next(documents(styled, [TEXT], 8, False)).to_conllu()
    assert "2-3\tyoktu" not in next(documents(styled, [TEXT], 8, False, multiword=False)).to_conllu()


def test_words_are_valid_conllu(document, tmp_path):
    assert problems(tmp_path, document.to_conllu()) == ""
