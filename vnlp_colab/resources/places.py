"""The folders a model may be in, in the order they are looked at."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vnlp_colab.registry import by_stem
from vnlp_colab.resources.download import cache_dir
from vnlp_colab.resources.manifest import MANIFEST_NAME, Manifest, ResourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

Origin = Literal["folder", "embedded", "cache", "store"]

EMBEDDED_FOLDER = Path(__file__).resolve().parents[1] / "models"


@dataclass(frozen=True)
class Place:
    """A folder that may hold models."""

    origin: Origin
    folder: Path

    def manifest(self) -> Manifest:
        """Read what it holds."""
        return Manifest.read(self.folder)

    def __str__(self) -> str:
        name = {"folder": "VNLP_COLAB_MODELS", "embedded": "package"}.get(self.origin, self.origin)
        return f"{name} ({self.folder})"


def local_places() -> list[Place]:
    """Return the folders of this machine: that of VNLP_COLAB_MODELS, the package's, the cache."""
    named = os.environ.get("VNLP_COLAB_MODELS")
    first = [Place("folder", _named_folder(named))] if named else []
    return [*first, Place("embedded", EMBEDDED_FOLDER), Place("cache", cache_dir())]


def _named_folder(named: str) -> Path:
    folder = Path(named).expanduser().absolute()
    if not folder.is_dir():
        raise ResourceError(f"VNLP_COLAB_MODELS is {named}, which is not a folder: correct it or unset it")
    if not (folder / MANIFEST_NAME).is_file():
        raise ResourceError(
            f"VNLP_COLAB_MODELS is {named}, which has no {MANIFEST_NAME}: name a folder that "
            f"`vnlp-colab convert --output` wrote, or unset the variable"
        )
    return folder


def candidates(stem: str, evaluate: bool) -> Iterator[tuple[Place, str]]:
    """Yield where to look and for which model, in order.

    For `evaluate`, weights trained without the test data; a model whose only weights never saw the test data says
    so with the option `eval_is_prod`.
    """
    places = local_places()
    if not evaluate:
        yield from ((place, f"{stem}_prod") for place in places)
        return
    for place in places:
        yield place, f"{stem}_eval"
        # What the user's own folder holds goes before any other place; elsewhere real eval weights go first.
        if place.origin == "folder" and _eval_is_prod(place, stem):
            yield place, f"{stem}_prod"
    yield from ((place, f"{stem}_prod") for place in places if _eval_is_prod(place, stem))


def _eval_is_prod(place: Place, stem: str) -> bool:
    options = place.manifest().models.get(f"{stem}_prod", {}).get("options", {})
    return isinstance(options, dict) and options.get("eval_is_prod") is True


def model_name(stem: str) -> str:
    """Return the name of the class whose file has this stem; the stem itself where there is none."""
    model = by_stem(stem)
    return model.name if model else stem


def convert_command(key: str) -> str:
    """Return the command that makes a model from upstream's weights."""
    stem, _, weights = key.rpartition("_")
    return f"vnlp-colab convert {model_name(stem)}" + (" --weights eval" if weights == "eval" else "")


def command_for(key: str, origin: Origin | None = None) -> str:
    """Return what gets a model: a command, or the package anew for one that is damaged there or made nowhere else.

    Instead of a damaged one of the user's folder the package's own can be had, where it has one.

    Examples
    --------
    >>> command_for("PoS_TreeStack_prod"), command_for("Joint_prod")
    ('vnlp-colab convert TreeStackPoS', 'pip install --force-reinstall CHECKOUT_OR_WHEEL')
    """
    model = by_stem(key.rpartition("_")[0])
    if origin == "folder" and model is not None and model.source == "embedded":
        return "unset VNLP_COLAB_MODELS"
    in_package = origin == "embedded" or (model is not None and not model.vnlp)
    return "pip install --force-reinstall CHECKOUT_OR_WHEEL" if in_package else convert_command(key)


def how_to_get(key: str) -> str:
    """Say what a person can do to get a model."""
    return (
        f"run `{command_for(key)}`, or set VNLP_COLAB_MODEL_URL to a store that has it, "
        f"or VNLP_COLAB_MODELS to a folder that has it"
    )
