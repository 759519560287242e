"""A TreeStack model at work: files, sessions, morphology; the tasks add how it is decoded and what its scores mean."""

from __future__ import annotations

import json
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from vnlp_colab.resources import find_model
from vnlp_colab.runtime import Device, SessionOptions, check_device, create_session, input_names, output_names
from vnlp_colab.treestack.words import WordList

if TYPE_CHECKING:
    from collections.abc import Iterable

    import onnxruntime

Decoding = Literal["incremental", "stepwise"]


class Stemmer(Protocol):
    """What is asked of a morphological analyser."""

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[str]]:
        """Return an analysis, ``root+Tag+Tag``, for each token of each sentence."""


class TreeStackModel:
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
        if decoding not in get_args(Decoding):
            raise ValueError(f"decoding must be one of {', '.join(get_args(Decoding))}, not {decoding!r}")
        self.decoding: Decoding = decoding
        self._asked = check_device(device)
        self._options = options or SessionOptions()
        self._lock = threading.Lock()
        self.files = find_model(stem, evaluate=evaluate)
        self.labels: list[str] = self._read_list("labels")
        self._word_list = WordList(self.files.resource("words"), self.files.resource("tags"))
        self.stemmer: Stemmer = stemmer or _default_stemmer(device, options)

    def _read_list(self, role: str) -> list[str]:
        labels: list[str] = json.loads(self.files.resource(role).read_text(encoding="utf-8"))
        return labels

    @cached_property
    def inference_session(self) -> onnxruntime.InferenceSession:
        """The session of the full-window model, made when first used."""
        with self._lock:
            return create_session(self.files.path, self._asked, self._options)

    @property
    def input_names(self) -> list[str]:
        """The full-window model's inputs."""
        return input_names(self.inference_session)

    @property
    def output_names(self) -> list[str]:
        """The full-window model's outputs."""
        return output_names(self.inference_session)


def _default_stemmer(device: Device, options: SessionOptions | None) -> Any:
    from vnlp_colab.stemmer.stemmer_colab import get_stemmer_analyzer

    return get_stemmer_analyzer(device=device, options=options)
