"""`TreeStackPoS`: parts of speech from word vectors, morphology and the tags before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vnlp_colab.annotator.answers import best_labels
from vnlp_colab.annotator.inputs import check_sentences
from vnlp_colab.annotator.model import TokenTagger
from vnlp_colab.decoding.stepwise import EncodedSentence
from vnlp_colab.treestack.model import Stemmer, TreeStackModel
from vnlp_colab.treestack.tagging import TagDecoder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    from vnlp_colab.annotator.answers import Labelled
    from vnlp_colab.annotator.model import Decoding
    from vnlp_colab.annotator.protocol import Batch
    from vnlp_colab.runtime import Device, SessionOptions
    from vnlp_colab.treestack.network import TreeStackNetwork


class TreeStackPoS(TreeStackModel, TokenTagger):
    """PoS tags from word vectors, morphological tags, words around, and the tags before.

    Upstream's model; `vnlp-colab convert TreeStackPoS` makes its file.

    Parameters
    ----------
    evaluate, device, decoding, options, stemmer
        As for `vnlp_colab.treestack.model.TreeStackModel`.
    """

    task = "pos"
    signature = (
        *(("at", 0), ("at", 1)),
        *(("before", 0), ("before", 1), ("before", -1)),
        *(("after", 0), ("after", 1)),
    )

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
        stemmer: Stemmer | None = None,
    ) -> None:
        super().__init__(evaluate=evaluate, device=device, decoding=decoding, options=options, stemmer=stemmer)

    def _make_decoder(self, network: TreeStackNetwork) -> TagDecoder:
        return TagDecoder(network.decoder, self._asked, self._options)

    @property
    def _fields(self) -> Sequence[int]:
        return [len(self.labels)]

    def label_batch(self, sentences: Iterable[Iterable[str]]) -> list[Labelled]:
        """Return tags and confidences of each sentence."""
        checked = check_sentences(sentences)
        return self.label_analysed(checked, self.stemmer.predict_batch(checked))

    def label_annotated(self, batch: Batch) -> list[Labelled]:
        """Return the same for a batch that may have its analyses already."""
        return self.label_analysed(batch.tokens, self._morph(batch))

    def label_analysed(self, sentences: Sequence[Sequence[str]], analyses: Sequence[Sequence[str]]) -> list[Labelled]:
        """Return tags and confidences of sentences whose morphological analyses are known."""
        return best_labels(self.scores(sentences, analyses), self.labels)

    def scores(self, sentences: Sequence[Sequence[str]], analyses: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Return the class scores, (words, classes), of sentences and their morphological analyses."""
        pairs = zip(sentences, analyses, strict=True)
        return self._scores([EncodedSentence(self._word_list.encode(*pair)) for pair in pairs])
