"""SPUContext models that give each word one label: PoS and entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vnlp_colab.annotator.answers import best_labels
from vnlp_colab.annotator.inputs import check_sentences
from vnlp_colab.annotator.model import TokenTagger
from vnlp_colab.spucontext.model import SPUContextModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vnlp_colab.annotator.answers import Labelled


class SPUContextTagger(SPUContextModel, TokenTagger):
    """One label a word."""

    def label_batch(self, sentences: Iterable[Iterable[str]]) -> list[Labelled]:
        """Return labels and confidences of each sentence."""
        return best_labels(self.scores(check_sentences(sentences)), self.labels)
