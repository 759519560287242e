"""Tokens and sentences against the UD treebanks' raw text: ours beside VNLP's tokenizer and other splitters.

    python -m benchmarks.tokens [--data FOLDER] [--part test] [--json FILE]

Tokens: F1 of token places in each sentence's ``# text`` against the surface tokens (range lines), with our `tokenize`,
with `TreebankWordTokenize` (the tokens of VNLP's models), and with `tokenize` on what our splitter makes of paragraphs.
Sentences: ten at a time joined by a space; F1 of their places, as written, in small letters, without the final marks,
and without both. pySBD and sentence-splitter are measured where they are installed. Words: the treebank with
multiword tokens, with surface tokens as they are and with `syntactic_words`.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.treebanks import PARTS, read_treebank, treebank_files
from vnlp_colab.text import SentenceSplitter, TreebankWordTokenize
from vnlp_colab.text.case import lower_case
from vnlp_colab.text.multiword import syntactic_words
from vnlp_colab.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from benchmarks.treebanks import TreebankSentence

    Places = set[tuple[int, int]]

_FINAL_MARKS = re.compile(r"[\s.!?…]+([\"'”’»)\]]*)\s*$")
PARAGRAPH = 10


def _without_final_marks(text: str) -> str:
    return _FINAL_MARKS.sub(r"\1", text) or text


CONDITIONS: dict[str, Callable[[str], str]] = {
    "as written": str,
    "small letters": lower_case,
    "no final marks": _without_final_marks,
    "neither": lambda text: lower_case(_without_final_marks(text)),
}


def f1(pairs: Iterable[tuple[Places, Places]]) -> float:
    """Return F1 in per cent over pairs of right and found places."""
    right = wanted = found = 0
    for gold, ours in pairs:
        right += len(gold & ours)
        wanted += len(gold)
        found += len(ours)
    return 200 * right / (wanted + found) if wanted + found else 100.0


def token_scores(sentences: list[TreebankSentence]) -> dict[str, float]:
    """Return the F1 of tokens for each way to make them."""
    split = SentenceSplitter().split_sentences

    def through_paragraphs() -> Iterator[tuple[Places, Places]]:
        for start in range(0, len(sentences), PARAGRAPH):
            some = sentences[start : start + PARAGRAPH]
            text, places = _joined([sentence.text for sentence in some])
            gold = {
                (first + a, first + b)
                for (first, _), sentence in zip(places, some, strict=True)
                for a, b in sentence.spans
            }
            found = {
                (first + a, first + b)
                for part, first, _ in split(text, offsets=True)
                for _, a, b in tokenize(part, offsets=True)
            }
            yield gold, found

    return {
        "tokenize": f1((set(s.spans), {(a, b) for _, a, b in tokenize(s.text, offsets=True)}) for s in sentences),
        "TreebankWordTokenize": f1(
            (set(s.spans), {(a, b) for _, a, b in TreebankWordTokenize(s.text, offsets=True)}) for s in sentences
        ),
        "paragraphs": f1(through_paragraphs()),
    }


def sentence_scores(texts: list[str], splitters: dict[str, Callable[[str], Places]]) -> dict[str, dict[str, float]]:
    """Return the F1 of sentences for each splitter and condition."""
    scores: dict[str, dict[str, float]] = {name: {} for name in splitters}
    for condition, change in CONDITIONS.items():
        changed = [change(text.strip()) for text in texts]
        paragraphs = [_joined(changed[start : start + PARAGRAPH]) for start in range(0, len(changed), PARAGRAPH)]
        for name, split in splitters.items():
            scores[name][condition] = f1((set(places), split(text)) for text, places in paragraphs)
    return scores


def word_scores(sentences: list[TreebankSentence]) -> dict[str, float]:
    """Return the F1 of syntactic words from gold tokens, kept whole and with the copula split off."""

    def pairs(split: bool) -> Iterator[tuple[Places, Places]]:
        for sentence in sentences:
            gold: Places = set()
            found: Places = set()
            for (start, end), words in zip(sentence.spans, sentence.words, strict=True):
                token = sentence.text[start:end]
                gold.update(_parts(start, end, words))
                found.update(_parts(start, end, (split and syntactic_words(token)) or (token,)))
            yield gold, found

    return {"surface tokens": f1(pairs(split=False)), "syntactic_words": f1(pairs(split=True))}


def _parts(start: int, end: int, words: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the words of a token; words that do not spell it share its place, told apart by number."""
    parts = list(words)
    if sum(map(len, parts)) != end - start:
        yield from ((start, -number) for number, _ in enumerate(parts, 1))
        return
    for word in parts:
        yield start, start + len(word)
        start += len(word)


def _joined(texts: list[str]) -> tuple[str, list[tuple[int, int]]]:
    places, start = [], 0
    for text in texts:
        places.append((start, start + len(text)))
        start += len(text) + 1
    return " ".join(texts), places


def _splitters() -> dict[str, Callable[[str], Places]]:
    ours = SentenceSplitter()
    found: dict[str, Callable[[str], Places]] = {
        "ours": lambda text: {(a, b) for _, a, b in ours.split_sentences(text, offsets=True)}
    }
    try:
        from sentence_splitter import split_text_into_sentences  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        pass
    else:
        found["sentence-splitter"] = lambda text: _placed(text, split_text_into_sentences(text, language="tr"))
    try:
        import pysbd  # type: ignore[import-not-found]
    except ImportError:
        pass
    else:
        segmenter = pysbd.Segmenter(language="en", clean=False)  # it has no rules for Turkish
        found["pySBD"] = lambda text: _placed(text, segmenter.segment(text))
    return found


def _placed(text: str, sentences: Iterable[str]) -> Places:
    places, end = set(), 0
    for sentence in sentences:
        stripped = sentence.strip()
        start = text.find(stripped, end)
        if stripped and start >= 0:
            end = start + len(stripped)
            places.add((start, end))
    return places


def measure(folder: Path | None, part: str) -> dict[str, dict[str, object]]:
    """Return all scores by treebank."""
    splitters = _splitters()
    result: dict[str, dict[str, object]] = {}
    for name, path in treebank_files(folder, part).items():
        sentences = read_treebank(path)
        scores: dict[str, object] = {
            "sentences": len(sentences),
            "tokens": token_scores(sentences),
            "splitting": sentence_scores([sentence.text for sentence in sentences], splitters),
        }
        if any(len(words) > 1 for sentence in sentences for words in sentence.words):
            scores["words"] = word_scores(sentences)
        result[name] = scores
    return result


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tokens", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks")
    parser.add_argument("--part", choices=PARTS, default="test")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures here, too")
    args = parser.parse_args()
    result = measure(args.data, args.part)
    for title, kind in (("Tokens, F1 in %", "tokens"), ("Words, F1 in %", "words")):
        print(f"\n{title} ({args.part})")
        for name, scores in result.items():
            if kind in scores:
                print(f"  {name:10}" + "  ".join(f"{way} {score:.2f}" for way, score in scores[kind].items()))  # type: ignore[attr-defined]
    print(f"\nSentences, F1 in % ({args.part}), ten joined at a time: {', '.join(CONDITIONS)}")
    for name, scores in result.items():
        for splitter, by_condition in scores["splitting"].items():  # type: ignore[attr-defined]
            print(f"  {name:10}{splitter:20}" + "".join(f"{score:8.2f}" for score in by_condition.values()))
    if args.json:
        args.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
