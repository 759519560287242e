"""What the network says of the words of a batch, and the columns it becomes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.collector import collector_paused
from vnlp_colab.joint.agreement import Lemmatizer, Tags
from vnlp_colab.joint.entities import EntityLabels
from vnlp_colab.joint.graph import LIKELY, SCORES
from vnlp_colab.joint.usage import Usage
from vnlp_colab.joint.vocabulary import ROOT, Vocabulary
from vnlp_colab.text.symbols import sign_tag

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from vnlp_colab.annotator.protocol import Columns

# Digits that mean something; further ones may depend on what else stands in a batch, and people read two.
_CONFIDENCE_DIGITS = 4
_SENTIMENT_DIGITS = 4
MARK = "PUNCT"
_OF_MARKS = "punct"  # their relation
_NONE = "_"  # features of words that have none
NEUTRAL, POSITIVE = "neutral", "positive"

# Parts of speech and features are chosen together, and lemmas by the former.
_TAGS = ("upos", "feats", f"feats{SCORES}")
# What each column is made of: outputs of the sentences' graph; trees and sentiment need a second step.
NEEDS: dict[str, tuple[str, ...]] = {
    "pos": _TAGS,
    "pos_confidence": _TAGS,
    "feats": _TAGS,
    "lemma": (*_TAGS, "lemma", f"lemma{SCORES}"),
    "ner": ("entity",),
    "ner_bio": ("entity",),
    "ner_confidence": ("entity",),
    "dep": ("arcs", "up", "down"),
    "sentiment": ("means",),
    "sentiment_label": ("means",),
}


@dataclass
class Said:
    """What the network says of some sentences; arrays of words stand one sentence after the other.

    Attributes
    ----------
    words
        By name: scores (words, labels) of ``upos`` and ``entity``, numbers (words, candidates) of the best ``feats``
        and ``lemma`` and their scores, and ``heads`` and ``relations`` of the trees; where the style's usage speaks,
        too, how ``likely`` each relation is, in natural logarithms.
    sentiments
        Of each sentence the probabilities of the sentiments.
    """

    words: dict[str, np.ndarray]
    sentiments: np.ndarray | None = None


def joined(parts: Sequence[Said]) -> Said:
    """Return what is said of several batches, one after the other."""
    words = {name: np.concatenate([part.words[name] for part in parts]) for name in parts[0].words}
    sentiments = [part.sentiments for part in parts if part.sentiments is not None]
    return Said(words, np.concatenate(sentiments) if sentiments else None)


class Answers:
    """Turns what the network says into columns.

    Parameters
    ----------
    vocabulary
        What its numbers stand for.
    style
        The number of the style.
    usage
        What the style's treebank calls its words, where that is known.
    """

    def __init__(self, vocabulary: Vocabulary, style: int = 0, usage: Usage | None = None) -> None:
        self._vocabulary = vocabulary
        self._usage = usage or Usage({})
        self._tags = Tags(vocabulary, style)
        self._lemmatizer = Lemmatizer(vocabulary, style)
        self._root = vocabulary.relations.index(ROOT)
        self._of_marks = vocabulary.relations.index(_OF_MARKS) if _OF_MARKS in vocabulary.relations else None
        self._labels = EntityLabels(vocabulary.entities)
        self._names = {
            "pos": _objects(vocabulary.upos),
            "feats": _objects(vocabulary.feats),
            "ner": _objects(self._labels.kinds),
            "ner_bio": _objects(self._labels.names),
        }
        # Every arc of a usual sentence, made once: millions of tuples of a table would keep the garbage collector busy.
        heads, self._relations = range(vocabulary.longest + 1), len(vocabulary.relations)
        self._arc_names = _objects([(head, name) for head in heads for name in vocabulary.relations])

    def needs(self, wanted: Collection[str]) -> tuple[str, ...]:
        """Return the outputs of the sentences' graph that the `wanted` columns are made of."""
        names = [output for name in wanted for output in NEEDS[name]]
        if "dep" in wanted and self._usage.knows_relations:
            names += _TAGS  # what a relation is called depends on them
        return tuple(dict.fromkeys(names))

    def columns(self, sentences: Sequence[Sequence[str]], said: Said, wanted: Collection[str]) -> Columns:
        """Return the `wanted` columns of sentences."""
        with collector_paused():
            return self._columns(sentences, said, wanted)

    def _columns(self, sentences: Sequence[Sequence[str]], said: Said, wanted: Collection[str]) -> Columns:
        lengths = [len(sentence) for sentence in sentences]
        ends = np.cumsum([0, *lengths]).tolist()
        tokens = list(chain.from_iterable(sentences))
        tags_of = {token: tag for token in set(tokens) if not token[:1].isalpha() and (tag := sign_tag(token))}
        signs = [(at, tags_of[token]) for at, token in enumerate(tokens) if token in tags_of] if tags_of else []
        flat: dict[str, list[object]] = {}
        if "upos" in said.words:
            scores = said.words["upos"] + self._usage.tag_scores(tokens, lengths)
            tags, feats = self._tags.choose(scores, *(said.words[name] for name in _TAGS[1:]))
            self._tag(signs, scores, tags, feats, flat, wanted)
            if "lemma" in wanted:
                best = said.words["lemma"], said.words[f"lemma{SCORES}"]
                flat["lemma"] = [*self._lemmatizer.lemmas(tokens, tags, *best)]
                for at, _ in signs:
                    flat["lemma"][at] = tokens[at]
        if "entity" in said.words:
            self._entities(said.words["entity"], ends, flat, wanted)
        if "dep" in wanted:
            heads, relations = said.words["heads"], said.words["relations"]
            if LIKELY in said.words:
                usual = self._usage.relation_scores(tokens, lengths, tags, heads)
                relations = (said.words[LIKELY] + usual).argmax(axis=1)
            flat["dep"] = self._arcs(heads, self._marked(signs, relations))
        found: Columns = {name: [values[start:end] for start, end in pairwise(ends)] for name, values in flat.items()}
        if said.sentiments is not None:
            found |= self._sentiment(said.sentiments)
        return {name: found[name] for name in wanted}

    def _tag(
        self,
        signs: list[tuple[int, str]],
        scores: np.ndarray,
        best: np.ndarray,
        feats: np.ndarray,
        flat: dict[str, list[object]],
        wanted: Collection[str],
    ) -> None:
        tags = self._names["pos"][best].tolist()
        changed = []
        for at, tag in signs:
            if tags[at] != tag:
                tags[at] = tag
                changed.append(at)
        flat["pos"] = tags
        if "feats" in wanted:
            flat["feats"] = self._names["feats"][feats].tolist()
            for at in changed:
                flat["feats"][at] = _NONE
        if "pos_confidence" in wanted:
            sure = confidence(scores, best)
            sure[changed] = 1.0
            flat["pos_confidence"] = np.round(sure.astype(np.float64), _CONFIDENCE_DIGITS).tolist()

    def _entities(
        self, scores: np.ndarray, ends: list[int], flat: dict[str, list[object]], wanted: Collection[str]
    ) -> None:
        best = self._labels.best(scores, ends)
        if "ner_confidence" in wanted:
            flat["ner_confidence"] = np.round(confidence(scores, best).astype(np.float64), _CONFIDENCE_DIGITS).tolist()
        for name in ("ner", "ner_bio"):
            if name in wanted:
                flat[name] = self._names[name][best].tolist()

    def _marked(self, signs: list[tuple[int, str]], relations: np.ndarray) -> np.ndarray:
        """Return the relations with those of marks."""
        marks = [at for at, tag in signs if tag == MARK]
        if marks and self._of_marks is not None:
            relations = relations.copy()
            relations[marks] = self._of_marks
        return relations

    def _arcs(self, heads: np.ndarray, relations: np.ndarray) -> list[object]:
        numbers = heads * self._relations + np.where(heads == 0, self._root, relations)
        if numbers.max(initial=0) < len(self._arc_names):
            found: list[object] = self._arc_names[numbers].tolist()
            return found
        names = self._vocabulary.relations
        return [
            (head, names[number % self._relations])
            for head, number in zip(heads.tolist(), numbers.tolist(), strict=True)
        ]

    def _sentiment(self, shares: np.ndarray) -> Columns:
        names = self._vocabulary.sentiment
        scores = shares[:, names.index(POSITIVE)].astype(np.float64)
        if NEUTRAL in names:  # neither is half of each
            scores = scores + shares[:, names.index(NEUTRAL)] / 2
        return {
            "sentiment": np.round(scores, _SENTIMENT_DIGITS).tolist(),
            "sentiment_label": [names[number] for number in shares.argmax(axis=1).tolist()],
        }


def _objects(values: Sequence[object]) -> np.ndarray:
    """Return values as an array of which many can be taken at once."""
    return np.fromiter(values, object, len(values))


def confidence(scores: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Return the probabilities of the chosen labels."""
    top = scores[np.arange(len(best)), best]
    sure: np.ndarray = 1 / np.exp(scores - top[:, None]).sum(axis=1)
    return sure
