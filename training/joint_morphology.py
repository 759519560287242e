"""Morphological analyses by the joint network: learns which of the stemmer's candidates a word's vector asks for.

``python -m training.joint_morphology --data DATA [--to FILE.npz]``, after the joint model is converted; some minutes on
two cores. Learns from the development part of yildiz2016 and from what the treebanks' gold lemmas and features select
among the candidates; measures both sides, the stemmer's network and this, on held-out text.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from training.corpus import TREEBANKS
from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.joint.morphology import CandidateScorer, agreement, marks
from vnlp_colab.stemmer.stemmer_colab import StemmerAnalyzer, lemma_of
from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.text.case import lower_case
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LEAST = 20  # a mark seen less often has no vector
_ROWS = 2048
_RATE = 2e-3
_DECAY = 1e-4
_OWN_FORGOTTEN = 0.3  # words that are learnt without what the network says of them, which it has by heart here
# What `ud_features` can give: only there can a treebank and an analysis be compared.
_COMPARED = frozenset(
    {"Aspect", "Case", "Evident", "Mood", "Number", "Number[psor]", "NumType", "Person", "Person[psor]", "Polarity"}
    | {"PronType", "Reflex", "Tense", "VerbForm", "Voice"}
)


@dataclass
class Gold:
    """A sentence, and of each word what is right: an analysis, or lemma and features."""

    words: list[str]
    analyses: list[str] | None = None
    lemmas: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)


def read_analyses(path: Path) -> Iterator[Gold]:
    """Yield the sentences of a file of yildiz2016: a word and its analyses a line, the right one first."""
    words: list[str] = []
    analyses: list[str] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            word, *found = line.split() or [""]
            if word.startswith(("<S", "</S")):
                if words:
                    yield Gold(words, analyses)
                words, analyses = [], []
            elif found and not found[0].endswith("Tag"):
                words.append(word)
                analyses.append(lower_root(found[0]))


def lower_root(analysis: str) -> str:
    """Return an analysis with its root in lower case, as the package writes it.

    Examples
    --------
    >>> lower_root("Nilgün+Noun+Prop+A3sg+Pnon+Nom")
    'nilgün+Noun+Prop+A3sg+Pnon+Nom'
    """
    root = analysis.split("+")[0] if analysis[:1].isupper() else lemma_of(analysis)
    return lower_case(root) + analysis[len(root) :]


def read_treebank(path: Path) -> Iterator[Gold]:
    """Yield the sentences of a CoNLL-U file with their lemmas and features."""
    rows: list[list[str]] = []
    with path.open(encoding="utf-8") as lines:
        for line in [*lines, "\n"]:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 10 and fields[0].isdigit():
                rows.append(fields)
            elif not line.strip() and rows:
                yield Gold([r[1] for r in rows], None, [r[2] for r in rows], [r[5] for r in rows])
                rows = []


def compared(feats: str) -> dict[str, str]:
    """Return the features of a string that an analysis can have, too."""
    pairs = (part.split("=", 1) for part in feats.split("|") if "=" in part)
    return {name: value for name, value in pairs if name in _COMPARED}


def fit(analysis: str, lemma: str, feats: str) -> tuple[bool, float]:
    """Return whether the lemma of an analysis is right, and the share of the features of both that are the same."""
    own, gold = compared(ud_features(analysis)), compared(feats)
    names = {*own, *gold}
    share = sum(own.get(name) == gold.get(name) for name in names) / len(names) if names else 1.0
    return lemma_of(analysis) == lower_case(lemma), share


def right_ones(word: str, gold: Gold, at: int) -> list[int] | None:
    """Return the candidates that are right as far as is known; None where that teaches nothing."""
    candidates = [str(one) for one in default_generator().candidates(word)]
    if len(candidates) < 2:
        return None
    if gold.analyses is not None:
        return [candidates.index(gold.analyses[at])] if gold.analyses[at] in candidates else None
    fits = [fit(one, gold.lemmas[at], gold.feats[at]) for one in candidates]
    best = max(fits)
    chosen = [number for number, one in enumerate(fits) if one == best]
    return chosen if best[0] and best[1] > 0.5 and len(chosen) < len(candidates) else None


@dataclass
class Examples:
    """Words to learn from: vectors, marks of their candidates and which of these are right."""

    states: np.ndarray
    static: list[list[list[int]]]
    dynamic: list[list[list[int]]]
    right: list[list[int]]


def make_examples(
    model: JointAnalyzer, sentences: Sequence[Gold], names: dict[str, int] | None
) -> tuple[Examples, dict[str, int]]:
    """Return what sentences teach; marks get numbers unless they have them."""
    texts = [gold.words for gold in sentences]
    states = model.word_states(texts)
    said = model.analyze_batch(texts, ("lemma", "feats"))
    found: list[tuple[np.ndarray, list[list[str]], list[list[str]], list[int]]] = []
    for number, gold in enumerate(sentences):
        for at, word in enumerate(gold.words):
            right = right_ones(word, gold, at)
            if right is not None:
                lemma, feats = said["lemma"][number][at], said["feats"][number][at]
                candidates = default_generator().candidates(word)
                static = [marks(word, one) for one in candidates]
                dynamic = [agreement(one, lemma, feats) for one in candidates]
                found.append((states[number][at].astype(np.float16), static, dynamic, right))
    if names is None:
        counts = Counter(m for _, s, d, _ in found for rows in (s, d) for row in rows for m in row)
        names = {name: number for number, name in enumerate(n for n, c in counts.items() if c >= _LEAST)}
    known = names

    def numbers(rows: list[list[str]]) -> list[list[int]]:
        return [[known[m] for m in row if m in known] for row in rows]

    return (
        Examples(
            np.stack([f[0] for f in found]),
            [numbers(f[1]) for f in found],
            [numbers(f[2]) for f in found],
            [f[3] for f in found],
        ),
        known,
    )


def learn(examples: Examples, marks_count: int, epochs: int, seed: int = 1) -> np.ndarray:
    """Return the vectors of the marks (marks, width + 1): softmax over candidates, all right ones counted, Adam."""
    rng = np.random.default_rng(seed)
    width = examples.states.shape[1]
    vectors = np.zeros((marks_count, width + 1), np.float32)
    first, second = np.zeros_like(vectors), np.zeros_like(vectors)
    count = len(examples.right)
    total = epochs * -(-count // _ROWS)
    step = 0
    for _ in range(epochs):
        order = rng.permutation(count)
        for start in range(0, count, _ROWS):
            rows = order[start : start + _ROWS]
            step += 1
            gradient = _gradient(examples, rows, vectors, rng) + _DECAY * vectors
            first += 0.1 * (gradient - first)
            second += 0.01 * (gradient**2 - second)
            rate = _RATE * (1 - (step - 1) / total) * np.sqrt(1 - 0.99**step) / (1 - 0.9**step)
            vectors -= rate * first / (np.sqrt(second) + 1e-8)
    return vectors


def _gradient(examples: Examples, rows: np.ndarray, vectors: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    states = np.concatenate([examples.states[rows].astype(np.float32), np.ones((len(rows), 1), np.float32)], axis=1)
    words: list[int] = []
    numbers: list[int] = []
    candidates: list[int] = []
    owners: list[int] = []
    right: list[bool] = []
    for row, at in enumerate(rows.tolist()):
        forget = rng.random() < _OWN_FORGOTTEN
        for place, static in enumerate(examples.static[at]):
            active = static if forget else static + examples.dynamic[at][place]
            numbers += active
            words += [row] * len(active)
            candidates += [len(owners)] * len(active)
            owners.append(row)
            right.append(place in examples.right[at])
    parts = states @ vectors.T
    scores = np.bincount(candidates, parts[words, numbers], len(owners))
    owner = np.array(owners)
    best = np.full(len(rows), -np.inf)
    np.maximum.at(best, owner, scores)
    powers = np.exp(scores - best[owner])
    chances = powers / np.bincount(owner, powers)[owner]
    correct = np.where(right, powers, 0)
    wanted = correct / np.bincount(owner, correct)[owner]
    slopes = np.zeros_like(parts)
    np.add.at(slopes, (words, numbers), (chances - wanted)[candidates])
    gradient: np.ndarray = slopes.T @ states / np.float32(len(rows))
    return gradient


def measure(sentences: Sequence[Gold], chosen: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return shares of words: analyses that are right, or lemmas, features and both."""
    found: Counter[str] = Counter()
    for gold, answers in zip(sentences, chosen, strict=True):
        for at, analysis in enumerate(answers):
            found["words"] += 1
            if gold.analyses is not None:
                found["analysis"] += analysis == gold.analyses[at]
                if len(default_generator().candidates(gold.words[at])) > 1:
                    found["open"] += 1
                    found["open right"] += analysis == gold.analyses[at]
            else:
                lemma, share = fit(analysis, gold.lemmas[at], gold.feats[at])
                found["lemma"] += lemma
                found["features"] += share == 1
                found["both"] += lemma and share == 1
    words = found.pop("words")
    opened, right = found.pop("open", 0), found.pop("open right", 0)
    shares = {name: round(100 * number / words, 2) for name, number in found.items()}
    return shares | ({"of the ambiguous": round(100 * right / opened, 2)} if opened else {})


