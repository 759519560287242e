"""Named entities: `NamedEntityRecognizer` and its models.

Examples
--------
>>> NamedEntityRecognizer().predict(["Ali", "Ankara'ya", "gitti", "."])  # doctest: +SKIP
[('Ali', 'PER'), ("Ankara'ya", 'LOC'), ('gitti', 'O'), ('.', 'O')]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from vnlp_colab.interface.front import Front
from vnlp_colab.spucontext.tagger import SPUContextTagger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vnlp_colab.interface.model import Decoding
    from vnlp_colab.ner.charner import CharNER
    from vnlp_colab.runtime import Device, SessionOptions

__all__ = ["CharNER", "NamedEntityRecognizer", "SPUContextNER"]


class SPUContextNER(SPUContextTagger):
    """Entity labels (O, PER, LOC, ORG) from pieces, words around, and the labels before.

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
        super().__init__("NER_SPUContext", evaluate=evaluate, device=device, decoding=decoding, options=options)


class NamedEntityRecognizer(Front):
    """Finds persons, places and organizations; ``model`` is ``"SPUContextNER"`` (default) or ``"CharNER"``."""

    models: ClassVar[Mapping[str, str]] = {
        "SPUContextNER": "vnlp_colab.ner.ner_colab:SPUContextNER",
        "CharNER": "vnlp_colab.ner.charner:CharNER",
    }


def __getattr__(name: str) -> Any:
    if name == "CharNER":
        return import_module("vnlp_colab.ner.charner").CharNER
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
