"""Stage 2: turn the labelled data into integer arrays.

python -m training.prepare --data DATA --work WORK
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
import sentencepiece

from training import corpus, tokenizer
from training.arrays import ENTITIES, OUTSIDE, RELATIONS, UPOS, WINDOW, build_store
from vnlp_colab.text.case import lower_case, upper_case

PIECES_PER_REVIEW = 256
SEED = 7
_ASCII = str.maketrans("çğıöşüÇĞİÖŞÜâîûÂÎÛ", "cgiosuCGIOSUaiuAIU")


def prepare_syntax(data: Path, work: Path, pieces: sentencepiece.SentencePieceProcessor) -> None:
    """Write words, tags, heads and relations of the treebanks."""
    train, validation = corpus.read_treebanks(data)
    sentences = [s for s in [*train, *validation] if s.words]
    tag, relation = {t: i for i, t in enumerate(UPOS)}, {r: i for i, r in enumerate(RELATIONS)}
    labels = {
        "upos": np.array([tag[t] for s in sentences for t in s.upos], np.uint8),
        "head": np.array(
            [h if h <= WINDOW and i < WINDOW else OUTSIDE for s in sentences for i, h in enumerate(s.heads)], np.uint8
        ),
        "relation": np.array([relation[r] for s in sentences for r in s.relations], np.uint8),
    }
    build_store(pieces, (s.words for s in sentences), labels, train=len(train), cases=True).save(work / "syntax.npz")


def prepare_entities(data: Path, work: Path, pieces: sentencepiece.SentencePieceProcessor) -> None:
    """Write words and entity types."""
    train, validation = corpus.read_entities(data)
    sentences = [*train, *validation]
    kind = {e: i for i, e in enumerate(ENTITIES)}
    labels = {"entity": np.array([kind[t] for _, types in sentences for t in types], np.uint8)}
    build_store(pieces, (w for w, _ in sentences), labels, train=len(train), cases=True).save(work / "entities.npz")


def change_writing(text: str, chance: random.Random) -> str:
    """Return the review as others would type it: without capitals, without Turkish letters, or all in capitals."""
    draw = chance.random()
    if draw < 0.45:
        return lower_case(text)
    return lower_case(text).translate(_ASCII) if draw < 0.8 else upper_case(text)


def prepare_reviews(data: Path, work: Path, pieces: sentencepiece.SentencePieceProcessor) -> None:
    """Write the last 256 pieces of each review, as it stands and written another way, and its label."""
    train, validation = corpus.read_sentiment(data)
    chance = random.Random(SEED)
    reviews = [*train, *validation]
    texts = [*(t for _, t in reviews), *(change_writing(t, chance) for _, t in train)]
    ids = [p[-PIECES_PER_REVIEW:] for p in pieces.encode(texts)]
    np.savez_compressed(
        work / "reviews.npz",
        pieces=np.concatenate([np.array(p, np.uint16) for p in ids]),
        offsets=np.concatenate([[0], np.cumsum([len(p) for p in ids])]),
        label=np.array([label for label, _ in [*reviews, *train]], np.uint8),
        train=len(train),
        validation=len(validation),
    )


def main() -> None:
    """Prepare what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    args = parser.parse_args()
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(args.work / tokenizer.FILE))
    for name, stage in (("syntax", prepare_syntax), ("entities", prepare_entities), ("reviews", prepare_reviews)):
        if not (args.work / f"{name}.npz").exists():
            stage(args.data, args.work, pieces)
            print(f"wrote {args.work / name}.npz", flush=True)


if __name__ == "__main__":
    main()
