"""Which annotator fills which column, and in what order they run."""

from __future__ import annotations

import pytest

from vnlp_colab.annotator.protocol import Annotator, Batch
from vnlp_colab.batches.analyzer import Analyzer
from vnlp_colab.batches.plan import make_plan


class Toy:
    """Fills its columns with its name; notes what it was asked for and what it saw."""

    device = "cpu"
    fingerprint = "toy"

    def __init__(self, name, provides, needs=()):
        self.name = name
        self.provides = tuple(provides)
        self.needs = tuple(needs)
        self.asked = []
        self.saw = []

    def annotate(self, batch: Batch, wanted):
        self.asked.append(tuple(wanted))
        self.saw.append(dict(batch.columns))
        return {name: [[f"{self.name}:{token}" for token in row] for row in batch.tokens] for name in wanted}


def nobody(task):
    raise AssertionError(f"{task} should not be loaded")


def test_an_annotator_is_known_by_its_members():
    assert isinstance(Toy("t", ["pos"]), Annotator)
    assert not isinstance(object(), Annotator)


def test_one_object_of_several_tasks_runs_once_a_batch():
    both = Toy("both", ["pos", "ner"])
    analyzer = Analyzer({"pos": both, "ner": both}, ["tokens", "pos", "ner"], load=nobody)
    found = analyzer.annotate([["a"], ["b", "c"]], ["a", "b c"])
    assert found == {"pos": [["both:a"], ["both:b", "both:c"]], "ner": [["both:a"], ["both:b", "both:c"]]}
    assert both.asked == [("pos", "ner")]
    assert analyzer.seconds.keys() == {"pos+ner"}


def test_a_label_of_the_sentiment_is_asked_for_with_the_score_where_one_annotator_has_both():
    both, score = Toy("both", ["sentiment", "sentiment_label"]), Toy("score", ["sentiment"])
    asked = [step.columns for step in make_plan({"sentiment": both}, ["sentiment"], nobody)]
    assert asked == [("sentiment", "sentiment_label")]
    other = {"pos": both, "sentiment": score}  # what was loaded for another task is not run for a label
    assert [step.columns for step in make_plan(other, ["sentiment"], nobody)] == [("sentiment",)]


def test_order_follows_from_needs():
    parser = Toy("parser", ["dep"], needs=["morph", "pos"])
    tagger = Toy("tagger", ["pos"], needs=["morph"])
    stemmer = Toy("stemmer", ["morph", "lemma"])
    chosen = {"dep": parser, "pos": tagger, "stemmer": stemmer}
    analyzer = Analyzer(chosen, ["morph", "lemma", "pos", "dep"], load=nobody)
    assert [step.annotator.name for step in analyzer.steps] == ["stemmer", "tagger", "parser"]
    analyzer.annotate([["a"]], ["a"])
    assert tagger.saw == [{"morph": [["stemmer:a"]], "lemma": [["stemmer:a"]]}]
    assert stemmer.asked == [("morph", "lemma")], "its analyses are made once for all"


def test_what_is_needed_and_not_chosen_is_loaded_and_not_shown():
    loaded = []

    def load(task):
        loaded.append(task)
        return Toy("stemmer", ["morph", "lemma"])

    analyzer = Analyzer({"pos": Toy("tagger", ["pos"], needs=["morph"])}, ["pos"], load=load)
    assert loaded == ["stemmer"]
    assert analyzer.annotate([["a"]], ["a"]) == {"pos": [["tagger:a"]]}


def test_a_column_comes_from_its_preferred_task():
    joint, stemmer = Toy("joint", ["pos", "lemma"]), Toy("stemmer", ["morph", "lemma"])
    columns = ["morph", "lemma", "pos"]
    analyzer = Analyzer({"pos": joint, "stemmer": stemmer}, columns, load=nobody)
    assert analyzer.annotate([["a"]], ["a"])["lemma"] == [["stemmer:a"]], "stemmer was asked for, lemma was not"
    analyzer = Analyzer({"pos": joint, "lemma": joint, "stemmer": stemmer}, columns, load=nobody)
    assert analyzer.annotate([["a"]], ["a"])["lemma"] == [["joint:a"]]
    assert stemmer.asked[-1] == ("morph",)


def test_what_nobody_wants_is_not_run():
    tagger, recognizer = Toy("tagger", ["pos"]), Toy("recognizer", ["ner"])
    analyzer = Analyzer({"pos": tagger, "ner": recognizer}, ["tokens", "ner"], load=nobody)
    analyzer.annotate([["a"]], ["a"])
    assert tagger.asked == []


def test_a_circle_of_needs_is_told():
    one, two = Toy("one", ["pos"], needs=["ner"]), Toy("two", ["ner"], needs=["pos"])
    with pytest.raises(ValueError, match="need each other's columns: Toy, Toy"):
        make_plan({"pos": one, "ner": two}, ["pos", "ner"], nobody)


def test_a_column_that_the_model_lacks_is_told():
    with pytest.raises(ValueError, match="Toy does not provide the column 'pos_confidence'"):
        make_plan({"pos": Toy("t", ["pos"])}, ["pos", "pos_confidence"], nobody)


def test_batches_are_as_large_as_the_least_demanding_annotator_likes(monkeypatch):
    monkeypatch.setattr("vnlp_colab.batches.analyzer.available_cores", lambda: 4)
    many, usual = Toy("many", ["pos"]), Toy("usual", ["ner"])
    many.sentences_at_once = 512
    assert Analyzer({"pos": many}, ["pos"], load=nobody).default_batch_size() == 512
    assert Analyzer({"ner": usual}, ["ner"], load=nobody).default_batch_size() == 128
    assert Analyzer({"pos": many, "ner": usual}, ["pos", "ner"], load=nobody).default_batch_size() == 128


def test_chunks_do_not_grow_with_batches_an_annotator_likes():
    many = Toy("many", ["pos"])
    many.sentences_at_once = 512
    analyzer = Analyzer({"pos": many}, ["pos"], load=nobody)
    assert analyzer.chunk_rows(64) == analyzer.chunk_rows(analyzer.default_batch_size()) == 2048
