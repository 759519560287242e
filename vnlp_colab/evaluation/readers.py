"""Labelled files as plain values. What is wrong with a file is told with its name and line."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeVar

from vnlp_colab.errors import VNLPError
from vnlp_colab.trees.tree import is_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

logger = logging.getLogger(__name__)

ENTITY_TYPES = ("PER", "LOC", "ORG")
_BIO_TAGS = frozenset({"O", *(f"{place}-{kind}" for kind in ENTITY_TYPES for place in "BI")})
_FIELDS = 10  # of a CoNLL-U line
Item = TypeVar("Item")


class EvaluationFileError(VNLPError):
    """A file cannot be evaluated on; the message names the line."""


@dataclass(frozen=True)
class TaggedSentence:
    """Words and one label each (UPOS tags or BIO tags)."""

    words: list[str]
    labels: list[str]


@dataclass(frozen=True)
class TreeSentence:
    """Words, the position of each one's head (from 1; 0 is the root) and its relation to it."""

    words: list[str]
    heads: list[int]
    relations: list[str]


@dataclass(frozen=True)
class Review:
    """A text and whether it is positive (1) or negative (0)."""

    label: int
    text: str


@dataclass(frozen=True)
class AnalyzedSentence:
    """Tokens with their analysis and their lemma."""

    words: list[str]
    morph: list[str]
    lemma: list[str]


def read_tags(path: Path) -> list[TaggedSentence]:
    """Return the syntactic words and UPOS tags of a CoNLL-U file."""
    return _read_field(path, 3, "UPOS tag")


def read_lemmas(path: Path) -> list[TaggedSentence]:
    """Return the syntactic words and lemmas of a CoNLL-U file."""
    sentences = _read_field(path, 2, "lemma", nothing=False)
    if all(lemma == "_" for sentence in sentences for lemma in sentence.labels):
        raise EvaluationFileError(f"{path}: no word has a lemma, field 3 is _ everywhere")
    return sentences


def read_feats(path: Path) -> list[TaggedSentence]:
    """Return the syntactic words and UD features of a CoNLL-U file; ``_`` is a word without any."""
    return _read_field(path, 5, "features", nothing=False)


def _read_field(path: Path, place: int, what: str, *, nothing: bool = True) -> list[TaggedSentence]:
    """Return the words and one field of each; with `nothing` an underscore is no value."""
    sentences = []
    for rows in _conllu_sentences(path):
        for number, cells in rows:
            if not cells[place] or (nothing and cells[place] == "_"):
                _fail(path, number, f"the word has no {what} in field {place + 1}")
        sentences.append(TaggedSentence([cells[1] for _, cells in rows], [cells[place] for _, cells in rows]))
    return _some(path, sentences)


def read_trees(path: Path) -> list[TreeSentence]:
    """Return the syntactic words, heads and relations of a CoNLL-U file; what is no tree among them is told."""
    sentences = _read_arcs(path)
    broken = [number for number, sentence in enumerate(sentences, 1) if not is_tree(sentence.heads)]
    if broken:
        logger.warning(
            "%s: the arcs of %d of %d sentences are no tree (several roots, none, or a cycle; first in sentence %d); "
            "scored as they are",
            *(path, len(broken), len(sentences), broken[0]),
        )
    return sentences


def _read_arcs(path: Path) -> list[TreeSentence]:
    sentences = []
    for rows in _conllu_sentences(path):
        for number, cells in rows:
            if not (_is_number(cells[6]) and int(cells[6]) <= len(rows)):
                _fail(path, number, f"the head {cells[6]!r} is no word of the sentence, which has {len(rows)}")
            if cells[7] in ("", "_"):
                _fail(path, number, "the word has no relation in field 8")
        sentences.append(
            TreeSentence(
                [cells[1] for _, cells in rows], [int(cells[6]) for _, cells in rows], [cells[7] for _, cells in rows]
            )
        )
    return _some(path, sentences)


