"""Stage 2: raw text as sentences for the teachers to label.

python -m training.joint.raw --data DATA --work WORK

Single sentences of Tatoeba and Common Voice, laws, manuals, a blog, reviews of supplements and a share of Wikipedia,
without any sentence that stands in a test file. Kept as words and their numbers: pieces are made where they are needed,
which is quicker than to carry them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter
from itertools import chain, islice
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import sentencepiece

from training import corpus
from training.arrays import encode_words, sentences_that_train, write_arrays
from training.joint import hands, texts
from training.joint.constants import ANY_STYLE, TOKENIZER
from training.joint.record import note
from training.raw import split_tokens
from vnlp_colab.joint.affixes import encode_affixes

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 23
LONGEST = 60
BLOCK = 2000
# Shares of the sentences that the student sees in lower case, in capitals, without Turkish letters.
WRITING_SHARES = (0.82, 0.07, 0.04, 0.07)
TREEBANK_TIMES = 3  # how often a treebank's sentence is among them


def sentences_of(block: tuple[str, ...]) -> list[str]:
    """Return the sentences of some paragraphs, tokens apart by spaces."""
    return [
        " ".join(sentence)
        for paragraph in block
        for sentence in split_tokens(corpus.tokens(paragraph))
        if 2 <= len(sentence) <= LONGEST
    ]


def in_blocks(paragraphs: Iterator[str]) -> Iterator[tuple[str, ...]]:
    """Yield the paragraphs in blocks."""
    while block := tuple(islice(paragraphs, BLOCK)):
        yield block


def collect(data: Path, sentences: int, share: float) -> list[str]:
    """Return so many raw sentences, none twice and none of a test file, shuffled."""
    others = (p for _, p in texts.other_paragraphs(data))
    paragraphs = chain(corpus.raw_singles(data), others, texts.wikipedia(data, share, SEED))
    seen = texts.test_keys(data)
    kept: list[str] = []
    with Pool(os.cpu_count()) as pool:
        for found in pool.imap(sentences_of, in_blocks(paragraphs)):
            for sentence in found:
                name = texts.key(sentence)
                if name not in seen:
                    seen.add(name)
                    kept.append(sentence)
            if len(kept) >= sentences:
                pool.terminate()
                break
    random.Random(SEED).shuffle(kept)
    return kept


def save(path: Path, sentences: list[str]) -> dict[str, int]:
    """Write words by frequency and the sentences as their numbers, two bytes and the rest apart: it packs well.

    Sentences have a writing in which the student will see them; words that occur in such sentences have that writing
    among the words, under ``lower``, ``upper`` or ``ascii``.
    """
    counts = Counter(word for sentence in sentences for word in sentence.split(" "))
    words = ["", *(word for word, _ in counts.most_common())]
    number = {word: i for i, word in enumerate(words)}
    writing = np.random.default_rng(SEED).choice(4, len(sentences), p=WRITING_SHARES).astype(np.uint8)
    flat = np.array([number[word] for sentence in sentences for word in sentence.split(" ")], np.int32)
    lengths = np.array([sentence.count(" ") + 1 for sentence in sentences], np.uint8)
    each = np.repeat(writing, lengths)
    other = {}
    for kind, name in ((1, "lower"), (2, "upper"), (3, "ascii")):
        used = np.unique(flat[each == kind])
        other[f"{name}_from"] = used.astype(np.int32)
        changed = []
        for i in used:
            word = texts.write_as(words[i], kind)
            if word not in number:
                number[word] = len(words)
                words.append(word)
            changed.append(number[word])
        other[f"{name}_to"] = np.array(changed, np.int32)
    text = np.frombuffer("\n".join(words).encode(), np.uint8)
    low, high = (flat & 0xFFFF).astype(np.uint16), (flat >> 16).astype(np.uint8)
    own: dict[str, np.ndarray] = {"text": text, "low": low, "high": high, "lengths": lengths, "writing": writing}
    write_arrays(path, own | other)
    print(f"{len(sentences):,} sentences, {len(flat):,} words, {len(words):,} distinct", flush=True)
    return {"sentences": len(sentences), "words": len(flat), "distinct words": len(words)}


def expand(work: Path) -> None:
    """Write ``silver.npz``: what `save` wrote, with pieces and affixes of every word and whole tables of writings."""
    with np.load(work / "silver_text.npz") as file:
        arrays = {name: file[name] for name in file.files}
    words = arrays["text"].tobytes().decode().split("\n")
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(TOKENIZER))
    with Pool(os.cpu_count()) as pool:
        affixes = np.concatenate(pool.map(encode_affixes, np.array_split(np.array(words, object), 64)))
    pieces = encode_words(tokenizer, words)
    pieces[0] = 0
    tables = {}
    for name in ("lower", "upper", "ascii"):
        tables[name] = np.arange(len(words), dtype=np.int32)
        tables[name][arrays[f"{name}_from"]] = arrays[f"{name}_to"]
    flat = arrays["low"].astype(np.int32) | (arrays["high"].astype(np.int32) << 16)
    offsets = np.concatenate([[0], np.cumsum(arrays["lengths"], dtype=np.int64)])
    whole = {"pieces": pieces, "affixes": affixes, "words": flat, "offsets": offsets, "writing": arrays["writing"]}
    write_arrays(work / "silver.npz", whole | tables, packed=False)
    print(f"{len(offsets) - 1:,} sentences expanded", flush=True)


def load_silver(work: Path, sentences: int | None = None, part: int = 0) -> dict[str, np.ndarray]:
    """Return the arrays of the raw sentences, expanded where that was not done yet.

    With `sentences` only so many, another stretch of them for each `part`, as far as there are.
    """
    if not (work / "silver.npz").exists():
        expand(work)
    with np.load(work / "silver.npz") as file:
        arrays = {name: file[name] for name in file.files}
    count = len(arrays["writing"])
    if sentences is None or sentences >= count:
        return arrays
    begin = part * sentences % (count - sentences + 1)
    offsets = arrays["offsets"][begin : begin + sentences + 1]
    arrays["words"] = arrays["words"][offsets[0] : offsets[-1]]
    arrays["offsets"] = offsets - offsets[0]
    arrays["writing"] = arrays["writing"][begin : begin + sentences]
    return arrays


def with_treebanks(raw: dict[str, np.ndarray], work: Path) -> dict[str, np.ndarray]:
    """Return raw sentences and the treebanks' training sentences as such, twice in their own style, once in any.

    In its own style a sentence is labelled in the hand that its collection ends in.
    """
    with np.load(work / "joint_syntax.npz") as file:
        own = {name: file[name] for name in file.files}
    train = sentences_that_train(own)
    lengths = np.diff(own["offsets"])
    words = own["words"][np.repeat(train, lengths)] + len(raw["pieces"])
    offsets = np.concatenate([raw["offsets"], raw["offsets"][-1] + np.cumsum(np.tile(lengths[train], TREEBANK_TIMES))])
    style, count = own["style"][train], len(raw["writing"])
    names = json.loads((work / "joint_vocab.json").read_text(encoding="utf-8"))["hands"]
    last = hands.ends(names)
    end = np.array([hands.NONE, *(last.get(hands.collection_in(name), hands.NONE) for name in names)])
    hand = np.concatenate([np.full(count, hands.ANY), np.tile(end[own["hand"][train]], TREEBANK_TIMES)])
    styles = [np.full(count, ANY_STYLE), np.tile(style, TREEBANK_TIMES - 1), np.full(len(style), ANY_STYLE)]
    drawn = np.random.default_rng(SEED).choice(4, TREEBANK_TIMES * len(style), p=WRITING_SHARES)
    return {
        "pieces": np.concatenate([raw["pieces"], own["pieces"].astype(raw["pieces"].dtype)]),
        "affixes": np.concatenate([raw["affixes"], own["affixes"].astype(raw["affixes"].dtype)]),
        "words": np.concatenate([raw["words"], np.tile(words, TREEBANK_TIMES)]),
        "offsets": offsets,
        "style": np.concatenate(styles),
        "hand": hand,
        "writing": np.concatenate([raw["writing"], drawn]),
        **{n: np.concatenate([raw[n], own[n] + len(raw["pieces"])]) for n in ("lower", "upper", "ascii")},
    }


def main() -> None:
    """Write ``silver_text.npz``, or with ``--expand`` ``silver.npz``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--sentences", type=int, default=2_000_000)
    parser.add_argument("--share", type=float, default=0.45, help="of the paragraphs of Wikipedia")
    parser.add_argument("--expand", action="store_true", help="make pieces and affixes of what is there")
    args = parser.parse_args()
    if args.expand:
        load_silver(args.work)
        return
    path = args.work / "silver_text.npz"
    if not path.exists():
        args.work.mkdir(parents=True, exist_ok=True)
        settings = {"seed": SEED, "sentences": args.sentences, "share of Wikipedia": args.share, "longest": LONGEST}
        found = save(path, collect(args.data, args.sentences, args.share))
        note(args.work / "record_raw.json", settings=settings, found=found)


if __name__ == "__main__":
    main()
