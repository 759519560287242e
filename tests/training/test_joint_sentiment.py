"""Praise, blame and neither: which texts the sentiment's last layers learn from, and how they come into the files."""

from __future__ import annotations

import random
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

import numpy as np
import pytest

import vnlp_colab
from training.joint import praise
from training.joint.conversion import relearn_sentiment
from training.joint.f1 import best_shift, score_reviews
from training.joint.praise import NEGATIVE, NEUTRAL, POSITIVE, Candidates, Example, Stems, agrees, clauses, plain
from training.joint.sentiment import learn, probabilities
from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.joint.network import NetworkError

if TYPE_CHECKING:
    from collections.abc import Callable

MODELS = Path(vnlp_colab.__file__).parent / "models"


def test_words_of_praise_are_known_by_their_beginning_in_any_writing() -> None:
    stems = Stems("praise")
    assert stems.among(["MÜKEMMELDİ"])
    assert stems.among(["mukemmel"], strong=True)
    assert stems.among(["Akıllıca"])
    assert not stems.among(["Akıllıca"], strong=True)
    assert not stems.among(["masa", "kötü"])


def test_no_stem_is_of_both_sides() -> None:
    sides = [{line.removesuffix(" *") for line in (praise.LISTS / f"{side}_stems.txt").read_text().splitlines()}
             for side in ("praise", "blame")]  # fmt: skip
    assert not sides[0] & sides[1]


def test_clauses_are_short_and_written_as_everyday_sentences_are() -> None:
    reviews = [(1, "ürün çok güzel, kargo hızlı geldi"), (0, "berbat bir " + "çok " * 20 + "film")]
    found = list(clauses(reviews * 20, random.Random(1)))
    assert {label for label, _ in found} == {1}
    assert {"Ürün çok güzel.", "Ürün çok güzel, kargo hızlı geldi."} <= {text for _, text in found}


def test_signs_have_no_words() -> None:
    made = praise.signs(200, random.Random(1))
    assert len(made) == 200
    assert all(len({c.lower() for c in text if c.isalpha()}) <= 1 for text in made)


@pytest.mark.parametrize(
    ("example", "likely", "expected"),
    [
        (Example("clause", "", POSITIVE), 0.9, True),
        (Example("clause", "", POSITIVE), 0.6, False),
        (Example("clause", "", NEGATIVE), 0.1, True),
        (Example("blame", "", NEGATIVE, sure=True), 0.5, True),
        (Example("blame", "", NEGATIVE), 0.5, False),
    ],
)
def test_the_older_model_agrees_or_not(example: Example, likely: float, expected: bool) -> None:
    assert agrees(example, likely) is expected


