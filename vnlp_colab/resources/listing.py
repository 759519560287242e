"""What models there are, and where: the content of `vnlp-colab models`."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from vnlp_colab.registry import MODELS
from vnlp_colab.resources.addresses import without_secrets
from vnlp_colab.resources.manifest import Manifest, ResourceError, check_file
from vnlp_colab.resources.places import Origin, Place, command_for, local_places, model_name
from vnlp_colab.resources.store import all_snapshots, read_store_manifest, store_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from vnlp_colab.resources.manifest import FileRecord

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelRow:
    """One line of the list.

    Attributes
    ----------
    key, model, weights, source
        Its name in the manifest, its class, `prod` or `eval`, and where its weights come from.
    origin, place
        Where it is, and the path or address of it there; `missing` and empty for a known model that is nowhere.
    size, sha256
        Of all its files together, and of its `.onnx` file; 0 and empty for a missing one.
    problem, get
        Why it cannot be used, if so, and the command that gets it.
    checked
        Whether the sha256 of all its files was compared.
    """

    key: str
    model: str
    weights: str
    source: str
    origin: Origin | Literal["missing"]
    place: str
    size: int = 0
    sha256: str = ""
    problem: str = ""
    get: str = ""
    checked: bool = False


def list_models(*, check: bool = False) -> list[ModelRow]:
    """Return the models of this machine and of the remote store, and the known ones that are in neither.

    A model that is in several places has one row, that of the place it would be loaded from. `check` reads every file
    of this machine and compares its sha256; otherwise only sizes are compared. A store that cannot be reached is a
    logged warning.
    """
    rows: dict[str, ModelRow] = {}
    for row in [*_local_rows(check), *_store_rows()]:
        if row.key not in rows or (_gives_way(rows[row.key]) and not row.problem):
            rows[row.key] = row
    for model in MODELS.values():
        key = f"{model.stem}_prod"
        rows.setdefault(key, ModelRow(key, model.name, "prod", "", "missing", "", get=command_for(key)))
    return sorted(rows.values(), key=lambda row: (row.origin == "missing", row.key))


def _gives_way(row: ModelRow) -> bool:
    """Say whether another place is looked at instead: for a damaged model of the cache alone, as in `find_model`."""
    return bool(row.problem) and row.origin == "cache"


def _local_rows(check: bool) -> Iterator[ModelRow]:
    places = local_places() + [Place("cache", folder) for folder in all_snapshots()]
    for place in places:
        manifest = place.manifest()
        for key, entry in manifest.models.items():
            problem = _problem(place, manifest, key, check)
            if problem:
                told = {"problem": problem, "get": command_for(key, place.origin)}
                yield _row(key, entry, place.origin, str(place.folder), checked=check, **told)
                continue
            records = manifest.files_of(key)
            where = str(place.folder / records[0].location)
            size, sha256 = _size(records), records[0].sha256
            yield _row(key, entry, place.origin, where, size=size, sha256=sha256, checked=check)


def _problem(place: Place, manifest: Manifest, key: str, check: bool) -> str:
    """Return what is wrong with each file of a model; an empty text for a whole one."""
    try:
        records = manifest.files_of(key)
    except ResourceError as error:
        return str(error)
    problems = []
    for record in records:
        try:
            check_file(place.folder, record, content=check)
        except ResourceError as error:
            problems.append(str(error))
    return "; ".join(problems)


def _store_rows() -> Iterator[ModelRow]:
    url = store_url()
    if not url:
        return
    try:
        manifest = read_store_manifest(url, retries=0)
    except ResourceError as error:
        logger.warning("the remote store %s is left out: %s", without_secrets(url), error)
        return
    yield from _rows_of_store(manifest, without_secrets(url))


def _rows_of_store(manifest: Manifest, url: str) -> Iterator[ModelRow]:
    for key, entry in manifest.models.items():
        try:
            records = manifest.files_of(key)
        except ResourceError as error:
            yield _row(key, entry, "store", url, problem=str(error))
        else:
            where = f"{url}/{records[0].location}"
            yield _row(key, entry, "store", where, size=_size(records), sha256=records[0].sha256)


def _size(records: Iterable[FileRecord]) -> int:
    return sum(record.size for record in records)


def _row(key: str, entry: Mapping[str, Any], origin: Origin, place: str, **more: Any) -> ModelRow:
    stem, _, weights = key.rpartition("_")
    model = entry.get("model", model_name(stem))
    return ModelRow(
        key, str(model), str(entry.get("weights", weights)), str(entry.get("source", "")), origin, place, **more
    )
