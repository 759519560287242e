"""Test sentences that also stand in training files: count them, and write the test files without them.

python -m training.leakage --data DATA [--output FOLDER]

A sentence stands in another file if one there has the same syntactic words. All six treebanks train one network, so the
files of every treebank count (train, and what is trained on of dev), not only those of the same one.

``--joint WORK`` looks through what the joint network and the tables beside it learn from instead: test sentences of
entities and reviews among what is labelled, test sentences of any set among raw text, a treebank's own test sentences
among what its usage and multiword tokens are learnt from, those of any treebank among sentences without marks. All must
be none, or it ends with 1. The treebanks' train files are left as published; what they repeat is counted without
``--joint``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.treebanks import read_treebank
from training.corpus import TREEBANKS, VALIDATION_PER_TREEBANK, read_bio, read_conllu, read_reviews, read_treebanks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def test_file(data: Path, treebank: str) -> Path:
    """Return the place of a treebank's test file."""
    return data / "ud" / f"UD_Turkish-{treebank}" / f"tr_{treebank.lower()}-ud-test.conllu"


def own_train_sentences(data: Path, treebank: str) -> set[tuple[str, ...]]:
    """Return the sentences of a treebank's own train file."""
    path = test_file(data, treebank).with_name(f"tr_{treebank.lower()}-ud-train.conllu")
    return {tuple(words.words) for words, _ in read_conllu(path)}


def all_train_sentences(data: Path, held: int = VALIDATION_PER_TREEBANK) -> set[tuple[str, ...]]:
    """Return every sentence the syntax networks are trained on, with so many of each dev file held out."""
    return {tuple(sentence.words) for sentence in read_treebanks(data, held)[0]}


def write_sentences(paths: Iterable[Path], keep: Callable[[tuple[str, ...]], bool], output: Path) -> None:
    """Write the sentences of CoNLL-U files whose words are to be kept."""
    with output.open("w", encoding="utf-8") as out:
        for path in paths:
            blocks = [block for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]
            sentences = (tuple(words.words) for words, _ in read_conllu(path))
            for block, words in zip(blocks, sentences, strict=True):
                if keep(words):
                    out.write(block.strip("\n") + "\n\n")


def joint_leaks(data: Path, work: Path) -> dict[str, int]:
    """Return how many sentences the joint network learns from are test sentences, by what is learnt.

    Letters alone are compared, without case and Turkish letters. Sentences of fewer than three words are not counted
    among the entities: *Ankara* stands everywhere.
    """
    from training.joint import neighbours, texts
    from training.joint.praise import Candidates
    from training.joint.prepare import prepare_entities, prepare_reviews

    ner = {
        texts.key(w)
        for name in texts.ENTITY_SETS
        for w, _ in read_bio(data / "ner" / name / "test.conll")
        if len(w) > 2
    }
    reviews = {texts.key(t) for _, t in read_reviews(data / "sentiment" / "winvoker" / "test.tsv")} - {""}
    found = {}
    for name, made, test in (("entities", prepare_entities, ner), ("reviews", prepare_reviews, reviews)):
        collection = made(data)
        learnt = [s for s, part in zip(collection.sentences, collection.part, strict=True) if part == 0]
        found[name] = sum(texts.key(s) in test for s in learnt if name == "reviews" or len(s) > 2)
    with np.load(work / "silver_text.npz") as file:
        words = np.array(file["text"].tobytes().decode().split("\n"), object)
        flat = file["low"].astype(np.int32) | (file["high"].astype(np.int32) << 16)
        sentences = np.split(words[flat], np.cumsum(file["lengths"], dtype=np.int64)[:-1])
    tests = texts.test_keys(data)
    found["everyday praise and blame"] = sum(texts.key(example.text) in reviews for example in Candidates(data).found)
    sides = neighbours.sides(data, neighbours.SENTENCES)
    each = (words for side in sides for words in (side.words, side.beside))
    found["names side by side"] = sum(texts.key(words) in tests for words in each)
    found |= _leaks_beside(data)
    return found | {"raw": sum(texts.key(list(s)) in tests for s in sentences)}


def _leaks_beside(data: Path) -> dict[str, int]:
    """Return the same for the tables beside the network, which are learnt from treebanks."""
    from training import multiword, unmarked
    from training.joint import texts, usage

    written = {name: {texts.key(s.text) for s in read_treebank(test_file(data, name))} for name in TREEBANKS}
    of_usage = 0
    for name in TREEBANKS:
        own = {texts.key(words.words) for words, _ in read_conllu(test_file(data, name))}
        of_usage += sum(texts.key(s.words) in own for s in usage.sentences_of(data, name)[0])
    lines = [text for part in ("train", "dev") for each in unmarked.texts(data / "ud", part).values() for text in each]
    every = set().union(*written.values())
    tokens = multiword.read_tokens(data / "ud")
    return {
        "usage": of_usage,
        "sentences without marks": sum(texts.key(text) in every for text in lines),
        "multiword tokens": sum(texts.key([token for token, _ in s]) in written["BOUN"] for s in tokens),
    }


def main() -> None:
    """Print the shares; with an output folder, keep the cleaned files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, help="folder for the test files without the sentences of any train file")
    parser.add_argument("--joint", type=Path, help="look through the joint network's arrays in this folder instead")
    args = parser.parse_args()
    if args.joint:
        leaks = joint_leaks(args.data, args.joint)
        for name, count in leaks.items():
            print(f"{name}: {count} test sentences among what is learnt from")
        if any(leaks.values()):
            raise SystemExit(1)
        return
    everything = all_train_sentences(args.data)
    for name in TREEBANKS:
        test = [tuple(words.words) for words, _ in read_conllu(test_file(args.data, name))]
        own = own_train_sentences(args.data, name)
        shares = [100 * sum(words in seen for words in test) / len(test) for seen in (own, everything)]
        print(f"{name}: {shares[0]:.1f} % in its train file, {shares[1]:.1f} % in any sentence trained on")
        if args.output:
            args.output.mkdir(parents=True, exist_ok=True)
            path = test_file(args.data, name)
            write_sentences([path], lambda words: words not in everything, args.output / path.name)


if __name__ == "__main__":
    main()
