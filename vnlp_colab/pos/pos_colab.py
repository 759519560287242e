"""Parts of speech: `PoSTagger` and its models.

Examples
--------
>>> PoSTagger().predict(["Ali", "eve", "gitti", "."])  # doctest: +SKIP
[('Ali', 'PROPN'), ('eve', 'NOUN'), ('gitti', 'VERB'), ('.', 'PUNCT')]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from vnlp_colab.interface.front import Front
from vnlp_colab.spucontext.tagger import SPUContextTagger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vnlp_colab.interface.model import Decoding
    from vnlp_colab.runtime import Device, SessionOptions
    from vnlp_colab.treestack.pos import TreeStackPoS

__all__ = ["PoSTagger", "SPUContextPoS", "TreeStackPoS"]


class SPUContextPoS(SPUContextTagger):
    """PoS tags from pieces, words around, and the tags before.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (one run of the full model a position); the labels are the same.
    """

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
    ) -> None:
        super().__init__("PoS_SPUContext", evaluate=evaluate, device=device, decoding=decoding, options=options)


class PoSTagger(Front):
    """Tags tokens with their part of speech; ``model`` is ``"SPUContextPoS"`` (default) or ``"TreeStackPoS"``."""

    models: ClassVar[Mapping[str, str]] = {
        "SPUContextPoS": "vnlp_colab.pos.pos_colab:SPUContextPoS",
        "TreeStackPoS": "vnlp_colab.treestack.pos:TreeStackPoS",
    }


def __getattr__(name: str) -> Any:
    if name == "TreeStackPoS":
        return import_module("vnlp_colab.treestack.pos").TreeStackPoS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
