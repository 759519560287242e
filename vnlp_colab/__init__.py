"""Turkish text analysis over tables: tokens, lemmas, morphology, PoS, entities, dependency trees and sentiment.

Public names are loaded when first used, so ``import vnlp_colab`` is quick and needs neither TensorFlow nor
onnxruntime.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_EXPORTS = {
    "VNLPError": "errors",
    "VNLPipeline": "pipeline_colab",
    "Document": "document.document",
    "PoSTagger": "pos.pos_colab",
    "SPUContextPoS": "pos.pos_colab",
    "TreeStackPoS": "pos.pos_colab",
    "NamedEntityRecognizer": "ner.ner_colab",
    "SPUContextNER": "ner.ner_colab",
    "CharNER": "ner.ner_colab",
    "DependencyParser": "dep.dep_colab",
    "SPUContextDP": "dep.dep_colab",
    "TreeStackDP": "dep.dep_colab",
    "StemmerAnalyzer": "stemmer.stemmer_colab",
    "get_stemmer_analyzer": "stemmer.stemmer_colab",
    "SentimentAnalyzer": "sentiment.sentiment_colab",
    "SPUCBiGRUSentimentAnalyzer": "sentiment.sentiment_colab",
    "SentenceSplitter": "text",
    "TreebankWordTokenize": "text",
    "WordPunctTokenize": "text",
    "Normalizer": "text",
    "StopwordRemover": "text",
    "download_resource": "resources",
}

__all__ = ["__version__", *_EXPORTS]  # the table above is the list

try:
    __version__ = version("vnlp-colab")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'vnlp_colab' has no attribute {name!r}")
    value = getattr(import_module(f"vnlp_colab.{_EXPORTS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
