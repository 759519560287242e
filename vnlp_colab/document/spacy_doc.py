"""A document as spaCy's ``Doc``. The only module of the package, with `vnlp_colab.spacy`, that imports spaCy."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.batches.preparation import replace_surrogates
from vnlp_colab.errors import VNLPError

try:
    import spacy
    from spacy.attrs import DEP, HEAD
    from spacy.tokens import Doc
    from spacy.util import filter_spans
except ImportError as error:
    raise VNLPError(f"spaCy is not installed ({error}); `pip install 'vnlp-colab[spacy]'` brings it") from None

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.vocab import Vocab

    from vnlp_colab.document.document import Document

# What spaCy itself gives to white space; what no model saw is treated alike.
_LOOSE = "dep"

for _name in ("sentiment", "sentiment_label"):
    if not Doc.has_extension(_name):
        Doc.set_extension(_name, default=None)


def to_spacy(document: Document, vocab: Vocab | None = None) -> Doc:
    """Return a document as spaCy's ``Doc``, with our tokens; ``doc.text`` is the text as it was given.

    Tags, features, lemmas, heads, entities, sentences, ``doc._.sentiment`` and ``doc._.sentiment_label`` are filled as
    far as models were loaded.
    ``tag_`` is the morphological analysis without its root, ``norm_`` what the models read, and an entity's ``id_`` its
    name without suffixes (``Türkiye`` for ``Türkiye'nin``).

    Parameters
    ----------
    document
        What ``VNLPipeline()(text)`` returns.
    vocab
        The vocabulary of your spaCy pipeline; by default that of ``spacy.blank("tr")``.
    """
    words, spaces, places = _words(document)
    doc = Doc(vocab if vocab is not None else _turkish_vocab(), words=words, spaces=spaces)
    for place, token in zip(places, document, strict=True):
        if doc[place].text != token.norm:
            doc[place].norm_ = token.norm
    return fill(doc, document, places)


def fill(doc: Doc, document: Document, places: Sequence[int]) -> Doc:
    """Write what is known of our tokens to their places in `doc`."""
    layers = set(document.columns)
    if "pos" in layers:
        for word in doc:
            word.pos_ = "SPACE" if word.is_space else "X"
        for place, pos in zip(places, document.pos, strict=True):
            doc[place].pos_ = doc[place].tag_ = pos
    if "morph" in layers:
        for place, analysis in zip(places, document.morph, strict=True):
            doc[place].tag_ = analysis.partition("+")[2] or analysis
    if layers & {"feats", "morph"}:
        for place, feats in zip(places, document.feats, strict=True):
            doc[place].set_morph("" if feats == "_" else feats)  # type: ignore[attr-defined]  # its stub is older
    if "lemma" in layers:
        for place, lemma in zip(places, document.lemma, strict=True):
            doc[place].lemma_ = lemma
    if "dep" in layers:
        _set_trees(doc, document, places)
    else:
        firsts = {0, *(places[at] for at in _first_tokens(document))}
        for word in doc:
            word.is_sent_start = word.i in firsts
    if "ner" in layers:
        found = [
            doc.char_span(
                one.start, one.end, label=one.label, alignment_mode="expand", span_id=replace_surrogates(one.name)
            )
            for one in document.entities
        ]
        doc.set_ents(filter_spans([span for span in found if span is not None]), default="outside")
    if "sentiment" in layers:
        doc._.sentiment = document.sentiment
    if layers & {"sentiment", "sentiment_label"}:
        doc._.sentiment_label = document.sentiment_label
    return doc


def _set_trees(doc: Doc, document: Document, places: Sequence[int]) -> None:
    # What is not ours hangs on what stands before it, as white space does in spaCy; at the very start on what follows.
    first = places[0] if places else 0
    heads = [place - 1 if place > first else first for place in range(len(doc))]
    relations = [_LOOSE] * len(doc)
    before = 0
    for sentence in document.sentences:
        for token in sentence:
            place = places[before + token.index]
            heads[place] = places[before + token.head - 1] if token.head else place
            relations[place] = "ROOT" if not token.head else token.relation
        before += len(sentence)
    offsets = np.array([head - place for place, head in enumerate(heads)], dtype=np.int64).astype(np.uint64)
    names = np.array([doc.vocab.strings.add(relation) for relation in relations], dtype=np.uint64)
    values: Any = np.stack([offsets, names], axis=1)
    doc.from_array([HEAD, DEP], values)


def _first_tokens(document: Document) -> list[int]:
    firsts, count = [], 0
    for sentence in document.sentences:
        if len(sentence):
            firsts.append(count)
        count += len(sentence)
    return firsts


def _words(document: Document) -> tuple[list[str], list[bool], list[int]]:
    """Return words and spaces that give the text back, and which of the words each token is.

    What stands between two tokens is a space, or a word of its own: other white space, characters no token has.
    """
    words: list[str] = []
    spaces: list[bool] = []
    places: list[int] = []
    text, at = replace_surrogates(document.text), 0  # no text to spaCy

    def skip(end: int) -> None:
        gap = text[at:end]
        if gap.startswith(" ") and words:
            spaces[-1] = True
            gap = gap[1:]
        if gap:
            words.append(gap)
            spaces.append(False)

    for token in document:
        if token.end > at:
            skip(token.start)
            words.append(text[max(at, token.start) : token.end])
            spaces.append(False)
            at = token.end
        places.append(len(words) - 1)
    skip(len(text))
    return words, spaces, places


@lru_cache(maxsize=1)
def _turkish_vocab() -> Vocab:
    return spacy.blank("tr").vocab
