"""`TreeStackPoS`: parts of speech from word vectors, morphology and the tags before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.annotator.answers import Labelled
from vnlp_colab.annotator.inputs import check_sentences
from vnlp_colab.annotator.model import TokenTagger
from vnlp_colab.runtime import device_of
from vnlp_colab.treestack.model import Stemmer, TreeStackModel
from vnlp_colab.treestack.network import WINDOW, TreeStackNetwork, WordVectors
from vnlp_colab.treestack.tagging import TagDecoder
from vnlp_colab.treestack.windows import Sentence, pos_windows, stepwise_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vnlp_colab.annotator.model import Decoding
    from vnlp_colab.runtime import Device, SessionOptions


class TreeStackPoS(TreeStackModel, TokenTagger):
    """PoS tags from word vectors, morphological tags, words around, and the tags before.

    Upstream's model; `vnlp-colab convert TreeStackPoS` makes its file.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (one run of the full model a position); the labels are the same.
    stemmer
        The morphological analyser; the process's `StemmerAnalyzer` by default.
    """

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
        stemmer: Stemmer | None = None,
    ) -> None:
        super().__init__(
            "PoS_TreeStack", evaluate=evaluate, device=device, decoding=decoding, options=options, stemmer=stemmer
        )
        if decoding == "incremental":
            network = TreeStackNetwork.read(self.files.path)
            self._vectors = WordVectors(network, device, self._options)
            self._decoder = TagDecoder(network, device, self._options)
            self.device = self._decoder.device
        else:
            self.device = device_of(self.inference_session)

    def label_batch(self, sentences: Iterable[Iterable[str]]) -> list[Labelled]:
        """Return tags and confidences of each sentence."""
        checked = check_sentences(sentences)
        return self.label_analysed(checked, self.stemmer.predict_batch(checked))

    def label_analysed(self, sentences: Sequence[Sequence[str]], analyses: Sequence[Sequence[str]]) -> list[Labelled]:
        """Return tags and confidences of sentences whose morphological analyses are known."""
        answers = []
        for scores in self.scores(sentences, analyses):
            best = scores.argmax(axis=1)
            confidence = scores[np.arange(len(best)), best]
            answers.append(Labelled([self.labels[number] for number in best.tolist()], confidence))
        return answers

    def scores(self, sentences: Sequence[Sequence[str]], analyses: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Return the class scores, (words, classes), of sentences and their morphological analyses."""
        encoded = []
        for tokens, analysis in zip(sentences, analyses, strict=True):
            words, tags = self._word_list.encode(tokens, analysis)
            encoded.append(Sentence(words, tags, np.zeros_like(words)))
        results = [np.zeros((0, len(self.labels)), np.float32)] * len(encoded)
        filled = [number for number, sentence in enumerate(encoded) if len(sentence)]
        for number, scores in zip(filled, self._scores([encoded[number] for number in filled]), strict=True):
            results[number] = scores
        return results

    def _scores(self, sentences: list[Sentence]) -> list[np.ndarray]:
        if not sentences:
            return []
        if self.decoding == "incremental":
            return self._decoder.scores(*self._vectors.lookup(sentences))
        return stepwise_scores(self.inference_session, sentences, [len(self.labels)], pos_windows, WINDOW)
