"""Sentiment: `SentimentAnalyzer` and its model.

Examples
--------
>>> SentimentAnalyzer().predict("Çok güzel bir film.")  # doctest: +SKIP
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from vnlp_colab.front import Front
from vnlp_colab.resources import find_model
from vnlp_colab.runtime import SessionOptions, create_session, device_of, in_threads, input_names, output_names
from vnlp_colab.spucontext.pieces import PieceTokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import onnxruntime

    from vnlp_colab.runtime import Device

__all__ = ["SPUCBiGRUSentimentAnalyzer", "SentimentAnalyzer"]

# Texts of one run. One thread of the CPU does as many a second with 16 as with more.
_ROWS = {"cpu": 16, "cuda": 1024}


class SPUCBiGRUSentimentAnalyzer:
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
        options = options or SessionOptions()
        self.files = find_model("Sentiment_SPUCBiGRU", evaluate=evaluate)
        self._tokenizer = PieceTokenizer(self.files.resource("tokenizer"))
        self.inference_session: onnxruntime.InferenceSession = create_session(
            self.files.path, device, options, intra_op_threads=1
        )
        self.input_names = input_names(self.inference_session)
        self.output_names = output_names(self.inference_session)
        self.device: Literal["cpu", "cuda"] = device_of(self.inference_session)
        self._threads = options.thread_count if self.device == "cpu" else 1

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


def check_text(text: str) -> str:
    """Return `text` if it is a string, else say what it is."""
    if not isinstance(text, str):
        raise TypeError(f"a text (str) is expected, not {text!r}")
    return text


def check_texts(texts: Iterable[str]) -> list[str]:
    """Return texts as a list, or say what is wrong with them."""
    if isinstance(texts, str | bytes):
        raise TypeError("a list of texts is expected, not one string; use predict or predict_proba for that")
    return [check_text(text) for text in texts]


class SentimentAnalyzer(Front):
    """Says whether a text is positive; ``model`` is ``"SPUCBiGRUSentimentAnalyzer"``."""

    models: ClassVar[Mapping[str, str]] = {
        "SPUCBiGRUSentimentAnalyzer": "vnlp_colab.sentiment.sentiment_colab:SPUCBiGRUSentimentAnalyzer",
    }
