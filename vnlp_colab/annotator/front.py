"""The public fronts' common part: a model by name, loaded once per process and configuration."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from vnlp_colab import registry
from vnlp_colab.annotator.inputs import check_sentences, check_text, check_texts, check_tokens
from vnlp_colab.annotator.locks import Locks
from vnlp_colab.annotator.protocol import Batch
from vnlp_colab.columns import empty_value
from vnlp_colab.errors import VNLPError
from vnlp_colab.resources.places import local_places
from vnlp_colab.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_instances: dict[tuple[Any, ...], Any] = {}
_locks = Locks()


def shared_instance(place: str, **settings: Any) -> Any:
    """Return the one instance of the class at ``"module:Class"`` with these settings, made when first asked for.

    Threads that ask for the same one wait for each other; different ones load side by side.
    """
    module, _, name = place.partition(":")
    model_class = getattr(import_module(module), name)
    # With the defaults filled in, so that naming a default gives no second copy of the model.
    bound = inspect.signature(model_class).bind(**settings)
    bound.apply_defaults()
    # The places belong to the configuration: another VNLP_COLAB_MODELS means another model.
    key = (place, *bound.arguments.items(), *local_places())
    with _locks.held(key):
        if key not in _instances:
            _instances[key] = model_class(**settings)
        return _instances[key]


def shared_model(name: str, **settings: Any) -> Any:
    """Return the one instance of a model of the registry with these settings, made when first asked for."""
    return shared_instance(f"{registry.MODELS[name].module}:{name}", **settings)


class Front:
    """A task's front: it loads one of its models and hands everything on to it.

    A model of several tasks works behind the front of each: what it has no `predict` of its own for is made of the
    columns it fills (`vnlp_colab.annotator.protocol`).

    Parameters
    ----------
    model
        The model's name; by default the first of VNLP's (`vnlp_colab.registry`).
    evaluate
        Take the weights that have not seen the test data.
    device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
    settings
        Further keywords of the model's class, such as ``options`` (threads).
    """

    task: ClassVar[str]

    def __init__(
        self, model: str | None = None, evaluate: bool = False, *, device: str = "auto", **settings: Any
    ) -> None:
        known = registry.models_of(self.task)
        if model is not None and model not in known:
            raise ValueError(f"{type(self).__name__} has no model {model!r}; it has: {', '.join(known)}")
        self.model = model or registry.front_model(self.task)
        self.instance: Any = shared_model(self.model, evaluate=evaluate, device=device, **settings)
        # A class says which task its own `predict` is of; one without a task has none that a front could hand on.
        self._hands_on = getattr(self.instance, "task", None) == self.task

    def __getattr__(self, name: str) -> Any:
        if name in ("instance", "_hands_on"):  # not made yet: looking further would look for itself
            raise AttributeError(name)
        return getattr(self.instance, name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r})"

    def _column(self, tokens: Sequence[Sequence[str]], texts: Sequence[str]) -> list[Any]:
        """Return the task's column, as the model annotates it; what is empty is not asked for."""
        needs = self.instance.needs
        if needs:
            raise VNLPError(
                f"{self.model} needs the columns {', '.join(needs)}, which a pipeline gives it and "
                f"{type(self).__name__} does not: use VNLPipeline(['{self.task}:{self.model}'])"
            )
        filled = [number for number, words in enumerate(tokens) if words]
        values = [empty_value(self.task) for _ in tokens]
        if filled:
            batch = Batch([tokens[number] for number in filled], [texts[number] for number in filled])
            for number, value in zip(filled, self.instance.annotate(batch, (self.task,))[self.task], strict=True):
                values[number] = value
        return values


class TokenFront(Front):
    """A front whose answers are lists over tokens."""

    def predict(self, tokens: Iterable[str], **settings: Any) -> list[tuple[Any, ...]]:
        """Return the answers for the tokens of a sentence."""
        if self._hands_on:
            return self.instance.predict(tokens, **settings)  # type: ignore[no-any-return]
        return self.predict_batch([check_tokens(tokens)])[0]

    def predict_batch(self, sentences: Iterable[Iterable[str]], **settings: Any) -> list[list[tuple[Any, ...]]]:
        """Return the same for each sentence, sentences in the order given."""
        if self._hands_on:
            return self.instance.predict_batch(sentences, **settings)  # type: ignore[no-any-return]
        checked = check_sentences(sentences)
        values = self._column(checked, [" ".join(tokens) for tokens in checked])
        return [self._answer(tokens, value) for tokens, value in zip(checked, values, strict=True)]

    def _answer(self, tokens: list[str], values: list[Any]) -> list[tuple[Any, ...]]:
        """Return ``(token, value)`` for each token; ``(index, token, head, relation)`` where the value is an arc."""
        if self.task == "dep":
            arcs = zip(tokens, values, strict=True)
            return [(number, token, *arc) for number, (token, arc) in enumerate(arcs, start=1)]
        return list(zip(tokens, values, strict=True))


class TextFront(Front):
    """A front whose answers are about texts: how likely each is a positive one."""

    def predict(self, text: str) -> int:
        """Return 1 if the text is positive, else 0."""
        return self.predict_batch([check_text(text)])[0]

    def predict_batch(self, texts: Iterable[str]) -> list[int]:
        """Return 1 or 0 for each text."""
        return [int(probability > 0.5) for probability in self.predict_proba_batch(texts)]

    def predict_proba(self, text: str) -> float:
        """Return the probability that the text is positive."""
        return self.predict_proba_batch([check_text(text)])[0]

    def predict_proba_batch(self, texts: Iterable[str]) -> list[float]:
        """Return the probability that each text is positive."""
        if self._hands_on:
            return self.instance.predict_proba_batch(texts)  # type: ignore[no-any-return]
        checked = check_texts(texts)
        return self._column([tokenize(text) for text in checked], checked)
