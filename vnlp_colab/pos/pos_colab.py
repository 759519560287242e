"""Parts of speech: `PoSTagger` and its models.

Examples
--------
>>> PoSTagger(device="cpu").predict(["Ali", "eve", "gitti", "."])
[('Ali', 'PROPN'), ('eve', 'NOUN'), ('gitti', 'VERB'), ('.', 'PUNCT')]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from vnlp_colab.annotator.front import Front
from vnlp_colab.spucontext.tagger import SPUContextTagger
from vnlp_colab.treestack.pos import TreeStackPoS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PoSTagger", "SPUContextPoS", "TreeStackPoS"]


class SPUContextPoS(SPUContextTagger):
    """PoS tags from pieces, words around, and the tags before."""

    stem = "PoS_SPUContext"


class PoSTagger(Front):
    """Tags tokens with their part of speech; ``model`` is ``"SPUContextPoS"`` (default) or ``"TreeStackPoS"``."""

    models: ClassVar[Mapping[str, str]] = {
        "SPUContextPoS": "vnlp_colab.pos.pos_colab:SPUContextPoS",
        "TreeStackPoS": "vnlp_colab.treestack.pos:TreeStackPoS",
    }
