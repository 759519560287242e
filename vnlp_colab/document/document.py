"""What ``nlp("bir metin")`` returns: a text with its sentences, tokens and everything the loaded models say of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from vnlp_colab.batches.preparation import replace_surrogates
from vnlp_colab.columns import COLUMNS, NO_NUMBER
from vnlp_colab.document.errors import DocumentDataError, NotLoadedError
from vnlp_colab.document.plain import from_plain, without_surrogates
from vnlp_colab.document.sentence import Layers, Sentence, Token, has_sentiment, plain_sentiment, sentiment_label
from vnlp_colab.text.entities import Entity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

__all__ = ["Document", "Entity", "NotLoadedError", "Sentence", "Token"]


@dataclass(frozen=True, eq=False)
class Document(Layers):
    """An analysed text: a sequence of tokens, and its `sentences`.

    ``len(doc)``, ``for token in doc``, ``doc[0]`` and ``doc[2:5]`` speak of tokens. The columns of the pipeline's table
    are attributes: ``lemma``, ``morph``, ``pos``, ``feats``, ``ner`` and ``dep`` are lists over all tokens (``dep``
    heads count within the sentence), ``sentiment`` is a number and ``sentiment_label`` a word. Asking for what no
    loaded model fills raises `NotLoadedError`.
    """

    text: str
    sentences: list[Sentence] = field(default_factory=list, repr=False)
    score: float = field(default=NO_NUMBER, repr=False)
    columns: tuple[str, ...] = field(default=(), repr=False)
    label: str | None = field(default=None, repr=False)

    @cached_property
    def tokens(self) -> list[Token]:
        """All tokens, in reading order."""
        return [token for sentence in self.sentences for token in sentence.tokens]

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    @overload
    def __getitem__(self, place: int) -> Token: ...
    @overload
    def __getitem__(self, place: slice) -> list[Token]: ...
    def __getitem__(self, place: int | slice) -> Token | list[Token]:
        return self.tokens[place]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Document) and self.to_dict() == other.to_dict())

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    @property
    def entities(self) -> list[Entity]:
        """All named entities, in reading order."""
        if "ner" not in self.columns:
            raise NotLoadedError("entities")
        return [entity for sentence in self.sentences for entity in sentence.entities]

    def column(self, name: str) -> Any:
        """Return a result column: a list over all tokens, or the one value of the text (`sentiment`)."""
        if has_sentiment(name, self.columns):
            return self.score if name == "sentiment" else self.label or sentiment_label(self.score)
        derived = name in ("tokens", "offsets") or (name == "feats" and "morph" in self.columns)
        known = name in self.columns and COLUMNS[name].per == "token"
        if not (derived or known):
            raise NotLoadedError(name)
        if name == "offsets":
            return [(token.start, token.end) for token in self.tokens]
        return [value for sentence in self.sentences for value in sentence.column(name)]

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with one row a sentence and the columns of `VNLPipeline.process_dataframe`."""
        import pandas as pd

        data: dict[str, Any] = {"sentence": [sentence.text for sentence in self.sentences]}
        for name in self.columns:
            values = [sentence.column(name) for sentence in self.sentences]
            data[name] = pd.Series(values, dtype="float64" if name == "sentiment" else object)
        return pd.DataFrame(data)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row a token: its sentence's number, its place, and what the models say of it."""
        import pandas as pd

        names = [name for name in self.columns if COLUMNS[name].per == "token" and name not in ("tokens", "offsets")]
        data: dict[str, list[Any]] = {
            "sentence": [number for number, some in enumerate(self.sentences, 1) for _ in some],
            "number": [token.number for token in self],
            "text": [token.text for token in self],
            "norm": [token.norm for token in self],
            "start": [token.start for token in self],
            "end": [token.end for token in self],
        }
        for name in names:
            values = self.column(name)
            if name == "dep":
                data["head"], data["relation"] = [head for head, _ in values], [relation for _, relation in values]
            else:
                data[name] = values
        return pd.DataFrame(data)

    def to_dict(self) -> dict[str, Any]:
        """Return the document as plain values, which `from_dict` takes back."""
        data: dict[str, Any] = {"text": self.text, "columns": list(self.columns)}
        data |= plain_sentiment(self.columns, self.score, self.label)
        data["sentences"] = [sentence.to_dict() for sentence in self.sentences]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Document:
        """Return the document that `to_dict` was made from."""
        values = from_plain(data)
        return cls(**{**values, "sentences": [_made(sentence) for sentence in values["sentences"]]})

    def to_spacy(self, vocab: Vocab | None = None) -> Doc:
        """Return the document as spaCy's ``Doc`` (`vnlp_colab.document.spacy_doc.to_spacy`)."""
        from vnlp_colab.document.spacy_doc import to_spacy

        return to_spacy(self, vocab)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the document as JSON that every parser takes: what is no number is ``null``.

        A lone surrogate, which is no text, becomes the replacement character: many parsers refuse the escape of one,
        and those of two in a row would come back as one character, with all places after it moved.
        """
        data = without_surrogates(self.to_dict())
        return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Document:
        """Return the document that `to_json` was made from."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DocumentDataError(f"this is no JSON of a document: {error}") from error
        return cls.from_dict(data)

    def to_conllu(self, doc_id: str = "1", *, multiword: bool = True) -> str:
        """Return the document in CoNLL-U, one block a sentence with tokens.

        Parameters
        ----------
        doc_id
            The document's name; those of the sentences begin with it.
        multiword
            Write the words of tokens that hold several, below a line for the token (``3-4``), where the document has
            them: a pipeline of the style ``"boun"`` finds them. Without it every token is a word.
        """
        written = [sentence for sentence in self.sentences if len(sentence)]
        return "".join(
            sentence.to_conllu(f"{doc_id}-{number}", doc_id if number == 1 else None, multiword=multiword)
            for number, sentence in enumerate(written, 1)
        )

    def to_displacy(self, style: Literal["dep", "ent"] = "dep") -> list[dict[str, Any]]:
        """Return what ``displacy.render(..., manual=True)`` draws: a tree a sentence, or the entities of the text."""
        if style == "ent":
            ents = [{"start": item.start, "end": item.end, "label": item.label} for item in self.entities]
            return [{"text": self.text, "ents": ents, "title": None}]
        if style != "dep":
            raise ValueError(f"unknown style {style!r}; choose from dep, ent")
        self.column("dep")
        return [_displacy_tree(sentence) for sentence in self.sentences if len(sentence)]

    def to_svg(self) -> str:
        """Return a picture of the trees and entities, one sentence below the other, as text in SVG."""
        from vnlp_colab.document.drawing import draw_svg

        return draw_svg(self)

    def to_html(self) -> str:
        """Return a page with the text, its entities marked, and the trees."""
        from vnlp_colab.document.drawing import draw_html

        return draw_html(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from vnlp_colab.document.drawing import draw_fragment

        return draw_fragment(self)


def _made(values: dict[str, Any]) -> Sentence:
    words = values.pop("words")
    return Sentence(**values, words=None if words is None else _made(words))


def _displacy_tree(sentence: Sentence) -> dict[str, Any]:
    tagged = "pos" in sentence.layers
    words = [{"text": replace_surrogates(token.text), "tag": token.pos if tagged else ""} for token in sentence]
    arcs = []
    for token in sentence:
        if token.head == 0:
            continue
        start, end = sorted((token.index, token.head - 1))
        # The arrow points at the dependent.
        side = "left" if token.number < token.head else "right"
        arcs.append({"start": start, "end": end, "label": token.relation, "dir": side})
    return {"words": words, "arcs": arcs}
