"""Places of tokens are exact for any Unicode text."""

from __future__ import annotations

import time
import unicodedata

import conllu
import pytest
from any_text import ANY_TEXT
from hypothesis import HealthCheck, example, given, settings

from vnlp_colab.batches.alignment import align_tokens, spans_in_original
from vnlp_colab.batches.preparation import clean_sentence, token_spans, tokenize
from vnlp_colab.document.document import Document

SETTINGS = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SETTINGS
@given(ANY_TEXT)
@example("\u0643\u0654 Ayşe Hanım")  # an Arabic letter and a mark that joins it
@example("か\u3099 Ayşe Hanım")
@example("\u1112\u1161\u11ab Ayşe Hanım")
@example("\u0958 Ayşe")  # falls apart in NFC
@example("\U0001d15e Ayşe")
@example("\u00e2\u0301 î\u0301 Ayşe")
@example("a\ud800b Ayşe")
def test_tokens_stand_where_they_say(nlp, text):
    doc = nlp(text)
    assert doc.text == text
    end = 0
    for token in doc:
        assert text[token.start : token.end] == token.text
        assert end <= token.start < token.end
        assert not any(map(str.isspace, token.text))
        end = token.end
    for sentence in doc.sentences:
        assert text[sentence.start : sentence.end] == sentence.text
        assert [token.norm for token in sentence] == tokenize(clean_sentence(sentence.text))
    for entity in doc.entities:
        assert text[entity.start : entity.end] == entity.text
    covered = [any(entity.start <= token.start < entity.end for entity in doc.entities) for token in doc]
    assert covered == [label != "O" for label in doc.ner]


@SETTINGS
@given(ANY_TEXT)
def test_conllu_parses_and_says_the_same(nlp, text):
    doc = nlp(text)
    written = [sentence for sentence in doc.sentences if len(sentence)]
    read = conllu.parse(doc.to_conllu())
    assert len(read) == len(written)
    for block, sentence in zip(read, written, strict=True):
        assert [row["form"] for row in block] == [_form(token.text) for token in sentence]
        assert [(row["head"], row["deprel"]) for row in block] == sentence.dep
        assert block.serialize() == sentence.to_conllu(block.metadata["sent_id"], block.metadata.get("newdoc id"))


def _form(text):
    whole = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    return unicodedata.normalize("NFC", whole)


@SETTINGS
@given(ANY_TEXT)
def test_plain_values_bring_the_document_back(nlp, text):
    doc = nlp(text)
    assert Document.from_dict(doc.to_dict()) == doc
    again = Document.from_json(doc.to_json().encode("utf-8"))
    assert again.to_json() == doc.to_json()


def test_the_words_of_the_issue(nlp):
    doc = nlp("\u0643\u0654\u064e か\u3099 \u1112\u1161\u11ab Ayşe Hanım\ngeldi")
    assert [token.text for token in doc][-3:] == ["Ayşe", "Hanım", "geldi"]
    assert "\nAyşe" not in doc.to_conllu()


@SETTINGS
@given(ANY_TEXT)
def test_cleaning_never_lengthens_a_text(text):
    assert len(clean_sentence(text)) <= len(text)
    assert clean_sentence(text) == " ".join(clean_sentence(word) for word in text.split())


@SETTINGS
@given(ANY_TEXT)
def test_given_tokens_are_found_in_order(text):
    cleaned = clean_sentence(text)
    tokens = tokenize(cleaned)
    spans = align_tokens(text, tokens)
    assert len(spans) == len(tokens)
    end = 0
    for start, stop in spans:
        assert end <= start <= stop <= len(text)
        end = stop


@pytest.mark.parametrize(
    "text",
    [
        "Kâmil  Bey Ankara’ya gitti.",
        "  Resmî\tevrak nerede?  ",
        "Ko\u0308y yolu",
        "“Gel” dedi, Ali’nin «abisi».",
        "İYİ",
    ],
)
def test_our_own_tokens_are_found_where_they_were_cut(text):
    cleaned = clean_sentence(text)
    expected = spans_in_original(text, cleaned, token_spans(cleaned))
    assert align_tokens(text, tokenize(cleaned)) == expected
    assert align_tokens(text, [token.lower() for token in tokenize(cleaned)]) == expected


@pytest.mark.parametrize(
    ("text", "tokens", "found"),
    [
        ("Ali eve geldi", ["Ali", "geldi"], ["Ali", "geldi"]),  # one left out
        ("Ali eve geldi", ["Ali", "dün", "geldi"], ["Ali", "", "geldi"]),  # one that is not there
        ("bu kitap", ["bu", "a", "kitap"], ["bu", "", "kitap"]),  # not a letter inside of a word
        ("New York güzel", ["new york", "güzel"], ["New York", "güzel"]),
        ("Ankara'da", ["Ankara", "'", "da"], ["Ankara", "'", "da"]),
        ("şeker çay", ["seker", "cay"], ["şeker", "çay"]),
        ("", ["Ali"], [""]),
        ("Ali", [], []),
        ("각", ["ᄀ", "ᅡ"], ["각", ""]),  # half a syllable is no place
    ],
)
def test_tokens_of_someone_else(text, tokens, found):
    assert [text[start:end] for start, end in align_tokens(text, tokens)] == found


@pytest.mark.parametrize(
    "text",
    ["a\u0301" * 300_000, "a" + "\u0301" * 600_000, "â " * 300_000, " ölçü\u0308 " * 100_000, "\u0958" * 300_000],
    ids=["letters", "marks", "words", "mixed", "apart"],
)
def test_places_in_a_long_text_take_linear_time(text):
    started = time.perf_counter()
    cleaned = clean_sentence(text)
    spans_in_original(text, cleaned, token_spans(cleaned))
    assert time.perf_counter() - started < 20  # about 2 s here; quadratic would be hours


def test_tokens_that_are_not_there_take_linear_time():
    started = time.perf_counter()
    align_tokens("a b " * 50_000, ["yok"] * 50_000)
    assert time.perf_counter() - started < 20
