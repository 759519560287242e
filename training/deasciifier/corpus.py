"""Raw text to one long array of token ids, with the held-out paragraphs kept apart.

A Wikipedia paragraph is held out by the CRC-32 of its text, so the split needs no list and never moves: remainder 0 of
100 is the test part (its first 20,000 sentences are the reported ones), remainder 1 the development part. What any
sentence of those two parts says word for word elsewhere is left out of training as well.
"""

from __future__ import annotations

import lzma
import re
import zlib
from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEST_SENTENCES = 20_000
SPLIT_MODULUS = 100
TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
BOUNDARY = 0  # the id between two paragraphs


@dataclass(frozen=True)
class Corpus:
    """Token ids of the training text in reading order, and the spelling of each id."""

    ids: np.ndarray
    spellings: list[str]


def part_of(paragraph: str) -> str:
    """Return ``test``, ``dev`` or ``train`` for a Wikipedia paragraph."""
    remainder = zlib.crc32(paragraph.strip().encode()) % SPLIT_MODULUS
    return ("test", "dev")[remainder] if remainder < 2 else "train"


def wikipedia(raw: Path) -> Iterator[str]:
    """Yield the paragraphs of the Wikipedia file."""
    with lzma.open(raw / "wikipedia_tr.txt.xz", "rt", encoding="utf-8") as lines:
        yield from lines


def spoken(raw: Path) -> Iterator[str]:
    """Yield the single sentences of Tatoeba and Common Voice: first and second persons, which Wikipedia lacks."""
    for name in ("tatoeba_tr", "common_voice_tr"):
        yield from (raw / name / "sentences.txt").read_text("utf-8").splitlines()


def held_out(raw: Path, part: str, limit: int = TEST_SENTENCES) -> list[str]:
    """Return the first `limit` sentences of the ``test`` or ``dev`` part, those of three words or more."""
    from vnlp_colab.text import SentenceSplitter

    splitter = SentenceSplitter()
    sentences: list[str] = []
    for paragraph in wikipedia(raw):
        if part_of(paragraph) == part:
            sentences += [s for s in splitter.split_sentences(paragraph) if len(s.split()) >= 3]
            if len(sentences) >= limit:
                break
    return sentences[:limit]


def read(raw: Path, spoken_times: int = 4) -> Corpus:
    """Read the training part; the spoken sentences count `spoken_times`, since there are few of them."""
    from vnlp_colab.text import SentenceSplitter

    splitter = SentenceSplitter()
    forbidden = {sentence for part in ("test", "dev") for sentence in held_out(raw, part)}
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    assert numbers["\n"] == BOUNDARY
    ids = array("I")

    def add(text: str) -> None:
        ids.extend([numbers[token] for token in TOKEN.findall(text)])
        ids.append(BOUNDARY)

    for paragraph in wikipedia(raw):
        if part_of(paragraph) == "train" and forbidden.isdisjoint(splitter.split_sentences(paragraph)):
            add(paragraph)
    for sentence in spoken(raw):
        if sentence.strip() not in forbidden:
            for _ in range(spoken_times):
                add(sentence)
    return Corpus(np.frombuffer(ids, np.uint32), list(numbers))
