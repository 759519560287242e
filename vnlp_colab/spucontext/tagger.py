"""SPUContext models that give each word one label: PoS and entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.labelled import Labelled
from vnlp_colab.spucontext.model import SPUContextModel
from vnlp_colab.spucontext.pieces import check_sentences, check_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable


class SPUContextTagger(SPUContextModel):
    """One label a word."""

    def predict(self, tokens: Iterable[str]) -> list[tuple[str, str]]:
        """Return ``(token, label)`` for each token of a sentence; an empty sentence gives ``[]``."""
        return self.predict_batch([check_tokens(tokens)])[0]

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[tuple[str, str]]]:
        """Return ``(token, label)`` for each token of each sentence, sentences in the order given."""
        checked = check_sentences(sentences)
        labelled = self.label_batch(checked)
        return [list(zip(tokens, answer.labels, strict=True)) for tokens, answer in zip(checked, labelled, strict=True)]

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
