"""An SPUContext model at work: files, sessions and decoding; the tasks add what its scores mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vnlp_colab.annotator.model import ConvertedModel, Decoding, check_decoding
from vnlp_colab.decoding.incremental import IncrementalDecoder
from vnlp_colab.decoding.stepwise import EncodedSentence, WindowInput, stepwise_scores
from vnlp_colab.pieces.pieces import PieceTokenizer
from vnlp_colab.runtime import Device, SessionOptions, device_of
from vnlp_colab.spucontext.network import SPUContextNetwork
from vnlp_colab.spucontext.words import PieceWordVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

# Tokens taken from a batch at a time: bounds what word numbers, vectors and scores need, however long the batch is.
_TOKENS = 65536
# Rows of one stepwise run: the word encoder takes up to 2 MB a row, 81 words of 8 pieces at a time.
_ROWS = {"cpu": 256, "cuda": 1024}
# The full network's inputs: pieces of the word and of those around it, and the labels before.
SIGNATURE: tuple[WindowInput, ...] = (("at", 0), ("before", 0), ("after", 0), ("before", -1))


class SPUContextModel(ConvertedModel):
    """Scores of every word of a batch of sentences.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (one run of the full model a position); the labels are the same.
    """

    # Sizes of the label fields the output is made of; none is one field, all of the output.
    fields: ClassVar[tuple[int, ...]] = ()

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
    ) -> None:
        super().__init__(evaluate=evaluate, device=device, options=options)
        self.decoding = check_decoding(decoding)
        self.labels: list[str] = self._read_json("labels")
        with self.files.loading("tokenizer"):
            self._tokenizer = PieceTokenizer(self.files.read("tokenizer"))
        self._fields = list(self.fields or [len(self.labels)])
        if decoding == "incremental":
            with self.files.loading():
                network = SPUContextNetwork.read(self.files.read(), str(self.files.path))
                network.decoder.check_classes(sum(self._fields))
                self._decoder = IncrementalDecoder(network.decoder, self._fields, device, self._options)
                self._words = PieceWordVectors(network, self._tokenizer, device, self._options)
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
            return self._decoder.scores(*self._words.lookup(sentences))
        session = self.inference_session
        width = session.get_inputs()[0].shape[1]
        encoded = [EncodedSentence((self._tokenizer.word_pieces(words, width)[0],)) for words in sentences]
        rows = _ROWS[self.device]
        return stepwise_scores(session, encoded, SIGNATURE, self._fields, rows=rows, threads=self._threads)


def _groups(numbers: list[int], sizes: list[int]) -> list[list[int]]:
    """Cut `numbers` where the running sum of `sizes` passes a multiple of the tokens taken at a time."""
    if not numbers:
        return []
    blocks = (np.cumsum(sizes) - 1) // _TOKENS
    cuts = np.flatnonzero(np.diff(blocks)) + 1
    return [list(map(int, part)) for part in np.split(np.array(numbers), cuts)]
