"""The embedded joint model: what it is for."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.joint.network import LARGEST_WEIGHT
from vnlp_colab.resources import ResourceError, find_model


@pytest.fixture(scope="module")
def joint() -> JointAnalyzer:
    try:
        find_model("Joint")
    except ResourceError:
        pytest.skip("the joint model is not embedded here")
    return JointAnalyzer(device="cpu")


def test_a_plain_sentence(joint: JointAnalyzer) -> None:
    words = joint.predict(["Ali", "Ankara'dan", "eve", "geldi", "."])
    assert [word.pos for word in words] == ["PROPN", "PROPN", "NOUN", "VERB", "PUNCT"]
    assert words[2].lemma == "ev"
    assert words[3].lemma == "gel"
    assert "Case=Dat" in words[2].feats
    assert [word.head for word in words] == [4, 4, 4, 0, 4]
    assert words[0].relation == "nsubj"
    assert [word.ner for word in words] == ["PER", "LOC", "O", "O", "O"]


def test_praise_is_positive_and_a_complaint_negative(joint: JointAnalyzer) -> None:
    texts = ["Harika bir ürün , çok memnun kaldım .", "Berbat , paranıza yazık , kesinlikle almayın ."]
    good, bad = joint.analyze_batch([text.split() for text in texts], ("sentiment",))["sentiment"]
    assert good > 0.8
    assert bad < 0.2


def test_symbols_and_long_texts(joint: JointAnalyzer) -> None:
    tokens = ["Bu", "yıl", "da", "çok", "güzel", "geçti", "😀", ","] * 60
    columns = joint.analyze_batch([tokens], ("pos", "dep"))
    assert {tag for token, tag in zip(tokens, columns["pos"][0], strict=True) if token == "😀"} == {"SYM"}
    assert [head for head, _ in columns["dep"][0]].count(0) == 1


@pytest.mark.parametrize("sign", ["«", "–", "•", "[", "<", "¡", ":)", "**", "\x04"])
def test_signs_are_no_nouns(joint: JointAnalyzer, sign: str) -> None:
    wanted = ("pos", "feats", "lemma", "dep")
    tag, feats, lemma, (head, relation) = (
        column[0][1] for column in joint.analyze_batch([["Ali", sign, "geldi", "."]], wanted).values()
    )
    assert (tag, feats, lemma) == ("SYM" if sign == ":)" else "PUNCT", "_", sign)
    assert head
    assert relation == "punct" or tag == "SYM"


@pytest.mark.parametrize(
    ("words", "place", "lemma"),
    [("Geçen yıl evlendi .", 2, "evlen"), ("Bazen ağlarım .", 1, "ağla"), ("Çok güzel bir kadındı .", 3, "kadın")],
)
def test_lemmas_of_verbs_are_verbs(joint: JointAnalyzer, words: str, place: int, lemma: str) -> None:
    assert joint.analyze_batch([words.split()], ("lemma",))["lemma"][0][place] == lemma


@pytest.mark.parametrize(
    ("words", "lemma"),
    [
        ("Ağrı Dağı'na çıktık .", "dağ"),
        ("Avrupa Birliği'nden ayrıldı .", "birlik"),
        ("Beşiktaş Kulübü'nün başkanı .", "kulüp"),
        ("Yıldızlı Ordusu'nun komutanı .", "ordu"),
    ],
)
def test_lemmas_of_names_with_a_suffix_are_words(joint: JointAnalyzer, words: str, lemma: str) -> None:
    assert joint.analyze_batch([words.split()], ("lemma",))["lemma"][0][1] == lemma


def test_the_manifest_says_how_well_it_was_proven(joint: JointAnalyzer) -> None:
    entry = joint.files.entry
    assert entry["max_difference"] < 1e-4
    assert min(entry["equal_labels_int8"].values()) >= 0.99
    # what a GPU runs: the same weights in float, at most one label in 200 another one
    gpu = entry["equal_labels_int8_gpu"].values()
    assert sum(gpu) / len(gpu) >= 0.995
    assert min(gpu) >= 0.99


def test_its_weights_cannot_overflow_16_bits(joint: JointAnalyzer) -> None:
    for content in (joint.files.read(), joint.files.read("words")):
        for tensor in onnx.load_from_string(content).graph.initializer:
            array = onnx.numpy_helper.to_array(tensor)
            if array.dtype == np.int8 and tensor.name.endswith(".weight"):
                assert np.abs(array.astype(int)).max() <= LARGEST_WEIGHT


def test_its_files_are_small(joint: JointAnalyzer) -> None:
    records = joint.files.manifest.files_of(joint.files.key)
    assert sum(record.size for record in records) < 30_000_000


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Çok iyi .", "positive"),
        ("Bu şarkı mükemmel .", "positive"),
        ("Çok kötü .", "negative"),
        ("Hayatımın en kötü günü .", "negative"),
        ("Senden nefret ediyorum .", "negative"),
        ("Toplantı saat üçte başlıyor .", "neutral"),
        ("Babam dün gece vefat etti .", "neutral"),
        ("...", "neutral"),
        ("12.05.2023", "neutral"),
    ],
)
def test_everyday_praise_and_blame_are_told_from_what_is_neither(joint: JointAnalyzer, text: str, label: str) -> None:
    assert joint.analyze_batch([text.split()], ("sentiment_label",))["sentiment_label"] == [label]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ali Ayşe'yi gördü .", ["Ali", "Ayşe'yi"]),
        ("Dün Elif Burak'a mektup yazdı .", ["Elif", "Burak'a"]),
        ("Ahmet Yılmaz Mehmet Demir'i tanıyor .", ["Ahmet Yılmaz", "Mehmet Demir'i"]),
        ("Galatasaray Fenerbahçe maçı bugün oynanacak .", ["Galatasaray", "Fenerbahçe"]),
        ("Ankara İstanbul uçağı rötar yaptı .", ["Ankara", "İstanbul"]),
        ("Mustafa Kemal Atatürk konuştu .", ["Mustafa Kemal Atatürk"]),
        ("Dün Ayşe Kaya'yı aradım .", ["Ayşe Kaya'yı"]),
    ],
)
def test_names_side_by_side_are_two_and_whole_names_one(joint: JointAnalyzer, text: str, names: list[str]) -> None:
    tokens = text.split()
    (labels,) = joint.analyze_batch([tokens], ("ner_bio",))["ner_bio"]
    found: list[str] = []
    for token, label in zip(tokens, labels, strict=True):
        if label.startswith("B-"):
            found.append(token)
        elif label.startswith("I-"):
            found[-1] += f" {token}"
    assert found == names


def test_who_does_it_and_to_whom_are_not_one_name(joint: JointAnalyzer) -> None:
    words = joint.predict(["Ali", "Ayşe'yi", "gördü", "."])
    assert [(word.head, word.relation) for word in words] == [(3, "nsubj"), (3, "obj"), (0, "root"), (3, "punct")]
