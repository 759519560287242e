"""Sentiment: `SentimentAnalyzer` and its model.

Examples
--------
>>> SentimentAnalyzer().predict("Çok güzel bir film.")  # doctest: +SKIP
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vnlp_colab.annotator.front import TextFront
from vnlp_colab.annotator.inputs import check_text, check_texts
from vnlp_colab.annotator.model import ConvertedModel, rounded
from vnlp_colab.pieces.pieces import PieceTokenizer
from vnlp_colab.runtime import device_of, in_threads

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from vnlp_colab.annotator.protocol import Batch, Columns
    from vnlp_colab.runtime import Device, SessionOptions

__all__ = ["SPUCBiGRUSentimentAnalyzer", "SentimentAnalyzer"]

# Texts of one run. One thread of the CPU does as many a second with 16 as with more.
_ROWS = {"cpu": 16, "cuda": 1024}
_DIGITS = 6  # float32 probabilities of two runs agree to about seven


def sentiment_label(score: float) -> str:
    """Return ``positive`` or ``negative`` for the probability of a positive text, cut where ``predict`` cuts."""
    return "positive" if score > 0.5 else "negative"


class SPUCBiGRUSentimentAnalyzer(ConvertedModel):
    """Positive or negative, from the pieces of the whole text.

    The network reads the last 256 pieces, with pads before a shorter text, and takes the mean over all 256 positions.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    """

    task: ClassVar[str] = "sentiment"
    provides: ClassVar[tuple[str, ...]] = ("sentiment", "sentiment_label")

    def __init__(
        self, *, evaluate: bool = False, device: Device = "auto", options: SessionOptions | None = None
    ) -> None:
        super().__init__(evaluate=evaluate, device=device, options=options)
        with self.files.loading("tokenizer"):
            self._tokenizer = PieceTokenizer(self.files.read("tokenizer"))
        self.device = device_of(self.inference_session)

    def annotate(self, batch: Batch, wanted: Collection[str]) -> Columns:
        """Return the `wanted` columns of a batch: the probability that each text is positive, and what it means."""
        scores = rounded(self.predict_proba_batch(batch.texts), _DIGITS)
        columns: Columns = {"sentiment": scores, "sentiment_label": [sentiment_label(score) for score in scores]}
        return {name: columns[name] for name in wanted}

    def predict(self, text: str) -> int:
        """Return 1 if the text is positive, else 0."""
        return self.predict_batch([check_text(text)])[0]

    def predict_batch(self, texts: Iterable[str]) -> list[int]:
        """Return 1 or 0 for each text."""
        return [int(probability > 0.5) for probability in self.predict_proba_batch(texts)]

    def predict_proba(self, text: str) -> float:
        """Return the probability that the text is positive."""
        return self.predict_proba_batch([check_text(text)])[0]

    def predict_proba_batch(self, texts: Iterable[str]) -> list[float]:
        """Return the probability that each text is positive; an empty text is judged as one of pads alone."""
        checked = check_texts(texts)
        distinct = list(dict.fromkeys(checked))
        if not distinct:
            return []
        width = self.inference_session.get_inputs()[0].shape[1]
        pieces, _ = self._tokenizer.word_pieces(distinct, width)
        rows = min(_ROWS[self.device], -(-len(pieces) // self._threads))
        parts = [pieces[start : start + rows] for start in range(0, len(pieces), rows)]
        scores = np.concatenate(in_threads(self._run, parts, self._threads))
        found = dict(zip(distinct, scores.tolist(), strict=True))
        return [found[text] for text in checked]

    def _run(self, pieces: np.ndarray) -> np.ndarray:
        feed = dict(zip(self.input_names, [pieces], strict=True))
        scores: np.ndarray = self.inference_session.run(None, feed)[0]
        return scores[:, 0]


class SentimentAnalyzer(TextFront):
    """Says whether a text is positive; ``model`` is ``"SPUCBiGRUSentimentAnalyzer"``."""

    task = "sentiment"
