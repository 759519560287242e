"""`vnlp-colab models` and list_models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vnlp_colab
from vnlp_colab.cli import main
from vnlp_colab.registry import MODELS
from vnlp_colab.resources import ModelRow, ResourceError, find_model, list_models

MakeModels = Callable[..., Path]
MODELS_FOLDER = Path(vnlp_colab.__file__).parent / "models"


@pytest.fixture(autouse=True)
def embedded(tmp_path: Path, make_models: MakeModels, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_models(tmp_path / "embedded", NER_CharNER_prod={"source": "a wheel"})
    monkeypatch.setattr("vnlp_colab.resources.places.EMBEDDED_FOLDER", folder)
    return folder


def rows(**options: bool) -> dict[str, ModelRow]:
    return {row.key: row for row in list_models(**options)}


def test_every_model_has_one_row_that_of_where_it_is_loaded_from(
    make_models: MakeModels, cache: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_models(cache, DP_TreeStack_prod={}, NER_CharNER_prod={})
    make_models(server.folder, PoS_SPUContext_prod={}, DP_TreeStack_prod={}, Sentiment_SPUCBiGRU_eval={})
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", server.url)
    listed = rows()
    assert {key: row.origin for key, row in listed.items() if row.origin != "missing"} == {
        "NER_CharNER_prod": "embedded",
        "DP_TreeStack_prod": "cache",
        "PoS_SPUContext_prod": "store",
        "Sentiment_SPUCBiGRU_eval": "store",
    }
    assert listed["DP_TreeStack_prod"].place == str(cache / "DP_TreeStack_prod.onnx")
    assert listed["PoS_SPUContext_prod"].place == f"{server.url}/PoS_SPUContext_prod.onnx"


def test_a_downloaded_model_is_in_the_cache(
    make_models: MakeModels, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_models(server.folder, PoS_SPUContext_prod={})
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", server.url)
    path = find_model("PoS_SPUContext").path
    row = rows()["PoS_SPUContext_prod"]
    assert (row.origin, row.place) == ("cache", str(path))


def test_known_models_that_are_nowhere_have_the_command_that_gets_them() -> None:
    missing = {key: row.get for key, row in rows().items() if row.origin == "missing"}
    assert len(missing) == len(MODELS) - 1
    assert missing["PoS_TreeStack_prod"] == "vnlp-colab convert TreeStackPoS"
    assert missing["Joint_prod"].startswith("pip install")  # no weights of upstream's make it


def test_a_store_that_is_down_is_a_warning(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", "http://127.0.0.1:9")
    assert rows()["NER_CharNER_prod"].origin == "embedded"
    assert "http://127.0.0.1:9 is left out" in caplog.text


def test_the_table(capsys: pytest.CaptureFixture[str], embedded: Path) -> None:
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    sha256 = json.loads((embedded / "manifest.json").read_text())["files"]["NER_CharNER_prod.onnx"]["sha256"]
    assert lines[0].split() == ["name", "model", "where", "MB", "sha256", "source"]
    assert lines[1].split() == ["NER_CharNER_prod", "NER_CharNER", "embedded", "0.0", sha256[:12], "a", "wheel"]
    assert any("PoS_TreeStack_prod" in line and line.endswith("vnlp-colab convert TreeStackPoS") for line in lines)


def test_json_has_the_whole_hash_and_path(capsys: pytest.CaptureFixture[str], embedded: Path) -> None:
    assert main(["models", "--json"]) == 0
    row = next(r for r in json.loads(capsys.readouterr().out) if r["key"] == "NER_CharNER_prod")
    assert len(row["sha256"]) == 64
    assert row["place"] == str(embedded / "NER_CharNER_prod.onnx")
    files = json.loads((embedded / "manifest.json").read_text())["files"]
    assert row["size"] == sum(record["size"] for record in files.values())


def test_check_finds_a_damaged_file(make_models: MakeModels, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_models(cache, DP_TreeStack_prod={"content": b"good"})
    assert main(["models", "--check"]) == 0
    (cache / "DP_TreeStack_prod.onnx").write_bytes(b"evil")
    capsys.readouterr()
    assert main(["models", "--check"]) == 1
    assert "not usable: DP_TreeStack_prod" in capsys.readouterr().out


def test_a_missing_file_is_seen_without_check(make_models: MakeModels, cache: Path) -> None:
    make_models(cache, DP_TreeStack_prod={})
    (cache / "DP_TreeStack_prod.onnx").unlink()
    assert "cannot be read" in rows()["DP_TreeStack_prod"].problem


def test_a_model_damaged_in_the_package_comes_back_with_the_package(
    embedded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (embedded / "NER_CharNER_prod.onnx").read_bytes()
    (embedded / "NER_CharNER_prod.onnx").write_bytes(b"x" * len(content))
    assert main(["models", "--check"]) == 1
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("not usable")]
    assert "NER_CharNER_prod" in line
    assert "pip install --force-reinstall" in line
    assert "convert" not in line


def test_the_size_is_that_of_all_files_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnlp_colab.resources.places.EMBEDDED_FOLDER", MODELS_FOLDER)
    files = json.loads((MODELS_FOLDER / "manifest.json").read_text())["files"]
    own = [name for name in files if name.startswith("Joint_")] + ["SPU_vnlp_colab_16k.model"]
    assert rows()["Joint_prod"].size == sum(files[name]["size"] for name in own)


@pytest.mark.parametrize("damaged", ["NER_CharNER_prod.onnx", "NER_CharNER_prod_labels.json"])
def test_check_finds_a_damaged_file_of_the_users_folder(
    damaged: str,
    tmp_path: Path,
    make_models: MakeModels,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = make_models(tmp_path / "mine", NER_CharNER_prod={})
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(folder))
    content = bytearray((folder / damaged).read_bytes())
    content[3] ^= 1
    (folder / damaged).write_bytes(content)
    # the package's model is whole, but it is not the one that would be loaded
    with pytest.raises(ResourceError, match=damaged):
        find_model("NER_CharNER")
    assert main(["models", "--check"]) == 1
    out = capsys.readouterr().out
    [line] = [line for line in out.splitlines() if line.startswith("not usable")]
    assert line.startswith(f"not usable: NER_CharNER_prod (folder): {folder / damaged} is damaged: its sha256")
    assert line.endswith("unset VNLP_COLAB_MODELS")
    assert "checked:" not in out
    assert main(["models", "--check", "--json"]) == 1
    row = next(row for row in json.loads(capsys.readouterr().out) if row["key"] == "NER_CharNER_prod")
    assert (row["origin"], row["checked"]) == ("folder", True)
    assert damaged in row["problem"]


def test_every_damaged_file_is_named(make_models: MakeModels, cache: Path) -> None:
    make_models(cache, DP_TreeStack_prod={})
    for file in cache.glob("DP_*"):
        file.write_bytes(b"x" * file.stat().st_size)
    problem = rows(check=True)["DP_TreeStack_prod"].problem
    assert "DP_TreeStack_prod.onnx" in problem
    assert "DP_TreeStack_prod_labels.json" in problem


def test_a_copy_in_the_cache_does_not_hide_that_the_package_is_damaged(
    make_models: MakeModels, cache: Path, embedded: Path
) -> None:
    make_models(cache, NER_CharNER_prod={})
    (embedded / "NER_CharNER_prod.onnx").write_bytes(b"x" * (embedded / "NER_CharNER_prod.onnx").stat().st_size)
    row = rows(check=True)["NER_CharNER_prod"]
    assert row.origin == "embedded"
    assert "is damaged" in row.problem


def test_a_store_stands_in_for_what_is_damaged_in_the_cache(
    make_models: MakeModels, cache: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_models(cache, DP_TreeStack_prod={})
    make_models(server.folder, DP_TreeStack_prod={})
    (cache / "DP_TreeStack_prod.onnx").write_bytes(b"evil")
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", server.url)
    row = rows(check=True)["DP_TreeStack_prod"]
    assert (row.origin, row.problem, row.checked) == ("store", "", False)
    assert find_model("DP_TreeStack").origin == "store"


def test_check_says_that_it_has_checked(
    make_models: MakeModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(make_models(tmp_path / "mine", DP_TreeStack_prod={})))
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    assert f"folder: {tmp_path / 'mine'}" in out
    assert "checked:" not in out
    assert main(["models", "--check"]) == 0
    assert "checked: all files of 2 models are as their manifests say" in capsys.readouterr().out.splitlines()
