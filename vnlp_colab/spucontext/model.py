"""An SPUContext model at work: files, sessions and decoding; the tasks add what its scores mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.annotator.model import ConvertedModel, Decoding, check_decoding
from vnlp_colab.pieces.pieces import PieceTokenizer
from vnlp_colab.runtime import Device, SessionOptions, device_of
from vnlp_colab.spucontext.incremental import IncrementalDecoder
from vnlp_colab.spucontext.network import Network
from vnlp_colab.spucontext.stepwise import stepwise_scores
from vnlp_colab.spucontext.words import WordVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

# Tokens taken from a batch at a time: bounds what word numbers, vectors and scores need, however long the batch is.
_TOKENS = 65536


class SPUContextModel(ConvertedModel):
    """Scores of every word of a batch of sentences.

    Parameters
    ----------
    stem
        The model's file stem, such as ``"PoS_SPUContext"``.
    fields
        Sizes of the label fields the output is made of; ``None`` is one field, the whole output.
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (full windows); the labels are the same.
    """

    def __init__(
        self,
        stem: str,
        fields: Sequence[int] | None = None,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
    ) -> None:
        # one thread a run and several runs at a time: onnxruntime's GRU loses half its speed when it shares a run out
        super().__init__(stem, evaluate=evaluate, device=device, options=options, intra_op_threads=1)
        self.decoding = check_decoding(decoding)
        self.labels = self._read_labels()
        self._tokenizer = PieceTokenizer(self.files.resource("tokenizer"))
        self._fields = list(fields or [len(self.labels)])
        if decoding == "incremental":
            network = Network.read(self.files.path)
            self._decoder = IncrementalDecoder(network, self._fields, device, self._options)
            self._words = WordVectors(network, self._tokenizer, device, self._options)
            self.device = self._decoder.device
        else:
            self.device = device_of(self.inference_session)

    def scores(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Return the class scores of each sentence, (words, classes); sentences that occur again are decoded once."""
        distinct: dict[tuple[str, ...], int] = {}
        places = [distinct.setdefault(tuple(sentence), len(distinct)) for sentence in sentences]
        unique = list(distinct)
        filled = [number for number, sentence in enumerate(unique) if sentence]
        results = [np.zeros((0, sum(self._fields)), np.float32)] * len(unique)
        for group in _groups(filled, [len(unique[number]) for number in filled]):
            for number, scores in zip(group, self._scores([unique[number] for number in group]), strict=True):
                results[number] = scores
        return [results[place] for place in places]

    def _scores(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        if self.decoding == "incremental":
            vectors, numbers = self._words.lookup(sentences)
            return self._decoder.scores(vectors, numbers)
        session = self.inference_session
        width = session.get_inputs()[0].shape[1]
        pieces = [self._tokenizer.word_pieces(sentence, width)[0] for sentence in sentences]
        threads = self._options.thread_count if self.device == "cpu" else 1
        return stepwise_scores(session, pieces, self._fields, threads)


def _groups(numbers: list[int], sizes: list[int]) -> list[list[int]]:
    """Cut `numbers` where the running sum of `sizes` passes a multiple of the tokens taken at a time."""
    if not numbers:
        return []
    blocks = (np.cumsum(sizes) - 1) // _TOKENS
    cuts = np.flatnonzero(np.diff(blocks)) + 1
    return [list(map(int, part)) for part in np.split(np.array(numbers), cuts)]
