"""A TreeStack model at work: files, sessions, morphology, decoding; the tasks add what its scores mean."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from vnlp_colab.annotator.front import shared_model
from vnlp_colab.annotator.model import ConvertedModel, Decoding, check_decoding
from vnlp_colab.decoding.stepwise import EncodedSentence, WindowInput, stepwise_scores
from vnlp_colab.runtime import device_of
from vnlp_colab.treestack.network import TaggedWordVectors, TreeStackNetwork
from vnlp_colab.treestack.words import WordList

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vnlp_colab.annotator.protocol import Batch
    from vnlp_colab.decoding.incremental import IncrementalDecoder
    from vnlp_colab.runtime import Device, SessionOptions
    from vnlp_colab.treestack.tagging import TagDecoder

# Rows of one stepwise run: 81 words of 15 tags each take about 1 MB a row inside the tag encoder.
_ROWS = 128


class Stemmer(Protocol):
    """What is asked of a morphological analyser."""

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[str]]:
        """Return an analysis, ``root+Tag+Tag``, for each token of each sentence."""


class TreeStackModel(ConvertedModel):
    """Files, vocabulary and session of a TreeStack model.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (one run of the full model a position); the labels are the same.
    stemmer
        The morphological analyser for sentences that come without analyses; the process's `StemmerAnalyzer` by default.
    """

    needs = ("morph",)
    # What each input of the full network holds; the columns of a sentence are words, tags and PoS tags.
    signature: ClassVar[tuple[WindowInput, ...]]

    def __init__(
        self,
        *,
        evaluate: bool,
        device: Device,
        decoding: Decoding,
        options: SessionOptions | None,
        stemmer: Stemmer | None,
    ) -> None:
        super().__init__(evaluate=evaluate, device=device, options=options, intra_op_threads=None)
        self.decoding = check_decoding(decoding)
        self.labels: list[str] = self._read_json("labels")
        self._word_list = WordList(self._read_json("words"), self._read_json("tags"))
        self._stemmer = stemmer
        self._asked_options = options  # as asked for: the same stemmer as others of these settings
        if decoding == "incremental":
            with self.files.loading():
                network = TreeStackNetwork.read(self.files.read(), str(self.files.path))
                network.decoder.check_classes(sum(self._fields))
                self._vectors = TaggedWordVectors(network, device, self._options)
                self._decoder = self._make_decoder(network)
            self.device = self._decoder.device
        else:
            self.device = device_of(self.inference_session)

    def _make_decoder(self, network: TreeStackNetwork) -> IncrementalDecoder | TagDecoder:
        raise NotImplementedError

    @property
    def _fields(self) -> Sequence[int]:
        raise NotImplementedError

    @cached_property
    def stemmer(self) -> Stemmer:
        """The morphological analyser, loaded when a sentence comes without its analyses."""
        return self._stemmer or shared_model("StemmerAnalyzer", device=self._asked, options=self._asked_options)

    def _morph(self, batch: Batch) -> list[list[str]]:
        """Return the analyses of a batch, which another annotator may have made."""
        return batch.columns["morph"] if "morph" in batch.columns else self.stemmer.predict_batch(batch.tokens)

    def _scores(self, sentences: Sequence[EncodedSentence]) -> list[np.ndarray]:
        """Return the class scores, (words, classes), of each sentence; an empty one has none."""
        results = [np.zeros((0, sum(self._fields)), np.float32)] * len(sentences)
        filled = [number for number, sentence in enumerate(sentences) if len(sentence)]
        if filled:
            for number, scores in zip(filled, self._decode([sentences[number] for number in filled]), strict=True):
                results[number] = scores
        return results

    def _decode(self, sentences: list[EncodedSentence]) -> list[np.ndarray]:
        if self.decoding == "incremental":
            return self._decoder.scores(*self._vectors.lookup(sentences))
        return stepwise_scores(self.inference_session, sentences, self.signature, self._fields, rows=_ROWS)
