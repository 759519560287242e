"""The five tasks as a table of data: which models do them, where they live and which columns they fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Task:
    """One task of the pipeline; the first of its models is the default."""

    name: str
    module: str
    front: str
    models: tuple[str, ...]
    columns: tuple[str, ...]
    optional_columns: tuple[str, ...] = ()
    # A model that takes no `model=` keyword, because its front knows only one.
    single: bool = field(default=False)


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "sentiment",
            "sentiment.sentiment_colab",
            "SentimentAnalyzer",
            ("SPUCBiGRUSentimentAnalyzer",),
            ("sentiment",),
            ("sentiment_label",),
        ),
        Task(
            "stemmer",
            "stemmer.stemmer_colab",
            "get_stemmer_analyzer",
            ("StemmerAnalyzer",),
            ("morph", "lemma"),
            single=True,
        ),
        Task(
            "pos",
            "pos.pos_colab",
            "PoSTagger",
            ("SPUContextPoS", "TreeStackPoS"),
            ("pos",),
            ("pos_confidence",),
        ),
        Task(
            "ner",
            "ner.ner_colab",
            "NamedEntityRecognizer",
            ("SPUContextNER", "CharNER"),
            ("ner",),
            ("ner_confidence",),
        ),
        Task("dep", "dep.dep_colab", "DependencyParser", ("SPUContextDP", "TreeStackDP"), ("dep",)),
    )
}
DEFAULT_TASKS = ("pos", "ner", "dep", "stemmer", "sentiment")

PREPARED_COLUMNS = ("no_accents", "tokens", "tokens_40")
OPTIONAL_COLUMNS = ("pos_confidence", "ner_confidence", "sentiment_label", "offsets")


def choose_models(models_to_load: Sequence[str]) -> dict[str, str]:
    """Return ``{task: model}`` for a selection such as ``["pos:TreeStackPoS", "ner"]``.

    Examples
    --------
    >>> choose_models(["pos:TreeStackPoS", "ner"])
    {'pos': 'TreeStackPoS', 'ner': 'SPUContextNER'}
    """
    if isinstance(models_to_load, str) or not isinstance(models_to_load, Sequence):
        raise TypeError(f'models_to_load takes a list such as ["pos", "ner"], not {models_to_load!r}')
    chosen: dict[str, str] = {}
    for entry in models_to_load:
        if not isinstance(entry, str):
            raise TypeError(f"models_to_load takes names, not {type(entry).__name__} ({entry!r})")
        name, _, model = entry.partition(":")
        if name not in TASKS:
            raise ValueError(f"unknown task {name!r}; choose from {', '.join(DEFAULT_TASKS)}")
        task = TASKS[name]
        model = model or task.models[0]
        if model not in task.models:
            raise ValueError(f"unknown model {model!r} for {name}; choose from {', '.join(task.models)}")
        if name in chosen:
            raise ValueError(f"{name} is asked for twice; give each task one model")
        chosen[name] = model
    if not chosen:
        raise ValueError(f"models_to_load is empty; choose from {', '.join(DEFAULT_TASKS)}")
    return chosen


def load_model(task_name: str, model: str, *, device: str, evaluate: bool) -> Any:
    """Return the process-wide instance of `model`; what it needs itself (TreeStack: tagger, stemmer) comes with it."""
    task = TASKS[task_name]
    front = getattr(import_module(f"vnlp_colab.{task.module}"), task.front)
    if task.single:
        return front(device=device, evaluate=evaluate)
    return front(model=model, device=device, evaluate=evaluate).instance


def result_columns(tasks: Mapping[str, Any], optional: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the result columns, in the order they stand in the output."""
    names = [*PREPARED_COLUMNS]
    for task in TASKS.values():
        if task.name in tasks:
            names.extend(task.columns)
    return (*names, *(name for name in OPTIONAL_COLUMNS if name in optional))


def check_optional_columns(optional: Sequence[str], tasks: Mapping[str, Any]) -> tuple[str, ...]:
    """Return `optional` if each is a known optional column whose task is loaded; else raise ``ValueError``."""
    if isinstance(optional, str):
        raise TypeError(f'columns takes a list such as ["offsets"], not the string {optional!r}')
    owners = {column: task.name for task in TASKS.values() for column in task.optional_columns}
    for name in optional:
        if name not in OPTIONAL_COLUMNS:
            raise ValueError(f"unknown optional column {name!r}; choose from {', '.join(OPTIONAL_COLUMNS)}")
        if name in owners and owners[name] not in tasks:
            raise ValueError(f"column {name!r} needs the task {owners[name]!r}, which is not among the loaded models")
    return tuple(optional)


def sentiment_label(score: float) -> str:
    """Return ``positive`` or ``negative`` for the probability of a positive text, cut where ``predict`` cuts."""
    return "positive" if score > 0.5 else "negative"


def empty_value(column: str) -> Any:
    """Return what a row without a sentence has in a result column."""
    if column == "sentiment":
        return float("nan")
    if column == "no_accents":
        return ""
    return None if column == "sentiment_label" else []
