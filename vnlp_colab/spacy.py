"""spaCy: documents as spaCy's ``Doc``, and a component ``vnlp_colab`` for its pipelines.

With ``pip install vnlp-colab[spacy]`` the component is there without an import::

    nlp = spacy.blank("tr")
    nlp.add_pipe("vnlp_colab", config={"models": ["pos", "dep", "ner"]})
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vnlp_colab import registry
from vnlp_colab.batches.preparation import clean_sentence
from vnlp_colab.columns import COLUMNS, NO_NUMBER
from vnlp_colab.document.document import Document, Sentence
from vnlp_colab.engines.worker import EngineError
from vnlp_colab.pipeline_colab import VNLPipeline
from vnlp_colab.text import SentenceSplitter

try:
    import spacy
    from spacy.attrs import DEP, HEAD
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.util import filter_spans
except ImportError as error:
    raise EngineError(f"spaCy is not installed ({error}); `pip install 'vnlp-colab[spacy]'` brings it") from None

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spacy.vocab import Vocab

logger = logging.getLogger(__name__)

Tokens = Literal["spacy", "vnlp"]

# What spaCy itself gives to white space, and what no model saw is treated alike.
_LOOSE = "dep"
_BATCH = 128

if not Doc.has_extension("sentiment"):
    Doc.set_extension("sentiment", default=None)


def to_spacy(document: Document, vocab: Vocab | None = None) -> Doc:
    """Return a document as spaCy's ``Doc``, with our tokens; ``doc.text`` is the text as it was given.

    Tags, features, lemmas, heads, entities, sentences and ``doc._.sentiment`` are filled as far as models were loaded.
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
    return _fill(doc, document, places)


class VNLPComponent:
    """The component: fills spaCy documents with what a `VNLPipeline` finds.

    Parameters
    ----------
    tokens
        ``"spacy"`` keeps the tokens of the document (and its sentences, where a component before has set them);
        ``"vnlp"`` makes a new document of ours.
    settings
        What `VNLPipeline` takes.
    """

    def __init__(self, tokens: Tokens, settings: dict[str, Any]) -> None:
        if tokens not in ("spacy", "vnlp"):
            raise ValueError(f"tokens is 'spacy' (keep those of the document) or 'vnlp' (ours), not {tokens!r}")
        self.tokens = tokens
        self.settings = settings
        registry.choose_models(settings["models_to_load"])  # a wrong name is told here, before the models are loaded

    @cached_property
    def pipeline(self) -> VNLPipeline:
        """The pipeline, loaded when it is first needed."""
        tasks = registry.choose_models(self.settings["models_to_load"])
        columns = ["ner_bio"] if "ner" in tasks else []
        return VNLPipeline(**{**self.settings, "columns": columns})

    @cached_property
    def _whole_texts(self) -> VNLPipeline | None:
        """The model of sentiment alone: texts of several sentences are read once more, as one."""
        name = self.pipeline.selection.get("sentiment")
        models = [f"sentiment:{name}"]
        return VNLPipeline(**{**self.settings, "models_to_load": models}) if name else None

    def __call__(self, doc: Doc) -> Doc:
        """Analyse one document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = _BATCH) -> Iterator[Doc]:
        """Analyse many documents, `batch_size` at a time."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            if self.tokens == "vnlp":
                documents = self.pipeline.pipe([doc.text for doc in batch])
                for doc, document in zip(batch, documents, strict=True):
                    yield _instead_of(doc, to_spacy(document, doc.vocab))
            else:
                yield from self._with_their_tokens(batch)

    def _with_their_tokens(self, docs: Sequence[Doc]) -> Iterator[Doc]:
        drafts = [_drafts(doc) for doc in docs]
        every = [draft for some in drafts for draft in some]
        found = self.pipeline.annotate([draft.norms for draft in every], [draft.cleaned for draft in every])
        results = ({name: values[at] for name, values in found.items()} for at in range(len(every)))
        scores = iter(self._scores(docs, drafts))
        columns = self.pipeline.columns
        for doc, some in zip(docs, drafts, strict=True):
            sentences = [_sentence(doc, draft, next(results), columns) for draft in some]
            score = next(scores) if len(some) > 1 else next((one.score for one in sentences), NO_NUMBER)
            places = [place for draft in some for place in draft.places]
            yield _fill(doc, Document(doc.text, sentences, score, columns), places)

    def _scores(self, docs: Sequence[Doc], drafts: Sequence[Sequence[_Draft]]) -> list[float]:
        """Return the sentiment of each text of several sentences; that of a single one is known."""
        several = [(doc, some) for doc, some in zip(docs, drafts, strict=True) if len(some) > 1]
        if self._whole_texts is None:
            return [NO_NUMBER] * len(several)
        tokens = [[word for draft in some for word in draft.norms] for _, some in several]
        return self._whole_texts.annotate(tokens, [clean_sentence(doc.text) for doc, _ in several])["sentiment"]

    def to_bytes(self, **_: Any) -> bytes:
        """Return which models these are; the models themselves stay in their package."""
        return json.dumps(self.pipeline.model_keys, sort_keys=True).encode()

    def from_bytes(self, data: bytes, **_: Any) -> VNLPComponent:
        """Say so if the models here are others than those that were saved."""
        saved = json.loads(data)
        if saved != self.pipeline.model_keys:
            logger.warning(
                "the pipeline was saved with other models (%s then, %s now)", saved, self.pipeline.model_keys
            )
        return self

    def to_disk(self, path: str | Path, **_: Any) -> None:
        """Write which models these are."""
        Path(path).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, **_: Any) -> VNLPComponent:
        """Say so if the models here are others than those that were saved."""
        return self.from_bytes(Path(path).read_bytes())


