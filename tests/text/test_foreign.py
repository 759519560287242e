"""Lower case of words with an I: Turkish, foreign, numerals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.foreign import lower_word
from vnlp_colab.text.morphology import default_generator

DOTTED = """
    Instagram Instagram'ın Icardi Icardi'yi II III. IV. XIV WiFi WIFI Intel Iphone IPHONE IBM IBM'in IMF ISO FIFA CIA
    Internet INTERNET LinkedIn LINKEDIN Indiana Illinois Iowa Ian Ivan Isaac Isabella Irina Igor Ibrahim Istanbul
    Istanbul'da Italia Island Inc Inter Idaho Innsbruck Ingrid Iglesias Infinity NETFLIX TIKTOK BITCOIN MICROSOFT AIDS
    COVID Iron Ice Image Index India Irish Israel Itachi Iniesta Ibsen Idol Impact Imperial CHICAGO VIP API WIKIPEDIA
    Irkutsk Islam Isuzu Inzaghi UNICEF SIM VERIYORUM BILGI
"""
DOTLESS = """
    Isparta Isparta'nın Irak Irak'a Iraklı Iğdır Ilgaz Ilıca Işık IŞIK Işıl Işın Irmak Irk Irkçı Isı Isıtma Islak Islık
    Ispanak Istakoz Istırap Issız Izgara Izdırap Ihlamur Ilık Ilıman Ilımlı Irgat Isırgan Ismarlama Israr Iska Itır
    KIZ KIRMIZI ALTIN YAPI KISA SICAK ADI SIKINTI YILDIZ HIZ KAPI TATLI KIŞ AÇIK ÇIKIŞ DIŞARI SINIF ISPARTA IRAK IRMAK
    ISI KADIN BAKIM YARIN MI PLANI STANDARTTI YAPILDI KALDIK BAŞARILI
"""


@pytest.mark.parametrize("word", DOTTED.split())
def test_foreign_words_and_numerals_keep_their_dot(word):
    stem = word.split("'")[0]
    assert lower_word(word).startswith(stem.replace("I", "i").lower())


@pytest.mark.parametrize("word", DOTLESS.split())
def test_turkish_words_have_none(word):
    assert lower_word(word) == lower_case(word)


def test_a_suffix_is_turkish_behind_any_name():
    assert lower_word("INSTAGRAM'IN") == "instagram'ın"
    assert lower_word("TIKTOK’TAKI") == "tiktok’takı"


def test_roots_of_foreign_words_have_it_too():
    generator = default_generator()
    assert {analysis.root for analysis in generator.candidates("Instagram")} == {"instagram"}
    assert "icardi" in {analysis.root for analysis in generator.candidates("Icardi'nin")}
    assert {analysis.root for analysis in generator.candidates("Isparta'nın")} == {"ısparta"}


@settings(deadline=None)  # the lexicon is read by the first call
@given(st.text(st.characters(), max_size=40) | st.text("Iıiİaek'’QÇş.", max_size=20))
def test_any_string_and_only_the_i_may_differ(text):
    lowered = lower_word(text)
    assert lowered.replace("i", "ı") == lower_case(text).replace("i", "ı")
