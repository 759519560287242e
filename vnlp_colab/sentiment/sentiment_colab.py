"""Sentiment: `SentimentAnalyzer` and its model.

Examples
--------
>>> SentimentAnalyzer().predict("Çok güzel bir film.")  # doctest: +SKIP
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vnlp_colab.annotator.front import Front
from vnlp_colab.annotator.inputs import check_text, check_texts
from vnlp_colab.annotator.model import ConvertedModel
from vnlp_colab.pieces.pieces import PieceTokenizer
from vnlp_colab.runtime import device_of, in_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vnlp_colab.runtime import Device, SessionOptions

__all__ = ["SPUCBiGRUSentimentAnalyzer", "SentimentAnalyzer"]

# Texts of one run. One thread of the CPU does as many a second with 16 as with more.
_ROWS = {"cpu": 16, "cuda": 1024}


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

    def __init__(
        self, *, evaluate: bool = False, device: Device = "auto", options: SessionOptions | None = None
    ) -> None:
        # one thread a run and several runs at a time: onnxruntime's GRU loses half its speed when it shares a run out
        super().__init__("Sentiment_SPUCBiGRU", evaluate=evaluate, device=device, options=options, intra_op_threads=1)
        self._tokenizer = PieceTokenizer(self.files.resource("tokenizer"))
        self.device = device_of(self.inference_session)
        self._threads = self._options.thread_count if self.device == "cpu" else 1

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


class SentimentAnalyzer(Front):
    """Says whether a text is positive; ``model`` is ``"SPUCBiGRUSentimentAnalyzer"``."""

    models: ClassVar[Mapping[str, str]] = {
        "SPUCBiGRUSentimentAnalyzer": "vnlp_colab.sentiment.sentiment_colab:SPUCBiGRUSentimentAnalyzer",
    }
