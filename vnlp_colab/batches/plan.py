"""Which annotator fills which column, and in what order they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vnlp_colab.columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from vnlp_colab.annotator.protocol import Annotator


_LABELS = ("ner", "ner_bio")
_OF_ENTITIES = ("ner", "ner_bio", "entities")
# Columns that others bring along, where one annotator has both: documents keep the label beside the score.
_ASKED_TOGETHER = {"sentiment": ("sentiment", "sentiment_label")}


@dataclass(frozen=True)
class Step:
    """One annotator, the columns it fills, and the tasks it was loaded for."""

    annotator: Annotator
    columns: tuple[str, ...]
    tasks: tuple[str, ...]

    @property
    def name(self) -> str:
        """What times are told under: the tasks, or for one that only helps another its class."""
        return "+".join(self.tasks) or type(self.annotator).__name__


def make_plan(
    chosen: Mapping[str, Annotator], columns: Iterable[str], load: Callable[[str], Annotator]
) -> tuple[Step, ...]:
    """Return the steps that fill `columns`, each annotator once, after those whose columns it needs.

    Parameters
    ----------
    chosen
        The annotator of each task.
    columns
        The result columns; those that preparation fills are passed over.
    load
        Returns the default annotator of a task, for columns that an annotator needs and nobody was chosen for.
    """
    helpers = dict(chosen)
    filled: dict[int, list[str]] = {}
    by_id: dict[int, Annotator] = {}
    wanted = [name for name in columns if COLUMNS[name].tasks]
    while wanted:
        name = wanted.pop(0)
        # Entities are made of labels: all that their annotator says of them is asked for.
        asked = _LABELS if name in _OF_ENTITIES else _ASKED_TOGETHER.get(name, (name,))
        annotator = _provider(asked[0], helpers, load)
        if id(annotator) not in by_id:
            by_id[id(annotator)] = annotator
            wanted += annotator.needs
        names = filled.setdefault(id(annotator), [])
        names += [one for one in asked if one in annotator.provides and one not in names]
    tasks = {key: tuple(task for task, one in chosen.items() if one is by_id[key]) for key in by_id}
    steps = [Step(by_id[key], tuple(names), tasks[key]) for key, names in filled.items()]
    return _in_order(steps)


def _provider(name: str, chosen: dict[str, Annotator], load: Callable[[str], Annotator]) -> Annotator:
    owners = COLUMNS[name].tasks
    for task in owners:
        if task in chosen and name in chosen[task].provides:
            return chosen[task]
    for annotator in chosen.values():  # loaded for another task, but it has the column too
        if name in annotator.provides:
            return annotator
    if any(task in chosen for task in owners):
        model = type(next(chosen[task] for task in owners if task in chosen)).__name__
        raise ValueError(f"{model} does not provide the column {name!r}; choose another model or leave the column out")
    chosen[owners[-1]] = load(owners[-1])
    return chosen[owners[-1]]


def _in_order(steps: list[Step]) -> tuple[Step, ...]:
    ordered: list[Step] = []
    waiting = list(steps)
    while waiting:
        there = {name for step in ordered for name in step.columns}
        ready = [step for step in waiting if set(step.annotator.needs) <= there]
        if not ready:
            names = ", ".join(type(step.annotator).__name__ for step in waiting)
            raise ValueError(f"these annotators need each other's columns: {names}")
        ordered += ready
        waiting = [step for step in waiting if step not in ready]
    return tuple(ordered)
