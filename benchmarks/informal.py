"""How well a sentence typed without Turkish letters is noticed and mended, and what is done to ordinary sentences.

    python -m benchmarks.informal [--data FOLDER] [--part test] [--json FILE]

Each sentence of the UD treebanks that has a Turkish letter is stripped of them. Noticed: the share of the stripped
sentences `auto` acts on. Words: the share of their words that come back as they were, with `auto` and left alone.
Changed: how many sentences in a thousand each step changes when they are given as written. Lower case: the share of
the words in capitals with an ``I`` (Tourism is written in capitals by Turks) that keep their ``ı``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.treebanks import PARTS, read_treebank, treebank_files
from vnlp_colab.text.case import lower_case
from vnlp_colab.text.foreign import lower_word
from vnlp_colab.text.informal import mend_tokens, typed_without_turkish_letters
from vnlp_colab.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

TURKISH = "çğıöşüÇĞİÖŞÜ"
STRIP = str.maketrans(TURKISH, "cgiosuCGIOSU")
STEPS = ("auto", "chat", "repeats")


def noticing_scores(texts: Sequence[str]) -> dict[str, float]:
    """Return what becomes of the sentences with Turkish letters when they are stripped of them."""
    noticed = words = mended = alone = stripped = 0
    for text in texts:
        tokens = tokenize(text)
        ascii_tokens = [token.translate(STRIP) for token in tokens]
        if ascii_tokens == tokens:
            continue
        stripped += 1
        noticed += typed_without_turkish_letters(ascii_tokens)
        for token, given, back in zip(tokens, ascii_tokens, mend_tokens(ascii_tokens, "auto"), strict=True):
            if any(map(str.isalpha, token)):
                words += 1
                mended += token == back
                alone += token == given
    return {
        "stripped sentences": stripped,
        "noticed, %": 100 * noticed / stripped,
        "words right with auto, %": 100 * mended / words,
        "words right left alone, %": 100 * alone / words,
    }


def changed_scores(texts: Sequence[str]) -> dict[str, float]:
    """Return how many ordinary sentences in a thousand each step changes."""
    token_lists = [tokenize(text) for text in texts]
    return {
        f"changed by {step}, of 1,000": 1000
        * sum(mend_tokens(tokens, step) != tokens for tokens in token_lists)
        / len(texts)
        for step in STEPS
    }


def capitals_score(texts: Sequence[str]) -> dict[str, float]:
    """Return the share of words in capitals with an I that `lower_word` gives an ı; nothing if there are too few."""
    words = [token for text in texts for token in tokenize(text) if "I" in token and token.isupper() and len(token) > 2]
    right = sum(lower_word(word) == lower_case(word) for word in words)
    return {"capitals with ı, %": 100 * right / len(words)} if len(words) > len(texts) / 10 else {}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.informal", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks")
    parser.add_argument("--part", choices=PARTS, default="test")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures here, too")
    args = parser.parse_args()
    result = {}
    for name, path in treebank_files(args.data, args.part).items():
        texts = [sentence.text for sentence in read_treebank(path)]
        result[name] = noticing_scores(texts) | changed_scores(texts) | capitals_score(texts)
        print(f"{name} ({args.part}, {len(texts):,} sentences)")
        for title, score in result[name].items():
            print(f"  {title:28}{score:10,.2f}")
    if args.json:
        args.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
