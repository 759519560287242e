"""Where a model comes from: a folder the user names, the package, the cache, a remote store, in this order.

Environment variables: VNLP_COLAB_MODELS (folder looked at first), VNLP_COLAB_CACHE (folder of converted and downloaded
models), VNLP_COLAB_MODEL_URL (remote store; there is no default), VNLP_COLAB_OFFLINE=1 (never use the network),
VNLP_COLAB_TIMEOUT (seconds of silence after which a server is given up).
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vnlp_colab.download import OfflineError, cache_dir, download_resource
from vnlp_colab.manifest import (
    MANIFEST_NAME,
    DamagedFileError,
    Manifest,
    ResourceError,
    check_file,
)
from vnlp_colab.store import fetch_model, read_store_manifest, snapshot_folders, store_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "EMBEDDED_FOLDER",
    "MODEL_NAMES",
    "ModelFiles",
    "OfflineError",
    "ResourceError",
    "cache_dir",
    "download_resource",
    "find_model",
    "list_models",
]

logger = logging.getLogger(__name__)

Origin = Literal["folder", "embedded", "cache", "store"]

EMBEDDED_FOLDER = Path(__file__).resolve().parent / "models"

# File stem -> the name of the class and of `vnlp-colab convert`.
MODEL_NAMES: Mapping[str, str] = {
    "Stemmer_Shen": "StemmerAnalyzer",
    "PoS_SPUContext": "SPUContextPoS",
    "PoS_TreeStack": "TreeStackPoS",
    "NER_SPUContext": "SPUContextNER",
    "NER_CharNER": "CharNER",
    "DP_SPUContext": "SPUContextDP",
    "DP_TreeStack": "TreeStackDP",
    "Sentiment_SPUCBiGRU": "SPUCBiGRUSentimentAnalyzer",
}


@dataclass(frozen=True)
class ModelFiles:
    """One model, found: its `.onnx` file, its manifest entry, and the files that belong to it.

    Attributes
    ----------
    key
        File stem and weights, such as `PoS_SPUContext_prod`.
    path
        The `.onnx` file.
    entry
        What the manifest says of the model.
    origin
        `folder`, `embedded`, `cache`, or `store` for one that was downloaded just now.
    """

    key: str
    path: Path
    entry: Mapping[str, Any]
    origin: Origin
    manifest: Manifest = field(repr=False, compare=False)

    def resource(self, role: str) -> Path:
        """Return the checked file of a role: `tokenizer`, `labels`, `chars`, ..."""
        roles = self.entry.get("resources", {})
        if role not in roles:
            raise ResourceError(
                f"model {self.key} has no resource {role!r} (it has: {', '.join(roles) or 'none'}): "
                f"{self.manifest.place} was made by another version; {how_to_get(self.key)}"
            )
        return check_file(self.path.parent, self.manifest.file(roles[role]), content=self.origin != "embedded")


@dataclass(frozen=True)
class _Place:
    """A folder that may hold models."""

    origin: Origin
    folder: Path

    def manifest(self) -> Manifest:
        return Manifest.read(self.folder)

    def describe(self) -> str:
        return {"folder": "VNLP_COLAB_MODELS", "embedded": "package", "cache": "cache"}.get(self.origin, self.origin)


def find_model(stem: str, *, evaluate: bool = False) -> ModelFiles:
    """Find a model by its file stem, and fetch it from the remote store if it is nowhere else.

    `evaluate=True` takes the weights that were trained without the test data (`<stem>_eval`); a model whose only
    weights never saw the test data says so in its manifest (`eval_is_prod`) and is taken too.

    Examples
    --------
    >>> find_model("NER_CharNER").path.name
    'NER_CharNER_prod.onnx'

    Raises
    ------
    ResourceError
        Naming the model, every place looked at, and what gets it.
    """
    key = f"{stem}_{'eval' if evaluate else 'prod'}"
    looked: list[str] = []
    for place, wanted in _candidates(stem, evaluate):
        found = _in_place(place, wanted, looked)
        if found is not None:
            return found
    found = _in_store(key, looked)
    if found is not None:
        return found
    places = "; ".join(looked)
    raise ResourceError(f"model file {key}.onnx was not found. Looked in: {places}. To get it: {how_to_get(key)}")


def how_to_get(key: str) -> str:
    """Say what a person can do to get a model."""
    stem, _, weights = key.rpartition("_")
    command = f"vnlp-colab convert {MODEL_NAMES.get(stem, stem)}" + (" --weights eval" if weights == "eval" else "")
    return (
        f"run `{command}`, or set VNLP_COLAB_MODEL_URL to a store that has it, "
        f"or VNLP_COLAB_MODELS to a folder that has it"
    )


def _local_places() -> Iterator[_Place]:
    named = os.environ.get("VNLP_COLAB_MODELS")
    if named:
        yield _Place("folder", _named_folder(named))
    yield _Place("embedded", EMBEDDED_FOLDER)
    yield _Place("cache", cache_dir())


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


def _candidates(stem: str, evaluate: bool) -> Iterator[tuple[_Place, str]]:
    """Yield where to look for what, in order."""
    places = list(_local_places())
    if not evaluate:
        yield from ((place, f"{stem}_prod") for place in places)
        return
    flagged = [place for place in places if _eval_is_prod(place, stem)]
    for place in places:
        yield place, f"{stem}_eval"
        # What the user's own folder holds goes before any other place; elsewhere real eval weights go first.
        if place.origin == "folder" and place in flagged:
            yield place, f"{stem}_prod"
    yield from ((place, f"{stem}_prod") for place in flagged)


def _eval_is_prod(place: _Place, stem: str) -> bool:
    options = place.manifest().models.get(f"{stem}_prod", {}).get("options", {})
    return isinstance(options, dict) and options.get("eval_is_prod") is True


def _in_place(place: _Place, key: str, looked: list[str]) -> ModelFiles | None:
    """Return the model if this folder has it, else note why not."""
    manifest = place.manifest()
    where = f"{place.describe()} ({place.folder})"
    if key not in manifest.models:
        looked.append(f"{where}: no {key}" if manifest.models else f"{where}: no models")
        return _in_snapshots(key, looked) if place.origin == "cache" else None
    try:
        return _checked(key, manifest, place.folder, place.origin)
    except DamagedFileError as error:
        if place.origin == "folder":  # going on would run another model than the one the user named
            raise ResourceError(f"{error}; make the folder again with `vnlp-colab convert --output`") from error
        if place.origin == "embedded":
            raise ResourceError(f"{error}; the installation is broken: reinstall vnlp-colab") from error
        logger.warning("%s; it is not used", error)
        looked.append(f"{where}: {error}")
        return _in_snapshots(key, looked)


def _checked(key: str, manifest: Manifest, folder: Path, origin: Origin) -> ModelFiles:
    """Check all files of a model, so that none is found damaged when the half of it is loaded."""
    # The installer has checked embedded files; hashing them at every start would only cost time.
    paths = [check_file(folder, record, content=origin != "embedded") for record in manifest.files_of(key)]
    return ModelFiles(key, paths[0], manifest.models[key], origin, manifest)


def _in_snapshots(key: str, looked: list[str]) -> ModelFiles | None:
    for folder in snapshot_folders(key):
        manifest = Manifest.read(folder)
        if key not in manifest.models:
            continue
        try:
            return _checked(key, manifest, folder, "cache")
        except DamagedFileError as error:
            logger.warning("%s; it is fetched again", error)
            looked.append(f"cache: {error}")
            if not store_url() and manifest.store:
                return _fetched(key, manifest.store, looked)
    return None


def _in_store(key: str, looked: list[str]) -> ModelFiles | None:
    url = store_url()
    if not url:
        looked.append("remote store: VNLP_COLAB_MODEL_URL is not set")
        return None
    return _fetched(key, url, looked)


def _fetched(key: str, url: str, looked: list[str]) -> ModelFiles | None:
    try:
        manifest = read_store_manifest(url)
    except ResourceError as error:
        looked.append(f"remote store ({url}): {error}")
        return None
    if key not in manifest.models:
        looked.append(f"remote store ({url}): no {key}")
        return None
    folder, snapshot = fetch_model(url, manifest, key)
    return _checked(key, snapshot, folder, "store")


def list_models() -> list[ModelFiles]:
    """Return the models that are on this machine."""
    rows: dict[str, ModelFiles] = {}
    for place in _local_places():
        manifest = place.manifest()
        for key in manifest.models:
            rows.setdefault(key, _checked(key, manifest, place.folder, place.origin))
    return list(rows.values())
