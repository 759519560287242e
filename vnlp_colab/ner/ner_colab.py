"""Named entities: `NamedEntityRecognizer` and its models.

Examples
--------
>>> NamedEntityRecognizer(device="cpu").predict(["Ali", "Ankara'ya", "gitti", "."])
[('Ali', 'PER'), ("Ankara'ya", 'LOC'), ('gitti', 'O'), ('.', 'O')]
"""

from __future__ import annotations

from vnlp_colab.annotator.front import TokenFront
from vnlp_colab.ner.charner import CharNER
from vnlp_colab.spucontext.tagger import SPUContextTagger

__all__ = ["CharNER", "NamedEntityRecognizer", "SPUContextNER"]


class SPUContextNER(SPUContextTagger):
    """Entity labels (O, PER, LOC, ORG) from pieces, words around, and the labels before.

    Parameters
    ----------
    evaluate, device, decoding, options
        As for `vnlp_colab.spucontext.model.SPUContextModel`.
    """

    task = "ner"


class NamedEntityRecognizer(TokenFront):
    """Finds persons, places and organizations; ``model`` is ``"SPUContextNER"`` (default) or ``"CharNER"``."""

    task = "ner"
