"""Command line: train the deasciifier from raw text, or measure the packaged one on the held-out sentences.

python -m training.deasciifier train --raw DATA/raw [--output FILE]
python -m training.deasciifier evaluate --raw DATA/raw [--part test] [--upstream DIR] [--wrong 50]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from training.deasciifier import corpus, evaluate, model
from vnlp_colab.text import Normalizer
from vnlp_colab.text.deasciifier import MODEL_FILE


def main() -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(prog="python -m training.deasciifier", description=__doc__)
    parser.add_argument("command", choices=("train", "evaluate"))
    parser.add_argument("--raw", type=Path, required=True, help="folder with wikipedia_tr.txt.xz and the spoken sets")
    parser.add_argument("--output", type=Path, default=Path("vnlp_colab/text/deasciifier") / MODEL_FILE)
    parser.add_argument("--part", choices=("test", "dev"), default="test")
    parser.add_argument("--upstream", type=Path, help="folder that holds the `vnlp` package of vngrs-nlp")
    parser.add_argument("--wrong", type=int, default=0, help="show this many of the most frequent mistakes")
    args = parser.parse_args()
    if args.command == "train":
        data = model.train(corpus.read(args.raw))
        args.output.write_bytes(data)
        print(f"{args.output}: {len(data):,} bytes")
        return
    sentences = corpus.held_out(args.raw, args.part)
    wrong: list[tuple[str, str]] = []
    accuracy = evaluate.word_accuracy(Normalizer.deasciify, sentences, wrong)
    print(f"{len(sentences):,} sentences, ours: {100 * accuracy:.2f} %")
    for (word, guess), number in Counter(wrong).most_common(args.wrong):
        print(f"{number:6} {word} read as {guess}")
    if args.upstream:
        # The file alone: the package around it would import TensorFlow.
        sys.path.insert(0, str(args.upstream / "vnlp" / "normalizer"))
        from _deasciifier import Deasciifier  # type: ignore[import-not-found]

        accuracy = evaluate.word_accuracy(
            lambda tokens: [Deasciifier(t).convert_to_turkish() for t in tokens], sentences
        )
        print(f"upstream, token by token as its Normalizer does: {100 * accuracy:.2f} %")
        accuracy = evaluate.word_accuracy(lambda tokens: _whole(Deasciifier, tokens), sentences)
        print(f"upstream, whole sentences: {100 * accuracy:.2f} %")


def _whole(deasciifier: type, tokens: list[str]) -> list[str]:
    text = deasciifier(" ".join(tokens)).convert_to_turkish()
    return str(text).split(" ")


if __name__ == "__main__":
    main()
