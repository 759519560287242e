"""Our scores against those of the libraries everyone cites: scikit-learn and seqeval."""

from __future__ import annotations

import random

import pytest
import seqeval.metrics
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from vnlp_colab.evaluation.scores import accuracy, macro_f1
from vnlp_colab.evaluation.spans import spans_of_bio

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]
# Sums of fractions in another order: equal up to rounding.
ROUNDING = 1e-12


@settings(deadline=None)  # scikit-learn is slow on its first call
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcde")), min_size=1))
def test_macro_f1_and_accuracy_are_those_of_scikit_learn(pairs):
    gold, guess = map(list, zip(*pairs, strict=True))
    reference = sklearn.metrics.f1_score(gold, guess, average="macro", zero_division=0)
    assert macro_f1(gold, guess) == pytest.approx(reference, abs=ROUNDING)
    assert accuracy(gold, guess) == pytest.approx(sklearn.metrics.accuracy_score(gold, guess), abs=ROUNDING)


@given(st.lists(st.sampled_from(TAGS)))
def test_gold_spans_are_those_of_seqeval(tags):
    # seqeval's ends are inclusive.
    reference = [(kind, start, end + 1) for kind, start, end in seqeval.metrics.sequence_labeling.get_entities(tags)]
    assert [tuple(span) for span in spans_of_bio(tags)] == reference


def as_bio(labels):
    """Label runs as BIO tags: the first of a run begins the entity."""
    previous = ["O", *labels]
    return [
        "O" if label == "O" else f"{'I' if label == before else 'B'}-{label}"
        for before, label in zip(previous, labels, strict=False)
    ]


def test_entity_f1_is_that_of_seqeval():
    from vnlp_colab.evaluation.readers import TaggedSentence
    from vnlp_colab.evaluation.runs import MEASURES

    chance = random.Random(6)
    gold = [[chance.choice(TAGS) for _ in range(chance.randint(1, 9))] for _ in range(300)]
    # About half of the labels right, so that spans agree now and then.
    guess = [[chance.choice([tag[2:] or "O"] * 2 + ["O", "ORG"]) for tag in tags] for tags in gold]
    sentences = [TaggedSentence(["x"] * len(tags), tags) for tags in gold]
    bio = [as_bio(labels) for labels in guess]
    answers = [{"ner": labels, "ner_bio": tags} for labels, tags in zip(guess, bio, strict=True)]
    scores = MEASURES["ner"].score(sentences, answers)
    assert 0.1 < scores["entity_f1"] < 0.9
    for name in ("precision", "recall", "f1"):
        reference = getattr(seqeval.metrics, f"{name}_score")(gold, bio)
        assert scores[f"entity_{name}"] == pytest.approx(reference, abs=ROUNDING)
    flat_gold = [tag[2:] or "O" for tags in gold for tag in tags]
    flat_guess = [label for labels in guess for label in labels]
    reference = sklearn.metrics.f1_score(flat_gold, flat_guess, average="macro", labels=["O", "PER", "LOC", "ORG"])
    assert scores["token_macro_f1"] == pytest.approx(reference, abs=ROUNDING)


def test_nothing_found_and_nothing_wanted_is_no_division_by_zero():
    from vnlp_colab.evaluation.readers import TaggedSentence
    from vnlp_colab.evaluation.runs import MEASURES

    scores = MEASURES["ner"].score([TaggedSentence(["x"], ["O"])], [{"ner": ["O"], "ner_bio": ["O"]}])
    assert scores["token_accuracy"] == 1
    assert scores["entity_f1"] == 0