def read_treebank(path: Path) -> list[str]:
    """Return the lines of a CoNLL-U file whose words have heads and relations."""
    _read_arcs(path)
    return [line for _, line in _lines(path)]


def read_entities(path: Path) -> list[TaggedSentence]:
    """Return the tokens and BIO tags of a file with ``token TAB tag`` lines and empty lines between sentences."""
    sentences = []
    words: list[str] = []
    tags: list[str] = []
    for number, line in [*_lines(path), (0, "")]:
        if line.strip():
            word, tab, tag = line.partition("\t")
            if not tab or not word or "\t" in tag:
                _fail(path, number, f"expected a token, one tab and a tag, not {_short(line)}")
            if tag not in _BIO_TAGS:
                _fail(path, number, f"the tag {tag!r} is not O, B- or I- with {', '.join(ENTITY_TYPES)}")
            words.append(word)
            tags.append(tag)
        elif words:
            sentences.append(TaggedSentence(words, tags))
            words, tags = [], []
    return _some(path, sentences)


def read_reviews(path: Path) -> list[Review]:
    """Return the reviews of a file with ``label TAB text`` lines, 1 positive and 0 negative."""
    reviews = []
    for number, line in _lines(path):
        if not line.strip():
            continue
        label, tab, text = line.partition("\t")
        if not tab or label not in ("0", "1"):
            _fail(path, number, f"expected 0 or 1, a tab and a text, not {_short(line)}")
        reviews.append(Review(int(label), text))
    return _some(path, reviews)


def read_analyses(path: Path) -> list[AnalyzedSentence]:
    """Return the sentences of a file with JSON lines that have ``tokens``, ``morph`` and ``lemma``."""
    sentences = []
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            _fail(path, number, f"not JSON: {error.msg} at character {error.pos + 1}")
        lists = [_strings(path, number, row, name) for name in ("tokens", "morph", "lemma")]
        if len({len(values) for values in lists}) > 1:
            _fail(path, number, f"tokens, morph and lemma have {', '.join(str(len(v)) for v in lists)} entries")
        sentences.append(AnalyzedSentence(*lists))
    return _some(path, sentences)


def _strings(path: Path, number: int, row: object, name: str) -> list[str]:
    values = row.get(name) if isinstance(row, dict) else None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        _fail(path, number, f"{name!r} must be a list of strings")
    return values


def _conllu_sentences(path: Path) -> Iterator[list[tuple[int, list[str]]]]:
    """Yield the word lines of each sentence, with their line numbers; ranges and empty nodes are left out."""
    rows: list[tuple[int, list[str]]] = []
    for number, line in [*_lines(path), (0, "")]:
        if line.startswith("#"):
            continue
        if not line.strip():
            if rows:
                yield rows
            rows = []
            continue
        cells = line.split("\t")
        if len(cells) != _FIELDS:
            _fail(path, number, f"{len(cells)} fields between tabs, expected {_FIELDS}")
        if all(map(_is_number, cells[0].split("-", 1))) and "-" in cells[0]:
            continue
        if all(map(_is_number, cells[0].split(".", 1))) and "." in cells[0]:
            continue
        if cells[0] != str(len(rows) + 1):
            _fail(path, number, f"the word's number is {cells[0]!r}, expected {len(rows) + 1}")
        if not cells[1]:
            _fail(path, number, "the word is empty")
        rows.append((number, cells))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with path.open("rb") as file:
        for number, data in enumerate(file, start=1):
            try:
                yield number, data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                _fail(path, number, f"byte {error.start + 1} ({data[error.start]:#04x}) is not UTF-8")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _short(line: str) -> str:
    return repr(line if len(line) <= 40 else line[:40] + "…")


def _some(path: Path, sentences: list[Item]) -> list[Item]:
    if not sentences:
        raise EvaluationFileError(f"{path}: nothing to evaluate on, the file is empty")
    return sentences


def _fail(path: Path, line: int, message: str) -> NoReturn:
    raise EvaluationFileError(f"{path}, line {line}: {message}")
