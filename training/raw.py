"""Stage 3: turn the raw text into a stream of pieces for pre-training and into sentences for the teachers to label.

python -m training.raw --data DATA --work WORK
"""

from __future__ import annotations

import argparse
import os
import random
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import sentencepiece

from training import corpus, tokenizer
from training.arrays import WINDOW, Store, build_store
from vnlp_colab.text.case import lower_case, upper_case

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 11
BLOCK = 2000  # paragraphs a worker takes at a time
SILVER_SHARE = 0.2  # of the sentences of Wikipedia; the single sentences of the other sources are all taken
_ENDS = {".", "!", "?", "...", "…"}
_pieces: sentencepiece.SentencePieceProcessor | None = None


def _start(model: str) -> None:
    global _pieces
    _pieces = sentencepiece.SentencePieceProcessor(model_file=model)


def in_blocks(paragraphs: Iterator[str]) -> Iterator[tuple[str, ...]]:
    """Yield the paragraphs in blocks."""
    while block := tuple(islice(paragraphs, BLOCK)):
        yield block


def split_tokens(tokens: list[str]) -> list[list[str]]:
    """Cut a paragraph's tokens into sentences at marks that a capital follows: rough, but enough for silver data."""
    sentences, start = [], 0
    for i in range(len(tokens) - 1):
        if tokens[i] in _ENDS and (tokens[i + 1][0].isupper() or not tokens[i + 1][0].isalnum()):
            sentences.append(tokens[start : i + 1])
            start = i + 1
    return [*sentences, tokens[start:]]


def encode_block(block: tuple[int, tuple[str, ...]]) -> tuple[np.ndarray, list[str]]:
    """Return the block's pieces, some paragraphs in another case, and a sample of its sentences."""
    assert _pieces is not None
    number, paragraphs = block
    chance = random.Random(SEED + number)
    texts, silver = [], []
    for paragraph in paragraphs:
        tokens = corpus.tokens(paragraph)
        silver += [
            " ".join(sentence)
            for sentence in split_tokens(tokens)
            if 3 <= len(sentence) <= WINDOW and (number < 0 or chance.random() < SILVER_SHARE)
        ]
        text, draw = " ".join(tokens), chance.random()
        texts.append(lower_case(text) if draw < 0.06 else upper_case(text) if draw < 0.1 else text)
    return np.array([p for ids in _pieces.encode(texts) for p in ids], np.uint16), silver


def main() -> None:
    """Write ``stream.npy`` and ``silver.npz``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--blocks", type=int, default=None, help="stop after this many blocks (to try it out)")
    args = parser.parse_args()
    if (args.work / "silver.npz").exists():
        return
    model = str(args.work / tokenizer.FILE)
    # The first two sources are single sentences: block numbers below 0, no sampling there.
    singles = sum(1 for _ in corpus.raw_singles(args.data))
    blocks = (
        (number - singles // BLOCK - 1, block)
        for number, block in enumerate(in_blocks(corpus.raw_paragraphs(args.data)))
        if args.blocks is None or number < args.blocks
    )
    stream, silver = [], []
    with Pool(os.cpu_count(), _start, (model,)) as pool:
        for pieces, sentences in pool.imap(encode_block, blocks):
            stream.append(pieces)
            silver += sentences
    reviews = np.load(args.work / "reviews.npz")
    syntax = Store.load(args.work / "syntax.npz")
    known = syntax.pieces[syntax.words[: syntax.offsets[syntax.train]]].ravel()
    held = reviews["offsets"][[reviews["train"], reviews["train"] + reviews["validation"]]]
    # Reviews read unlike Wikipedia: as they stand and written another way, twice each, they are a seventh of the text.
    labelled = np.concatenate([known[known > 0], *2 * [np.delete(reviews["pieces"], slice(*held))]])
    stream += np.array_split(labelled, max(1, len(labelled) // 100_000))
    random.Random(SEED).shuffle(stream)
    np.save(args.work / "stream.npy", np.concatenate(stream))
    random.Random(SEED).shuffle(silver)
    _start(model)
    assert _pieces is not None
    build_store(_pieces, (s.split(" ") for s in silver), train=len(silver)).save(args.work / "silver.npz")
    print(f"{sum(map(len, stream)):,} pieces, {len(silver):,} silver sentences", flush=True)


if __name__ == "__main__":
    main()
