"""Informal spellings mended token by token, and what must not be touched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vnlp_colab.errors import VNLPError
from vnlp_colab.text.informal import STEPS, check_steps, mend_text, mend_tokens, typed_without_turkish_letters
from vnlp_colab.text.informal.chat import TABLE

TURKISH = str.maketrans("çğıöşüÇĞİÖŞÜ", "cgiosuCGIOSU")
# Written for this test; not in any corpus.
ORDINARY = [
    "Akşamüstü çarşıdan üç kilo çilek aldık.",
    "O da bize geldi.",
    "Tom ile Mary sinemaya gitti.",
    "Bu kitap bana ait.",
    "Trabzon dondu.",
    "Los Angeles Times haberi verdi.",
    "HAVA SICAK.",
    "KIZIM OKULA BAŞLADI.",
    "San Francisco ve Dallas.",
    "Ben Jorge'yim.",
]
STRIPPED = [
    "Düşünüyorum da böyle şey görmedim.",
    "Akşamüstü çarşıdan üç kilo çilek aldık.",
    "Öğretmenimiz yarın İzmir'e gidecekmiş.",
    "Kışın soğuğunda dışarı çıkmak istemiyoruz.",
    "Bugün hava çok güzel.",
    "ÇOK GÜZELDİ, TEŞEKKÜRLER.",
    "Şimdi ne yapıyorsun?",
]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("slm", "selam"),
        ("Slm", "Selam"),
        ("nbr", "naber"),
        ("naber", "naber"),
        ("tmm", "tamam"),
        ("gelmiyo", "gelmiyor"),
        ("geliyom", "geliyorum"),
        ("yapıyosun", "yapıyorsun"),
        ("gidiyoz", "gidiyoruz"),
        ("gidiyodum", "gidiyordum"),
        ("seviorum", "seviyorum"),
        ("yapıcam", "yapacağım"),
        ("gelicem", "geleceğim"),
        ("GELİCEM", "GELECEĞİM"),
        ("yapcaz", "yapacağız"),
        ("söylicem", "söyleyeceğim"),
        ("okucam", "okuyacağım"),
        ("olucak", "olacak"),
        ("yapıcaktım", "yapacaktım"),
        ("burda", "burada"),
        ("aşqım", "aşkım"),
    ],
)
def test_chat_spellings(typed, meant):
    assert mend_tokens([typed], "chat") == [meant]


@pytest.mark.parametrize(
    "word",
    [
        "hocam",
        "amcam",
        "kocam",
        "sıcak",
        "patlıcan",
        "çabucak",
        "yosun",
        "Ercan",
        "TSK",
        "Hawaii",
        "geliyor",
        "wifi",
        "5",
    ],
)
def test_ordinary_words_are_no_chat(word):
    assert mend_tokens([word], ["chat", "repeats"]) == [word]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("çoook", "çok"),
        ("ÇOOOOK", "ÇOK"),
        ("Süperrr", "Süper"),
        ("güzeeel", "güzel"),
        ("dikkaaat", "dikkat"),
        ("çook", "çok"),
        ("coook", "cok"),
        ("saat", "saat"),
        ("VIII", "VIII"),
        ("www", "www"),
        ("hmmm", "hm"),
        ("aaa", "aaa"),
        ("Haagen", "Haagen"),
        ("1000", "1000"),
    ],
)
def test_letters_repeated_for_emphasis(typed, meant):
    assert mend_tokens([typed], "repeats") == [meant]


@pytest.mark.parametrize("sentence", STRIPPED)
def test_a_sentence_typed_without_turkish_letters_is_noticed_and_mended(sentence):
    tokens = sentence.split()
    stripped = sentence.translate(TURKISH).split()
    assert typed_without_turkish_letters(stripped)
    assert mend_tokens(stripped, "auto") == tokens


@pytest.mark.parametrize("sentence", ORDINARY)
def test_an_ordinary_sentence_is_left_alone(sentence):
    assert not typed_without_turkish_letters(sentence.split())
    assert mend_tokens(sentence.split(), "auto") == sentence.split()


def test_steps_help_each_other():
    tokens = ["cooook", "guzel", "olmus", ",", "yarin", "gelicem"]
    assert mend_tokens(tokens, ["chat", "auto", "repeats"]) == ["çok", "güzel", "olmuş", ",", "yarın", "geleceğim"]


def test_steps_can_be_named_in_one_string_and_in_any_order():
    assert check_steps("chat, repeats") == check_steps(["repeats", "chat"]) == ("repeats", "chat")
    assert check_steps("") == ()


def test_unknown_step_is_told():
    with pytest.raises(VNLPError, match="unknown step 'spelling' of normalisation; choose from repeats, auto"):
        mend_tokens(["a"], ["spelling"])


def test_table_gives_one_token_each():
    assert all(len(meant.split()) == 1 for meant in TABLE.values())


@settings(deadline=None)  # tables are read by the first call
@given(st.lists(st.text(st.characters(), max_size=12) | st.sampled_from([*TABLE, "cok", "guzel"]), max_size=12))
def test_every_token_keeps_its_place(tokens):
    assert len(mend_tokens(tokens, tuple(STEPS))) == len(tokens)


def test_a_text_keeps_all_that_stands_between_its_tokens():
    assert mend_text("Çoook  güzel!\n  (burda)", "chat,repeats") == "Çok  güzel!\n  (burada)"


def test_each_sentence_of_a_text_is_noticed_by_itself():
    text = "dun aksam geldiler. Trabzon dondu. Çok üşüdük."
    assert mend_text(text, "auto") == "dün akşam geldiler. Trabzon dondu. Çok üşüdük."
