"""Sentences as CoNLL-U, as the UD validator wants it at level 2."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import replace_surrogates
from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.text.entities import OUTSIDE, bio_labels

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
# Words, lemmas and features come over and over; longer ones are not kept, as keys they would take any amount of memory.
_KEPT = 16_384
_LONGEST_KEPT = 200
_NO_SPACE = "SpaceAfter=No"


@dataclass(frozen=True)
class ConlluSentence:
    """A sentence ready to be written: its words, whether a space follows each, and the columns there are.

    Columns come by name from the caller, who knows which are results; what a table has under the same name by itself
    is none of ours. `ranges` are the surface tokens of several words: by the place of the first word how many there
    are, and the token as written.
    """

    forms: Sequence[str]
    space_after: Sequence[bool]
    columns: Mapping[str, Sequence[Any]]
    ranges: Mapping[int, tuple[int, str]] = field(default_factory=dict)

    @classmethod
    def from_spans(
        cls,
        text: str,
        spans: Sequence[Span],
        columns: Mapping[str, Sequence[Any]],
        tokens: Sequence[str] | None = None,
    ) -> ConlluSentence:
        """Cut the forms out of `text`, so that they and the ``# text`` line cannot disagree.

        `tokens` are written where a span is empty: a token of the caller's own that the text does not have. Where the
        same span stands several times in a row, it is that of a surface token, and the tokens are its words.
        """
        ends = [end for _, end in spans]
        starts = [start for start, _ in spans[1:]] + [len(text)]
        spaces = [end < start and _has_space(text[end:start]) for end, start in zip(ends, starts, strict=True)]
        forms = _forms([text[start:end] for start, end in spans])
        if tokens is not None and "_" in forms:
            forms = [form if form != "_" else _form(token) for form, token in zip(forms, tokens, strict=True)]
        layers = {name: columns[name] for name in LAYERS if name in columns}
        labels = layers.pop("ner_bio", None) or layers.get("ner")  # the first say where entities begin
        ranges = {} if tokens is None else _ranges(spans, forms)
        if tokens is not None and ranges:
            for first, (count, form) in ranges.items():
                forms[first : first + count] = _spelt(form, tokens[first : first + count])
        if labels is not None:
            layers["ner"] = _entities(text, spans, labels, ranges)
        return cls(forms, spaces, layers, ranges)

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
        if spans and len(ends) == 1 and ends[0] == len(spans):
            return [cls.from_spans(text[: spans[-1][1]], spans, layers, tokens)]
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
        forms = self.forms
        if self.ranges:
            forms = list(forms)
            for first, (count, form) in self.ranges.items():
                forms[first : first + count] = [form, *[""] * (count - 1)]
        parts = [form + " " if space else form for form, space in zip(forms, self.space_after, strict=True)]
        return "".join(parts).rstrip()

    def _rows(self) -> list[str]:
        columns, nothing = self.columns, ["_"] * len(self.forms)
        tags, arcs = columns.get("pos"), columns.get("dep")
        lemmas, feats = (_fields(columns[name]) if name in columns else nothing for name in ("lemma", "feats"))
        # An analysis can hold any character but white space, which XPOS takes and MISC would not ("|").
        analyses = _fields(columns["morph"]) if "morph" in columns else nothing
        if "morph" in columns and "feats" not in columns:
            feats = [ud_features(morph) if morph else "_" for morph in columns["morph"]]
        rows = [
            f"{number}\t{form}\t{lemma}\t{tag}\t{analysis}\t{features}\t{arc}\t_\t{misc}"
            for number, form, lemma, tag, analysis, features, arc, misc in zip(
                range(1, len(nothing) + 1),
                self.forms,
                lemmas,
                nothing if tags is None else map(_upos, tags),
                analyses,
                feats,
                ["_\t_"] * len(nothing) if arcs is None else [_arc(*arc) if arc else "_\t_" for arc in arcs],
                self._misc(),
                strict=True,
            )
        ]
        for first, (count, token) in sorted(self.ranges.items(), reverse=True):
            last = first + count - 1
            space = "_" if self._is_spaced(last) else _NO_SPACE
            rows.insert(first, f"{first + 1}-{last + 1}\t{token}\t_\t_\t_\t_\t_\t_\t_\t{space}")
        return rows

    def _is_spaced(self, place: int) -> bool:
        return self.space_after[place] or place == len(self.forms) - 1

    def _misc(self) -> list[str]:
        cells = ["_" if space else _NO_SPACE for space in self.space_after]
        cells[-1:] = "_"
        for first, (count, _) in self.ranges.items():  # what follows the token is told on its own line
            cells[first : first + count] = ["_"] * count
        entities = self.columns.get("ner", ())
        if any(entity != OUTSIDE for entity in entities):
            for at, entity in enumerate(entities):
                if entity and entity != OUTSIDE:
                    label = f"NER={_field(entity)}"
                    cells[at] = label if cells[at] == "_" else f"{label}|{_NO_SPACE}"
        return cells


def _ranges(spans: Sequence[Span], forms: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Return the surface tokens that several words share: the same span again, and not an empty one."""
    if not any(one == other and one[0] < one[1] for one, other in pairwise(spans)):
        return {}
    found, at = {}, 0
    for (start, end), group in groupby(spans):
        count = len(list(group))
        if count > 1 and start < end:
            found[at] = count, forms[at]
        at += count
    return found


