"""Read the training data: treebanks, entity files, reviews and raw text, as plain Python values.

Nothing here ever opens a test file for training: the test texts are read once, to drop from the training and
development sets whatever also stands in them where a set is known to leak (WikiANN, the development parts).
"""

from __future__ import annotations

import lzma
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vnlp_colab.text import TreebankWordTokenize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TREEBANKS = ("BOUN", "Kenet", "Penn", "Tourism", "FrameNet", "Atis")
# Sentences of each development file that stay out of training and choose between runs.
VALIDATION_PER_TREEBANK = 200
VALIDATION_NER = 1000


@dataclass
class ParsedSentence:
    """One treebank sentence: words, UPOS tags, heads (0 is the root, k is word k) and relations."""

    words: list[str]
    upos: list[str]
    heads: list[int]
    relations: list[str]


def read_conllu(path: Path) -> Iterator[tuple[ParsedSentence, ParsedSentence | None]]:
    """Yield each sentence by its syntactic words, and by its surface tokens where those differ."""
    rows: list[list[str]] = []
    ranges: list[tuple[int, int, str]] = []
    with path.open(encoding="utf-8") as lines:
        for line in [*lines, "\n"]:
            line = line.rstrip("\n")
            if line.startswith("#"):
                continue
            if line:
                cells = line.split("\t")
                if "-" in cells[0]:
                    first, last = map(int, cells[0].split("-"))
                    ranges.append((first, last, cells[1]))
                elif "." not in cells[0]:
                    rows.append(cells)
            elif rows:
                sentence = ParsedSentence(
                    [r[1] for r in rows], [r[3] for r in rows], [int(r[6]) for r in rows], [r[7] for r in rows]
                )
                yield sentence, join_ranges(sentence, ranges) if ranges else None
                rows, ranges = [], []


def join_ranges(sentence: ParsedSentence, ranges: list[tuple[int, int, str]]) -> ParsedSentence:
    """Join the words of each range line into one surface token.

    The token takes tag, head and relation of the word that hangs outside the range (the first such one); whatever hung
    on one of its words hangs on the token.
    """
    groups: list[tuple[int, int, str]] = []
    covered = {i for first, last, _ in ranges for i in range(first, last + 1)}
    groups = [*ranges, *((i, i, w) for i, w in enumerate(sentence.words, 1) if i not in covered)]
    groups.sort()
    token_of = {0: 0}
    for number, (first, last, _) in enumerate(groups, 1):
        token_of.update(dict.fromkeys(range(first, last + 1), number))
    joined = ParsedSentence([], [], [], [])
    for first, last, form in groups:
        inside = range(first, last + 1)
        top = next((i for i in inside if sentence.heads[i - 1] not in inside), first)
        joined.words.append(form)
        joined.upos.append(sentence.upos[top - 1])
        joined.heads.append(token_of[sentence.heads[top - 1]])
        joined.relations.append(sentence.relations[top - 1])
    return joined


def read_treebanks(
    data: Path, held: int = VALIDATION_PER_TREEBANK
) -> tuple[list[ParsedSentence], list[ParsedSentence]]:
    """Return training and validation sentences of the six treebanks.

    The first `held` sentences of each development file validate; the others are trained on, unless they also stand in a
    test file.
    """
    train: list[ParsedSentence] = []
    validation: list[ParsedSentence] = []
    for name in TREEBANKS:
        files = {
            part: data / "ud" / f"UD_Turkish-{name}" / f"tr_{name.lower()}-ud-{part}.conllu"
            for part in ("train", "dev", "test")
        }
        test = {tuple(words.words) for words, _ in read_conllu(files["test"])}
        for words, surface in read_conllu(files["train"]):
            train.extend(s for s in (words, surface) if s)
        for number, (words, surface) in enumerate(read_conllu(files["dev"])):
            if number < held:
                validation.append(words)
            elif tuple(words.words) not in test:
                train.extend(s for s in (words, surface) if s)
    return train, validation


