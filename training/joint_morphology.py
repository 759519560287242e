"""Morphological analyses by the joint network: learns which of the stemmer's candidates a word's vector asks for.

``python -m training.joint_morphology --data DATA [--to FILE.npz]``, after the joint model is converted; some minutes on
two cores. Learns from the development part of yildiz2016, from what the treebanks' gold lemmas and features select
among the candidates, and, where those leave the choice open and on raw text, from what the stemmer's network chooses;
measures both sides, the stemmer's network and this, on held-out text. It would serve `morph` if it were better than the
stemmer's network on the treebanks by a point and within half a point on yildiz2016. It is not, so nothing of it is in
the package: lemma and features right of 90.97 % of the treebanks' test words against 90.25 %, but 93.8 % against 96.5 %
of the analyses of yildiz2016's test part (94.3 % when taught nothing but its development part).

A candidate has a few marks: its tags in all, those of its last group, its whole tag sequence if that is frequent, how
much of the word its root is, and where it agrees with the lemma and the features the network gives the word. Every mark
has a vector, and a candidate's score is the product of the word's vector and the sum of its marks' vectors.
"""

from __future__ import annotations

import argparse
import lzma
import random
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from training.corpus import TREEBANKS
from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.stemmer.stemmer_colab import StemmerAnalyzer, lemma_of
from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.text import SentenceSplitter, TreebankWordTokenize
from vnlp_colab.text.case import lower_case
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from vnlp_colab.text.morphology import Analysis

_CACHED = 50_000
_LEAST = 20  # a mark seen less often has no vector
_ROWS = 2048
_RATE = 2e-3
_DECAY = 1e-4
_OWN_FORGOTTEN = 0.3  # words that are learnt without what the network says of them, which it has by heart here
_OWN = ("lemma", "other", "same", "only")  # first words of the marks that tell of it
# What `ud_features` can give: only there can a treebank and an analysis be compared.
_COMPARED = frozenset(
    {"Aspect", "Case", "Evident", "Mood", "Number", "Number[psor]", "NumType", "Person", "Person[psor]", "Polarity"}
    | {"PronType", "Reflex", "Tense", "VerbForm", "Voice"}
)


def marks(word: str, candidate: Analysis) -> list[str]:
    """Return what is said of a candidate by itself.

    Examples
    --------
    >>> from vnlp_colab.text.morphology import Analysis
    >>> marks("evde", Analysis("ev", "Noun+A3sg+Pnon+Loc"))[:4]
    ['Noun', 'A3sg', 'Pnon', 'Loc']
    """
    groups = [group.strip("+").split("+") for group in candidate.tags.split("^DB")]
    tags = [tag for group in groups for tag in group]
    rest = len(word) - len(candidate.root)
    return [
        *dict.fromkeys(tags),
        *(f"last {tag}" for tag in dict.fromkeys(groups[-1])),
        f"first {groups[0][0]}",
        f"all {candidate.tags}",
        f"groups {min(len(groups), 4)}",
        f"root {min(len(candidate.root), 8)}",
        f"rest {max(-1, min(rest, 10))}",
        "root is the start" if lower_case(word).startswith(candidate.root) else "root is changed",
    ]


def agreement(candidate: Analysis, lemma: str, feats: str) -> list[str]:
    """Return where a candidate agrees with what the network says of the word.

    Examples
    --------
    >>> from vnlp_colab.text.morphology import Analysis
    >>> agreement(Analysis("ev", "Noun+A3sg+Pnon+Loc"), "ev", "Case=Dat|Number=Sing|Person=3")
    ['lemma', 'other Case', 'same Number', 'same Person']
    """
    own = _features(ud_features(str(candidate)))
    given = _features(feats)
    found = ["lemma" if candidate.root == lower_case(lemma) else "other lemma"]
    for name in sorted({*own, *given}):
        same = own.get(name) == given.get(name)
        found.append(f"{'same' if same else 'other' if name in own and name in given else 'only'} {name}")
    return found


@lru_cache(maxsize=20_000)
def _features(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split("|") if "=" in part)


