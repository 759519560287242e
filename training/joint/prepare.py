"""Stage 1: the labelled data of the joint network as arrays, and its vocabularies.

python -m training.joint.prepare --data DATA --work WORK [--earlier EARLIER/joint_vocab.json]

Leaves ``joint_syntax.npz``, ``joint_entities.npz``, ``joint_reviews.npz`` and ``joint_vocab.json``. Every set knows its
parts: what is trained on, what chooses between runs (dev), and the test files, which are only ever scored.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece

from training import corpus
from training.arrays import RELATIONS, UPOS, encode_words, write_arrays
from training.joint import hands, texts
from training.joint.chat import chat, informal, scraps
from training.joint.constants import ANY_STYLE, ENTITIES, TOKENIZER, UNKNOWN
from training.joint.record import note
from training.joint.treebanks import STYLES, Analysed, treebank_parts
from training.prepare import change_writing
from vnlp_colab.atomic import write_atomically
from vnlp_colab.joint.affixes import encode_affixes, fold

ENTITY_STYLES = ("generic", *texts.ENTITY_SETS, "nakbatr_aa")

SENTIMENTS = ("negative", "neutral", "positive")
SEED = 29
NEUTRAL = 45_000
NEUTRAL_HELD = 2_000
SCRAPS = 12_000
# How often the sentences of an entity set that train are there: a small one that is scored, twice.
ENTITY_TIMES = {"starlang_penn15_v2": 2}
STRONG = 1.8  # log-odds from which a word is taken as praise or blame


@dataclass
class Collection:
    """Sentences of one kind with the part each belongs to."""

    parts: list[str]
    sentences: list[list[str]] = field(default_factory=list)
    part: list[int] = field(default_factory=list)
    style: list[int] = field(default_factory=list)
    hand: list[int] = field(default_factory=list)
    labels: dict[str, list[int]] = field(default_factory=dict)  # by word, or by sentence for `sentiment`

    def add(self, part: str, words: list[str], style: int, hand: int = hands.NONE, **labels: list[int]) -> None:
        """Add one sentence."""
        self.hand.append(hand)
        self.sentences.append(words)
        self.part.append(self.parts.index(part))
        self.style.append(style)
        for name, values in labels.items():
            self.labels.setdefault(name, []).extend(values)

    def save(self, path: Path, tokenizer: sentencepiece.SentencePieceProcessor, *, writings: bool) -> dict[str, Any]:
        """Write words with pieces and affixes, sentences, labels; with `writings` each word written otherwise too."""
        number: dict[str, int] = {"": 0}
        flat = [number.setdefault(word, len(number)) for sentence in self.sentences for word in sentence]
        other = {}
        if writings:
            seen = list(number)
            for kind, name in ((1, "lower"), (2, "upper"), (3, "ascii")):
                changed = [number.setdefault(texts.write_as(word, kind), len(number)) for word in seen]
                other[name] = np.array(changed, np.int32)
            other["chat"] = np.array([number.setdefault(fold(word), len(number)) for word in seen], np.int32)
            # Words that are there only as another's writing stand for themselves.
            other = {k: np.concatenate([v, np.arange(len(v), len(number), dtype=np.int32)]) for k, v in other.items()}
        words = list(number)
        pieces = encode_words(tokenizer, words)
        pieces[0] = 0
        affixes = encode_affixes(words)
        lengths = np.array([len(s) for s in self.sentences])
        own = {
            "pieces": pieces,
            "affixes": affixes,
            "words": np.array(flat, np.int32),
            "offsets": np.concatenate([[0], np.cumsum(lengths)]),
            "part": np.array(self.part, np.uint8),
            "style": np.array(self.style, np.uint8),
            "hand": np.array(self.hand, np.uint16),
            "parts": np.array(self.parts),
        }
        labels = {f"label_{name}": np.array(values, np.uint16) for name, values in self.labels.items()}
        write_arrays(path, own | other | labels)
        counts = dict(Counter(self.parts[p] for p in self.part))
        print(f"{path.name}: {counts}, {len(words):,} distinct words", flush=True)
        return {"sentences": counts, "distinct words": len(words)}


def prepare_syntax(data: Path, earlier: Path | None = None) -> tuple[Collection, dict[str, Any]]:
    """Return the treebanks, the classes of features and lemmas (an `earlier` run's, if there is one), the hands."""
    every = treebank_parts(data)
    train = [s.sentence for s in every if s.part == "train"]
    if earlier:
        classes = json.loads(earlier.read_text(encoding="utf-8"))
        feats, scripts = classes["feats"]["labels"], classes["lemma"]["scripts"]
    else:
        feats = [f for f, _ in Counter(f for s in train for f in s.feats if f).most_common()]
        counts = Counter(f for s in train for f in s.scripts if f)
        scripts = [f for f, n in counts.most_common() if n >= 2 or f[1] != "="]
    tag, relation, feat, script = ({x: i for i, x in enumerate(xs)} for xs in (UPOS, RELATIONS, feats, scripts))
    names = corpus.TREEBANKS
    collection = Collection(["train", *(f"dev {n}" for n in names), *(f"test {n}" for n in names)])
    known = list(dict.fromkeys(placed.hand for placed in every))
    hand = {name: i for i, name in enumerate(known, 1)}
    for placed in every:
        s = placed.sentence
        collection.add(
            placed.part,
            s.words,
            placed.style,
            hand[placed.hand],
            upos=[tag[t] for t in s.upos],
            head=s.heads,
            relation=[relation.get(r, relation.get(r.partition(":")[0], 0)) for r in s.relations],
            feats=[feat.get(f, UNKNOWN) for f in s.feats],
            lemma=[script.get(f, UNKNOWN) for f in s.scripts],
        )
    trained = [(placed.style, placed.sentence) for placed in every if placed.part == "train"]
    return collection, {"feats": feats, "scripts": scripts, "hands": known, **known_together(trained, feats)}


def known_together(trained: list[tuple[int, Analysed]], feats: list[str]) -> dict[str, object]:
    """Return the lemmas of each tag (by the bits of the styles that have them), and which features a tag can have."""
    number = {f: i for i, f in enumerate(feats)}
    bits: Counter[tuple[str, str]] = Counter()
    pairs: dict[str, dict[str, set[int]]] = {}
    for style, s in trained:
        for lemma, tag, f in zip(s.lemmas, s.upos, s.feats, strict=True):
            if lemma and "\n" not in lemma:
                bits[tag, lemma] |= 1 << style
            if f in number:
                pairs.setdefault(STYLES[style], {}).setdefault(tag, set()).add(number[f])
    lemmas: dict[str, dict[str, list[str]]] = {}
    for (tag, lemma), mask in sorted(bits.items()):
        lemmas.setdefault(tag, {}).setdefault(str(mask), []).append(lemma)
    return {
        "known": {tag: {mask: "\n".join(one) for mask, one in found.items()} for tag, found in lemmas.items()},
        "pairs": {name: {tag: sorted(found) for tag, found in tags.items()} for name, tags in pairs.items()},
    }


def bio(tags: list[str]) -> list[int]:
    """Return BIO labels; a tag without a prefix, or an I that follows nothing of its type, begins an entity."""
    labels, before = [], "O"
    for tag in tags:
        prefix, _, kind = tag.rpartition("-")
        if kind not in ("PER", "LOC", "ORG"):
            labels.append(0)
            before = "O"
            continue
        inside = before == kind and prefix != "B"
        labels.append(ENTITIES.index(f"{'I' if inside else 'B'}-{kind}"))
        before = kind
    return labels


def read_tagged(path: Path) -> list[tuple[list[str], list[int]]]:
    """Return words and BIO labels of each sentence of an entity file."""
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.rpartition("\t") for line in block.split("\n") if line.strip()]
        if rows:
            found.append(([row[0] for row in rows], bio([row[2] for row in rows])))
    return found