def by_joint(model: JointAnalyzer, scorer: CandidateScorer, sentences: Sequence[Gold]) -> list[list[str]]:
    """Return the analyses the joint network chooses."""
    texts = [gold.words for gold in sentences]
    said = model.analyze_batch(texts, ("lemma", "feats"))
    parts = zip(texts, model.word_states(texts), said["lemma"], said["feats"], strict=True)
    return [scorer.analyses(*part) for part in parts]


def main() -> None:
    """Learn, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--to", type=Path, default=Path("training/scratch/joint_morphology.npz"))
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--sentences", type=int, default=15_000, help="of the treebanks, to learn from")
    parser.add_argument("--copies", type=int, default=3, help="how often yildiz2016 counts")
    given = parser.parse_args()
    model = JointAnalyzer()
    dev = list(read_analyses(given.data / "morph/yildiz2016/data.dev.txt"))
    chance = random.Random(1)
    chance.shuffle(dev)
    held, dev = dev[:250], dev[250:]

    def treebank(name: str, part: str) -> list[Gold]:
        return list(read_treebank(given.data / f"ud/UD_Turkish-{name}/tr_{name.lower()}-ud-{part}.conllu"))

    trees = [gold for name in TREEBANKS for gold in treebank(name, "train")]
    chance.shuffle(trees)
    examples, names = make_examples(model, [*(dev * given.copies), *trees[: given.sentences]], None)
    print(f"{len(examples.right):,} words to learn from, {len(names):,} marks", flush=True)
    vectors = learn(examples, len(names), given.epochs)
    scorer = CandidateScorer(vectors, list(names))
    given.to.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(given.to, vectors=vectors.astype(np.float16), names=np.array(list(names)))
    stemmer = StemmerAnalyzer()
    sets = {"yildiz2016 held-out dev": held}
    sets |= {"yildiz2016 test": list(read_analyses(given.data / "morph/yildiz2016/data.test.txt"))}
    sets |= {f"{name} {part}": treebank(name, part) for part in ("dev", "test") for name in TREEBANKS}
    for part in ("dev", "test"):
        sets[f"treebanks {part}"] = [gold for name in TREEBANKS for gold in sets[f"{name} {part}"]]
    for name, sentences in sets.items():
        theirs = measure(sentences, stemmer.predict_batch([gold.words for gold in sentences]))
        ours = measure(sentences, by_joint(model, scorer, sentences))
        print(f"{name}: stemmer {theirs}, joint {ours}", flush=True)


if __name__ == "__main__":
    main()
