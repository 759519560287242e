"""The lemma up to the last derivation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vnlp_colab.text.derivation import derived_lemma
from vnlp_colab.text.morphology import default_generator


@pytest.mark.parametrize(
    ("word", "analysis", "lemma"),
    [
        ("tuzsuz", "tuz+Noun+A3sg+Pnon+Nom^DB+Adj+Without", "tuzsuz"),
        ("Tuzsuzdu", "tuz+Noun+A3sg+Pnon+Nom^DB+Adj+Without^DB+Verb+Zero+Past+A3sg", "tuzsuz"),
        ("ilgisizdi", "ilgi+Noun+A3sg+Pnon+Nom^DB+Adj+Without^DB+Verb+Zero+Past+A3sg", "ilgisiz"),
        ("başarısızlığı", "başarı+Noun+A3sg+Pnon+Nom^DB+Adj+Without^DB+Noun+Ness+A3sg+P3sg+Nom", "başarısızlık"),
        ("gözlükçülerin", "gözlük+Noun+A3sg+Pnon+Nom^DB+Noun+Agt+A3pl+Pnon+Gen", "gözlükçü"),
        ("evlilerden", "ev+Noun+A3sg+Pnon+Nom^DB+Adj+With^DB+Noun+Zero+A3pl+Pnon+Abl", "evli"),
        ("Ankara'lı", "ankara+Noun+Prop+A3sg+Pnon+Nom^DB+Adj+With", "ankaralı"),
        ("güzelleştirdi", "güzel+Adj^DB+Verb+Become^DB+Verb+Caus+Pos+Past+A3sg", "güzelleş"),
        ("sessizce", "ses+Noun+A3sg+Pnon+Nom^DB+Adj+Without^DB+Adverb+Ly", "sessizce"),
        ("toplumsal", "toplum+Noun+A3sg+Pnon+Nom^DB+Adj+Related", "toplumsal"),
        ("Instagramcı", "instagram+Noun+A3sg+Pnon+Nom^DB+Noun+Agt+A3sg+Pnon+Nom", "instagramcı"),
        # Inflection, as Universal Dependencies counts it: the root stays.
        ("gelen", "gel+Verb+Pos^DB+Adj+PresPart", "gel"),
        ("okumayı", "oku+Verb+Pos^DB+Noun+Inf2+A3sg+Pnon+Acc", "oku"),
        ("yapıldı", "yap+Verb^DB+Verb+Pass+Pos+Past+A3sg", "yap"),
        ("evdeki", "ev+Noun+A3sg+Pnon+Loc^DB+Adj+Rel", "ev"),
        ("kitabı", "kitap+Noun+A3sg+Pnon+Acc", "kitap"),
        ("güzeldi", "güzel+Adj^DB+Verb+Zero+Past+A3sg", "güzel"),
        # Odd roots and analyses.
        ("+", "++Punc", "+"),
        ("+5", "+5+Num+Card", "+5"),
        ("qwrtyp", "qwrtyp+Unknown", "qwrtyp"),
        ("", "", ""),
        ("bambaşka", "tuz+Noun+A3sg+Pnon+Nom^DB+Adj+Without", "tuz"),
    ],
)
def test_derived_lemma(word, analysis, lemma):
    assert derived_lemma(word, analysis) == lemma


@settings(deadline=None)  # the lexicon is read by the first call
@given(st.sampled_from(["tuzsuzlar", "evlilik", "gözlükçü", "karşılaşmak", "ilgisizdi", "kitaplığım", "yeni", "5'lik"]))
def test_every_candidate_has_one(word):
    for analysis in default_generator().candidates(word):
        lemma = derived_lemma(word, str(analysis))
        assert lemma == analysis.root or word.replace("'", "").startswith(lemma[:-1])
