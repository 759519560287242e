"""Surface tokens of two words, as the BOUN treebank has them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vnlp_colab.text.multiword import syntactic_words, words_of


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("kolaydır", ("kolay", "dır")),
        ("önemliydi", ("önemli", "ydi")),
        ("vardır", ("var", "dır")),
        ("Yoktu", ("Yok", "tu")),
        ("demektir", ("demek", "tir")),
        ("farkındaydık", ("farkında", "ydık")),
        ("İstanbul'daydık", ("İstanbul'da", "ydık")),
        ("Ali'ydi", ("Ali", "'ydi")),
        ("üzereyken", ("üzere", "yken")),
    ],
)
def test_two_words(token, parts):
    assert syntactic_words(token) == parts


@pytest.mark.parametrize(
    "token",
    ["geldi", "gelmiştir", "müdür", "kültür", "giderken", "erken", "kadın", "aldı", "kitap", "değildir", "12", ".", ""],
)
def test_one_word(token):
    assert syntactic_words(token) == (token,)


def test_a_longer_token_than_any_word_is_one():
    assert syntactic_words("a" * 40 + "dır") == ("a" * 40 + "dır",)


def test_words_of_a_sentence_know_their_token():
    words = words_of(["Bu", "zordur", ",", "ama", "imkân", "vardır", "."])
    assert words is not None
    assert words.words == ["Bu", "zor", "dur", ",", "ama", "imkân", "var", "dır", "."]
    assert words.owners == [0, 1, 1, 2, 3, 4, 5, 5, 6]
    assert words_of(["Geldi", "."]) is None


@settings(deadline=None)  # the lexicon is read by the first call
@given(st.text(st.characters(), max_size=20) | st.text("güzeldirtyıkn'’", max_size=20))
def test_the_words_are_the_token(token):
    words = syntactic_words(token)
    assert "".join(words) == token
    assert len(words) == 1 or all(words)
