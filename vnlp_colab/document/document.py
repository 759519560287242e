"""What ``nlp("bir metin")`` returns: a text with its sentences, tokens and everything the loaded models say of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from vnlp_colab.batches.preparation import in_blocks
from vnlp_colab.document.conllu import ConlluSentence
from vnlp_colab.errors import VNLPError
from vnlp_colab.tasks import sentiment_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd


@dataclass(frozen=True)
class Token:
    """A word or mark: ``text`` as the models read it, ``document.text[start:end]`` as it was written.

    Attributes of models that are not loaded are ``None``. ``head`` is the number of the head's token in the sentence,
    counted from 1; 0 is the root.
    """

    number: int
    text: str
    start: int
    end: int
    morph: str | None = None
    lemma: str | None = None
    pos: str | None = None
    ner: str | None = None
    head: int | None = None
    relation: str | None = None
    pos_confidence: float | None = None
    ner_confidence: float | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Entity:
    """Neighbouring tokens of one entity label, with their place in the document's text."""

    text: str
    label: str
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """A sentence of a document: ``document.text[start:end]``."""

    text: str
    start: int
    end: int
    no_accents: str
    tokens: list[Token]
    sentiment: float = float("nan")
    columns: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def __str__(self) -> str:
        return self.text

    @property
    def entities(self) -> list[Entity]:
        """The named entities: runs of tokens with the same label."""
        found: list[Entity] = []
        run: list[Token] = []
        for token in [*self.tokens, None]:
            if run and (token is None or token.ner != run[0].ner):
                start, end = run[0].start, run[-1].end
                text = self.text[start - self.start : end - self.start]
                found.append(Entity(text, str(run[0].ner), start, end))
                run = []
            if token is not None and token.ner not in (None, "O", ""):
                run.append(token)
        return found

    def column(self, name: str) -> Any:
        """Return this sentence's value of a result column, as a row of the pipeline's table has it."""
        if name == "dep":
            return [(token.head, token.relation) for token in self.tokens]
        if name == "tokens":
            return [token.text for token in self.tokens]
        if name == "tokens_40":
            return in_blocks([token.text for token in self.tokens])
        if name == "offsets":
            return [(token.start - self.start, token.end - self.start) for token in self.tokens]
        if name == "sentiment_label":
            return None if self.sentiment != self.sentiment else sentiment_label(self.sentiment)
        if name in ("sentiment", "no_accents"):
            return getattr(self, name)
        return [getattr(token, name) for token in self.tokens]

    def to_conllu(self, sent_id: str = "1", newdoc: str | None = None) -> str:
        """Return the sentence in CoNLL-U."""
        names = [name for name in ("lemma", "morph", "pos", "ner", "dep") if name in self.columns]
        spans = [(token.start - self.start, token.end - self.start) for token in self.tokens]
        block = ConlluSentence.from_spans(self.text, spans, {name: self.column(name) for name in names})
        sentiment = {"sentiment": self.sentiment} if "sentiment" in self.columns else {}
        return block.to_conllu(sent_id, sentiment, newdoc)


@dataclass(frozen=True)
class Document:
    """An analysed text.

    The columns of the pipeline's table are attributes: ``tokens``, ``lemma``, ``morph``, ``pos``, ``ner`` and ``dep``
    are lists over all tokens (``dep`` heads count within the sentence), ``sentiment`` is a number.
    """

    text: str
    sentences: list[Sentence] = field(default_factory=list)
    sentiment: float = float("nan")
    columns: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return sum(map(len, self.sentences))

    def __str__(self) -> str:
        return self.text

    @property
    def tokens(self) -> list[Token]:
        """All tokens, in reading order."""
        return [token for sentence in self.sentences for token in sentence.tokens]

    @property
    def entities(self) -> list[Entity]:
        """All named entities, in reading order."""
        return [entity for sentence in self.sentences for entity in sentence.entities]

    @property
    def lemma(self) -> list[str]:
        """The lemma of each token."""
        return self._column("lemma")

    @property
    def morph(self) -> list[str]:
        """The morphological analysis of each token."""
        return self._column("morph")

    @property
    def pos(self) -> list[str]:
        """The part of speech of each token."""
        return self._column("pos")

    @property
    def ner(self) -> list[str]:
        """The entity label of each token."""
        return self._column("ner")

    @property
    def dep(self) -> list[tuple[int, str]]:
        """Head (1-based within the sentence, 0 the root) and relation of each token."""
        return self._column("dep")

    def _column(self, name: str) -> list[Any]:
        if name not in self.columns:
            raise VNLPError(f"this document has no {name!r}: the model for it was not loaded (models_to_load)")
        return [value for sentence in self.sentences for value in sentence.column(name)]

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with one row a sentence and the columns of `VNLPipeline.process_dataframe`."""
        import pandas as pd

        data: dict[str, Any] = {"sentence": [sentence.text for sentence in self.sentences]}
        for name in self.columns:
            values = [sentence.column(name) for sentence in self.sentences]
            data[name] = pd.Series(values, dtype="float64" if name == "sentiment" else object)
        return pd.DataFrame(data)

    def to_conllu(self, doc_id: str = "1") -> str:
        """Return the document in CoNLL-U, one block a sentence with tokens."""
        written = [sentence for sentence in self.sentences if sentence.tokens]
        return "".join(
            sentence.to_conllu(f"{doc_id}-{number}", doc_id if number == 1 else None)
            for number, sentence in enumerate(written, 1)
        )

    def to_displacy(self, style: Literal["dep", "ent"] = "dep") -> list[dict[str, Any]]:
        """Return what ``displacy.render(..., manual=True)`` draws: a tree a sentence, or the entities of the text."""
        if style == "ent":
            ents = [{"start": item.start, "end": item.end, "label": item.label} for item in self.entities]
            return [{"text": self.text, "ents": ents, "title": None}]
        if style != "dep":
            raise ValueError(f"unknown style {style!r}; choose from dep, ent")
        self._column("dep")
        return [_tree(sentence) for sentence in self.sentences if sentence.tokens]

    def to_svg(self) -> str:
        """Return a picture of the trees and entities, one sentence below the other, as text in SVG."""
        from vnlp_colab.document.drawing import draw_svg

        return draw_svg(self, use_displacy=False)


def _tree(sentence: Sentence) -> dict[str, Any]:
    words = [{"text": token.text, "tag": token.pos or ""} for token in sentence.tokens]
    arcs = []
    for token in sentence.tokens:
        if not token.head:
            continue
        start, end = sorted((token.number - 1, token.head - 1))
        # The arrow points at the dependent.
        side = "left" if token.number < token.head else "right"
        arcs.append({"start": start, "end": end, "label": token.relation or "", "dir": side})
    return {"words": words, "arcs": arcs}
