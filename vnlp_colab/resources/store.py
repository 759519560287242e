"""The remote store: a folder of models behind an address, described by its `manifest.json`.

What a store serves is kept as one folder a store and model, `cache/store/<store>/<model>`, with a manifest of its own
that is written last. So no two processes write one manifest with different content, a store that is published anew
disturbs nothing cached, and a half-done download is not seen as a model.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

from vnlp_colab.resources.addresses import without_secrets
from vnlp_colab.resources.download import (
    RETRIES,
    OfflineError,
    cache_dir,
    download_resource,
    fetch_file,
    is_network,
    is_offline,
    writing_to,
)
from vnlp_colab.resources.manifest import MANIFEST_NAME, FileRecord, Manifest

# The manifest of a store lists its files and no more: 16 MB are a hundred thousand of them.
_MOST_MANIFEST_BYTES = 16 << 20


def store_url() -> str:
    """Return VNLP_COLAB_MODEL_URL without closing slashes, or an empty text."""
    return os.environ.get("VNLP_COLAB_MODEL_URL", "").strip().rstrip("/")


def snapshot_folders(key: str) -> list[Path]:
    """Return the folders a downloaded model may be in: that of the store in use, or those of all stores if none is."""
    url = store_url()
    if url:
        return [_snapshot_folder(url, key)]
    return sorted((cache_dir() / "store").glob(f"*/{key}"))


def all_snapshots() -> list[Path]:
    """Return the folders of all downloaded models that :func:`snapshot_folders` may name."""
    return [path for path in sorted((cache_dir() / "store").glob("*/*")) if path in snapshot_folders(path.name)]


def _snapshot_folder(url: str, key: str) -> Path:
    return cache_dir() / "store" / hashlib.sha256(without_secrets(url).encode()).hexdigest()[:16] / key


def read_store_manifest(url: str, retries: int = RETRIES) -> Manifest:
    """Fetch the manifest of a remote store.

    Raises
    ------
    OfflineError
        Where the store is in the network and VNLP_COLAB_OFFLINE is set.
    """
    if is_offline() and is_network(url):
        raise OfflineError("not asked, because VNLP_COLAB_OFFLINE is set")
    address = f"{url}/{MANIFEST_NAME}"
    with tempfile.TemporaryDirectory(prefix="vnlp-colab-") as folder:
        path = Path(folder, MANIFEST_NAME)
        fetch_file(path, address, most=_MOST_MANIFEST_BYTES, retries=retries, progress=False)
        return Manifest.parse(path.read_bytes(), without_secrets(address))


def fetch_model(url: str, manifest: Manifest, key: str) -> tuple[Path, Manifest]:
    """Download the files of a model that are not in the cache yet; return their folder and its manifest."""
    folder = _snapshot_folder(url, key)
    for record in manifest.files_of(key):
        download_resource(record.name, _file_url(url, record), folder, record.sha256, size=record.size)
    snapshot = manifest.only(key, without_secrets(url))
    with writing_to(folder, MANIFEST_NAME):
        snapshot.write(folder)
    return folder, snapshot


def _file_url(url: str, record: FileRecord) -> str:
    # Only HTTP knows escapes: in the other protocols a `%20` is three letters of a name.
    http = urlsplit(url).scheme in ("http", "https")
    return f"{url}/{quote(record.location) if http else record.location}"
