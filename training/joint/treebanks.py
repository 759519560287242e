"""The treebanks' sentences: with all their columns, and with the part, the style and the hand of each.

A train file's features are brought to its dev file's convention (`training.joint.conventions`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from training import corpus
from training.joint import hands, texts
from training.joint.conventions import abandoned, brought
from vnlp_colab.joint.lemmas import lemma_script

if TYPE_CHECKING:
    from pathlib import Path

STYLES = ("generic", *(name.lower() for name in corpus.TREEBANKS))
# How often sentences that train are there whose hand a style follows: the dev file's, and where a collection has no
# dev sentences its last ones.
FOLLOWED_TIMES = 3
HELD = 100  # sentences of each dev file that choose between runs


@dataclass
class Analysed:
    """A treebank sentence with all its columns."""

    words: list[str]
    upos: list[str]
    heads: list[int]
    relations: list[str]
    feats: list[str]
    scripts: list[str]
    lemmas: list[str]
    id: str = ""


def read_analysed(path: Path) -> list[Pair]:
    """Return each sentence by its syntactic words and, where they differ, by its tokens (no features, no lemma)."""
    found = []
    blocks = [block.split("\n") for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]
    for lines, (sentence, surface) in zip(blocks, corpus.read_conllu(path), strict=True):
        name = next((line.partition("=")[2].strip() for line in lines if line.startswith("# sent_id")), "")
        own = [row for row in (line.split("\t") for line in lines if line[:1] != "#") if row[0].isdigit()]
        feats = [row[5] for row in own]
        scripts = [lemma_script(row[1], row[2]) for row in own]
        lemmas = [row[2] for row in own]
        gold = (sentence.words, sentence.upos, sentence.heads, sentence.relations, feats, scripts, lemmas)
        whole = Analysed(*gold, id=name)
        joined = None
        if surface:
            none = [""] * len(surface.words)
            joined = Analysed(surface.words, surface.upos, surface.heads, surface.relations, none, none, none)
        found.append((whole, joined))
    return found


Pair = tuple[Analysed, "Analysed | None"]  # a sentence by its words, and by its tokens where they differ


@dataclass
class Placed:
    """A treebank sentence with its part, its style and the name of its hand (`training.joint.hands`)."""

    part: str
    style: int
    hand: str
    sentence: Analysed


def treebank_parts(data: Path) -> list[Placed]:
    """Return the sentences of all treebanks; dev sentences after the held ones train, test ones never."""
    found: list[Placed] = []
    for number, name in enumerate(corpus.TREEBANKS, 1):
        files = {part: read_analysed(texts.treebank_file(data, name, part)) for part in ("train", "dev", "test")}
        bring_features([whole for whole, _ in files["train"]], [whole for whole, _ in files["dev"]])
        train, dev = in_stretches(STYLES[number], files["train"]), files["dev"]
        known = list(dict.fromkeys([hand for hand, _ in train] + [dev_hand(STYLES[number], s) for s, _ in dev]))
        last = {collection: known[i - 1] for collection, i in hands.ends(known).items()}
        tests = {tuple(whole.words) for whole, _ in files["test"]}
        rest = [(dev_hand(STYLES[number], s[0]), s) for s in dev[HELD:] if tuple(s[0].words) not in tests]
        for hand, pair in [*train, *rest]:
            # a train file repeats sentences of its test file: these are there as often as it has them and no more
            times = FOLLOWED_TIMES if hand in last.values() and tuple(pair[0].words) not in tests else 1
            found += [Placed("train", number, hand, s) for s in times * pair if s]
        for part, sentences in (("dev", dev[:HELD]), ("test", files["test"])):
            for s, _ in sentences:
                hand = last[hands.collection_in(dev_hand(STYLES[number], s))]
                found.append(Placed(f"{part} {name}", number, hand, s))
    return found


def in_stretches(style: str, sentences: list[Pair]) -> list[tuple[str, Pair]]:
    """Return a train file's sentences with the names of their hands."""
    collections: dict[str, list[Pair]] = {}
    for pair in sentences:
        collections.setdefault(hands.collection_of(style, pair[0].id), []).append(pair)
    return [
        (hands.name_of(style, collection, stretch), pair)
        for collection, own in collections.items()
        for stretch, pair in zip(hands.stretches(len(own)), own, strict=True)
    ]


def dev_hand(style: str, sentence: Analysed) -> str:
    """Return the name of the hand of the dev sentences of a sentence's collection."""
    return hands.name_of(style, hands.collection_of(style, sentence.id), None)


def bring_features(train: list[Analysed], dev: list[Analysed]) -> None:
    """Change the features of the train sentences to the dev sentences' convention, where it has changed."""
    before, after = ([p for s in part for p in zip(s.upos, s.feats, strict=True)] for part in (train, dev))
    changes = abandoned(before, after)
    for sentence in train:
        sentence.feats = [brought(*p, changes) for p in zip(sentence.upos, sentence.feats, strict=True)]
