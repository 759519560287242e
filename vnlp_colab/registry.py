"""The one table of models: names, classes, files and tasks. Fronts, commands, conversion and error messages read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        The `STYLES` it has, which a pipeline hands on.
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


@dataclass(frozen=True)
class Style:
    """A way of annotating that can be asked for: training data contradict each other in places.

    Attributes
    ----------
    of
        What has it.
    names
        The ones there are; the first is the default, and none in particular.
    tasks
        What it tells on.
    """

    of: str
    names: tuple[str, ...]
    tasks: tuple[str, ...]


_JOINT_TASKS = ("pos", "ner", "dep", "lemma", "feats", "sentiment")
# Every style, by the setting that asks for it.
STYLES = {
    "style": Style("treebank", ("generic", "boun", "kenet", "penn", "tourism", "framenet", "atis"), _JOINT_TASKS),
    "entity_style": Style(
        "entity set", ("generic", "wikiann_tr", "turkish_wiki_ner", "starlang_penn15_v2", "nakbatr_aa"), ("ner",)
    ),
}

# Of each task the first model is the default.
MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            "JointAnalyzer",
            "vnlp_colab.joint.joint_colab",
            "Joint",
            _JOINT_TASKS,
            vnlp=False,
            takes=("style", "entity_style"),
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


def styles_in(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the styles that are given among settings.

    Examples
    --------
    >>> styles_in({"device": "cpu", "style": "boun", "entity_style": None})
    {'style': 'boun'}
    """
    return {setting: settings[setting] for setting in STYLES if settings.get(setting) is not None}


def known_styles(setting: str, models: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of a style that these models, by task, may be asked for; nothing where none of them has it.

    Examples
    --------
    >>> known_styles("entity_style", {"pos": "JointAnalyzer", "ner": "CharNER"})
    ()
    """
    style = STYLES[setting]
    asked = [MODELS[name] for task, name in models.items() if task in style.tasks and name in MODELS]
    return style.names if any(setting in model.takes for model in asked) else ()


def check_styles(models: Mapping[str, str], **styles: str | None) -> None:
    """Refuse a style that there is not, or that none of the `models`, by task, has.

    Examples
    --------
    >>> check_styles({"ner": "CharNER"}, entity_style="wikiann_tr")
    Traceback (most recent call last):
    ValueError: entity_style 'wikiann_tr' is for the joint network, which is not among the models of ner
    """
    for setting, name in styles_in(styles).items():
        style = STYLES[setting]
        if name not in style.names:
            raise ValueError(f"unknown {setting} {name!r}; choose from {', '.join(style.names)}")
        if not known_styles(setting, models):
            told = f"{setting} {name!r} is for the joint network, which is not among the models"
            raise ValueError(f"{told} of {', '.join(style.tasks)}")


def select_models(models_to_load: Sequence[str] | Mapping[str, object], **styles: str | None) -> dict[str, str]:
    """Return ``{task: model}`` for names or for objects, of which the class is told; refuse a style that fits none.

    Examples
    --------
    >>> select_models({"pos": object()}, style="boun")
    Traceback (most recent call last):
    ValueError: style 'boun' is for models loaded by name; give it to the object, as in JointAnalyzer(style='boun')
    """
    if not isinstance(models_to_load, Mapping):
        chosen = choose_models(models_to_load)
        check_styles(chosen, **styles)
        return chosen
    choose_models(list(models_to_load))
    for setting, name in styles_in(styles).items():
        told = f"{setting} {name!r} is for models loaded by name; give it to the object"
        raise ValueError(f"{told}, as in JointAnalyzer({setting}={name!r})")
    return {task: type(model).__name__ for task, model in models_to_load.items()}


def by_stem(stem: str) -> Model | None:
    """Return the model whose file has this stem, if there is one."""
    return next((model for model in MODELS.values() if model.stem == stem), None)
