"""Text tools for Turkish: tokens, sentences, normalisation, informal text, stop words. No model, no TensorFlow.

The names below are loaded when first used, so a tokenizer does not wait for the deasciifier's tables.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vnlp_colab.text.informal import mend_text, mend_tokens
    from vnlp_colab.text.normalizer import Normalizer
    from vnlp_colab.text.sentences import SentenceSplitter
    from vnlp_colab.text.stopwords import StopwordRemover
    from vnlp_colab.text.tokenizers import TreebankWordTokenize, WordPunctTokenize
    from vnlp_colab.text.tokens import tokenize

_EXPORTS = {
    "Normalizer": "normalizer",
    "SentenceSplitter": "sentences",
    "StopwordRemover": "stopwords",
    "TreebankWordTokenize": "tokenizers",
    "WordPunctTokenize": "tokenizers",
    "mend_text": "informal",
    "mend_tokens": "informal",
    "tokenize": "tokens",
}

__all__ = [
    "Normalizer",
    "SentenceSplitter",
    "StopwordRemover",
    "TreebankWordTokenize",
    "WordPunctTokenize",
    "mend_text",
    "mend_tokens",
    "tokenize",
]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'vnlp_colab.text' has no attribute {name!r}")
    value = getattr(import_module(f"vnlp_colab.text.{_EXPORTS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
