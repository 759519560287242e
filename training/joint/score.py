"""Stage 7: every measure of the joint network, of the trained student or of the file the package ships.

python -m training.joint.score --data DATA [--kind test] [--student WORK] [--only NAME ...] [--output FILE.json]

Without ``--student`` the shipped file answers. Gold words, whole trees; features, lemmas and relations (subtypes too)
must be equal to the letter. ``--only`` takes some of: treebanks, generic, conll18 (the shared task's measures, on gold
words and from raw text; of the shipped file only), entities, reviews, lists, writings, lengths.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from training import corpus
from training.joint import texts
from training.joint.analysers import Analyser, Answer, PackageAnalyser, StudentAnalyser
from training.joint.constants import ENTITIES
from training.joint.f1 import f1_of_reviews, f1_of_spans, spans
from training.joint.prepare import read_tagged
from training.joint.treebanks import HELD, Analysed, read_analysed
from training.leakage import all_train_sentences
from vnlp_colab.text.case import lower_case, upper_case

if TYPE_CHECKING:
    from collections.abc import Callable

Tagged = tuple[list[str], list[int]]
Scores = dict[str, float]
LISTS = Path(__file__).parent / "lists"
LENGTHS = ((1, 5), (6, 10), (11, 20), (21, 40), (41, 10_000))
CONFIDENT = 0.2, 0.8  # what a user would read as a clear answer
UNSEEN = ", sentences not trained on"
# How the sentences of the lists may be typed, too.
TYPED: dict[str, Callable[[str], str]] = {
    "": str,
    ", small letters, no last mark": lambda text: lower_case(text.rstrip(" .!?…")) or text,
    ", capitals": upper_case,
    ", first letter large": lambda text: upper_case(text[:1]) + text[1:],
}
_BIO = {name: number for number, name in enumerate(ENTITIES)}


def count_hits(gold: Analysed, answer: Answer) -> Counter[str]:
    """Return how many words of a sentence are right, by measure."""
    heads = [a == b for a, b in zip(gold.heads, answer.heads, strict=True)]
    relations = [a == b for a, b in zip(gold.relations, answer.relations, strict=True)]
    return Counter(
        words=len(gold.words),
        upos=sum(a == b for a, b in zip(gold.upos, answer.upos, strict=True)),
        feats=sum(a == b for a, b in zip(gold.feats, answer.feats, strict=True)),
        lemma=sum(a == b for a, b in zip(gold.lemmas, answer.lemmas, strict=True)),
        uas=sum(heads),
        las=sum(a and b for a, b in zip(heads, relations, strict=True)),
    )


def shares(counts: Counter[str]) -> Scores:
    """Return the counts as shares of the words, in percent."""
    words = counts["words"]
    found = {name: round(100 * counts[name] / max(1, words), 2) for name in ("upos", "feats", "lemma", "uas", "las")}
    return found | {"words": words}


class Treebanks:
    """The sentences of the six files of a kind: of ``dev`` those that were held out, of ``test`` all."""

    def __init__(self, data: Path, kind: str) -> None:
        self.files = {
            name: [
                whole
                for whole, _ in read_analysed(texts.treebank_file(data, name, kind))[: HELD if kind == "dev" else None]
            ]
            for name in corpus.TREEBANKS
        }
        self._data = data

    def hits(self, analyse: Analyser, *, styled: bool, writing: int = 0) -> dict[str, list[Counter[str]]]:
        """Return the right words of every sentence of every file; words can be written otherwise."""
        found = {}
        for name, sentences in self.files.items():
            words = [[texts.write_as(w, writing) for w in s.words] for s in sentences]
            answers = analyse(words, style=name.lower() if styled else "generic")
            found[name] = [count_hits(gold, answer) for gold, answer in zip(sentences, answers, strict=True)]
        return found

    def treebanks(self, analyse: Analyser) -> dict[str, Scores]:
        """Return each file's scores in its own style, all together, and without sentences that were trained on."""
        return self._scored(self.hits(analyse, styled=True))

    def generic(self, analyse: Analyser) -> dict[str, Scores]:
        """Return the same without the style."""
        return self._scored(self.hits(analyse, styled=False), ", generic")

    def _scored(self, hits: dict[str, list[Counter[str]]], what: str = "") -> dict[str, Scores]:
        """Return the scores of each file and of all, and the same of sentences that none trained on is like."""
        found = {f"{name}{what}": shares(total(each)) for name, each in hits.items()}
        found[f"pooled{what}"] = shares(total([c for each in hits.values() for c in each]))
        new = {
            name: [c for c, s in zip(each, self.files[name], strict=True) if texts.key(s.words) not in self._seen]
            for name, each in hits.items()
        }
        found |= {f"{name}{what}{UNSEEN}": shares(total(each)) for name, each in new.items()}
        found[f"pooled{what}{UNSEEN}"] = shares(total([c for each in new.values() for c in each]))
        return found

    @cached_property
    def _seen(self) -> set[str]:
        return {texts.key(words) for words in all_train_sentences(self._data, HELD)}

    def writings(self, analyse: Analyser) -> dict[str, Scores]:
        """Return the scores of all files written otherwise, in their style."""
        found = {}
        for writing, name in enumerate(texts.WRITINGS):
            if writing:
                hits = self.hits(analyse, styled=True, writing=writing)
                found[f"pooled, {name}"] = shares(total([c for each in hits.values() for c in each]))
        return found

    def lengths(self, analyse: Analyser) -> dict[str, Scores]:
        """Return the scores by the length of sentences."""
        every = [c for each in self.hits(analyse, styled=True).values() for c in each]
        return {
            f"{low} to {high} words" if high < 10_000 else f"more than {low - 1} words": shares(
                total([c for c in every if low <= c["words"] <= high])
            )
            for low, high in LENGTHS
        }


