"""CharNER: labels of known entities, long texts and tokens, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from vnlp_colab.ner.charner import CharNER, cut_text


@pytest.fixture(scope="module")
def charner() -> CharNER:
    return CharNER(device="cpu")


@pytest.mark.parametrize(
    ("tokens", "labels"),
    [
        ("Mustafa Kemal Atatürk 1881 yılında Selanik'te doğdu .", "PER PER PER O O LOC O O"),
        ("Türkiye Büyük Millet Meclisi Ankara'da toplandı .", "ORG ORG ORG ORG LOC O O"),
        ("Fenerbahçe dün Beşiktaş'ı yendi .", "ORG O ORG O O"),
    ],
)
def test_known_entities_get_their_labels(charner: CharNER, tokens: str, labels: str) -> None:
    assert charner.predict(tokens.split()) == list(zip(tokens.split(), labels.split(), strict=True))


def test_names_are_read_off_the_session(charner: CharNER) -> None:
    assert charner.input_names == [value.name for value in charner.inference_session.get_inputs()]
    assert charner.output_names == [value.name for value in charner.inference_session.get_outputs()]
    assert charner.device == "cpu"


def test_batch_equals_single_sentences(charner: CharNER) -> None:
    sentences = [["Ali", "Ankara'ya", "gitti", "."], [], ["Ayşe"], ["THY", "İstanbul'dan", "uçuyor"]]
    assert charner.predict_batch(sentences) == [charner.predict(tokens) for tokens in sentences]


def test_no_sentences_and_empty_sentences(charner: CharNER) -> None:
    assert charner.predict_batch([]) == []
    assert charner.predict([]) == []
    assert charner.predict_batch([[], []]) == [[], []]


def test_long_text_is_labelled_to_its_end(charner: CharNER) -> None:
    tokens = ["Mustafa", "Kemal", "Atatürk", "Ankara'da", "konuştu", "."] * 40  # 1,500 characters
    answer = charner.predict(tokens)
    assert [token for token, _ in answer] == tokens
    assert {label for token, label in answer if token == "Ankara'da"} == {"LOC"}


@pytest.mark.parametrize("length", [255, 256, 257, 300, 10_000])
def test_token_longer_than_the_network_reads(charner: CharNER, length: int) -> None:
    # upstream: RecursionError on a token of 300 characters
    tokens = ["Ali", "a" * length, "geldi"]
    answer = charner.predict(tokens)
    assert [token for token, _ in answer] == tokens
    assert all(label in {"O", "PER", "LOC", "ORG"} for _, label in answer)


@pytest.mark.parametrize("token", ["", " ", "🙂", "\ud800", "\x00", "e\u0301", "\u200b"])
def test_unusual_tokens_get_a_label(charner: CharNER, token: str) -> None:
    answer = charner.predict(["Ali", token, "geldi"])
    assert answer[1][0] == token
    assert answer[1][1] in {"O", "PER", "LOC", "ORG"}


def test_empty_token_is_no_entity(charner: CharNER) -> None:
    assert charner.predict([""]) == [("", "O")]


@pytest.mark.parametrize("tokens", [None, 5, "Ali geldi", [None], [1], b"Ali"])
def test_wrong_types_are_told(charner: CharNER, tokens: object) -> None:
    with pytest.raises(TypeError, match="token"):
        charner.predict(tokens)  # type: ignore[arg-type]


def test_confidence_is_the_mean_score_of_the_label(charner: CharNER) -> None:
    (answer,) = charner.label_batch([["Ali", "Ankara'ya", "gitti", "."]])
    assert answer.confidence.dtype == np.float32
    assert answer.confidence.shape == (4,)
    assert ((answer.confidence > 0.25) & (answer.confidence <= 1)).all()


def test_rows_hold_every_character_once_and_none_is_too_long() -> None:
    tokens = ["a" * size for size in (3, 250, 5, 256, 700, 1, 1, 40)]
    rows = list(cut_text(tokens, 256))
    assert all(len(" ".join(run.text for run in row)) <= 256 for row in rows)
    joined = ["".join(run.text for row in rows for run in row if run.token == number) for number in range(len(tokens))]
    assert joined == tokens


def test_text_that_fits_is_one_row() -> None:
    tokens = ["ab"] * 85  # 85 * 2 + 84 = 254 characters
    assert [len(row) for row in cut_text(tokens, 256)] == [85]


def test_cut_text_has_no_tiny_last_row() -> None:
    # a last token alone in a row would have no context to be read by
    rows = list(cut_text(["abcd"] * 53, 256))  # 264 characters
    assert [len(row) for row in rows] == [27, 26]