class CandidateScorer:
    """Chooses analyses of words by the vectors of marks.

    Parameters
    ----------
    vectors
        (marks, width + 1): the last column stands for itself, without the word.
    names
        The marks, in the order of the vectors.
    """

    def __init__(self, vectors: np.ndarray, names: Sequence[str]) -> None:
        self._vectors = np.ascontiguousarray(vectors[:, :-1].T, np.float32)
        self._bias = vectors[:, -1].astype(np.float32)
        self._numbers: Mapping[str, int] = {name: number for number, name in enumerate(names)}
        self._generator = default_generator()
        self._static = lru_cache(maxsize=_CACHED)(self._static_marks)
        self._active = lru_cache(maxsize=_CACHED)(self._active_marks)

    def analyses(
        self, words: Sequence[str], states: np.ndarray, lemmas: Sequence[str], feats: Sequence[str]
    ) -> list[str]:
        """Return the analysis of each word, given its vector (words, width) and what the network says of it."""
        candidates = [self._generator.candidates(word) for word in words]
        open_words = [at for at, found in enumerate(candidates) if len(found) > 1]
        chosen = [0] * len(words)
        if open_words:
            best = self._choose(
                [self._active(words[at], lemmas[at], feats[at]) for at in open_words], states[open_words]
            )
            for at, number in zip(open_words, best, strict=True):
                chosen[at] = number
        return [str(found[number]) for found, number in zip(candidates, chosen, strict=True)]

    def _choose(self, active: list[tuple[np.ndarray, np.ndarray]], states: np.ndarray) -> list[int]:
        """Return the best candidate of each word."""
        parts = states @ self._vectors + self._bias
        sizes = np.array([len(starts) for _, starts in active])
        counts = np.array([len(numbers) for numbers, _ in active])
        words = np.repeat(np.arange(len(active)), counts)
        offsets = np.cumsum(counts) - counts
        starts = np.concatenate([starts for _, starts in active]) + np.repeat(offsets, sizes)
        scores = np.add.reduceat(parts[words, np.concatenate([numbers for numbers, _ in active])], starts)
        ends = np.cumsum(sizes).tolist()
        return [int(scores[end - size : end].argmax()) for size, end in zip(sizes.tolist(), ends, strict=True)]

    def _static_marks(self, word: str) -> list[list[int]]:
        get = self._numbers.get
        return [
            [number for name in marks(word, candidate) if (number := get(name)) is not None]
            for candidate in self._generator.candidates(word)
        ]

    def _active_marks(self, word: str, lemma: str, feats: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the marks of all candidates one after the other, and where each candidate's begin."""
        get = self._numbers.get
        rows = [
            [*static, *(number for name in agreement(candidate, lemma, feats) if (number := get(name)) is not None)]
            for static, candidate in zip(self._static(word), self._generator.candidates(word), strict=True)
        ]
        starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
        return np.array([number for row in rows for number in row], np.int64), starts


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


def read_raw(path: Path, count: int) -> list[Gold]:
    """Return sentences of raw text, which nothing is known of."""
    found: list[Gold] = []
    splitter = SentenceSplitter()
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            for sentence in splitter.split_sentences(line.strip()):
                tokens = TreebankWordTokenize(sentence)
                if 3 <= len(tokens) <= 40:
                    found.append(Gold(tokens))
            if len(found) >= count:
                break
    return found[:count]


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


def agrees(analysis: str, feats: str) -> bool:
    """Tell whether every feature that an analysis and a treebank both name is the same (treebanks leave many out)."""
    own, gold = compared(ud_features(analysis)), compared(feats)
    return all(gold[name] == value for name, value in own.items() if name in gold)


def right_ones(word: str, gold: Gold, at: int) -> list[int] | None:
    """Return the candidates that are right as far as is known; None where that teaches nothing."""
    candidates = [str(one) for one in default_generator().candidates(word)]
    if len(candidates) < 2:
        return None
    said = [number for number, one in enumerate(candidates) if gold.analyses is not None and one == gold.analyses[at]]
    if not gold.lemmas:
        return said or None
    fits = [fit(one, gold.lemmas[at], gold.feats[at]) for one in candidates]
    best = max(fits)
    if not best[0] or best[1] <= 0.5:  # the treebank reads the word as no candidate does
        return said or None
    chosen = [number for number, one in enumerate(fits) if one == best]
    return [number for number in chosen if number in said] or (chosen if len(chosen) < len(candidates) else None)


@dataclass
class Examples:
    """Words to learn from; the candidates of all words, and the marks of all candidates, one after the other."""

    states: np.ndarray  # (words, width) float16
    first_candidate: np.ndarray  # (words + 1,)
    first_mark: np.ndarray  # (candidates + 1,)
    marks: np.ndarray  # their numbers
    right: np.ndarray  # (candidates,) bool


class Collector:
    """Gathers examples; marks get numbers as they come."""

    def __init__(self, model: JointAnalyzer) -> None:
        self._model = model
        self.names: dict[str, int] = {}
        self._states: list[np.ndarray] = []
        self._candidates: list[int] = []
        self._sizes: list[int] = []
        self._marks: list[np.ndarray] = []
        self._right: list[bool] = []

    def add(self, sentences: Sequence[Gold], copies: int = 1) -> None:
        """Add what sentences teach, so many times."""
        for start in range(0, len(sentences), 500):
            some = sentences[start : start + 500]
            texts = [gold.words for gold in some]
            states = self._model.word_states(texts)
            said = self._model.analyze_batch(texts, ("lemma", "feats"))
            for number, gold in enumerate(some):
                for at, word in enumerate(gold.words):
                    right = right_ones(word, gold, at)
                    if right is not None:
                        own = said["lemma"][number][at], said["feats"][number][at]
                        self._add(word, states[number][at], own, right, copies)

    def _add(self, word: str, state: np.ndarray, own: tuple[str, str], right: list[int], copies: int) -> None:
        candidates = default_generator().candidates(word)
        rows = [[*marks(word, one), *agreement(one, *own)] for one in candidates]
        flat = [self.names.setdefault(name, len(self.names)) for row in rows for name in row]
        self._states += [state.astype(np.float16)] * copies
        self._candidates += [len(rows)] * copies
        self._sizes += [len(row) for row in rows] * copies
        self._marks += [np.array(flat, np.int32)] * copies
        self._right += [number in right for number in range(len(rows))] * copies

    def examples(self) -> tuple[Examples, list[str]]:
        """Return all examples, and the marks seen often enough, in the order of their numbers there."""
        flat = np.concatenate(self._marks)
        counts = np.bincount(flat, minlength=len(self.names))
        kept = np.flatnonzero(counts >= _LEAST)
        numbers = np.full(len(self.names), -1)
        numbers[kept] = np.arange(len(kept))
        new = numbers[flat]
        owner = np.repeat(np.arange(len(self._sizes)), self._sizes)[new >= 0]
        names = list(self.names)
        return (
            Examples(
                np.stack(self._states),
                np.cumsum([0, *self._candidates]),
                np.cumsum([0, *np.bincount(owner, minlength=len(self._sizes)).tolist()]),
                new[new >= 0],
                np.array(self._right),
            ),
            [names[number] for number in kept.tolist()],
        )


def learn(examples: Examples, names: Sequence[str], epochs: int, seed: int = 1) -> np.ndarray:
    """Return the vectors of the marks (marks, width + 1): softmax over candidates, all right ones counted, Adam."""
    rng = np.random.default_rng(seed)
    own = np.array([name.split(" ")[0] in _OWN for name in names])
    vectors = np.zeros((len(names), examples.states.shape[1] + 1), np.float32)
    first, second = np.zeros_like(vectors), np.zeros_like(vectors)
    count = len(examples.states)
    total = epochs * -(-count // _ROWS)
    step = 0
    for _ in range(epochs):
        order = rng.permutation(count)
        for start in range(0, count, _ROWS):
            step += 1
            gradient = _gradient(examples, np.sort(order[start : start + _ROWS]), vectors, own, rng) + _DECAY * vectors
            first += 0.1 * (gradient - first)
            second += 0.01 * (gradient**2 - second)
            rate = _RATE * (1 - (step - 1) / total) * np.sqrt(1 - 0.99**step) / (1 - 0.9**step)
            vectors -= rate * first / (np.sqrt(second) + 1e-8)
    return vectors


def _ranges(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all places from ``starts[row]`` to ``starts[row + 1]`` of some rows, and how many each has."""
    sizes = starts[rows + 1] - starts[rows]
    offsets = np.cumsum(sizes) - sizes
    return np.repeat(starts[rows] - offsets, sizes) + np.arange(sizes.sum()), sizes


def _gradient(
    examples: Examples, rows: np.ndarray, vectors: np.ndarray, own: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    states = np.concatenate([examples.states[rows].astype(np.float32), np.ones((len(rows), 1), np.float32)], axis=1)
    candidates, sizes = _ranges(examples.first_candidate, rows)
    owner = np.repeat(np.arange(len(rows)), sizes)
    places, counts = _ranges(examples.first_mark, candidates)
    of_candidate = np.repeat(np.arange(len(candidates)), counts)
    numbers = examples.marks[places]
    forgotten = (rng.random(len(rows)) < _OWN_FORGOTTEN)[owner[of_candidate]] & own[numbers]
    numbers, of_candidate = numbers[~forgotten], of_candidate[~forgotten]
    words = owner[of_candidate]
    parts = states @ vectors.T
    scores = np.bincount(of_candidate, parts[words, numbers], len(candidates))
    best = np.full(len(rows), -np.inf)
    np.maximum.at(best, owner, scores)
    powers = np.exp(scores - best[owner])
    chances = powers / np.bincount(owner, powers)[owner]
    correct = np.where(examples.right[candidates], np.maximum(powers, 1e-30), 0)
    wanted = correct / np.bincount(owner, correct)[owner]
    slopes = np.bincount(words * len(vectors) + numbers, (chances - wanted)[of_candidate], parts.size)
    gradient: np.ndarray = slopes.reshape(parts.shape).astype(np.float32).T @ states / np.float32(len(rows))
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
                lemma, _ = fit(analysis, gold.lemmas[at], gold.feats[at])
                found["lemma"] += lemma
                same = agrees(analysis, gold.feats[at])
                found["features"] += same
                found["both"] += lemma and same
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
    parser.add_argument("--sentences", type=int, default=20_000, help="of the treebanks, to learn from")
    parser.add_argument("--raw", type=int, default=15_000, help="sentences of raw text")
    parser.add_argument("--copies", type=int, default=4, help="how often yildiz2016 counts")
    given = parser.parse_args()
    model, stemmer = JointAnalyzer(), StemmerAnalyzer()
    dev = list(read_analyses(given.data / "morph/yildiz2016/data.dev.txt"))
    chance = random.Random(1)
    chance.shuffle(dev)
    held, dev = dev[:250], dev[250:]

    def treebank(name: str, part: str) -> list[Gold]:
        return list(read_treebank(given.data / f"ud/UD_Turkish-{name}/tr_{name.lower()}-ud-{part}.conllu"))

    trees = [gold for name in TREEBANKS for gold in treebank(name, "train")]
    chance.shuffle(trees)
    silver = [*trees[: given.sentences], *read_raw(given.data / "raw/wikipedia_tr.txt.xz", given.raw)]
    for gold, analyses in zip(silver, stemmer.predict_batch([gold.words for gold in silver]), strict=True):
        gold.analyses = analyses
    collector = Collector(model)
    collector.add(dev, given.copies)
    collector.add(silver)
    examples, names = collector.examples()
    print(f"{len(examples.states):,} words to learn from, {len(names):,} marks", flush=True)
    vectors = learn(examples, names, given.epochs)
    scorer = CandidateScorer(vectors, names)
    given.to.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(given.to, vectors=vectors.astype(np.float16), names=np.array(names))
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
