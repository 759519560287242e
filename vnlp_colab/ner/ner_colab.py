"""Named entities: `NamedEntityRecognizer` and its models.

Examples
--------
>>> NamedEntityRecognizer(device="cpu").predict(["Ali", "Ankara'ya", "gitti", "."])
[('Ali', 'PER'), ("Ankara'ya", 'LOC'), ('gitti', 'O'), ('.', 'O')]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from vnlp_colab.annotator.front import Front
from vnlp_colab.ner.charner import CharNER
from vnlp_colab.spucontext.tagger import SPUContextTagger

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CharNER", "NamedEntityRecognizer", "SPUContextNER"]


class SPUContextNER(SPUContextTagger):
    """Entity labels (O, PER, LOC, ORG) from pieces, words around, and the labels before."""

    stem = "NER_SPUContext"


class NamedEntityRecognizer(Front):
    """Finds persons, places and organizations; ``model`` is ``"SPUContextNER"`` (default) or ``"CharNER"``."""

    models: ClassVar[Mapping[str, str]] = {
        "SPUContextNER": "vnlp_colab.ner.ner_colab:SPUContextNER",
        "CharNER": "vnlp_colab.ner.charner:CharNER",
    }