def test_denied_praise_is_blame_and_what_is_asked_and_denied_blame_are_neither() -> None:
    texts = {
        "praise": ["Filmi sevdim.", "Filmi sevmedim.", "Filmi sevdin mi?"],
        "blame": ["Bu kötü değil.", "Bu kötü."],
    }
    examples = [Example(kind, text, POSITIVE, sure=True) for kind, own in texts.items() for text in own]
    found = {(e.kind, e.text, e.sure) for e in plain(examples, JointAnalyzer(device="cpu"))}
    assert found == {
        ("praise", "Filmi sevdim.", True),
        ("blame", "Filmi sevmedim.", False),
        ("unsure", "Filmi sevdin mi?", False),
        ("unsure", "Bu kötü değil.", False),
        ("blame", "Bu kötü.", True),
    }


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As much data as has reviews, some of which are held out or stand in a test file, and everyday sentences."""
    train = [(1, "çok güzel bir ürün"), (0, "berbat bir film"), (1, "testte de var güzel"), (0, "ayrılmış kötü film")]
    monkeypatch.setattr(praise.corpus, "read_sentiment", lambda _: (train, [(0, "ayrılmış kötü film")]))
    monkeypatch.setattr(
        praise.corpus, "read_reviews", lambda path: [(1, "testte de var güzel")] if "test" in str(path) else []
    )
    everyday = ["Bu çok güzel.", "Masa yeşil.", "Kapı açıldı.", "Bugün testte olan cümle.", "Saat kaç?"]
    monkeypatch.setattr(praise.corpus, "raw_singles", lambda _: iter(everyday))
    monkeypatch.setattr(praise.texts, "test_keys", lambda _: {praise.texts.key("Bugün testte olan cümle.")})
    monkeypatch.setattr(praise, "facts", lambda *_: ["Madde 1 Bu kanun yürürlüğe girer"])
    return tmp_path


def test_nothing_of_a_test_file_or_held_out_or_of_the_lists_is_learnt_from(data: Path) -> None:
    found = Candidates(data)
    texts = {e.text for e in found.found if e.kind not in ("sign", "greeting", "joined")}
    assert {"çok güzel bir ürün", "Bu çok güzel.", "Masa yeşil.", "Kapı açıldı."} <= texts
    assert not {"testte de var güzel", "ayrılmış kötü film", "Bugün testte olan cümle.", "Saat kaç?"} & texts
    assert [e.text for e in found.held] == ["ayrılmış kötü film"]
    kinds = {e.text: (e.kind, e.label) for e in found.found}
    assert kinds["Bu çok güzel."] == ("praise", POSITIVE)
    assert kinds["Masa yeşil."] == ("everyday", NEUTRAL)
    assert kinds["Masa yeşil. Kapı açıldı."] == ("joined", NEUTRAL)


def test_some_everyday_sentences_are_typed_in_a_hurry_and_reviews_are_not() -> None:
    kinds = ("everyday", "praise", "review", "clause")
    examples = [Example(kind, "Kitabı masaya bıraktım.", NEUTRAL) for kind in kinds for _ in range(400)]
    typed = praise.some_careless(examples)
    changed = {k: sum(e.text != "Kitabı masaya bıraktım." for e in typed if e.kind == k) / 400 for k in kinds}
    assert 0.2 < changed["everyday"] < 0.4
    assert 0.2 < changed["praise"] < 0.4
    assert changed["review"] == changed["clause"] == 0
    texts = {e.text for e in typed}
    assert {"kitabı masaya bıraktım", "Kitabı masaya bıraktım", "KİTABI MASAYA BIRAKTIM."} <= texts
    tags = {word for text in texts for word in text.split() if word[:1] == "#"}
    assert tags
    assert tags <= {"#kitabi", "#masaya", "#biraktim"}  # and none of praise


def test_layers_learn_what_they_are_shown() -> None:
    pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 3000)
    means = rng.standard_normal((3000, 16)).astype(np.float32) * 0.3 + np.eye(16, dtype=np.float32)[labels] * 3 + 5
    layers = learn(means, labels, np.ones(3000))
    assert (probabilities(layers, means).argmax(axis=1) == labels).mean() > 0.98


def test_the_threshold_is_moved_to_where_reviews_are_judged_best() -> None:
    lead = np.linspace(-1.5, 1.5, 301)
    likely = np.exp(np.stack([np.zeros(301), np.full(301, -2), lead], axis=1))
    likely /= likely.sum(axis=1, keepdims=True)
    labels = np.where(lead > 0.62, POSITIVE, NEGATIVE)
    assert score_reviews(labels, likely)["accuracy"] < 85
    shift = best_shift(labels, likely)
    assert shift == pytest.approx(-0.6, abs=0.06)
    assert score_reviews(labels, likely, shift)["accuracy"] > 98


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copytree(MODELS, tmp_path / "models")
    return tmp_path / "models"


def test_other_layers_change_the_sentiment_and_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = [["Çok", "iyi", "."], ["Ali", "eve", "gitti", "."]]
    own = JointAnalyzer(device="cpu")
    names = own.provides
    before = own.analyze_batch(tokens, names)
    width = own.word_states(tokens)[0].shape[1]
    zeros: Callable[..., np.ndarray] = lambda *shape: np.zeros(shape, np.float32)  # noqa: E731
    layers = {
        "sentiment.hidden.weight": zeros(width, width),
        "sentiment.hidden.bias": zeros(width),
        "sentiment.weight": zeros(3, width),
        "sentiment.bias": np.array([0, 0, 9], np.float32),
    }
    relearn_sentiment(folder, layers)
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(folder))
    other = JointAnalyzer(device="cpu")
    after = other.analyze_batch(tokens, names)
    assert other.fingerprint != own.fingerprint
    assert min(after["sentiment"]) > 0.99
    assert {n: v for n, v in after.items() if "sentiment" not in n} == {
        n: v for n, v in before.items() if "sentiment" not in n
    }
    with pytest.raises(NetworkError, match=r"sentiment\.bias is of shape"):
        relearn_sentiment(folder, {"sentiment.bias": zeros(2)})
