"""Run a model over labelled files and score what it says, file by file and pooled."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from tqdm.auto import tqdm

from vnlp_colab.evaluation import readers
from vnlp_colab.evaluation.scores import f1_of, macro_f1, share_equal
from vnlp_colab.evaluation.spans import spans_of_bio, spans_of_labels
from vnlp_colab.stemmer.stemmer_colab import lemma_of
from vnlp_colab.tasks import TASKS, load_model
from vnlp_colab.trees.tree import is_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from vnlp_colab.annotator.answers import Parsed

Scores = dict[str, float]
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
) -> Evaluated:
    """Score a model on labelled files; all are read before the model is loaded.

    Parameters
    ----------
    task
        ``"pos"`` and ``"dep"`` read CoNLL-U, ``"ner"`` ``token TAB BIO``, ``"sentiment"`` ``label TAB text``,
        ``"stemmer"`` JSON lines with ``tokens``, ``morph`` and ``lemma``.
    paths
        The files.
    model
        A model of the task; its default one if not given.
    device
        ``"auto"``, ``"cpu"`` or ``"cuda"``.
    weights
        ``"prod"``, or ``"eval"`` for those that have not seen the test data.
    progress
        Show a bar on the standard error; by default if that is a terminal.
    """
    if task not in TASKS:
        raise ValueError(f"unknown task {task!r}; choose from {', '.join(TASKS)}")
    model = model or TASKS[task].models[0]
    if model not in TASKS[task].models:
        raise ValueError(f"unknown model {model!r} for {task}; choose from {', '.join(TASKS[task].models)}")
    if not paths:
        raise ValueError("no file to evaluate on")
    measure = MEASURES[task]
    gold = [measure.read(path) for path in paths]
    loaded = load_model(task, model, device=device, evaluate=weights == "eval")
    guesses = []
    for path, sentences in zip(paths, gold, strict=True):
        hidden = None if progress is None else not progress
        with tqdm(total=len(sentences), desc=path.name, unit=" sentences", disable=hidden) as bar:
            guesses.append(_predict(measure, loaded, sentences, bar))
    files = [
        (str(path), measure.score(sentences, guess))
        for path, sentences, guess in zip(paths, gold, guesses, strict=True)
    ]
    pooled = measure.score(list(chain(*gold)), list(chain(*guesses)))
    return Evaluated(task, model, weights, loaded.device, files, pooled)


def _predict(measure: Measure, model: Any, sentences: Sequence[Any], bar: tqdm[Any]) -> list[Any]:
    """Return the model's answers in the order of the sentences, asked for in batches of like length."""
    order = sorted(range(len(sentences)), key=lambda number: measure.size(sentences[number]))
    answers: list[Any] = [None] * len(sentences)
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        for number, answer in zip(batch, measure.predict(model, [sentences[i] for i in batch]), strict=True):
            answers[number] = answer
        bar.update(len(batch))
    return answers


def _flat(lists: Iterable[Sequence[str]]) -> list[str]:
    return list(chain.from_iterable(lists))


def _labels(model: Any, sentences: Sequence[readers.TaggedSentence]) -> list[list[str]]:
    return [answer.labels for answer in model.label_batch([sentence.words for sentence in sentences])]


def _score_tags(gold: Sequence[readers.TaggedSentence], guess: Sequence[list[str]]) -> Scores:
    wanted, found = _flat(sentence.labels for sentence in gold), _flat(guess)
    return {
        "sentences": len(gold),
        "words": len(wanted),
        "accuracy": share_equal(wanted, found),
        "macro_f1": macro_f1(wanted, found),
    }


def _score_entities(gold: Sequence[readers.TaggedSentence], guess: Sequence[list[str]]) -> Scores:
    wanted = [tag[2:] or "O" for sentence in gold for tag in sentence.labels]
    found = _flat(guess)
    wanted_spans = [(i, span) for i, sentence in enumerate(gold) for span in spans_of_bio(sentence.labels)]
    found_spans = [(i, span) for i, labels in enumerate(guess) for span in spans_of_labels(labels)]
    right = len(set(wanted_spans) & set(found_spans))
    return {
        "sentences": len(gold),
        "tokens": len(wanted),
        "token_accuracy": share_equal(wanted, found),
        "token_macro_f1": macro_f1(wanted, found),
        **f1_of(right, len(found_spans), len(wanted_spans)),
    }


def _score_trees(gold: Sequence[readers.TreeSentence], guess: Sequence[Parsed]) -> Scores:
    heads = [
        (a, b) for tree, parsed in zip(gold, guess, strict=True) for a, b in zip(tree.heads, parsed.heads, strict=True)
    ]
    relations = [
        a == b for a, b in zip(_flat(t.relations for t in gold), _flat(p.relations for p in guess), strict=True)
    ]
    return {
        "sentences": len(gold),
        "words": len(heads),
        "uas": sum(a == b for a, b in heads) / len(heads),
        "las": sum(a == b and same for (a, b), same in zip(heads, relations, strict=True)) / len(heads),
        "valid_trees": sum(is_tree(parsed.heads) for parsed in guess) / len(guess),
    }


def _score_reviews(gold: Sequence[readers.Review], guess: Sequence[int]) -> Scores:
    wanted, found = [str(review.label) for review in gold], [str(label) for label in guess]
    return {"texts": len(gold), "accuracy": share_equal(wanted, found), "macro_f1": macro_f1(wanted, found)}


def _score_analyses(gold: Sequence[readers.AnalyzedSentence], guess: Sequence[list[str]]) -> Scores:
    morph, found = _flat(sentence.morph for sentence in gold), _flat(guess)
    lemmas = _flat(sentence.lemma for sentence in gold)
    return {
        "sentences": len(gold),
        "tokens": len(morph),
        "morph": share_equal(morph, found),
        "lemma": share_equal(lemmas, [lemma_of(analysis) for analysis in found]),
    }


@dataclass(frozen=True)
class Measure:
    """How a task is evaluated: read a file, size of a sentence, ask the model, score its answers."""

    read: Callable[[Path], Sequence[Any]]
    size: Callable[[Any], int]
    predict: Callable[[Any, Sequence[Any]], Sequence[Any]]
    score: Callable[[Sequence[Any], Sequence[Any]], Scores]


def _words(sentence: Any) -> int:
    return len(sentence.words)


MEASURES: Mapping[str, Measure] = {
    "pos": Measure(readers.read_tags, _words, _labels, _score_tags),
    "ner": Measure(readers.read_entities, _words, _labels, _score_entities),
    "dep": Measure(
        readers.read_trees,
        _words,
        lambda model, sentences: model.parse_batch([sentence.words for sentence in sentences]),
        _score_trees,
    ),
    "stemmer": Measure(
        readers.read_analyses,
        _words,
        lambda model, sentences: model.predict_batch([sentence.words for sentence in sentences]),
        _score_analyses,
    ),
    "sentiment": Measure(
        readers.read_reviews,
        lambda review: len(review.text),
        lambda model, reviews: model.predict_batch([review.text for review in reviews]),
        _score_reviews,
    ),
}
