"""Sentences as CoNLL-U, as the UD validator wants it at level 2."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import replace_surrogates
from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.text.entities import bio_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Span = tuple[int, int]

# The result columns CoNLL-U has a field for.
LAYERS = ("lemma", "pos", "morph", "feats", "dep", "ner", "ner_bio")
UPOS = frozenset({"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"}) | frozenset(
    {"PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"}
)
_RELATION = re.compile(r"[a-z]+(:[a-z]+)*")
_NO_TEXT = re.compile(r"[\s\u200b\ufeff\u2060]+")


@dataclass(frozen=True)
class ConlluSentence:
    """A sentence ready to be written: its forms, whether a space follows each, and the columns there are.

    Columns come by name from the caller, who knows which are results; what a table has under the same name by itself
    is none of ours.
    """

    forms: Sequence[str]
    space_after: Sequence[bool]
    columns: Mapping[str, Sequence[Any]]

    @classmethod
    def from_spans(
        cls,
        text: str,
        spans: Sequence[Span],
        columns: Mapping[str, Sequence[Any]],
        tokens: Sequence[str] | None = None,
    ) -> ConlluSentence:
        """Cut the forms out of `text`, so that they and the ``# text`` line cannot disagree.

        `tokens` are written where a span is empty: a token of the caller's own that the text does not have.
        """
        starts = [start for start, _ in spans[1:]] + [len(text)]
        spaces = [_has_space(text, end, start) for (_, end), start in zip(spans, starts, strict=True)]
        forms = [_form(text[start:end]) for start, end in spans]
        if tokens is not None:
            forms = [form if form != "_" else _form(token) for form, token in zip(forms, tokens, strict=True)]
        layers = {name: columns[name] for name in LAYERS if name in columns}
        labels = layers.pop("ner_bio", None) or layers.get("ner")  # the first say where entities begin
        if labels is not None:
            layers["ner"] = bio_labels(text, spans, labels)
        return cls(forms, spaces, layers)

    @classmethod
    def from_row(
        cls,
        text: str,
        spans: Sequence[Span],
        columns: Mapping[str, Sequence[Any]],
        ends: Sequence[int],
        tokens: Sequence[str] | None = None,
    ) -> list[ConlluSentence]:
        """Return the sentences of a row that holds several.

        `ends` counts the row's tokens up to the end of each sentence; heads count through the row.
        """
        sentences = []
        layers = {name: columns[name] for name in LAYERS if columns.get(name) is not None}
        for first, last in pairwise([0, *ends]):
            if first == last:
                continue
            part = {name: values[first:last] for name, values in layers.items()}
            if "dep" in part:
                part["dep"] = [(head - first if head else 0, relation) for head, relation in part["dep"]]
            end = spans[last - 1][1]
            own = None if tokens is None else tokens[first:last]
            sentences.append(cls.from_spans(text[:end], spans[first:last], part, own))
        return sentences

    def to_conllu(self, sent_id: str, comments: Mapping[str, Any] | None = None, newdoc: str | None = None) -> str:
        """Return the block of this sentence, with the empty line that ends it."""
        lines = [] if newdoc is None else [f"# newdoc id = {_comment(newdoc)}"]
        lines += [f"# sent_id = {_comment(sent_id)}", f"# text = {self.text}"]
        for name, value in (comments or {}).items():
            lines.append(f"# {_comment(name)} = {_comment(value)}".rstrip())
        lines += self._rows()
        return "\n".join(lines) + "\n\n"

    @property
    def text(self) -> str:
        """The sentence as its forms and spaces give it."""
        parts = [form + " " * space for form, space in zip(self.forms, self.space_after, strict=True)]
        return "".join(parts).rstrip()

    def _rows(self) -> list[str]:
        count = len(self.forms)
        empty: list[Any] = [None] * count
        lemmas, tags, morphs, features, arcs, entities = (
            self.columns.get(name, empty) for name in ("lemma", "pos", "morph", "feats", "dep", "ner")
        )
        rows = []
        for at, form in enumerate(self.forms):
            upos = "_" if tags[at] is None else (tags[at] if tags[at] in UPOS else "X")
            head, relation = ("_", "_") if arcs[at] is None else _arc(*arcs[at])
            # An analysis can hold any character but white space, which XPOS takes and MISC would not ("|").
            xpos = _field(morphs[at])
            if features[at] is not None:
                feats = _field(features[at])
            else:
                feats = "_" if morphs[at] is None else ud_features(morphs[at])
            misc = _misc(entities[at], self.space_after[at] or at == count - 1)
            rows.append(
                f"{at + 1}\t{form}\t{_field(lemmas[at])}\t{upos}\t{xpos}\t{feats}\t{head}\t{relation}\t_\t{misc}"
            )
        return rows


def _has_space(text: str, end: int, start: int) -> bool:
    return any(map(str.isspace, text[end:start]))


def _form(text: str) -> str:
    """Return a form: one line, composed, never empty."""
    return unicodedata.normalize("NFC", replace_surrogates(" ".join(text.split()))) or "_"


def _field(value: str | None) -> str:
    return unicodedata.normalize("NFC", replace_surrogates(_NO_TEXT.sub("", value or ""))) or "_"


def _arc(head: int, relation: str) -> tuple[str, str]:
    """Return head and relation as UD ties them together: ``root`` where the head is 0, and nowhere else.

    The ``dep`` column is like that already; a model of the user's own may not be.
    """
    if head == 0:
        return "0", "root"
    universal = _RELATION.fullmatch(relation) is not None and relation != "root"
    return str(head), relation if universal else "dep"


def _misc(entity: str | None, spaced: bool) -> str:
    parts = [f"NER={_field(entity)}"] if entity and entity != "O" else []
    if not spaced:
        parts.append("SpaceAfter=No")
    return "|".join(parts) or "_"


def _comment(value: Any) -> str:
    return replace_surrogates(" ".join(str(value).split()))
