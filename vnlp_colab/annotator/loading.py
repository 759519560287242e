"""Models by their name in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.annotator.front import shared_model

if TYPE_CHECKING:
    from vnlp_colab.annotator.protocol import Annotator

_MEMBERS = ("provides", "needs", "device", "fingerprint", "annotate")


def load_model(name: str, **settings: Any) -> Annotator:
    """Return the process-wide instance of a model with these settings (``device``, ``evaluate``, ``options``)."""
    return check_annotator(name, shared_model(name, **settings))


def check_annotator(role: str, candidate: object) -> Annotator:
    """Return `candidate` if it is an annotator, else say what it lacks."""
    missing = [name for name in _MEMBERS if not hasattr(candidate, name)]
    if missing:
        raise TypeError(
            f"the model for {role!r} is no annotator: {type(candidate).__name__} has no {', '.join(missing)} "
            "(see vnlp_colab.annotator.protocol.Annotator)"
        )
    return candidate  # type: ignore[return-value]
