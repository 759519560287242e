"""Tokens and sentences of a document: views of columns, which say what was not loaded when asked for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from vnlp_colab.batches.preparation import in_blocks
from vnlp_colab.columns import NO_NUMBER
from vnlp_colab.document.conllu import LAYERS, ConlluSentence
from vnlp_colab.document.errors import NotLoadedError
from vnlp_colab.document.plain import plain
from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.text.entities import Entity, bio_labels, find_entities

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Token:
    """A word or mark of a sentence; asking it for what no loaded model fills raises `NotLoadedError`.

    Attributes
    ----------
    sentence
        Where it stands.
    index
        Its place there, from 0 on.
    """

    sentence: Sentence
    index: int

    @property
    def number(self) -> int:
        """Its place in the sentence, from 1 on, as heads count."""
        return self.index + 1

    @property
    def text(self) -> str:
        """The token as written: ``document.text[token.start:token.end]``."""
        start, end = self.sentence.spans[self.index]
        return self.sentence.text[start - self.sentence.start : end - self.sentence.start]

    @property
    def norm(self) -> str:
        """The form the models read: cleaned of circumflexes and typographic apostrophes."""
        return self.sentence.norms[self.index]

    @property
    def start(self) -> int:
        """Where it begins in the document's text."""
        return self.sentence.spans[self.index][0]

    @property
    def end(self) -> int:
        """Where it ends in the document's text."""
        return self.sentence.spans[self.index][1]

    @property
    def morph(self) -> str:
        """Its morphological analysis (``git+Verb+Pos+Prog1+A3sg``)."""
        return str(self._value("morph"))

    @property
    def lemma(self) -> str:
        """Its lemma."""
        return str(self._value("lemma"))

    @property
    def pos(self) -> str:
        """Its universal part of speech."""
        return str(self._value("pos"))

    @property
    def feats(self) -> str:
        """Its UD features (``Case=Loc|Number=Sing``), ``_`` for none."""
        return str(self._value("feats"))

    @property
    def ner(self) -> str:
        """Its entity label, ``O`` outside of entities."""
        return str(self._value("ner"))

    @property
    def head(self) -> int:
        """The number of its head in the sentence, 0 for the root."""
        return int(self._value("dep")[0])

    @property
    def relation(self) -> str:
        """Its relation to its head."""
        return str(self._value("dep")[1])

    @property
    def pos_confidence(self) -> float:
        """How sure the tagger is, 0 to 1."""
        return float(self._value("pos_confidence"))

    @property
    def ner_confidence(self) -> float:
        """How sure the recogniser is, 0 to 1."""
        return float(self._value("ner_confidence"))

    def _value(self, name: str) -> Any:
        return self.sentence.column(name)[self.index]

    def to_dict(self) -> dict[str, Any]:
        """Return the token as plain values."""
        values = {"number": self.number, "text": self.text, "norm": self.norm, "start": self.start, "end": self.end}
        for name, column in self.sentence.layers.items():
            if name == "dep":
                values["head"], values["relation"] = column[self.index]
            else:
                values[name] = plain(column[self.index])
        return values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self.index == other.index and self.sentence == other.sentence

    def __hash__(self) -> int:
        return hash((self.start, self.end, self.text))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Token({self.text!r}, {self.start}, {self.end})"


class Layers:
    """The token columns by name, for a sentence and for a whole document."""

    def column(self, name: str) -> Any:
        """Return a result column; `NotLoadedError` if no loaded model fills it."""
        raise NotImplementedError

    @property
    def morph(self) -> list[str]:
        """The morphological analysis of each token."""
        return list(self.column("morph"))

    @property
    def lemma(self) -> list[str]:
        """The lemma of each token."""
        return list(self.column("lemma"))

    @property
    def pos(self) -> list[str]:
        """The part of speech of each token."""
        return list(self.column("pos"))

    @property
    def feats(self) -> list[str]:
        """The UD features of each token; without a model of their own those that are sure from the analysis."""
        return list(self.column("feats"))

    @property
    def ner(self) -> list[str]:
        """The entity label of each token."""
        return list(self.column("ner"))

    @property
    def dep(self) -> list[tuple[int, str]]:
        """Head (1-based within the sentence, 0 the root) and relation of each token."""
        return list(self.column("dep"))

    @property
    def sentiment(self) -> float:
        """How positive the text is, from 0 to 1; NaN where there is no token."""
        return float(self.column("sentiment"))

    @property
    def sentiment_label(self) -> str | None:
        """``positive``, ``negative`` or ``neutral``; ``None`` where there is no token.

        It is the label the model gave; where none was given, `sentiment` is cut at 0.5.
        """
        label: str | None = self.column("sentiment_label")
        return label


