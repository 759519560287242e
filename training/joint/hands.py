"""Whose hand a treebank sentence is in: files are the work of several annotators, one after the other.

What a relation is called changes from one stretch of a file to the next while the sentences stay alike: 3 to 5 % of
Kenet's words are `compound` in most stretches, 13 % in one. And three treebanks are two collections each, as the ids of
their sentences say: Kenet's and Tourism's dev files are the end of one and their test files the end of the other, Penn
was translated and annotated by length. So a teacher learns a vector for every stretch of a collection, beside the
treebank's, and labels raw sentences in the hands that a treebank's style follows: those its collections end in.
"""

from __future__ import annotations

import re

STRETCH = 400  # sentences
NONE = 0  # no hand in particular
ANY = 65_535  # one that the style follows, drawn once for each sentence
# What names a sentence's collection in its id.
_COLLECTIONS = {"kenet": r"\.(train|test)$", "tourism": r"\.(train|test)$", "penn": r"^(\d+)-"}


def collection_of(style: str, sentence: str) -> str:
    """Return the collection that a sentence is of, by its id; nothing where a treebank is one collection.

    Examples
    --------
    >>> collection_of("kenet", "7699.test"), collection_of("penn", "20-0000.dev"), collection_of("boun", "bio_1")
    ('test', '20', '')
    """
    found = re.search(_COLLECTIONS[style], sentence) if style in _COLLECTIONS else None
    return found[1] if found else ""


def stretches(sentences: int) -> list[int]:
    """Return the stretch of each sentence of a collection, counted from its end: the last one is whole."""
    return [(sentences - 1 - i) // STRETCH for i in range(sentences)]


def name_of(style: str, collection: str, stretch: int | None) -> str:
    """Return the name of a hand: of a stretch of a collection in a train file, or of its sentences in a dev file."""
    return f"{style}{collection and '.'}{collection} {'dev' if stretch is None else stretch}"


def collection_in(hand: str) -> str:
    """Return style and collection in the name of a hand."""
    return hand.partition(" ")[0]


def ends(hands: list[str]) -> dict[str, int]:
    """Return of each collection the number of the hand it ends in: its dev sentences', or else its last stretch's.

    Examples
    --------
    >>> ends(["kenet.test 1", "kenet.test 0", "kenet.train 0", "kenet.train dev"])
    {'kenet.test': 2, 'kenet.train': 4}
    """
    number = {name: i for i, name in enumerate(hands, 1)}
    found: dict[str, int] = {}
    for one in dict.fromkeys(map(collection_in, hands)):
        last = [number[name] for name in (f"{one} dev", f"{one} 0") if name in number]
        found |= {one: last[0]} if last else {}
    return found


def followed(style: str, hands: list[str]) -> list[int]:
    """Return the numbers of the hands a style follows: those its collections end in; generic follows none."""
    return [number for one, number in ends(hands).items() if one.partition(".")[0] == style]
