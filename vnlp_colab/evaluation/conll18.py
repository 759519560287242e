"""The measures of the CoNLL 2018 shared task: two analyses of one raw text, compared from tokens up to trees.

Words are compared by where their characters stand in the text without its white space, so that two analyses which cut
the text differently can be scored. Precision is over the system's words, recall over gold's, and F1 is what is told;
relations are compared without their subtypes, features among those of UD's universal list.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vnlp_colab.errors import VNLPError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

METRICS = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")
_CONTENT = frozenset(
    [
        "nsubj",
        "obj",
        "iobj",
        "csubj",
        "ccomp",
        "xcomp",
        "obl",
        "vocative",
        "expl",
        "dislocated",
        "advcl",
        "advmod",
        "discourse",
        "nmod",
        "appos",
        "nummod",
        "acl",
        "amod",
        "conj",
        "fixed",
        "flat",
        "compound",
        "list",
        "parataxis",
        "orphan",
        "goeswith",
        "reparandum",
        "root",
        "dep",
    ]
)
_FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
_UNIVERSAL = frozenset(
    [
        "PronType",
        "NumType",
        "Poss",
        "Reflex",
        "Foreign",
        "Abbr",
        "Gender",
        "Animacy",
        "Number",
        "Case",
        "Definite",
        "Degree",
        "VerbForm",
        "Mood",
        "Tense",
        "Aspect",
        "Voice",
        "Evident",
        "Polarity",
        "Person",
        "Polite",
    ]
)


class AlignmentError(VNLPError):
    """Two analyses are not of the same text."""


@dataclass(eq=False)
class ConlluWord:
    """A syntactic word: where its token stands, and what is said of it."""

    start: int
    end: int
    form: str
    lemma: str
    upos: str
    feats: str
    head: int
    relation: str
    in_range: bool
    parent: ConlluWord | None = None
    function_words: list[ConlluWord] = field(default_factory=list)

    @property
    def is_content(self) -> bool:
        """Whether its relation is that of a content word."""
        return self.relation in _CONTENT


@dataclass
class ConlluAnalysis:
    """A CoNLL-U text taken apart: its characters, spans of tokens and sentences, words."""

    characters: str
    tokens: list[tuple[int, int]]
    sentences: list[tuple[int, int]]
    words: list[ConlluWord]

    @classmethod
    def read(cls, lines: Iterable[str]) -> ConlluAnalysis:
        """Take apart the lines of a CoNLL-U text."""
        found = cls("", [], [], [])
        parts: list[str] = []
        rows: list[ConlluWord] = []
        place, range_end, span = 0, 0, (0, 0)
        begin = 0
        for line in [*lines, ""]:
            if line.startswith("#"):
                continue
            if not line.strip():
                if rows:
                    _hang(rows)
                    found.words += rows
                    found.sentences.append((begin, place))
                rows, range_end, begin = [], 0, place
                continue
            cells = line.rstrip("\r\n").split("\t")
            if "." in cells[0]:
                continue
            form = "".join(cells[1].split())
            if "-" in cells[0]:
                range_end = int(cells[0].split("-")[1])
                span, place = (place, place + len(form)), place + len(form)
            elif int(cells[0]) > range_end:
                span, place = (place, place + len(form)), place + len(form)
            if "-" in cells[0] or int(cells[0]) > range_end:
                parts.append(form)
                found.tokens.append(span)
            if "-" not in cells[0]:
                inside = int(cells[0]) <= range_end
                relation = cells[7].split(":")[0]
                head = int(cells[6]) if cells[6].isdigit() else 0
                rows.append(
                    ConlluWord(*span, cells[1], cells[2], cells[3], _features(cells[5]), head, relation, inside)
                )
        found.characters = "".join(parts)
        return found


def score(gold: ConlluAnalysis, system: ConlluAnalysis) -> dict[str, float]:
    """Return the F1 of each measure, between 0 and 1.

    Raises
    ------
    AlignmentError
        If the two are not of the same text, white space aside.
    """
    if gold.characters != system.characters:
        pairs = enumerate(zip(gold.characters, system.characters, strict=False))
        at = next((place for place, (a, b) in pairs if a != b), min(len(gold.characters), len(system.characters)))
        raise AlignmentError(
            f"the two analyses are of different texts: {gold.characters[at : at + 20]!r} in the gold one, "
            f"{system.characters[at : at + 20]!r} in the other"
        )
    aligned = _align(gold.words, system.words)
    partner = {id(b): a for a, b in aligned}

    def f1(right: int, wanted: int, found: int) -> float:
        return 2 * right / (wanted + found) if wanted + found else 0.0

    def words(
        same: Callable[[ConlluWord, ConlluWord], bool], kind: Callable[[ConlluWord], bool] = lambda _: True
    ) -> float:
        right = sum(kind(a) and same(a, b) for a, b in aligned)
        return f1(right, sum(map(kind, gold.words)), sum(map(kind, system.words)))

    def spans(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]]) -> float:
        return f1(len(set(a) & set(b)), len(a), len(b))

    def head(a: ConlluWord, b: ConlluWord) -> bool:
        if a.parent is None or b.parent is None:
            return a.parent is b.parent
        return partner.get(id(b.parent)) is a.parent

    def arc(a: ConlluWord, b: ConlluWord) -> bool:
        return head(a, b) and a.relation == b.relation

    def lemma(a: ConlluWord, b: ConlluWord) -> bool:
        return a.lemma in ("_", b.lemma)

    def morphology(a: ConlluWord, b: ConlluWord) -> bool:
        return a.upos == b.upos and a.feats == b.feats

    def functions(a: ConlluWord, b: ConlluWord) -> bool:
        if len(a.function_words) != len(b.function_words):
            return False
        pairs = zip(a.function_words, b.function_words, strict=True)
        return all(partner.get(id(y)) is x and x.relation == y.relation and morphology(x, y) for x, y in pairs)

    return {
        "Tokens": spans(gold.tokens, system.tokens),
        "Sentences": spans(gold.sentences, system.sentences),
        "Words": words(lambda *_: True),
        "UPOS": words(lambda a, b: a.upos == b.upos),
        "UFeats": words(lambda a, b: a.feats == b.feats),
        "Lemmas": words(lemma),
        "UAS": words(head),
        "LAS": words(arc),
        "CLAS": words(arc, lambda word: word.is_content),
        "MLAS": words(lambda a, b: arc(a, b) and morphology(a, b) and functions(a, b), lambda word: word.is_content),
        "BLEX": words(lambda a, b: arc(a, b) and lemma(a, b), lambda word: word.is_content),
    }


def _features(cell: str) -> str:
    return "|".join(sorted(pair for pair in cell.split("|") if pair.split("=", 1)[0] in _UNIVERSAL))


def _hang(rows: list[ConlluWord]) -> None:
    for word in rows:
        word.parent = rows[word.head - 1] if 0 < word.head <= len(rows) else None
    for word in rows:
        if word.parent is not None and word.relation in _FUNCTIONAL:
            word.parent.function_words.append(word)


def _align(gold: list[ConlluWord], system: list[ConlluWord]) -> list[tuple[ConlluWord, ConlluWord]]:
    """Pair words of one span; where either side has a range of several words, the longest common run of forms."""
    pairs: list[tuple[ConlluWord, ConlluWord]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        a, b = gold[g], system[s]
        if a.in_range or b.in_range:
            first_g, g, first_s, s = _range_ends(gold, g, system, s)
            pairs += _common(gold[first_g:g], system[first_s:s])
        elif (a.start, a.end) == (b.start, b.end):
            pairs.append((a, b))
            g, s = g + 1, s + 1
        elif a.start <= b.start:
            g += 1
        else:
            s += 1
    return pairs


def _range_ends(gold: list[ConlluWord], g: int, system: list[ConlluWord], s: int) -> tuple[int, int, int, int]:
    """Return where the words that share characters with the range here begin and end, on both sides."""
    a, b = gold[g], system[s]
    end = a.end if a.in_range else b.end
    if a.in_range and not b.in_range and b.start < a.start:
        s += 1
    elif not a.in_range and a.start < b.start:
        g += 1
    first_g, first_s = g, s
    while (g < len(gold) and _inside(gold[g], end)) or (s < len(system) and _inside(system[s], end)):
        of_gold = g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start)
        word = gold[g] if of_gold else system[s]
        if word.in_range:
            end = max(end, word.end)
        g, s = (g + 1, s) if of_gold else (g, s + 1)
    return first_g, g, first_s, s


def _inside(word: ConlluWord, end: int) -> bool:
    return word.start < end if word.in_range else word.end <= end


def _common(gold: Sequence[ConlluWord], system: Sequence[ConlluWord]) -> list[tuple[ConlluWord, ConlluWord]]:
    """Return the pairs of a longest common subsequence of forms, letters compared in small."""
    a, b = [word.form.lower() for word in gold], [word.form.lower() for word in system]
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            best[i][j] = 1 + best[i + 1][j + 1] if a[i] == b[j] else max(best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[Any, Any]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((gold[i], system[j]))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
