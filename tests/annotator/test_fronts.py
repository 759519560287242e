"""A model of several tasks works behind the front of each, from one row of the registry."""

from __future__ import annotations

import sys
import types

import pytest

from vnlp_colab import DependencyParser, NamedEntityRecognizer, PoSTagger, SentimentAnalyzer, registry
from vnlp_colab.errors import VNLPError
from vnlp_colab.registry import Model


class ToyModel:
    """Knows the length of words: one object for tags, entities, trees and sentiment."""

    provides = ("pos", "ner", "dep", "sentiment")
    needs: tuple[str, ...] = ()
    device = "cpu"
    fingerprint = "toy"
    made = 0

    def __init__(self, *, evaluate=False, device="auto", options=None):
        type(self).made += 1
        self.asked: list[tuple[str, ...]] = []

    def annotate(self, batch, wanted):
        self.asked.append(tuple(wanted))
        assert all(batch.tokens)
        columns = {
            "pos": [[f"P{len(token)}" for token in tokens] for tokens in batch.tokens],
            "ner": [["O"] * len(tokens) for tokens in batch.tokens],
            "dep": [[(place, "flat" if place else "root") for place in range(len(row))] for row in batch.tokens],
            "sentiment": [float("iyi" in text) for text in batch.texts],
        }
        return {name: columns[name] for name in wanted}


@pytest.fixture
def toy(monkeypatch):
    module = types.ModuleType("toy_models")
    module.ToyModel = type("ToyModel", (ToyModel,), {"made": 0})
    monkeypatch.setitem(sys.modules, "toy_models", module)
    row = Model("ToyModel", "toy_models", "Toy", ToyModel.provides, vnlp=False)
    monkeypatch.setattr(registry, "MODELS", {"ToyModel": row, **registry.MODELS})
    monkeypatch.setattr("vnlp_colab.annotator.front._instances", {})
    return module.ToyModel


def test_one_object_serves_all_its_fronts(toy):
    fronts = [front("ToyModel", device="cpu") for front in (PoSTagger, NamedEntityRecognizer, DependencyParser)]
    assert toy.made == 1
    tags, entities, tree = (front.predict(["Ali", "geldi"]) for front in fronts)
    assert tags == [("Ali", "P3"), ("geldi", "P5")]
    assert entities == [("Ali", "O"), ("geldi", "O")]
    assert tree == [(1, "Ali", 0, "root"), (2, "geldi", 1, "flat")]
    assert fronts[0].instance.asked == [("pos",), ("ner",), ("dep",)]


def test_empty_sentences_keep_their_place(toy):
    assert PoSTagger("ToyModel").predict_batch([[], ["a"], []]) == [[], [("a", "P1")], []]
    assert PoSTagger("ToyModel").predict([]) == []


def test_texts_too(toy):
    front = SentimentAnalyzer("ToyModel")
    assert front.predict_proba_batch(["çok iyi", "kötü"]) == [1.0, 0.0]
    assert front.predict("çok iyi") == 1
    assert front.predict_batch(["kötü"]) == [0]


def test_inputs_are_checked_as_ever(toy):
    with pytest.raises(TypeError, match="TreebankWordTokenize"):
        PoSTagger("ToyModel").predict("Ali geldi")


def test_the_default_of_a_front_is_vnlps(toy, small_models):
    assert registry.models_of("pos")[0] == "ToyModel"
    assert PoSTagger(device="cpu").model == "SPUContextPoS"


def test_a_model_that_needs_others_says_so(toy):
    toy.needs = ("morph",)
    with pytest.raises(VNLPError, match=r"needs the columns morph.*VNLPipeline"):
        PoSTagger("ToyModel").predict(["Ali"])


def test_everything_else_is_handed_on(toy):
    assert PoSTagger("ToyModel").fingerprint == "toy"
    with pytest.raises(AttributeError, match="nothing"):
        _ = PoSTagger("ToyModel").nothing
