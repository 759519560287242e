"""The public fronts' common part: a model by name, loaded once per process and configuration."""

from __future__ import annotations

import inspect
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from vnlp_colab.resources.places import local_places

if TYPE_CHECKING:
    from collections.abc import Mapping

_instances: dict[tuple[Any, ...], Any] = {}
_locks: dict[tuple[Any, ...], threading.Lock] = {}
_guard = threading.Lock()


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
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock:
        if key not in _instances:
            _instances[key] = model_class(**settings)
        return _instances[key]


class Front:
    """A task's front: it loads one of its models and hands everything on to it.

    Parameters
    ----------
    model
        The model's name; `models` has the valid ones, the first is the default.
    evaluate
        Take the weights that have not seen the test data.
    device
        ``"auto"``, ``"cpu"`` or ``"cuda"``.
    settings
        Further keywords of the model's class.
    """

    models: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self, model: str | None = None, evaluate: bool = False, *, device: str = "auto", **settings: Any
    ) -> None:
        model = model or next(iter(self.models))
        if model not in self.models:
            raise ValueError(f"{type(self).__name__} has no model {model!r}; it has: {', '.join(self.models)}")
        self.model = model
        self.instance: Any = shared_instance(self.models[model], evaluate=evaluate, device=device, **settings)

    def __getattr__(self, name: str) -> Any:
        if name == "instance":  # not made yet: looking further would look for itself
            raise AttributeError(name)
        return getattr(self.instance, name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r})"
