"""Stage 1: train the SentencePiece unigram tokenizer (16,000 pieces, 0 ``<PAD>``, 1 ``<UNK>``, cased).

python -m training.tokenizer --data DATA --work WORK
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import sentencepiece

from training import corpus
from vnlp_colab.text.case import lower_case, upper_case

FILE = "SPU_vnlp_colab_16k.model"
PIECES = 16_000
SEED = 20_26


def write_text(data: Path, path: Path, wikipedia_share: float) -> None:
    """Write the tokenizer's training text: words apart by spaces, so that no piece crosses a word."""
    chance = random.Random(SEED)
    trees, _ = corpus.read_treebanks(data)
    entities, _ = corpus.read_entities(data)
    reviews, _ = corpus.read_sentiment(data)
    with path.open("w", encoding="utf-8") as out:

        def write(words: list[str]) -> None:
            # Upper-case text is rare in the sources but whole treebanks and many reviews are in capitals.
            text, draw = " ".join(words), chance.random()
            out.write((upper_case(text) if draw < 0.12 else lower_case(text) if draw < 0.20 else text) + "\n")

        for sentence in trees:
            write(sentence.words)
        for words, _ in entities:
            write(words)
        for _, text in reviews:
            write(corpus.tokens(text))
        for text in corpus.sample(corpus.raw_paragraphs(data), wikipedia_share, SEED):
            write(corpus.tokens(text))


def main() -> None:
    """Write the text, train, and leave the model in the work folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--wikipedia-share", type=float, default=0.12)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    if (args.work / FILE).exists():
        print(f"{args.work / FILE} is there; nothing to do")
        return
    text = args.work / "tokenizer.txt"
    write_text(args.data, text, args.wikipedia_share)
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(args.work / Path(FILE).stem) + ".part",
        model_type="unigram",
        vocab_size=PIECES,
        pad_id=0,
        unk_id=1,
        bos_id=-1,
        eos_id=-1,
        pad_piece="<PAD>",
        unk_piece="<UNK>",
        character_coverage=0.9998,
        max_sentence_length=8000,
        num_threads=2,
        input_sentence_size=700_000,
        shuffle_input_sentence=True,
        seed_sentencepiece_size=300_000,
    )
    (args.work / (Path(FILE).stem + ".part.model")).rename(args.work / FILE)
    text.unlink()


if __name__ == "__main__":
    main()