def total(counts: list[Counter[str]]) -> Counter[str]:
    """Return the sum of counts."""
    found: Counter[str] = Counter()
    for each in counts:
        found.update(each)
    return found


def score_conll18(data: Path, kind: str) -> dict[str, Scores]:
    """Return the measures of the CoNLL 2018 shared task of each file in its style, on gold words and from raw text."""
    from vnlp_colab import VNLPipeline
    from vnlp_colab.evaluation.ud import evaluate_treebank

    found: dict[str, Scores] = {}
    for name in corpus.TREEBANKS:
        nlp = VNLPipeline(["pos", "feats", "lemma", "dep"], device="cpu", style=name.lower())
        for words, raw in (("gold words", False), ("raw text", True)):
            scores = evaluate_treebank(nlp, texts.treebank_file(data, name, kind), raw=raw)
            found[f"{name}, {words}"] = {measure: round(100 * value, 2) for measure, value in scores.items()}
    return found


def score_entities(data: Path, kind: str, analyse: Analyser) -> dict[str, Scores]:
    """Return the F1 of each entity set, in its style and in the generic one, in that also as written otherwise."""
    found: dict[str, Scores] = {}
    for name in texts.ENTITY_SETS:
        sentences = read_tagged(data / "ner" / name / f"{kind}.conll")
        if kind == "dev":
            tests = {texts.key(w) for n in texts.ENTITY_SETS for w, _ in read_tagged(data / "ner" / n / "test.conll")}
            sentences = [s for s in sentences if texts.key(s[0]) not in tests]
            sentences = sentences[: min(corpus.VALIDATION_NER, len(sentences) // 2)]
        gold = [labels for _, labels in sentences]

        def f1(style: str, writing: int, sentences: list[Tagged] = sentences, gold: list[list[int]] = gold) -> float:
            words = [[texts.write_as(word, writing) for word in words] for words, _ in sentences]
            answers = analyse(words, entity_style=style)
            return round(f1_of_spans(gold, [[_BIO[x] for x in answer.entities] for answer in answers]), 4)

        found[name] = {name: f1(name, 0), "generic": f1("generic", 0)}
        found[name] |= {way: f1("generic", number) for number, way in enumerate(texts.WRITINGS) if number}
    return found


def score_reviews(data: Path, kind: str, analyse: Analyser) -> dict[str, Scores]:
    """Return accuracy and macro-F1 of the reviews, as they stand and written otherwise."""
    if kind == "dev":
        reviews = corpus.read_sentiment(data)[1]
    else:
        reviews = list(corpus.read_reviews(data / "sentiment" / "winvoker" / "test.tsv"))
    gold = np.array([label == 1 for label, _ in reviews])
    found = {}
    for number, way in enumerate(texts.WRITINGS):
        answers = analyse([corpus.tokens(texts.write_as(text, number)) or ["."] for _, text in reviews])
        good = np.array([answer.sentiment > 0.5 for answer in answers])
        found[f"winvoker, {way}" if number else "winvoker"] = {
            "accuracy": round(100 * float((good == gold).mean()), 2),
            "macro_f1": round(f1_of_reviews(gold, good), 4),
        }
    return found


def marked_names(line: str) -> tuple[list[str], list[range]]:
    """Return the words of a sentence, and where the names stand that are in brackets.

    Examples
    --------
    >>> marked_names("[Ayşe Kaya] [Ali'yi] gördü.")
    (['Ayşe', 'Kaya', "Ali'yi", 'gördü', '.'], [range(0, 2), range(2, 3)])
    """
    words: list[str] = []
    names: list[range] = []
    for part in re.split(r"(\[.*?\])", line):
        some = corpus.tokens(part.strip("[]"))
        if part.startswith("["):
            names.append(range(len(words), len(words) + len(some)))
        words += some
    return words, names


def score_names(analyse: Analyser) -> dict[str, Scores]:
    """Return of how many sentences with names side by side, and with names of several words, all names are right."""
    found: dict[str, Scores] = {}
    for part in ("neighbours", "names_in_a_row", "whole_names"):
        lines = [marked_names(line) for line in (LISTS / f"{part}.txt").read_text(encoding="utf-8").splitlines()]
        right = one_name = 0
        for (_, names), answer in zip(lines, analyse([words for words, _ in lines]), strict=True):
            said = {(start, end) for start, end, _ in spans([_BIO[x] for x in answer.entities])}
            right += all((name.start, name.stop) in said for name in names)
            pairs = [(a, b) for a, b in pairwise(names) if a.stop == b.start]
            one_name += any(answer.heads[b.start] - 1 in a and answer.relations[b.start] == "flat" for a, b in pairs)
        shares = {"all names, %": right, "a tree that takes two for one, %": one_name}
        found[part] = {"sentences": len(lines), **{k: round(100 * n / len(lines), 2) for k, n in shares.items()}}
    return found


def score_lists(analyse: Analyser) -> dict[str, Scores]:
    """Return the share of informal sentences with an entity, and of how many texts the sentiment is clear."""

    def asked(name: str, typed: Callable[[str], str], together: int = 1) -> list[tuple[list[str], Answer]]:
        lines = [typed(line) for line in (LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()]
        texts = [" ".join(lines[at : at + together]) for at in range(len(lines) - together + 1)]
        sentences = [corpus.tokens(text) for text in texts]
        return list(zip(sentences, analyse(sentences), strict=True))

    low, high = CONFIDENT
    found: dict[str, Scores] = {}
    for way, typed in TYPED.items():
        fired = asked("informal", typed)
        with_entity = [words for words, answer in fired if any(x != "O" for x in answer.entities)]
        for words in with_entity:
            print("entity in", " ".join(words), flush=True)
        share = round(100 * len(with_entity) / len(fired), 2)
        found[f"informal{way}"] = {"sentences": len(fired), "with an entity, %": share}
        for name, together in (("neutral", 1), ("neutral", 5), ("denied", 1), ("praise", 1), ("blame", 1)):
            scores = np.array([answer.sentiment for _, answer in asked(name, typed, together)])
            shares = {"clearly good, %": (scores > high).mean(), "clearly bad, %": (scores < low).mean()}
            part = name if together == 1 else f"{name}, {together} in a row"
            found[f"{part}{way}"] = {
                "texts": len(scores),
                **{side: round(100 * float(x), 2) for side, x in shares.items()},
            }
    return found | score_names(analyse)


def main() -> None:
    """Print the scores, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kind", choices=("dev", "test"), default="test")
    parser.add_argument("--student", type=Path, help="score the student of this scratch folder, in PyTorch")
    parser.add_argument("--only", nargs="+", help="these groups of measures")
    parser.add_argument("--output", type=Path, help="write the scores here, beside what is there")
    args = parser.parse_args()
    analyse: Analyser = StudentAnalyser(args.student) if args.student else PackageAnalyser()
    banks = Treebanks(args.data, args.kind)
    groups: dict[str, Callable[[], dict[str, Scores]]] = {
        "treebanks": lambda: banks.treebanks(analyse),
        "generic": lambda: banks.generic(analyse),
        "conll18": lambda: score_conll18(args.data, args.kind),
        "entities": lambda: score_entities(args.data, args.kind, analyse),
        "reviews": lambda: score_reviews(args.data, args.kind, analyse),
        "lists": lambda: score_lists(analyse),
        "writings": lambda: banks.writings(analyse),
        "lengths": lambda: banks.lengths(analyse),
    }
    found = json.loads(args.output.read_text("utf-8")) if args.output and args.output.exists() else {}
    for name, measure in groups.items():
        if (args.only and name not in args.only) or (args.student and name == "conll18"):
            continue
        begin = time.time()
        found[name] = measure()
        for part, scores in found[name].items():
            print(f"{part}: {scores}", flush=True)
        print(f"({name}: {time.time() - begin:.0f} s)", flush=True)
        if args.output:
            args.output.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