@dataclass(frozen=True, eq=False)
class Sentence(Layers):
    """A sentence of a document: ``document.text[start:end]``.

    Attributes
    ----------
    text, start, end
        The sentence as written and its place in the document.
    no_accents
        What the models read of it.
    spans
        Start and end of each token in the document.
    norms
        Each token as the models read it.
    layers
        What the models say, by column.
    columns
        The result columns of the pipeline.
    score
        The sentiment, NaN for none.
    entity_starts
        Whether an entity begins at each token, where that is known.
    words
        Where some tokens hold several syntactic words and these were asked for, the same sentence by its words: the
        words of one token have its span.
    label
        The sentiment's label, where the model gave one.
    """

    text: str
    start: int
    no_accents: str
    spans: Sequence[tuple[int, int]] = field(repr=False)
    norms: Sequence[str] = field(repr=False)
    layers: Mapping[str, Sequence[Any]] = field(default_factory=dict, repr=False)
    columns: tuple[str, ...] = field(default=(), repr=False)
    score: float = field(default=NO_NUMBER, repr=False)
    entity_starts: Sequence[bool] | None = field(default=None, repr=False)
    words: Sentence | None = field(default=None, repr=False)
    label: str | None = field(default=None, repr=False)

    @property
    def end(self) -> int:
        """Where the sentence ends in the document's text."""
        return self.start + len(self.text)

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens."""
        return [Token(self, index) for index in range(len(self.spans))]

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.spans)

    @overload
    def __getitem__(self, place: int) -> Token: ...
    @overload
    def __getitem__(self, place: slice) -> list[Token]: ...
    def __getitem__(self, place: int | slice) -> Token | list[Token]:
        return self.tokens[place]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Sentence) and self.to_dict() == other.to_dict())

    def __hash__(self) -> int:
        return hash((self.text, self.start))

    def __str__(self) -> str:
        return self.text

    @cached_property
    def entities(self) -> list[Entity]:
        """The named entities, with their places in the document."""
        if "ner" not in self.columns:
            raise NotLoadedError("entities")
        return [
            Entity(item.text, item.name, item.label, item.start + self.start, item.end + self.start)
            for item in find_entities(self.text, self._places(), self.layers.get("ner", ()), self.entity_starts)
        ]

    def column(self, name: str) -> Any:
        """Return this sentence's value of a result column, as a row of the pipeline's table has it."""
        if name in self.layers:
            return self.layers[name]
        if name == "tokens":
            return list(self.norms)
        if name == "tokens_40":
            return in_blocks(list(self.norms))
        if name == "no_accents":
            return self.no_accents
        if name == "offsets":
            return self._places()
        if name == "feats" and "morph" in self.layers:
            return [ud_features(analysis) for analysis in self.layers["morph"]]
        if name == "ner_bio" and "ner" in self.layers:
            return bio_labels(self.text, self._places(), self.layers["ner"], self.entity_starts)
        if name == "sentence_ends":
            return [len(self)] if len(self) else []
        if name == "entities":
            places = [(item.start - self.start, item.end - self.start) for item in self.entities]
            return [
                item.to_dict() | {"start": start, "end": end}
                for item, (start, end) in zip(self.entities, places, strict=True)
            ]
        if has_sentiment(name, self.columns):
            return self.score if name == "sentiment" else self.label or sentiment_label(self.score)
        if name in self.columns:  # a sentence without a token was shown to no model
            return []
        raise NotLoadedError(name)

    def _places(self) -> list[tuple[int, int]]:
        return [(start - self.start, end - self.start) for start, end in self.spans]

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as plain values."""
        data: dict[str, Any] = {"text": self.text, "start": self.start, "end": self.end, "no_accents": self.no_accents}
        data |= plain_sentiment(self.columns, self.score, self.label)
        data["tokens"] = [token.to_dict() for token in self.tokens]
        if self.words is not None:
            data["words"] = [word.to_dict() for word in self.words.tokens]
        if "ner" in self.columns:
            data["entities"] = [entity.to_dict() for entity in self.entities]
        return data

    def to_conllu(self, sent_id: str = "1", newdoc: str | None = None, *, multiword: bool = True) -> str:
        """Return the sentence in CoNLL-U; with `multiword` tokens of several words as such, where they are known."""
        if multiword and self.words is not None:
            return self.words.to_conllu(sent_id, newdoc)
        columns = {name: self.layers[name] for name in LAYERS if name in self.layers}
        if "ner" in self.layers:
            columns["ner_bio"] = self.column("ner_bio")
        block = ConlluSentence.from_spans(self.text, self._places(), columns, self.norms)
        sentiment = {"sentiment": self.score} if "sentiment" in self.columns else {}
        return block.to_conllu(sent_id, sentiment, newdoc)

    def to_svg(self) -> str:
        """Return a picture of the tree and its entities, as text in SVG."""
        from vnlp_colab.document.drawing import draw_tree

        return draw_tree(self)


def has_sentiment(name: str, columns: Sequence[str]) -> bool:
    """Whether `name` is a column of the sentiment that can be told with these `columns`: a score has a label, too."""
    return name in ("sentiment", "sentiment_label") and (name in columns or "sentiment" in columns)


def plain_sentiment(columns: Sequence[str], score: float, label: str | None) -> dict[str, Any]:
    """Return what `to_dict` says of the sentiment; no label where the model gave none for a score."""
    data: dict[str, Any] = {"sentiment": plain(score)} if "sentiment" in columns else {}
    if has_sentiment("sentiment_label", columns) and (label is not None or plain(score) is None):
        data["sentiment_label"] = label
    return data


def sentiment_label(score: float) -> str | None:
    """Return ``positive`` or ``negative`` for a score without a label, ``None`` for no score."""
    if score != score:
        return None
    return "positive" if score > 0.5 else "negative"  # cut where `SentimentAnalyzer.predict` cuts
