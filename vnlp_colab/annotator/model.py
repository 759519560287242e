"""What the model classes have in common: files, the session of the converted network, and the shape of answers."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal, get_args

from vnlp_colab.annotator.inputs import check_sentences, check_tokens
from vnlp_colab.resources import find_model
from vnlp_colab.runtime import Device, SessionOptions, check_device, create_session, input_names, output_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    import onnxruntime

    from vnlp_colab.annotator.answers import Labelled, Parsed

Decoding = Literal["incremental", "stepwise"]


def check_decoding(decoding: str) -> Decoding:
    """Return `decoding` if it is a known way, else raise `ValueError` with the known ones."""
    for known in get_args(Decoding):
        if decoding == known:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"decoding must be one of {', '.join(get_args(Decoding))}, not {decoding!r}")


class ConvertedModel:
    """A converted network: its files, and a session that is made when first used.

    Parameters
    ----------
    stem
        The model's file stem, such as ``"PoS_SPUContext"``.
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    intra_op_threads
        Threads of one run of the session, where several runs go side by side; by default all of ``options``.
    """

    # Where it really runs; set by the classes, which may run other sessions than that of the whole network.
    device: Literal["cpu", "cuda"]

    def __init__(
        self,
        stem: str,
        *,
        evaluate: bool,
        device: Device,
        options: SessionOptions | None,
        intra_op_threads: int | None = None,
    ) -> None:
        self._asked = check_device(device)
        self._options = options or SessionOptions()
        self._intra_op_threads = intra_op_threads
        self._lock = threading.Lock()
        self._session: onnxruntime.InferenceSession | None = None
        self.files = find_model(stem, evaluate=evaluate)

    @property
    def inference_session(self) -> onnxruntime.InferenceSession:
        """The session of the whole network, made when first used."""
        with self._lock:
            if self._session is None:
                self._session = create_session(
                    self.files.path, self._asked, self._options, intra_op_threads=self._intra_op_threads
                )
            return self._session

    @property
    def input_names(self) -> list[str]:
        """The network's inputs, in the order of its signature."""
        return input_names(self.inference_session)

    @property
    def output_names(self) -> list[str]:
        """The network's outputs."""
        return output_names(self.inference_session)

    def _read_labels(self, role: str = "labels") -> list[str]:
        labels: list[str] = json.loads(self.files.resource(role).read_text(encoding="utf-8"))
        return labels


class TokenTagger(ABC):
    """The answers of a model that gives each token one label."""

    @abstractmethod
    def label_batch(self, sentences: Iterable[Iterable[str]]) -> list[Labelled]:
        """Return labels and confidences of each sentence."""

    def predict(self, tokens: Iterable[str]) -> list[tuple[str, str]]:
        """Return ``(token, label)`` for each token of a sentence; an empty sentence gives ``[]``."""
        return self.predict_batch([check_tokens(tokens)])[0]

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[tuple[str, str]]]:
        """Return ``(token, label)`` for each token of each sentence, sentences in the order given."""
        checked = check_sentences(sentences)
        labelled = self.label_batch(checked)
        return [list(zip(tokens, answer.labels, strict=True)) for tokens, answer in zip(checked, labelled, strict=True)]


class TokenParser(ABC):
    """The answers of a model that gives each sentence a tree; ``tree=False`` gives the network's own heads."""

    tree: bool

    @abstractmethod
    def parse_batch(self, sentences: Iterable[Iterable[str]], *, tree: bool | None = None) -> list[Parsed]:
        """Return the heads and relations of each sentence; `tree` overrides the constructor's."""

    def predict(self, tokens: Iterable[str], *, tree: bool | None = None) -> list[tuple[int, str, int, str]]:
        """Return ``(index, token, head, relation)`` for each token; indices count from 1, head 0 is the root."""
        return self.predict_batch([check_tokens(tokens)], tree=tree)[0]

    def predict_batch(
        self, sentences: Iterable[Iterable[str]], *, tree: bool | None = None
    ) -> list[list[tuple[int, str, int, str]]]:
        """Return ``(index, token, head, relation)`` for each token of each sentence, in the order given."""
        checked = check_sentences(sentences)
        parsed = self.parse_batch(checked, tree=tree)
        return [
            list(zip(range(1, len(tokens) + 1), tokens, answer.heads, answer.relations, strict=True))
            for tokens, answer in zip(checked, parsed, strict=True)
        ]
