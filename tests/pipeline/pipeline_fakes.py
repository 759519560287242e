"""Models that answer at once and by rule, so that tests of tables and streams need no weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Labelled:
    labels: list[str]
    confidence: np.ndarray


@dataclass
class Parsed:
    heads: list[int]
    relations: list[str]


def _check(sentences):
    assert isinstance(sentences, list)
    for sentence in sentences:
        assert isinstance(sentence, list)
        assert sentence, "the pipeline never sends an empty sentence"
        assert all(isinstance(token, str) and token for token in sentence)


class FakeTagger:
    """Words of even length are nouns, of odd length verbs, the rest punctuation."""

    device = "cpu"

    def label_batch(self, sentences):
        _check(sentences)
        return [Labelled([self.label(token) for token in row], np.full(len(row), 0.5, np.float32)) for row in sentences]

    def label(self, token):
        if not token[0].isalnum():
            return "PUNCT"
        return "VERB" if len(token) % 2 else "NOUN"


class FakeRecognizer(FakeTagger):
    """A capital makes a person."""

    def label(self, token):
        return "PER" if token[0].isupper() else "O"


class FakeParser:
    """Every word hangs on the one before it."""

    device = "cpu"

    def parse_batch(self, sentences):
        _check(sentences)
        return [Parsed(list(range(len(row))), ["obj"] * len(row)) for row in sentences]


class FakeStemmer:
    device = "cpu"

    def predict_batch(self, sentences):
        _check(sentences)
        return [[f"{token}+Noun+A3sg+Pnon+Nom" for token in row] for row in sentences]


class FakeSentiment:
    """The share of the letter a."""

    device = "cpu"

    def predict_proba_batch(self, texts):
        return [text.count("a") / len(text) for text in texts]


def fake_models(*tasks):
    kinds = {
        "pos": FakeTagger,
        "ner": FakeRecognizer,
        "dep": FakeParser,
        "stemmer": FakeStemmer,
        "sentiment": FakeSentiment,
    }
    return {task: kinds[task]() for task in tasks or kinds}
