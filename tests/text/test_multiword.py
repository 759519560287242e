"""The copula split off for writers of CoNLL-U."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vnlp_colab.text.multiword import split_copula


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("güzeldir", ("güzel", "dir")),
        ("vardır", ("var", "dır")),
        ("Yoktu", ("Yok", "tu")),
        ("demektir", ("demek", "tir")),
        ("farkındaydık", ("farkında", "ydık")),
        ("günleriydi", ("günleri", "ydi")),
        ("İstanbul'daydık", ("İstanbul'da", "ydık")),
        ("üzereyken", ("üzere", "yken")),
    ],
)
def test_a_predicate_and_its_copula(token, parts):
    assert split_copula(token) == parts


@pytest.mark.parametrize(
    "token",
    ["geldi", "gelmiştir", "müdür", "kültür", "yıllardır", "giderken", "erken", "kadın", "aldı", "kitap", ""],
)
def test_one_word(token):
    assert split_copula(token) is None


@settings(deadline=None)  # the lexicon is read by the first call
@given(st.text(st.characters(), max_size=20) | st.text("güzeldirtyıkn'’", max_size=20))
def test_the_parts_are_the_token(token):
    parts = split_copula(token)
    assert parts is None or ("".join(parts) == token and all(parts))
