"""Parts of speech: `PoSTagger` and its models.

Examples
--------
>>> PoSTagger(device="cpu").predict(["Ali", "eve", "gitti", "."])
[('Ali', 'PROPN'), ('eve', 'NOUN'), ('gitti', 'VERB'), ('.', 'PUNCT')]
"""

from __future__ import annotations

from vnlp_colab.annotator.front import TokenFront
from vnlp_colab.spucontext.tagger import SPUContextTagger
from vnlp_colab.treestack.pos import TreeStackPoS

__all__ = ["PoSTagger", "SPUContextPoS", "TreeStackPoS"]


class SPUContextPoS(SPUContextTagger):
    """PoS tags from pieces, words around, and the tags before.

    Parameters
    ----------
    evaluate, device, decoding, options
        As for `vnlp_colab.spucontext.model.SPUContextModel`.
    """

    task = "pos"


class PoSTagger(TokenFront):
    """Tags tokens with their part of speech; ``model`` is ``"SPUContextPoS"`` (default) or ``"TreeStackPoS"``."""

    task = "pos"
