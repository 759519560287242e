"""A TreeStack model at work: files, sessions, morphology; the tasks add how it is decoded and what its scores mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from vnlp_colab.annotator.model import ConvertedModel, Decoding, check_decoding
from vnlp_colab.treestack.words import WordList

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vnlp_colab.runtime import Device, SessionOptions


class Stemmer(Protocol):
    """What is asked of a morphological analyser."""

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[str]]:
        """Return an analysis, ``root+Tag+Tag``, for each token of each sentence."""


class TreeStackModel(ConvertedModel):
    """Files, vocabulary and session of a TreeStack model.

    Parameters
    ----------
    stem
        The model's file stem, such as ``"PoS_TreeStack"``.
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (full windows); the labels are the same.
    stemmer
        The morphological analyser; the process's `StemmerAnalyzer` by default.
    """

    def __init__(
        self,
        stem: str,
        *,
        evaluate: bool,
        device: Device,
        decoding: Decoding,
        options: SessionOptions | None,
        stemmer: Stemmer | None,
    ) -> None:
        super().__init__(stem, evaluate=evaluate, device=device, options=options)
        self.decoding = check_decoding(decoding)
        self.labels = self._read_labels()
        self._word_list = WordList(self.files.resource("words"), self.files.resource("tags"))
        self.stemmer: Stemmer = stemmer or _default_stemmer(device, options)


def _default_stemmer(device: Device, options: SessionOptions | None) -> Any:
    from vnlp_colab.stemmer.stemmer_colab import get_stemmer_analyzer

    return get_stemmer_analyzer(device=device, options=options)