def _spelt(form: str, words: Sequence[str]) -> list[str]:
    """Return the words of a surface token with its own letters; as they are read where these are not as many."""
    if sum(map(len, words)) != len(form):
        return [_form(word) for word in words]
    parts, at = [], 0
    for word in words:
        parts.append(form[at : at + len(word)])
        at += len(word)
    return parts


def _entities(
    text: str, spans: Sequence[Span], labels: Sequence[str], ranges: Mapping[int, tuple[int, str]]
) -> list[str]:
    """Return where entities begin and go on; the words of one surface token are all in its entity."""
    if not any(label != OUTSIDE for label in labels):
        return list(labels)
    if not ranges:
        return bio_labels(text, spans, labels)
    further = {place for first, (count, _) in ranges.items() for place in range(first + 1, first + count)}
    kept = [place for place in range(len(spans)) if place not in further]
    written = dict(zip(kept, bio_labels(text, [spans[at] for at in kept], [labels[at] for at in kept]), strict=True))
    for place in sorted(further):
        before = written[place - 1]
        written[place] = before if before == OUTSIDE else f"I-{before[2:]}"
    return [written[place] for place in range(len(spans))]


def _has_space(between: str) -> bool:
    return between == " " or any(map(str.isspace, between))


def _forms(texts: list[str]) -> list[str]:
    """Return forms: one line each, composed, never empty."""
    return list(map(_kept_form if _are_short(texts) else _form, texts))


def _fields(values: Sequence[str | None]) -> list[str]:
    """Return fields: no white space, composed, never empty."""
    texts = [value or "" for value in values]
    return list(map(_kept_field if _are_short(texts) else _field, texts))


def _are_short(texts: list[str]) -> bool:
    return len(max(texts, key=len, default="")) <= _LONGEST_KEPT


def _form(text: str) -> str:
    return unicodedata.normalize("NFC", replace_surrogates(" ".join(text.split()))) or "_"


def _field(value: str) -> str:
    return unicodedata.normalize("NFC", replace_surrogates(_NO_TEXT.sub("", value))) or "_"


_kept_form = lru_cache(_KEPT)(_form)
_kept_field = lru_cache(_KEPT)(_field)


def _upos(tag: str | None) -> str:
    return "_" if tag is None else (tag if tag in UPOS else "X")


def _arc(head: int, relation: str) -> str:
    """Return head and relation as UD ties them together: ``root`` where the head is 0, and nowhere else.

    The ``dep`` column is like that already; a model of the user's own may not be.
    """
    return "0\troot" if head == 0 else f"{head}\t{_relation(relation)}"


@lru_cache(1024)
def _relation(name: str) -> str:
    return name if _RELATION.fullmatch(name) is not None and name != "root" else "dep"


def _comment(value: Any) -> str:
    return replace_surrogates(" ".join(str(value).split()))
