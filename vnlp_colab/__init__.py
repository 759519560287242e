"""Turkish text analysis over tables: tokens, lemmas, morphology, PoS, entities, dependency trees and sentiment.

Public names are loaded when first used, so ``import vnlp_colab`` is quick and needs neither TensorFlow nor
onnxruntime.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from vnlp_colab.registry import MODELS

if TYPE_CHECKING:  # what editors and type checkers see; tests hold it to the table below
    from vnlp_colab.dep.dep_colab import DependencyParser as DependencyParser
    from vnlp_colab.dep.dep_colab import SPUContextDP as SPUContextDP
    from vnlp_colab.document.document import Document as Document
    from vnlp_colab.document.document import Entity as Entity
    from vnlp_colab.document.document import Sentence as Sentence
    from vnlp_colab.document.document import Token as Token
    from vnlp_colab.document.errors import DocumentDataError as DocumentDataError
    from vnlp_colab.document.errors import NotLoadedError as NotLoadedError
    from vnlp_colab.errors import VNLPError as VNLPError
    from vnlp_colab.evaluation.readers import EvaluationFileError as EvaluationFileError
    from vnlp_colab.joint.joint_colab import JointAnalyzer as JointAnalyzer
    from vnlp_colab.ner.charner import CharNER as CharNER
    from vnlp_colab.ner.ner_colab import NamedEntityRecognizer as NamedEntityRecognizer
    from vnlp_colab.ner.ner_colab import SPUContextNER as SPUContextNER
    from vnlp_colab.pipeline_colab import VNLPipeline as VNLPipeline
    from vnlp_colab.pos.pos_colab import PoSTagger as PoSTagger
    from vnlp_colab.pos.pos_colab import SPUContextPoS as SPUContextPoS
    from vnlp_colab.resources.download import download_resource as download_resource
    from vnlp_colab.resources.manifest import ResourceError as ResourceError
    from vnlp_colab.runtime import DeviceError as DeviceError
    from vnlp_colab.sentiment.sentiment_colab import SentimentAnalyzer as SentimentAnalyzer
    from vnlp_colab.sentiment.sentiment_colab import SPUCBiGRUSentimentAnalyzer as SPUCBiGRUSentimentAnalyzer
    from vnlp_colab.stemmer.stemmer_colab import StemmerAnalyzer as StemmerAnalyzer
    from vnlp_colab.stemmer.stemmer_colab import get_stemmer_analyzer as get_stemmer_analyzer
    from vnlp_colab.tables.errors import TableError as TableError
    from vnlp_colab.text import Normalizer as Normalizer
    from vnlp_colab.text import SentenceSplitter as SentenceSplitter
    from vnlp_colab.text import StopwordRemover as StopwordRemover
    from vnlp_colab.text import TreebankWordTokenize as TreebankWordTokenize
    from vnlp_colab.text import WordPunctTokenize as WordPunctTokenize
    from vnlp_colab.text.informal import mend_text as mend_text
    from vnlp_colab.text.informal import mend_tokens as mend_tokens
    from vnlp_colab.text.tokens import tokenize as tokenize
    from vnlp_colab.treestack.dep import TreeStackDP as TreeStackDP
    from vnlp_colab.treestack.pos import TreeStackPoS as TreeStackPoS

_EXPORTS = {
    "VNLPipeline": "vnlp_colab.pipeline_colab",
    "Document": "vnlp_colab.document.document",
    "Sentence": "vnlp_colab.document.document",
    "Token": "vnlp_colab.document.document",
    "Entity": "vnlp_colab.document.document",
    "PoSTagger": "vnlp_colab.pos.pos_colab",
    "NamedEntityRecognizer": "vnlp_colab.ner.ner_colab",
    "DependencyParser": "vnlp_colab.dep.dep_colab",
    "SentimentAnalyzer": "vnlp_colab.sentiment.sentiment_colab",
    "get_stemmer_analyzer": "vnlp_colab.stemmer.stemmer_colab",
    **{model.name: model.module for model in MODELS.values()},
    "SentenceSplitter": "vnlp_colab.text",
    "TreebankWordTokenize": "vnlp_colab.text",
    "WordPunctTokenize": "vnlp_colab.text",
    "Normalizer": "vnlp_colab.text",
    "StopwordRemover": "vnlp_colab.text",
    "tokenize": "vnlp_colab.text.tokens",
    "mend_text": "vnlp_colab.text.informal",
    "mend_tokens": "vnlp_colab.text.informal",
    "download_resource": "vnlp_colab.resources",
    "VNLPError": "vnlp_colab.errors",
    "DeviceError": "vnlp_colab.runtime",
    "ResourceError": "vnlp_colab.resources",
    "NotLoadedError": "vnlp_colab.document.errors",
    "DocumentDataError": "vnlp_colab.document.errors",
    "TableError": "vnlp_colab.tables.errors",
    "EvaluationFileError": "vnlp_colab.evaluation.readers",
}

__all__ = ["__version__", *_EXPORTS]  # the table above is the list

try:
    __version__ = version("vnlp-colab")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'vnlp_colab' has no attribute {name!r}")
    value = getattr(import_module(_EXPORTS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