@Language.factory(
    "vnlp_colab",
    default_config={
        "models": list(registry.DEFAULT_TASKS),
        "tokens": "spacy",
        "device": "auto",
        "threads": None,
        "settings": {},
    },
    assigns=[
        "token.pos",
        "token.tag",
        "token.morph",
        "token.lemma",
        "token.head",
        "token.dep",
        "token.is_sent_start",
        "doc.sents",
        "doc.ents",
        "doc._.sentiment",
    ],
    retokenizes=True,
)
def create_component(
    nlp: Language,  # noqa: ARG001 - spaCy gives both to every factory
    name: str,  # noqa: ARG001
    models: list[str],
    tokens: Tokens,
    device: str,
    threads: int | None,
    settings: dict[str, Any],
) -> VNLPComponent:
    """Return the component ``vnlp_colab``.

    Parameters
    ----------
    nlp, name
        What spaCy gives to every factory.
    models
        As ``models_to_load`` of `VNLPipeline`.
    tokens
        ``"spacy"`` keeps spaCy's tokens, ``"vnlp"`` takes ours.
    device, threads
        As in `VNLPipeline`.
    settings
        What else `VNLPipeline` takes, such as ``{"normalize": ["deasciify"]}``.
    """
    given = {"models_to_load": list(models), "device": device, "threads": threads}
    return VNLPComponent(tokens, {**dict(settings), **given})


@lru_cache(maxsize=1)
def _turkish_vocab() -> Vocab:
    return spacy.blank("tr").vocab


@lru_cache(maxsize=1)
def _splitter() -> SentenceSplitter:
    return SentenceSplitter()


def _words(document: Document) -> tuple[list[str], list[bool], list[int]]:
    """Return words and spaces that give the text back, and which of the words each token is.

    What stands between two tokens is a space, or a word of its own: other white space, characters no token has.
    """
    words: list[str] = []
    spaces: list[bool] = []
    places: list[int] = []
    text, at = document.text, 0

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


@dataclass(frozen=True)
class _Draft:
    """A sentence of spaCy's tokens: their places, the text and the tokens as models read them."""

    places: list[int]
    cleaned: str
    norms: list[str]


def _drafts(doc: Doc) -> list[_Draft]:
    """Return the sentences of a document: those that are set, else those we find."""
    if doc.has_annotation("SENT_START"):
        groups = [list(range(sent.start, sent.end)) for sent in doc.sents]
    else:
        starts = [start for _, start, _ in _splitter().split_sentences(doc.text, offsets=True)]
        groups = [[] for _ in [0, *starts]]
        number = 0
        for token in doc:
            while number < len(starts) and token.idx >= starts[number]:
                number += 1
            groups[number].append(token.i)
    found = []
    for group in groups:
        places = [place for place in group if not doc[place].is_space]
        if places:
            text = doc[places[0] : places[-1] + 1].text
            norms = [clean_sentence(doc[place].text) or doc[place].text for place in places]
            found.append(_Draft(places, clean_sentence(text), norms))
    return found


def _sentence(doc: Doc, draft: _Draft, result: dict[str, Any], columns: tuple[str, ...]) -> Sentence:
    spans = [(doc[place].idx, doc[place].idx + len(doc[place])) for place in draft.places]
    start, end = spans[0][0], spans[-1][1]
    values = {name: value for name, value in result.items() if COLUMNS[name].per == "token"}
    starts = [label.startswith("B-") for label in result["ner_bio"]] if "ner_bio" in result else None
    score = result.get("sentiment", NO_NUMBER)
    return Sentence(doc.text[start:end], start, draft.cleaned, spans, draft.norms, values, columns, score, starts)


def _fill(doc: Doc, document: Document, places: Sequence[int]) -> Doc:
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
            doc.char_span(one.start, one.end, label=one.label, alignment_mode="expand", span_id=one.name)
            for one in document.entities
        ]
        doc.set_ents(filter_spans([span for span in found if span is not None]), default="outside")
    if "sentiment" in layers:
        doc._.sentiment = document.sentiment
    return doc


def _set_trees(doc: Doc, document: Document, places: Sequence[int]) -> None:
    import numpy as np

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


def _instead_of(old: Doc, new: Doc) -> Doc:
    """Give a new document what users keep in the one it stands for."""
    new.user_data.update({key: value for key, value in old.user_data.items() if key not in new.user_data})
    new._context = old._context
    return new
