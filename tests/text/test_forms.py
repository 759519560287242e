"""From a written token to what models read, and the circumflex back onto a lemma."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.text import TreebankWordTokenize
from vnlp_colab.text.accents import remove_accent_marks
from vnlp_colab.text.forms import keep_circumflexes, model_form


@pytest.mark.parametrize(
    ("token", "form"),
    [
        ("geldi", "geldi"),
        ("kâr", "kar"),
        ("Hâlâ", "Hala"),
        ("resmî", "resmi"),
        ("Ankara’da", "Ankara'da"),
        ("Ankara`da", "Ankara'da"),
        ("A.Ş.’nin", "A.Ş.'nin"),
        ("%5’lik", "%5'lik"),
        ("’da", "'da"),
        ("’", "'"),
        ("‘", "‘"),
        ("s\u0327eker", "şeker"),
        ("k\u00e2\u0302r", "kar"),
        ("par\u00adça", "parça"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("\ud800", "\ufffd"),
        ("José", "José"),
    ],
)
def test_model_form(token, form):
    assert model_form(token) == form


@given(st.text("abçĞİıîâÂ’'", min_size=1, max_size=20))
def test_model_form_is_what_the_models_have_always_read(word):
    # The tokens VNLP's models know: accents off, then TreebankWordTokenize; a word of letters stays one token there.
    tokens = TreebankWordTokenize(remove_accent_marks(word))
    if len(tokens) == 1:
        assert model_form(word) == tokens[0]


@given(st.text(st.characters(), max_size=30))
def test_any_string_gives_a_form_that_can_be_written(token):
    form = model_form(token)
    assert bool(form) == bool(token)
    form.encode()
    assert unicodedata.is_normalized("NFC", form) or "\u200d" in token


@pytest.mark.parametrize(
    ("lemma", "token", "kept"),
    [
        ("kar", "kârlar", "kâr"),
        ("kar", "karlar", "kar"),
        ("hala", "Hâlâ", "hâlâ"),
        ("kağıt", "kâğıdı", "kâğıt"),
        ("resmi", "resmîdir", "resmî"),
        ("Kazım", "Kâzım'ın", "Kâzım"),
        ("İslam", "İslâm'ın", "İslâm"),
        ("ol", "kâr", "ol"),
        ("hikaye", "HİKÂYELER", "hikâye"),
        ("mahkum", "mahkûmiyet", "mahkûm"),
        ("kar", "ka\u0302rlar", "kâr"),
    ],
)
def test_lemma_keeps_the_circumflexes_of_its_token(lemma, token, kept):
    assert keep_circumflexes(lemma, token) == kept


@given(st.text(st.characters(), max_size=20), st.text(st.characters() | st.sampled_from("âîû"), max_size=20))
def test_only_circumflexes_are_added(lemma, token):
    kept = keep_circumflexes(lemma, token)
    assert len(kept) == len(lemma)
    assert keep_circumflexes(lemma, lemma.translate(str.maketrans("âîûÂÎÛ", "aiuAIU"))) == lemma
