import lzma
import unicodedata
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.errors import VNLPError
from vnlp_colab.text import Normalizer
from vnlp_colab.text.deasciifier import MODEL_FILE, default_deasciifier, unpack
from vnlp_colab.text.deasciifier.context import context_features, neighbour_keys

TURKISH = str.maketrans("çğıöşüÇĞİÖŞÜ", "cgiosuCGIOSU")
# Written for this test; not in any corpus.
SENTENCES = [
    "Düşünüyorum da böyle şey görmedim, duymadım.",
    "Akşamüstü çarşıdan üç kilo çilek aldık.",
    "Öğretmenimiz yarın Isparta'ya, öbür gün İzmir'e gidecekmiş.",
    "Türkiye'nin başkenti Ankara'dır; İstanbul'un nüfusu daha fazladır.",
    "ŞAİR VE YAZAR II. Dünya Savaşı'nda öldü.",
    "Kışın soğuğunda dışarı çıkmak istemiyoruz.",
    "On kişi ön sırada oturuyordu.",
    "1990'ın yazında, 2000'in kışında oradaydık.",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_come_back_from_ascii(sentence):
    assert Normalizer.deasciify(sentence.translate(TURKISH)) == sentence


def test_tokens_in_tokens_out():
    tokens = ["dusunuyorum", "da", "boyle", "sey", "gormedim", "duymadim"]
    assert Normalizer.deasciify(tokens) == ["düşünüyorum", "da", "böyle", "şey", "görmedim", "duymadım"]
    assert Normalizer.deasciify([]) == []
    assert Normalizer.deasciify(["", "iki soz", ""]) == ["", "iki söz", ""]


def test_words_with_turkish_letters_addresses_and_mentions_stay():
    text = "gormüş www.cicek.com/guzel @gunes sukru@gunes.com"
    assert Normalizer.deasciify(text) == text


@given(st.text(st.characters(), max_size=200) | st.text("acgiosuCGIOSU'’ .1@", max_size=200))
def test_only_the_six_letters_change_and_only_in_place(text):
    read = Normalizer.deasciify(text)
    assert len(read) == len(text)
    assert read.translate(TURKISH) == text.translate(TURKISH)


@given(st.lists(st.text(st.characters(), max_size=20), max_size=20))
def test_every_token_keeps_its_place_and_length(tokens):
    assert [len(token) for token in Normalizer.deasciify(tokens)] == [len(token) for token in tokens]


def test_answers_do_not_depend_on_what_was_asked_before():
    data = files("vnlp_colab.text.deasciifier").joinpath(MODEL_FILE).read_bytes()
    text = " ".join(SENTENCES).translate(TURKISH)
    assert unpack(data).deasciify(text) == default_deasciifier().deasciify(text)


def test_model_file_is_small():
    assert len(files("vnlp_colab.text.deasciifier").joinpath(MODEL_FILE).read_bytes()) < 2_000_000


@pytest.mark.parametrize("data", [b"", b"not xz", lzma.compress(b"{}\n"), lzma.compress(b'{"format": 99}\n')])
def test_damaged_file_is_told(data):
    with pytest.raises(VNLPError, match="deasciifier file"):
        unpack(data)


def test_composed_and_plain_text_agree():
    assert unicodedata.is_normalized("NFC", Normalizer.deasciify("cagdas sozluk"))


class TestTraining:
    """What ``training/deasciifier`` shares with the package."""

    def test_features_of_a_corpus_are_those_of_each_place(self):
        from training.deasciifier.context import corpus_features

        words = ["\n", "bu", "on", "kisi", "geldi", "\n"]
        keys = [np.array(column, np.uint32) for column in zip(*map(neighbour_keys, words), strict=True)]
        cases = np.array([0, 1, 0, 0, 2, 0], np.int8)
        found = corpus_features(np.arange(6, dtype=np.uint32), np.array([2, 3]), keys, cases)
        assert found.tolist() == [
            context_features(("\n", "bu", "kisi", "geldi"), 0),
            context_features(("bu", "on", "geldi", "\n"), 0),
        ]

    def test_packed_file_is_read_again(self):
        from training.deasciifier.model import pack

        lists = {"exceptions_0": ["çöp"], "exceptions_1": [], "exceptions_2": [], "forms": ["on ön"]}
        lists |= {"back_suffixes": [], "front_suffixes": [], "odd_stems": []}
        weights = np.zeros(1 << 8, np.int8)
        assert unpack(pack(weights, weights, lists)).deasciify("cop on cam") == "çöp on cam"
