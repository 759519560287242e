"""What a treebank calls its words is kept where more held-out words are right with it, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from training.joint.treebanks import Analysed
from training.joint.usage import SETTINGS, best_likelihood, choose, right_words
from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.joint.looks import TAGS, seen
from vnlp_colab.joint.usage import Linear

WORDS = ["Ali", "eve", "gitti", "."]


@pytest.fixture
def labels() -> tuple[str, ...]:
    return JointAnalyzer(device="cpu").vocabulary.upos


def sentence(upos: list[str]) -> Analysed:
    return Analysed(WORDS, upos, [3, 3, 0, 3], ["nsubj", "obl", "root", "punct"], ["_"] * 4, [""] * 4, WORDS)


def says(word: int, label: int, labels: int) -> Linear:
    """A model that is sure of one word of the sentence."""
    keys = seen(TAGS, WORDS, [4])
    own = np.setdiff1d(keys[word], np.delete(keys, word, axis=0))
    table = np.zeros((len(own) + 1, labels), np.float32)
    table[:-1, label] = 5
    return Linear(own, table, np.zeros(labels, np.float32), 1.0)


def test_a_model_is_kept_if_it_makes_more_words_right(labels: tuple[str, ...]) -> None:
    odd = sentence(["PROPN", "INTJ", "VERB", "PUNCT"])  # as no treebank would call it
    model = says(1, labels.index("INTJ"), len(labels))
    usage, found = choose("boun", [odd], {TAGS: model})
    assert usage.models == {TAGS: model}
    assert found[TAGS] == {"words": 4, "network": 3, "both": 4, "likelier by": found[TAGS]["likelier by"], "kept": True}
    assert found[TAGS]["likelier by"] > 0


def test_a_model_is_left_out_if_it_makes_fewer_words_right(labels: tuple[str, ...]) -> None:
    usual = sentence(["PROPN", "NOUN", "VERB", "PUNCT"])
    usage, found = choose("boun", [usual], {TAGS: says(1, labels.index("INTJ"), len(labels))})
    assert not usage.models
    assert found[TAGS] == {
        "words": 4,
        "network": 4,
        "both": 3,
        "likelier by": found[TAGS]["likelier by"],
        "kept": False,
    }
    assert found[TAGS]["likelier by"] < 0
    assert right_words("boun", [usual], usage)["upos"] == 4


@pytest.mark.parametrize(("unsure", "kept"), [(40, True), (0, False)])
def test_a_model_is_kept_that_makes_right_answers_likelier_and_none_wrong(
    labels: tuple[str, ...], unsure: int, kept: bool
) -> None:
    odd, usual = (sentence(["PROPN", tag, "VERB", "PUNCT"]) for tag in ("INTJ", "NOUN"))
    weak = says(1, labels.index("INTJ"), len(labels))
    weak = Linear(weak.keys, weak.table / 60, weak.bias, 1.0)
    usage, found = choose("boun", [*[odd] * unsure, *[usual] * 20], {TAGS: weak})
    assert found[TAGS]["network"] == found[TAGS]["both"]  # too weak to change an answer
    assert (found[TAGS]["likelier by"] > 2) is kept
    assert bool(usage.models) is kept


def test_scores_are_made_as_sure_as_they_are_right() -> None:
    gold = np.array([0] * 75 + [1] * 25)
    right = np.log(np.array([[0.75, 0.25]])).repeat(100, axis=0)
    expected = 75 * np.log(0.75) + 25 * np.log(0.25)
    for scores in (right, right * 2, right / 1.5):
        assert best_likelihood(scores, gold) == pytest.approx(expected, abs=0.01)


def test_a_model_of_small_data_says_what_it_saw() -> None:
    pytest.importorskip("torch")
    from training.joint.usage import learn

    keys = np.array([[11, 12], [11, 13], [21, 22], [21, 23]] * 50, np.uint32)
    made = learn(keys, np.array([0, 0, 1, 1] * 50), 3, SETTINGS[TAGS])
    assert made.scores(np.array([[11, 99], [21, 99]], np.uint32)).argmax(axis=1).tolist() == [0, 1]