def read_bio(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Yield words and types (O, PER, LOC, ORG) of each sentence of a ``token TAB BIO`` file."""
    words: list[str] = []
    types: list[str] = []
    with path.open(encoding="utf-8") as lines:
        for line in [*lines, "\n"]:
            line = line.rstrip("\n")
            if line.strip():
                word, _, tag = line.rpartition("\t")
                words.append(word)
                types.append(tag.rpartition("-")[2])
            elif words:
                yield words, types
                words, types = [], []


def read_entities(data: Path) -> tuple[list[tuple[list[str], list[str]]], list[tuple[list[str], list[str]]]]:
    """Return training and validation sentences of the four entity sets, cleaned of every test sentence."""
    ner = data / "ner"
    test = {
        tuple(w)
        for name in ("wikiann_tr", "turkish_wiki_ner", "starlang_penn15_v2")
        for w, _ in read_bio(ner / name / "test.conll")
    }
    train: list[tuple[list[str], list[str]]] = []
    validation: list[tuple[list[str], list[str]]] = []
    for name in ("wikiann_tr", "turkish_wiki_ner", "starlang_penn15_v2"):
        dev = [s for s in read_bio(ner / name / "dev.conll") if tuple(s[0]) not in test]
        held = dev[: min(VALIDATION_NER, len(dev) // 2)]
        seen = {tuple(w) for w, _ in held}
        validation += held
        rest = [*read_bio(ner / name / "train.conll"), *dev[len(held) :]]
        train += [s for s in rest if tuple(s[0]) not in test and tuple(s[0]) not in seen]
    train += [s for s in read_bio(ner / "nakbatr_aa" / "aa.conll") if tuple(s[0]) not in test]
    return train, validation


def read_reviews(path: Path) -> Iterator[tuple[int, str]]:
    """Yield label (1 positive, 0 negative) and text of each line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            label, _, text = line.rstrip("\n").partition("\t")
            if text.strip():
                yield int(label), text


def read_sentiment(data: Path) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return training and validation reviews; texts of the test file are in neither."""
    folder = data / "sentiment"
    test = {text for _, text in read_reviews(folder / "winvoker" / "test.tsv")}
    dev = [r for r in read_reviews(folder / "winvoker" / "dev.tsv") if r[1] not in test]
    # The file's halves differ (16 % and 25 % negative), so every fourth line is held out, not the first lines.
    validation, rest = dev[::4], [r for i, r in enumerate(dev) if i % 4]
    seen = {text for _, text in validation}
    train = [
        r for r in [*read_reviews(folder / "merged" / "train.tsv"), *rest] if r[1] not in test and r[1] not in seen
    ]
    return train, validation


def raw_singles(data: Path) -> Iterator[str]:
    """Yield the single sentences of the raw text."""
    for name in ("tatoeba_tr", "common_voice_tr"):
        with (data / "raw" / name / "sentences.txt").open(encoding="utf-8") as lines:
            yield from (line.strip() for line in lines)


def raw_paragraphs(data: Path) -> Iterator[str]:
    """Yield all of the raw text: the single sentences, then the paragraphs of Wikipedia."""
    yield from raw_singles(data)
    plain = data / "raw" / "wikipedia_tr.txt"
    with (
        plain.open(encoding="utf-8", errors="ignore")
        if plain.exists()
        else lzma.open(f"{plain}.xz", "rt", encoding="utf-8") as lines
    ):
        yield from (line.strip() for line in lines)


def sample(paragraphs: Iterator[str], share: float, seed: int) -> Iterator[str]:
    """Yield about this share of the paragraphs."""
    chance = random.Random(seed)
    return (p for p in paragraphs if chance.random() < share)


def tokens(text: str) -> list[str]:
    """Return the tokens of a text as VNLP's tokenizer makes them, which the networks are taught with."""
    return list(TreebankWordTokenize(text))
