"""Sentences with what is right in them: analyses, or lemmas and features that select among the candidates."""

from __future__ import annotations

import lzma
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vnlp_colab.stemmer.stemmer_colab import lemma_of
from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.text import SentenceSplitter, TreebankWordTokenize
from vnlp_colab.text.case import lower_case
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# What `ud_features` can give: only there can a treebank and an analysis be compared.
_COMPARED = frozenset(
    {"Aspect", "Case", "Evident", "Mood", "Number", "Number[psor]", "NumType", "Person", "Person[psor]", "Polarity"}
    | {"PronType", "Reflex", "Tense", "VerbForm", "Voice"}
)


@dataclass
class Gold:
    """A sentence, and of each word what is right: an analysis, or lemma and features."""

    words: list[str]
    analyses: list[str] | None = None
    lemmas: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)


def read_analyses(path: Path) -> Iterator[Gold]:
    """Yield the sentences of a file of yildiz2016: a word and its analyses a line, the right one first."""
    words: list[str] = []
    analyses: list[str] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            word, *found = line.split() or [""]
            if word.startswith(("<S", "</S")):
                if words:
                    yield Gold(words, analyses)
                words, analyses = [], []
            elif found and not found[0].endswith("Tag"):
                words.append(word)
                analyses.append(lower_root(found[0]))


def lower_root(analysis: str) -> str:
    """Return an analysis with its root in lower case, as the package writes it.

    Examples
    --------
    >>> lower_root("Nilgün+Noun+Prop+A3sg+Pnon+Nom")
    'nilgün+Noun+Prop+A3sg+Pnon+Nom'
    """
    root = analysis.split("+")[0] if analysis[:1].isupper() else lemma_of(analysis)
    return lower_case(root) + analysis[len(root) :]


def read_treebank(path: Path) -> Iterator[Gold]:
    """Yield the sentences of a CoNLL-U file with their lemmas and features."""
    rows: list[list[str]] = []
    with path.open(encoding="utf-8") as lines:
        for line in [*lines, "\n"]:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 10 and fields[0].isdigit():
                rows.append(fields)
            elif not line.strip() and rows:
                yield Gold([r[1] for r in rows], None, [r[2] for r in rows], [r[5] for r in rows])
                rows = []


def read_raw(path: Path, count: int) -> list[Gold]:
    """Return sentences of raw text, which nothing is known of."""
    found: list[Gold] = []
    splitter = SentenceSplitter()
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            for sentence in splitter.split_sentences(line.strip()):
                tokens = TreebankWordTokenize(sentence)
                if 3 <= len(tokens) <= 40:
                    found.append(Gold(tokens))
            if len(found) >= count:
                break
    return found[:count]


def compared(feats: str) -> dict[str, str]:
    """Return the features of a string that an analysis can have, too."""
    pairs = (part.split("=", 1) for part in feats.split("|") if "=" in part)
    return {name: value for name, value in pairs if name in _COMPARED}


def fit(analysis: str, lemma: str, feats: str) -> tuple[bool, float]:
    """Return whether the lemma of an analysis is right, and the share of the features of both that are the same."""
    own, gold = compared(ud_features(analysis)), compared(feats)
    names = {*own, *gold}
    share = sum(own.get(name) == gold.get(name) for name in names) / len(names) if names else 1.0
    return lemma_of(analysis) == lower_case(lemma), share


def agrees(analysis: str, feats: str) -> bool:
    """Tell whether every feature that an analysis and a treebank both name is the same (treebanks leave many out)."""
    own, gold = compared(ud_features(analysis)), compared(feats)
    return all(gold[name] == value for name, value in own.items() if name in gold)


def right_ones(word: str, gold: Gold, at: int) -> list[int] | None:
    """Return the candidates that are right as far as is known; None where that teaches nothing."""
    candidates = [str(one) for one in default_generator().candidates(word)]
    if len(candidates) < 2:
        return None
    said = [number for number, one in enumerate(candidates) if gold.analyses is not None and one == gold.analyses[at]]
    if not gold.lemmas:
        return said or None
    fits = [fit(one, gold.lemmas[at], gold.feats[at]) for one in candidates]
    best = max(fits)
    if not best[0] or best[1] <= 0.5:  # the treebank reads the word as no candidate does
        return said or None
    chosen = [number for number, one in enumerate(fits) if one == best]
    return [number for number in chosen if number in said] or (chosen if len(chosen) < len(candidates) else None)
