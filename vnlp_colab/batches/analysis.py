"""One batch of tokenised sentences through the loaded models: token lists in, result columns out."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.tasks import sentiment_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Digits that mean something: float32 probabilities of two runs agree to about seven, and people read two.
_SENTIMENT_DIGITS = 6
_CONFIDENCE_DIGITS = 4


class Analyzer:
    """The models of a pipeline, asked batch by batch; ``seconds`` adds up the time each task took."""

    def __init__(
        self, models: Mapping[str, Any], optional_columns: Sequence[str] = (), columns: Sequence[str] = ()
    ) -> None:
        self.models = dict(models)
        self.columns = tuple(columns)
        self.preparation = self
        self.seconds: dict[str, float] = dict.fromkeys(self.models, 0.0)
        self._optional = frozenset(optional_columns)

    def analyze(self, tokens: list[list[str]], texts: list[str]) -> dict[str, list[Any]]:
        """Return each result column for sentences that all have at least one token."""
        columns: dict[str, list[Any]] = {}
        if "sentiment" in self.models:
            columns["sentiment"] = self.sentiment(texts)
            if "sentiment_label" in self._optional:
                columns["sentiment_label"] = [sentiment_label(score) for score in columns["sentiment"]]
        if "stemmer" in self.models:
            with self._clock("stemmer"):
                columns["morph"] = self.models["stemmer"].predict_batch(tokens)
            columns["lemma"] = [[_lemma(analysis) for analysis in row] for row in columns["morph"]]
        for task in ("pos", "ner"):
            if task in self.models:
                with self._clock(task):
                    labelled = self.models[task].label_batch(tokens)
                columns[task] = [list(row.labels) for row in labelled]
                if f"{task}_confidence" in self._optional:
                    columns[f"{task}_confidence"] = [_rounded(row.confidence) for row in labelled]
        if "dep" in self.models:
            with self._clock("dep"):
                parsed = self.models["dep"].parse_batch(tokens)
            columns["dep"] = [list(zip(row.heads, row.relations, strict=True)) for row in parsed]
        return columns

    def analyze_many(self, tokens: list[list[str]], texts: list[str], batch_size: int) -> dict[str, list[Any]]:
        """Return the same for any number of sentences, `batch_size` of about the same length at a time."""
        columns: dict[str, list[Any]] = {}
        order = sorted(range(len(tokens)), key=lambda place: len(tokens[place]))
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            found = self.analyze([tokens[place] for place in places], [texts[place] for place in places])
            for name, values in found.items():
                column = columns.setdefault(name, [None] * len(tokens))
                for place, value in zip(places, values, strict=True):
                    column[place] = value
        return columns

    def read(self, tokens: list[str]) -> list[str]:
        """Return the tokens as the models read them."""
        return tokens

    def annotate(self, tokens: list[list[str]], texts: list[str]) -> dict[str, list[Any]]:
        """Return the columns of any number of sentences."""
        return self.analyze_many(tokens, texts, 64)

    def whole_texts(self, _tokens: list[list[str]], texts: list[str]) -> dict[str, list[Any]]:
        """Return what is said of texts as a whole."""
        return {"sentiment": self.sentiment(texts)} if "sentiment" in self.models else {}

    def sentiment(self, texts: list[str]) -> list[float]:
        """Return the probability that each text is positive."""
        with self._clock("sentiment"):
            scores = self.models["sentiment"].predict_proba_batch(texts)
        return [round(float(score), _SENTIMENT_DIGITS) for score in scores]

    @contextmanager
    def _clock(self, task: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[task] += time.perf_counter() - started


@lru_cache(maxsize=65_536)  # a text uses the same analyses over and over
def _lemma(analysis: str) -> str:
    from vnlp_colab.stemmer.stemmer_colab import lemma_of

    return lemma_of(analysis)


def _rounded(values: Any) -> list[float]:
    return [round(value, _CONFIDENCE_DIGITS) for value in np.asarray(values, dtype=np.float64).tolist()]
