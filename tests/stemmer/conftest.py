"""The stemmer's weights, in both input layouts."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from vnlp_colab.resources import find_model
from vnlp_colab.stemmer.stemmer_colab import StemmerAnalyzer

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def store_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder with the same weights, said to be laid out as the remote store's are."""
    files = find_model("Stemmer_Shen")
    folder = tmp_path_factory.mktemp("store")
    manifest = json.loads((files.path.parent / "manifest.json").read_text(encoding="utf-8"))
    entry = manifest["models"][files.key]
    entry["options"]["layout"] = "store"
    names = [entry["file"], *entry["resources"].values()]
    manifest["models"] = {files.key: entry}
    manifest["files"] = {name: manifest["files"][name] for name in names}
    for name in names:
        shutil.copy(files.path.parent / name, folder)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture(scope="session", params=["wheel", "store"])
def both_decodings(request: pytest.FixtureRequest, store_folder: Path) -> tuple[StemmerAnalyzer, StemmerAnalyzer]:
    """The incremental and the stepwise analyzer of one layout."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "store":
            patch.setenv("VNLP_COLAB_MODELS", str(store_folder))
        incremental = StemmerAnalyzer(device="cpu")
        stepwise = StemmerAnalyzer(device="cpu", decoding="stepwise")
        assert incremental.files.entry["options"]["layout"] == request.param
    return incremental, stepwise


@pytest.fixture(scope="session")
def stemmer() -> StemmerAnalyzer:
    return StemmerAnalyzer(device="cpu")
