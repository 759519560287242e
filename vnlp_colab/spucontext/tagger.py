"""SPUContext models that give each word one label: PoS and entities."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vnlp_colab.annotator.answers import Labelled
from vnlp_colab.annotator.inputs import check_sentences
from vnlp_colab.annotator.model import TokenTagger
from vnlp_colab.spucontext.model import SPUContextModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vnlp_colab.annotator.model import Decoding
    from vnlp_colab.runtime import Device, SessionOptions


class SPUContextTagger(SPUContextModel, TokenTagger):
    """One label a word.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (one run of the full model a position); the labels are the same.
    """

    stem: ClassVar[str]

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
    ) -> None:
        super().__init__(self.stem, evaluate=evaluate, device=device, decoding=decoding, options=options)

    def label_batch(self, sentences: Iterable[Iterable[str]]) -> list[Labelled]:
        """Return labels and confidences of each sentence."""
        checked = check_sentences(sentences)
        scores = self.scores(checked)
        if not scores:
            return []
        # one array for all sentences: a few large NumPy calls instead of some for each sentence
        together = np.concatenate(scores)
        best = together.argmax(axis=1)
        confidence = together[np.arange(len(best)), best]
        names = [self.labels[number] for number in best.tolist()]
        ends = np.cumsum([len(sentence) for sentence in checked]).tolist()
        return [
            Labelled(names[start:end], confidence[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)
        ]
