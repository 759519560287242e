"""One sentence as CoNLL-U, as the UD validator wants it at level 2."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import replace_surrogates
from vnlp_colab.stemmer.ud_features import ud_features

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UPOS = frozenset({"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"}) | frozenset(
    {"PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"}
)
_RELATION = re.compile(r"[a-z]+(:[a-z]+)*")
_NO_TEXT = re.compile(r"[\s\u200b\ufeff\u2060]+")


@dataclass(frozen=True)
class ConlluSentence:
    """A sentence ready to be written: its forms, whether a space follows each, and the columns there are."""

    forms: Sequence[str]
    space_after: Sequence[bool]
    columns: Mapping[str, Sequence[Any]]

    @classmethod
    def from_spans(
        cls, text: str, spans: Sequence[tuple[int, int]], columns: Mapping[str, Sequence[Any]]
    ) -> ConlluSentence:
        """Cut the forms out of `text`, so that they and the ``# text`` line cannot disagree."""
        starts = [start for start, _ in spans[1:]] + [len(text)]
        gaps = [text[end:start] for (_, end), start in zip(spans, starts, strict=True)]
        spaces = [any(character.isspace() for character in gap) for gap in gaps]
        return cls([_form(text[start:end]) for start, end in spans], spaces, columns)

    def to_conllu(self, sent_id: str, comments: Mapping[str, Any] | None = None, newdoc: str | None = None) -> str:
        """Return the block of this sentence, with the empty line that ends it."""
        lines = [] if newdoc is None else [f"# newdoc id = {newdoc}"]
        lines += [f"# sent_id = {sent_id}", f"# text = {self.text}"]
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
        lemmas, morphs = self.columns.get("lemma", empty), self.columns.get("morph", empty)
        tags, entities = self.columns.get("pos", empty), self.columns.get("ner", empty)
        arcs = self.columns.get("dep", empty)
        rows = []
        for at, form in enumerate(self.forms):
            upos = "_" if tags[at] is None else (tags[at] if tags[at] in UPOS else "X")
            head, relation = ("_", "_") if arcs[at] is None else _arc(*arcs[at])
            # An analysis can hold any character but white space, which XPOS takes and MISC would not ("|").
            xpos = _field(morphs[at])
            features = "_" if morphs[at] is None else ud_features(morphs[at])
            last = at == count - 1
            misc = _misc(entities[at], self.space_after[at] or last)
            rows.append(
                f"{at + 1}\t{form}\t{_field(lemmas[at])}\t{upos}\t{xpos}\t{features}\t{head}\t{relation}\t_\t{misc}"
            )
        return rows


def _form(text: str) -> str:
    return unicodedata.normalize("NFC", replace_surrogates(text))


def _field(value: str | None) -> str:
    return unicodedata.normalize("NFC", _NO_TEXT.sub("", value or "")) or "_"


def _arc(head: int, relation: str) -> tuple[str, str]:
    """Return head and relation as UD ties them together: ``root`` where the head is 0, and nowhere else."""
    if head == 0:
        return "0", "root"
    universal = _RELATION.fullmatch(relation) is not None and relation != "root"
    return str(head), relation if universal else "dep"


def _misc(entity: str | None, spaced: bool) -> str:
    parts = [f"NER={entity}"] if entity and entity != "O" else []
    if not spaced:
        parts.append("SpaceAfter=No")
    return "|".join(parts) or "_"


def _comment(value: Any) -> str:
    return " ".join(str(value).split())
