"""Run a model over labelled files and score what it says, file by file and pooled."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from tqdm.auto import tqdm

from vnlp_colab.annotator.loading import load_model
from vnlp_colab.batches.analyzer import Analyzer
from vnlp_colab.batches.preparation import clean_sentence, tokenize
from vnlp_colab.evaluation import readers
from vnlp_colab.evaluation.labels import known_labels, tell_unknown
from vnlp_colab.evaluation.scores import accuracy, f1_of, macro_f1
from vnlp_colab.evaluation.spans import spans_of_bio
from vnlp_colab.registry import check_model
from vnlp_colab.trees.tree import is_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from vnlp_colab.annotator.protocol import Annotator

Scores = dict[str, float]
# What an annotator says of one sentence: the value of each column that was asked for.
Answer = dict[str, Any]
# Enough sentences of like length to fill the models' batches, few enough for a progress bar that moves.
_BATCH = 512


@dataclass(frozen=True)
class Evaluated:
    """The scores of one model: of each file and of all files together."""

    task: str
    model: str
    weights: str
    device: str
    files: list[tuple[str, Scores]]
    pooled: Scores


def evaluate_files(
    task: str,
    paths: Sequence[Path],
    *,
    model: str | None = None,
    device: str = "auto",
    weights: str = "prod",
    progress: bool | None = None,
    **settings: Any,
) -> Evaluated:
    """Score a model on labelled files; all are read before the model is loaded.

    Parameters
    ----------
    task
        ``"pos"``, ``"feats"``, ``"lemma"`` and ``"dep"`` read CoNLL-U, ``"ner"`` ``token TAB BIO``, ``"sentiment"``
        ``label TAB text``, ``"stemmer"`` JSON lines with ``tokens``, ``morph`` and ``lemma``.
    paths
        The files.
    model
        A model of the task; its default one if not given.
    device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
    weights
        ``"prod"``, or ``"eval"`` for those that have not seen the test data.
    progress
        Show a bar on the standard error; by default if that is a terminal.
    settings
        Further keywords of the model's class.
    """
    model = check_model(task, model)
    if not paths:
        raise ValueError("no file to evaluate on")
    measure = MEASURES[task]
    read = {path: measure.read(path) for path in dict.fromkeys(paths)}  # what is wrong with a file is told once
    gold = [read[path] for path in paths]
    annotator = load_model(model, device=device, evaluate=weights == "eval", **settings)
    if measure.labels is not None:
        tell_unknown(model, known_labels(annotator, task), _flat(map(measure.labels, chain(*gold))))
    columns = measure.columns
    analyzer = Analyzer({task: annotator}, columns, load=lambda other: load_model(check_model(other), device=device))
    answers = []
    for path, sentences in zip(paths, gold, strict=True):
        hidden = None if progress is None else not progress
        with tqdm(total=len(sentences), desc=path.name, unit=" sentences", disable=hidden) as bar:
            answers.append(_answers(measure, analyzer, sentences, bar))
    files = [
        (str(path), measure.score(sentences, said)) for path, sentences, said in zip(paths, gold, answers, strict=True)
    ]
    pooled = measure.score(list(chain(*gold)), list(chain(*answers)))
    return Evaluated(task, model, weights, _device(annotator), files, pooled)


def _device(annotator: Annotator) -> str:
    return str(annotator.device)


def _answers(measure: Measure, analyzer: Analyzer, sentences: Sequence[Any], bar: tqdm[Any]) -> list[Answer]:
    """Return what the model says, in the order of the sentences, asked for in batches of like length."""
    inputs = [measure.input(sentence) for sentence in sentences]
    order = sorted(range(len(inputs)), key=lambda number: len(inputs[number][0]))
    answers: list[Answer] = [{} for _ in sentences]
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        found = analyzer.annotate([inputs[number][0] for number in batch], [inputs[number][1] for number in batch])
        for name, values in found.items():
            for number, value in zip(batch, values, strict=True):
                answers[number][name] = value
        bar.update(len(batch))
    return answers


def _flat(lists: Iterable[Sequence[Any]]) -> list[Any]:
    return list(chain.from_iterable(lists))


def _tag_scores(column: str) -> Callable[[Sequence[readers.TaggedSentence], Sequence[Answer]], Scores]:
    def score(gold: Sequence[readers.TaggedSentence], answers: Sequence[Answer]) -> Scores:
        wanted, found = _flat(sentence.labels for sentence in gold), _flat(answer[column] for answer in answers)
        scores: Scores = {"sentences": len(gold), "words": len(wanted), "accuracy": accuracy(wanted, found)}
        return scores | ({"macro_f1": macro_f1(wanted, found)} if column == "pos" else {})

    return score


def _score_entities(gold: Sequence[readers.TaggedSentence], answers: Sequence[Answer]) -> Scores:
    wanted = [tag[2:] or "O" for sentence in gold for tag in sentence.labels]
    found = _flat(answer["ner"] for answer in answers)
    wanted_spans = [(i, span) for i, sentence in enumerate(gold) for span in spans_of_bio(sentence.labels)]
    found_spans = [(i, span) for i, said in enumerate(answers) for span in spans_of_bio(said["ner_bio"])]
    right = len(set(wanted_spans) & set(found_spans))
    return {
        "sentences": len(gold),
        "tokens": len(wanted),
        "token_accuracy": accuracy(wanted, found),
        "token_macro_f1": macro_f1(wanted, found),
        **f1_of(right, len(found_spans), len(wanted_spans)),
    }


def _score_trees(gold: Sequence[readers.TreeSentence], answers: Sequence[Answer]) -> Scores:
    arcs = [answer["dep"] for answer in answers]
    wanted = [arc for tree in gold for arc in zip(tree.heads, tree.relations, strict=True)]
    pairs = list(zip(wanted, _flat(arcs), strict=True))
    return {
        "sentences": len(gold),
        "words": len(pairs),
        "uas": sum(a[0] == b[0] for a, b in pairs) / len(pairs),
        "las": sum(tuple(a) == tuple(b) for a, b in pairs) / len(pairs),
        "valid_trees": sum(is_tree([head for head, _ in tree]) for tree in arcs) / len(arcs),
    }


def _score_reviews(gold: Sequence[readers.Review], answers: Sequence[Answer]) -> Scores:
    wanted = [str(review.label) for review in gold]
    found = [str(int(answer["sentiment"] > 0.5)) for answer in answers]
    return {"texts": len(gold), "accuracy": accuracy(wanted, found), "macro_f1": macro_f1(wanted, found)}


def _score_analyses(gold: Sequence[readers.AnalyzedSentence], answers: Sequence[Answer]) -> Scores:
    morph, lemmas = _flat(sentence.morph for sentence in gold), _flat(sentence.lemma for sentence in gold)
    return {
        "sentences": len(gold),
        "tokens": len(morph),
        "morph": accuracy(morph, _flat(answer["morph"] for answer in answers)),
        "lemma": accuracy(lemmas, _flat(answer["lemma"] for answer in answers)),
    }


@dataclass(frozen=True)
class Measure:
    """How a task is evaluated: read a file, the columns to ask for, tokens and text of an item, score the answers.

    ``labels`` gives those of an item where a file may have some that a model does not know.
    """

    read: Callable[[Path], Sequence[Any]]
    columns: tuple[str, ...]
    score: Callable[[Sequence[Any], Sequence[Answer]], Scores]
    input: Callable[[Any], tuple[list[str], str]]
    labels: Callable[[Any], Sequence[str]] | None = None


def _words(sentence: Any) -> tuple[list[str], str]:
    return sentence.words, " ".join(sentence.words)


def _review(review: readers.Review) -> tuple[list[str], str]:
    text = clean_sentence(review.text)
    return tokenize(text) or ["."], text


MEASURES: Mapping[str, Measure] = {
    "pos": Measure(readers.read_tags, ("pos",), _tag_scores("pos"), _words, lambda tagged: tagged.labels),
    "feats": Measure(readers.read_feats, ("feats",), _tag_scores("feats"), _words),
    "lemma": Measure(readers.read_lemmas, ("lemma",), _tag_scores("lemma"), _words),
    "ner": Measure(readers.read_entities, ("ner", "ner_bio"), _score_entities, _words),
    "dep": Measure(readers.read_trees, ("dep",), _score_trees, _words, lambda tree: tree.relations),
    "stemmer": Measure(readers.read_analyses, ("morph", "lemma"), _score_analyses, _words),
    "sentiment": Measure(readers.read_reviews, ("sentiment",), _score_reviews, _review),
}
