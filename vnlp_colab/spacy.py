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

from spacy.language import Language

from vnlp_colab import registry
from vnlp_colab.batches.preparation import check_split, clean_sentence
from vnlp_colab.columns import COLUMNS, NO_NUMBER
from vnlp_colab.document.document import Document, Sentence
from vnlp_colab.document.spacy_doc import fill, to_spacy
from vnlp_colab.pipeline_colab import VNLPipeline
from vnlp_colab.text import SentenceSplitter
from vnlp_colab.text.informal import check_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spacy.tokens import Doc

    from vnlp_colab.annotator.protocol import Annotator

logger = logging.getLogger(__name__)

Tokens = Literal["spacy", "vnlp"]

_BATCH = 128


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
        # A wrong name is told here, before the models are loaded.
        registry.select_models(settings["models_to_load"], **registry.styles_in(settings))
        check_split(settings.get("split", "none"))
        check_steps(settings.get("normalize", ()))

    @cached_property
    def pipeline(self) -> VNLPipeline:
        """The pipeline, loaded when it is first needed."""
        tasks = registry.choose_models(self.settings["models_to_load"])
        columns = ["ner_bio"] if "ner" in tasks else []
        pipeline = VNLPipeline(**{**self.settings, "columns": columns})
        labels = _label_columns(pipeline.models.get("sentiment"))
        # Models are loaded once a process: the second pipeline is a plan that asks for the label, too.
        return VNLPipeline(**{**self.settings, "columns": columns + labels}) if labels else pipeline

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
        sentiments = iter(self._sentiments(docs, drafts))
        columns = self.pipeline.columns
        for doc, some in zip(docs, drafts, strict=True):
            sentences = [_sentence(doc, draft, next(results), columns) for draft in some]
            own = next(((one.score, one.label) for one in sentences), (NO_NUMBER, None))
            score, label = next(sentiments) if len(some) > 1 else own
            places = [place for draft in some for place in draft.places]
            yield fill(doc, Document(doc.text, sentences, score, columns, label), places)

    def _sentiments(self, docs: Sequence[Doc], drafts: Sequence[Sequence[_Draft]]) -> list[tuple[float, str | None]]:
        """Return score and label of each text of several sentences, read as one; those of a single one are known."""
        several = [(doc, some) for doc, some in zip(docs, drafts, strict=True) if len(some) > 1]
        model = self.pipeline.models.get("sentiment")
        if model is None:
            return [(NO_NUMBER, None)] * len(several)
        # Made of the loaded model whenever it is needed: kept, its session would have to be pickled with the component.
        steps = self.settings.get("normalize", ())
        whole_texts = VNLPipeline({"sentiment": model}, normalize=steps, columns=_label_columns(model))
        tokens = [[word for draft in some for word in draft.norms] for _, some in several]
        found = whole_texts.annotate(tokens, [clean_sentence(doc.text) for doc, _ in several])
        return list(zip(found["sentiment"], found.get("sentiment_label", [None] * len(several)), strict=True))

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
        "doc._.sentiment_label",
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
def _splitter() -> SentenceSplitter:
    return SentenceSplitter()


def _label_columns(model: Annotator | None) -> list[str]:
    return ["sentiment_label"] if model is not None and "sentiment_label" in model.provides else []


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
    said = values, columns, result.get("sentiment", NO_NUMBER), starts
    label = result.get("sentiment_label")
    return Sentence(doc.text[start:end], start, draft.cleaned, spans, draft.norms, *said, label=label)


def _instead_of(old: Doc, new: Doc) -> Doc:
    """Give a new document what users keep in the one it stands for."""
    new.user_data.update({key: value for key, value in old.user_data.items() if key not in new.user_data})
    new._context = old._context
    return new
