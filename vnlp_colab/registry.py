"""The one table of models: names, classes, files and tasks. Fronts, commands, conversion and error messages read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

Source = Literal["embedded", "convert"]


@dataclass(frozen=True)
class Model:
    """One model.

    Attributes
    ----------
    name
        The name of its class, and what users call it by (``"pos:TreeStackPoS"``).
    module
        Where the class is; it is an annotator (`vnlp_colab.annotator.protocol`).
    stem
        The stem of its file: ``PoS_SPUContext`` for ``PoS_SPUContext_prod.onnx``.
    tasks
        What it does.
    source
        ``"embedded"``, or ``"convert"`` where ``vnlp-colab convert NAME`` makes it from VNLP's weights.
    vnlp
        One of VNLP's networks; the default of a task's front is the first of these.
    takes
        Settings of its own that a pipeline hands on, such as ``("style",)``.
    """

    name: str
    module: str
    stem: str
    tasks: tuple[str, ...]
    source: Source = "embedded"
    vnlp: bool = True
    takes: tuple[str, ...] = ()

    def load_class(self) -> Any:
        """Import the class."""
        return getattr(import_module(self.module), self.name)


# The treebanks whose way of annotating the joint network knows; they contradict each other in places.
STYLES = ("generic", "boun", "kenet", "penn", "tourism", "framenet", "atis")

# Of each task the first model is the default.
MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            "JointAnalyzer",
            "vnlp_colab.joint.joint_colab",
            "Joint",
            ("pos", "ner", "dep", "lemma", "feats", "sentiment"),
            vnlp=False,
            takes=("style",),
        ),
        Model("SPUContextPoS", "vnlp_colab.pos.pos_colab", "PoS_SPUContext", ("pos",)),
        Model("TreeStackPoS", "vnlp_colab.treestack.pos", "PoS_TreeStack", ("pos",), "convert"),
        Model("SPUContextNER", "vnlp_colab.ner.ner_colab", "NER_SPUContext", ("ner",)),
        Model("CharNER", "vnlp_colab.ner.charner", "NER_CharNER", ("ner",)),
        Model("SPUContextDP", "vnlp_colab.dep.dep_colab", "DP_SPUContext", ("dep",)),
        Model("TreeStackDP", "vnlp_colab.treestack.dep", "DP_TreeStack", ("dep",), "convert"),
        Model("StemmerAnalyzer", "vnlp_colab.stemmer.stemmer_colab", "Stemmer_Shen", ("stemmer",)),
        Model(
            "SPUCBiGRUSentimentAnalyzer", "vnlp_colab.sentiment.sentiment_colab", "Sentiment_SPUCBiGRU", ("sentiment",)
        ),
    )
}
# What a pipeline loads unless told otherwise.
DEFAULT_TASKS = ("pos", "feats", "lemma", "ner", "dep", "sentiment")


def tasks() -> tuple[str, ...]:
    """Return every task that some model does."""
    return tuple(dict.fromkeys([*DEFAULT_TASKS, *(task for model in MODELS.values() for task in model.tasks)]))


def models_of(task: str) -> tuple[str, ...]:
    """Return the names of a task's models, the default one first.

    Examples
    --------
    >>> models_of("pos")
    ('JointAnalyzer', 'SPUContextPoS', 'TreeStackPoS')
    """
    return tuple(model.name for model in MODELS.values() if task in model.tasks)


def front_model(task: str) -> str:
    """Return the model that a task's front takes unasked: the first of VNLP's, which need not be the pipeline's.

    Examples
    --------
    >>> front_model("ner")
    'SPUContextNER'
    """
    names = models_of(task)
    return next((name for name in names if MODELS[name].vnlp), names[0])


def check_model(task: str, name: str | None = None) -> str:
    """Return the name of a task's model, its default one for ``None``; raise ``ValueError`` with the known ones."""
    known = models_of(task)
    if not known:
        raise ValueError(f"unknown task {task!r}; choose from {', '.join(tasks())}")
    if name is not None and name not in known:
        raise ValueError(f"unknown model {name!r} for {task}; choose from {', '.join(known)}")
    return name or known[0]


def choose_models(models_to_load: Sequence[str]) -> dict[str, str]:
    """Return ``{task: model}`` for a selection such as ``["pos:TreeStackPoS", "ner"]``.

    Examples
    --------
    >>> choose_models(["pos:TreeStackPoS", "ner"])
    {'pos': 'TreeStackPoS', 'ner': 'JointAnalyzer'}
    """
    if isinstance(models_to_load, str) or not isinstance(models_to_load, Sequence):
        raise TypeError(f'models_to_load takes a list such as ["pos", "ner"], not {models_to_load!r}')
    chosen: dict[str, str] = {}
    for entry in models_to_load:
        if not isinstance(entry, str):
            raise TypeError(f"models_to_load takes names, not {type(entry).__name__} ({entry!r})")
        task, _, name = entry.partition(":")
        model = check_model(task, name or None)
        if task in chosen:
            raise ValueError(f"{task} is asked for twice; give each task one model")
        chosen[task] = model
    if not chosen:
        raise ValueError(f"models_to_load is empty; choose from {', '.join(tasks())}")
    return chosen


def check_style(style: str | None, models: Iterable[str]) -> None:
    """Refuse a style that there is not, or that none of the `models` knows.

    Examples
    --------
    >>> check_style("boun", ["SPUContextPoS"])
    Traceback (most recent call last):
    ValueError: style 'boun' is for the joint network, which is not among the models
    """
    if style is None:
        return
    if style not in STYLES:
        raise ValueError(f"unknown style {style!r}; choose from {', '.join(STYLES)}")
    if not any("style" in MODELS[name].takes for name in models if name in MODELS):
        raise ValueError(f"style {style!r} is for the joint network, which is not among the models")


def select_models(models_to_load: Sequence[str] | Mapping[str, object], style: str | None = None) -> dict[str, str]:
    """Return ``{task: model}`` for names or for objects, of which the class is told; refuse a style that fits none.

    Examples
    --------
    >>> select_models({"pos": object()}, style="boun")
    Traceback (most recent call last):
    ValueError: style 'boun' is for models loaded by name; give it to the object, as in JointAnalyzer(style='boun')
    """
    if not isinstance(models_to_load, Mapping):
        chosen = choose_models(models_to_load)
        check_style(style, chosen.values())
        return chosen
    choose_models(list(models_to_load))
    if style is not None:
        raise ValueError(
            f"style {style!r} is for models loaded by name; give it to the object, as in JointAnalyzer(style={style!r})"
        )
    return {task: type(model).__name__ for task, model in models_to_load.items()}


def by_stem(stem: str) -> Model | None:
    """Return the model whose file has this stem, if there is one."""
    return next((model for model in MODELS.values() if model.stem == stem), None)