def prepare_entities(data: Path) -> Collection:
    """Return the entity sets, cleaned of every test sentence, and chat without an entity."""
    ner = data / "ner"
    names = texts.ENTITY_SETS
    collection = Collection(["train", *(f"dev {n}" for n in names), *(f"test {n}" for n in names)])
    tests = {texts.key(w) for n in names for w, _ in read_tagged(ner / n / "test.conll")}
    held: set[str] = set()
    waiting: list[tuple[list[str], list[int], int]] = []
    for style, name in enumerate(names, 1):
        dev = [s for s in read_tagged(ner / name / "dev.conll") if texts.key(s[0]) not in tests]
        first = dev[: min(corpus.VALIDATION_NER, len(dev) // 2)]
        held |= {texts.key(w) for w, _ in first}
        for words, labels in first:
            collection.add(f"dev {name}", words, style, entity=labels)
        training = [*read_tagged(ner / name / "train.conll"), *dev[len(first) :]]
        waiting += [(*s, style) for s in ENTITY_TIMES.get(name, 1) * training]
        for words, labels in read_tagged(ner / name / "test.conll"):
            collection.add(f"test {name}", words, style, entity=labels)
    waiting += [(*s, ENTITY_STYLES.index("nakbatr_aa")) for s in read_tagged(ner / "nakbatr_aa" / "aa.conll")]
    train = [s for s in waiting if texts.key(s[0]) not in tests and texts.key(s[0]) not in held]
    for words, labels, style in train:
        collection.add("train", words, style, entity=labels)
    free = informal(data, train)
    for words in [*free, *scraps(free, SCRAPS, random.Random(SEED))]:
        collection.add("train", words, ANY_STYLE, entity=[0] * len(words))
    return collection


def polarity(reviews: list[tuple[int, str]]) -> dict[str, float]:
    """Return how strongly a folded word speaks for a positive review: its log-odds, for words seen often enough."""
    counts = (Counter[str](), Counter[str]())
    for label, text in reviews:
        counts[label].update({fold(w) for w in corpus.tokens(text)})
    totals = [sum(label == side for label, _ in reviews) for side in (0, 1)]
    frequent = [w for w in counts[0] | counts[1] if counts[0][w] + counts[1][w] >= 15]
    return {w: math.log((counts[1][w] + 1) / totals[1]) - math.log((counts[0][w] + 1) / totals[0]) for w in frequent}


def neutral(data: Path, odds: dict[str, float]) -> list[list[str]]:
    """Return sentences that are no reviews: facts of any kind, and everyday ones without a word of praise or blame."""
    chance = random.Random(SEED)
    tests = texts.test_keys(data)
    paragraphs = islice(texts.wikipedia(data, 0.02, SEED), 12_000)
    facts = [corpus.tokens(paragraph)[: chance.randint(5, 40)] for paragraph in paragraphs]
    some = (paragraph for paragraph in texts.official_paragraphs(data) if chance.random() < 0.06)
    facts += [corpus.tokens(paragraph)[: chance.randint(5, 40)] for paragraph in some]
    everyday = [corpus.tokens(s) for s in corpus.raw_singles(data) if chance.random() < 0.35]
    everyday = [s for s in everyday if all(abs(odds.get(fold(w), 0.0)) < STRONG for w in s)]
    chance.shuffle(facts)
    chance.shuffle(everyday)
    half = (NEUTRAL + NEUTRAL_HELD) // 3
    kept = [s for s in [*facts[:half], *everyday[: 2 * half]] if s and texts.key(s) not in tests]
    chance.shuffle(kept)
    return kept


def prepare_reviews(data: Path) -> Collection:
    """Return the reviews, as they stand and written otherwise, and sentences that are none."""
    chance = random.Random(SEED)
    train, dev = corpus.read_sentiment(data)
    test = list(corpus.read_reviews(data / "sentiment" / "winvoker" / "test.tsv"))
    never = {texts.key(t) for _, t in [*test, *dev]}
    train = [r for r in train if texts.key(r[1]) not in never]
    have = {texts.key(t) for _, t in train} | never
    # The rest of winvoker's train file, which the merged file left out.
    extra = [
        r for r in corpus.read_reviews(data / "sentiment" / "winvoker" / "train.tsv") if texts.key(r[1]) not in have
    ]
    print(f"reviews: {len(train):,} and {len(extra):,} more", flush=True)
    collection = Collection(["train", "dev winvoker", "dev neutral", "test winvoker"])

    def add(part: str, label: int, text: str) -> None:
        collection.add(part, corpus.tokens(text) or ["."], 0, sentiment=[2 * label])

    for label, text in [*train, *extra]:
        add("train", label, text)
        add("train", label, change_writing(text, chance))
    for label, text in dev:
        add("dev winvoker", label, text)
    for label, text in test:
        add("test winvoker", label, text)
    others = neutral(data, polarity(train))
    for words in others[:NEUTRAL_HELD]:
        collection.add("dev neutral", words, 0, sentiment=[1])
    for words in others[NEUTRAL_HELD:]:
        collection.add("train", words, 0, sentiment=[1])
        if chance.random() < 0.3:
            collection.add("train", chat(words, chance), 0, sentiment=[1])
    return collection


def main() -> None:
    """Prepare what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--earlier", type=Path, help="joint_vocab.json of a student to go on from")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    tokenizer, record = (
        sentencepiece.SentencePieceProcessor(model_file=str(TOKENIZER)),
        args.work / "record_prepare.json",
    )
    if args.earlier and args.earlier.resolve() == (args.work / "joint_vocab.json").resolve():
        parser.error("--earlier is another run's joint_vocab.json")
    if not (args.work / "joint_vocab.json").exists():
        collection, classes = prepare_syntax(args.data, args.earlier)
        syntax = collection.save(args.work / "joint_syntax.npz", tokenizer, writings=True)
        vocabulary = {
            "styles": STYLES,
            "hands": classes["hands"],
            "entity_styles": ENTITY_STYLES,
            "upos": UPOS,
            "relations": RELATIONS,
            "entities": ENTITIES,
            "sentiment": SENTIMENTS,
            "feats": {"kind": "whole", "labels": classes["feats"], "pairs": classes["pairs"]},
            "lemma": {"scripts": classes["scripts"], "known": classes["known"]},
        }
        settings = {"seed": SEED, "earlier classes": args.earlier is not None, "hands": len(classes["hands"])}
        sizes = {name: len(classes[name]) for name in ("feats", "scripts")}
        note(record, settings=settings, classes=sizes, syntax=syntax)
        write_atomically(args.work / "joint_vocab.json", json.dumps(vocabulary, ensure_ascii=False).encode())
    for name, stage, writings in (("entities", prepare_entities, True), ("reviews", prepare_reviews, False)):
        if not (args.work / f"joint_{name}.npz").exists():
            found = stage(args.data).save(args.work / f"joint_{name}.npz", tokenizer, writings=writings)
            note(record, **{name: found})


if __name__ == "__main__":
    main()
