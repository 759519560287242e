"""An engine that answers at once and by rule, with documents of the package's own shape."""

from __future__ import annotations

import os
import re
import threading
import time

from vnlp_colab.document.document import Document, Sentence
from vnlp_colab.serve.requests import Offer

WORD = re.compile(r"\w+(?:'\w+)?|[^\w\s]")
COLUMNS = ("sentiment", "lemma", "pos", "feats", "ner", "dep")
STYLES = ("generic", "boun")
ENTITY_STYLES = ("generic", "wikiann_tr")


class FakeEngine:
    """Capitals are people, the first word is the root; some texts are slow or fail, so that tests can see it.

    ``uyu 0.5`` takes half a second, ``patla`` raises an error that quotes the text; only what is ``sıradan`` has a
    label of its sentiment, neutral.
    """

    offer = Offer(COLUMNS, ("pos_confidence",), STYLES, ENTITY_STYLES)
    models = ({"task": "pos", "model": "FakeTagger", "device": "cpu", "weights": "0" * 8},)

    def __init__(self, settings=None):
        self.batches = []
        self.threads = set()

    def documents(self, wish, texts):
        if not os.environ.get("FAKE_FORGETS"):
            self.batches.append(list(texts))
        self.threads.add(threading.current_thread().name)
        for text in texts:
            if match := re.match(r"uyu ([\d.]+)", text):
                time.sleep(float(match.group(1)))
            if text.startswith("patla"):
                raise ValueError(f"cannot read {text!r}")
        return [_document(text, wish) for text in texts]

    def trees(self, document):
        return [sentence.to_svg() for sentence in document.sentences]


def _document(text, wish):
    pieces = (
        [(0, text)]
        if wish.split == "none"
        else [(m.start(), m.group()) for m in re.finditer(r"[^.!?\s][^.!?]*[.!?]*", text)]
    )
    sentences = [_sentence(start, piece, wish) for start, piece in pieces if piece.strip()]
    return Document(text, sentences, _score(text), ("tokens", *wish.columns), _label(text))


def _sentence(start, text, wish):
    found = list(WORD.finditer(text))
    words = [match.group() for match in found]
    values = {
        "lemma": [word.split("'")[0] for word in words],
        "pos": [_tag(word, wish.style) for word in words],
        "feats": ["Case=Nom|Number=Sing" if word[0].isalpha() else "_" for word in words],
        "ner": [_entity(word, wish.entity_style) for word in words],
        "dep": [(0, "root") if at == 0 else (1, "obj") for at in range(len(words))],
        "pos_confidence": [0.5] * len(words),
    }
    kept = {name: value for name, value in values.items() if name in wish.columns}
    spans = [(start + match.start(), start + match.end()) for match in found]
    columns = ("tokens", *wish.columns)
    return Sentence(text, start, text, spans, words, kept, columns, _score(text), label=_label(text))


def _score(text):
    return 0.9 if "güzel" in text else 0.7 if "sıradan" in text else 0.2


def _label(text):
    return "neutral" if "sıradan" in text else None


def _entity(word, style):
    if not word[0].isupper():
        return "O"
    return "LOC" if style == "wikiann_tr" else "PER"


def _tag(word, style):
    if not word[0].isalnum():
        return "PUNCT"
    return "X" if style == "boun" else "NOUN"
