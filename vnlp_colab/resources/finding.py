"""Finding a model by its file stem, in the places of `places` and then in the remote store."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vnlp_colab.errors import VNLPError, told
from vnlp_colab.resources.addresses import without_secrets
from vnlp_colab.resources.manifest import DamagedFileError, FileRecord, Manifest, ResourceError, check_file, read_file
from vnlp_colab.resources.places import Origin, Place, candidates, how_to_get
from vnlp_colab.resources.store import fetch_model, read_store_manifest, snapshot_folders, store_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

logger = logging.getLogger(__name__)


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
    folder: Path = field(repr=False)
    manifest: Manifest = field(repr=False, compare=False)

    def read(self, role: str | None = None) -> bytes:
        """Return the content of the `.onnx` file, or of the file of a role, checked in memory.

        What is loaded is what was checked: a file that is swapped after `find_model` looked at it is not used. The
        content of embedded files is trusted, as the installer has checked it.
        """
        record = self._record(role) if role else self.manifest.file(self.entry.get("file"))
        return read_file(self.folder, record, content=self.origin != "embedded")

    @contextmanager
    def loading(self, role: str | None = None) -> Iterator[None]:
        """Tell whatever goes wrong while the `.onnx` file, or the file of a role, is made use of, with its name.

        A file may have the hash its manifest says and be no model: what libraries raise then is open-ended.
        """
        try:
            yield
        except (VNLPError, MemoryError):
            raise
        except Exception as error:
            path = self.folder / (self._record(role) if role else self.manifest.file(self.entry.get("file"))).location
            raise ResourceError(
                f"{path} cannot be used as the {role or 'network'} of {self.key} ({_in_short(error)}): it is another "
                f"file or of another version; {how_to_get(self.key)}"
            ) from error

    def resource(self, role: str) -> Path:
        """Return the checked file of a role: `tokenizer`, `labels`, `chars`, ..."""
        return check_file(self.folder, self._record(role), content=self.origin != "embedded")

    def _record(self, role: str) -> FileRecord:
        roles = self.entry.get("resources", {})
        if not isinstance(roles, dict) or role not in roles:
            raise ResourceError(
                f"model {self.key} has no resource {role!r} (it has: {', '.join(roles) or 'none'}): "
                f"{self.manifest.place} was made by another version; {how_to_get(self.key)}"
            )
        return self.manifest.file(roles[role])


def _in_short(error: Exception) -> str:
    words = told(error)
    return f"{type(error).__name__}: {words[:200]}{'…' * (len(words) > 200)}"


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
    looked: list[str] = []
    for place, wanted in candidates(stem, evaluate):
        found = _in_place(place, wanted, looked)
        if found is not None:
            return found
    key = f"{stem}_{'eval' if evaluate else 'prod'}"
    found = _in_store(key, looked)
    if found is not None:
        return found
    places = "; ".join(looked)
    raise ResourceError(f"model file {key}.onnx was not found. Looked in: {places}. To get it: {how_to_get(key)}")


def _in_place(place: Place, key: str, looked: list[str]) -> ModelFiles | None:
    """Return the model if this folder has it, else note why not."""
    manifest = place.manifest()
    if key not in manifest.models:
        looked.append(f"{place}: no {key}" if manifest.models else f"{place}: no models")
        return _in_snapshots(key, looked) if place.origin == "cache" else None
    try:
        return _checked(key, manifest, place)
    except DamagedFileError as error:
        if place.origin == "folder":  # going on would run another model than the one the user named
            raise ResourceError(f"{error}; make the folder again with `vnlp-colab convert --output`") from error
        if place.origin == "embedded":
            raise ResourceError(f"{error}; the installation is broken: reinstall vnlp-colab") from error
        logger.warning("%s; it is not used", error)
        looked.append(f"{place}: {error}")
        return _in_snapshots(key, looked)


def _checked(key: str, manifest: Manifest, place: Place) -> ModelFiles:
    """Check all files of a model at once, so that none turns out damaged after half of it is loaded."""
    # The installer has checked embedded files; hashing them at every start would only cost time.
    content = place.origin != "embedded"
    paths = [check_file(place.folder, record, content=content) for record in manifest.files_of(key)]
    return ModelFiles(key, paths[0], manifest.models[key], place.origin, place.folder, manifest)


def _in_snapshots(key: str, looked: list[str]) -> ModelFiles | None:
    """Return a model that was downloaded before; a damaged one is fetched again from where it came."""
    for folder in snapshot_folders(key):
        manifest = Manifest()
        try:
            manifest = Manifest.read(folder)
            if key in manifest.models:
                return _checked(key, manifest, Place("cache", folder))
        except ResourceError as error:
            logger.warning("%s; it is fetched again", error)
            looked.append(f"cache: {error}")
            if manifest.store and not store_url():
                return _fetched(key, manifest.store, looked)
    return None


def _in_store(key: str, looked: list[str]) -> ModelFiles | None:
    url = store_url()
    if not url:
        looked.append("remote store: VNLP_COLAB_MODEL_URL is not set")
        return None
    return _fetched(key, url, looked)


def _fetched(key: str, url: str, looked: list[str]) -> ModelFiles | None:
    shown = without_secrets(url)
    try:
        manifest = read_store_manifest(url)
    except ResourceError as error:
        looked.append(f"remote store ({shown}): {error}")
        return None
    if key not in manifest.models:
        looked.append(f"remote store ({shown}): no {key}")
        return None
    try:
        folder, snapshot = fetch_model(url, manifest, key)
    except ResourceError as error:  # the model is there, so the reason is the news, and the other places are not
        raise ResourceError(f"{error}. Looked before in: {'; '.join(looked)}") from error
    return _checked(key, snapshot, Place("store", folder))
