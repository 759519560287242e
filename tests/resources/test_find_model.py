"""find_model: the order of places, and that nothing unchecked is used."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vnlp_colab.resources import DamagedFileError, ResourceError, find_model

MakeModels = Callable[..., Path]


@pytest.fixture
def embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in the place of the package's own models."""
    folder = tmp_path / "embedded"
    monkeypatch.setattr("vnlp_colab.resources.places.EMBEDDED_FOLDER", folder)
    return folder


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder VNLP_COLAB_MODELS names."""
    folder = tmp_path / "named"
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(folder))
    return folder


@pytest.fixture
def store(server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", f"{server.url}/")
    return server


class TestOrder:
    def test_the_named_folder_the_package_the_cache_then_the_store(
        self, make_models: MakeModels, named: Path, embedded: Path, cache: Path, store: Any
    ) -> None:
        places = {"folder": named, "embedded": embedded, "cache": cache, "store": store.folder}
        for folder in places.values():
            make_models(folder, Toy_prod={}, Other_prod={})
        for origin, folder in places.items():
            assert find_model("Toy").origin == origin
            if origin != "store":
                make_models(folder, Other_prod={})  # and not Toy any more: the next place has it

    def test_a_store_is_not_asked_for_what_is_here(self, make_models: MakeModels, cache: Path, store: Any) -> None:
        make_models(cache, Toy_prod={})
        assert find_model("Toy").path == cache / "Toy_prod.onnx"
        assert store.requests == []

    def test_a_model_knows_its_files_and_entry(self, make_models: MakeModels, cache: Path) -> None:
        make_models(cache, Toy_prod={"options": {"layout": "wheel"}})
        found = find_model("Toy")
        assert (found.key, found.origin, found.entry["options"]) == ("Toy_prod", "cache", {"layout": "wheel"})
        assert json.loads(found.resource("labels").read_text()) == ["", "NOUN"]

    def test_an_unknown_role_names_those_there_are(self, make_models: MakeModels, cache: Path) -> None:
        make_models(cache, Toy_prod={})
        with pytest.raises(ResourceError, match=r"no resource 'tokenizer' \(it has: labels\)"):
            find_model("Toy").resource("tokenizer")


class TestEvaluate:
    def test_eval_weights_are_taken(self, make_models: MakeModels, cache: Path) -> None:
        make_models(cache, Toy_prod={}, Toy_eval={})
        assert find_model("Toy", evaluate=True).key == "Toy_eval"
        assert find_model("Toy").key == "Toy_prod"

    def test_prod_weights_are_not_taken_for_them(self, make_models: MakeModels, embedded: Path) -> None:
        make_models(embedded, Toy_prod={})
        with pytest.raises(ResourceError, match=r"Toy_eval\.onnx.*convert Toy --weights eval"):
            find_model("Toy", evaluate=True)

    def test_unless_they_never_saw_the_test_data(self, make_models: MakeModels, embedded: Path) -> None:
        make_models(embedded, Toy_prod={"options": {"eval_is_prod": True}})
        assert find_model("Toy", evaluate=True).key == "Toy_prod"

    def test_real_eval_weights_go_before_those(self, make_models: MakeModels, embedded: Path, cache: Path) -> None:
        make_models(embedded, Toy_prod={"options": {"eval_is_prod": True}})
        make_models(cache, Toy_eval={})
        assert find_model("Toy", evaluate=True).key == "Toy_eval"

    def test_but_not_before_the_folder_the_user_names(self, make_models: MakeModels, named: Path, cache: Path) -> None:
        make_models(named, Toy_prod={"options": {"eval_is_prod": True}})
        make_models(cache, Toy_eval={})
        assert find_model("Toy", evaluate=True).origin == "folder"


class TestNotFound:
    def test_the_error_names_file_places_and_command(self, embedded: Path, cache: Path) -> None:
        with pytest.raises(ResourceError) as caught:
            find_model("PoS_TreeStack")
        message = str(caught.value)
        for part in (
            "PoS_TreeStack_prod.onnx",
            str(embedded),
            str(cache),
            "VNLP_COLAB_MODEL_URL is not set",
            "vnlp-colab convert TreeStackPoS",
            "VNLP_COLAB_MODELS",
        ):
            assert part in message
        assert "\n" not in message

    def test_a_store_without_it_is_named(self, make_models: MakeModels, embedded: Path, store: Any) -> None:
        make_models(store.folder, Other_prod={})
        with pytest.raises(ResourceError, match=f"remote store \\({store.url}\\): no Toy_prod"):
            find_model("Toy")

    def test_a_store_without_a_manifest_is_named(self, embedded: Path, store: Any) -> None:
        with pytest.raises(ResourceError, match=r"manifest\.json: the server answers 404"):
            find_model("Toy")

    def test_a_store_that_is_down_is_named(self, embedded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VNLP_COLAB_MODEL_URL", "http://127.0.0.1:9/models")  # the discard port: nobody listens
        with pytest.raises(ResourceError, match=r"127\.0\.0\.1:9/models.*no connection.*vnlp-colab convert Toy"):
            find_model("Toy")

    def test_offline_is_named(self, embedded: Path, store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VNLP_COLAB_OFFLINE", "1")
        with pytest.raises(ResourceError, match="not asked, because VNLP_COLAB_OFFLINE is set"):
            find_model("Toy")
        assert store.requests == []


class TestNamedFolder:
    def test_it_must_exist(self, named: Path) -> None:
        with pytest.raises(ResourceError, match=r"VNLP_COLAB_MODELS is .*not a folder"):
            find_model("Toy")

    def test_it_must_have_a_manifest(self, named: Path) -> None:
        named.mkdir()
        with pytest.raises(ResourceError, match=r"no manifest\.json.*vnlp-colab convert --output"):
            find_model("Toy")

    def test_a_damaged_file_in_it_is_an_error_not_a_reason_to_take_another(
        self, make_models: MakeModels, named: Path, cache: Path
    ) -> None:
        make_models(named, Toy_prod={})
        make_models(cache, Toy_prod={})
        damage(named / "Toy_prod.onnx")
        with pytest.raises(ResourceError, match=r"Toy_prod\.onnx is damaged: its sha256"):
            find_model("Toy")

    def test_a_file_damaged_after_a_first_look_is_noticed(self, make_models: MakeModels, named: Path) -> None:
        make_models(named, Toy_prod={})
        find_model("Toy")
        damage(named / "Toy_prod.onnx")
        with pytest.raises(ResourceError, match="damaged"):
            find_model("Toy")


class TestEmbedded:
    def test_a_package_without_a_manifest_has_no_models(self, embedded: Path) -> None:
        with pytest.raises(ResourceError, match=r"package \(.*\): no models"):
            find_model("Toy")

    def test_a_file_of_another_size_is_a_broken_installation(self, make_models: MakeModels, embedded: Path) -> None:
        make_models(embedded, Toy_prod={})
        (embedded / "Toy_prod.onnx").write_bytes(b"short")
        with pytest.raises(ResourceError, match="reinstall vnlp-colab"):
            find_model("Toy")


class TestStore:
    def test_a_model_is_fetched_once_with_its_files(self, make_models: MakeModels, store: Any, cache: Path) -> None:
        make_models(store.folder, Toy_prod={}, Other_prod={})
        first = find_model("Toy")
        assert (first.origin, first.path.read_bytes()) == ("store", b"Toy_prod" * 100)
        assert first.path.is_relative_to(cache)
        assert sorted(store.requests) == ["/Toy_prod.onnx", "/Toy_prod_labels.json", "/manifest.json"]
        second = find_model("Toy")
        assert (second.origin, second.path) == ("cache", first.path)
        assert len(store.requests) == 3

    def test_it_stays_usable_without_the_store(
        self, make_models: MakeModels, store: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_models(store.folder, Toy_prod={})
        path = find_model("Toy").path
        monkeypatch.setenv("VNLP_COLAB_OFFLINE", "1")
        assert find_model("Toy").path == path
        monkeypatch.delenv("VNLP_COLAB_MODEL_URL")
        assert find_model("Toy").resource("labels").exists()

    @pytest.mark.parametrize("url_known", [True, False])
    def test_a_corrupt_cached_file_is_fetched_again(
        self, url_known: bool, make_models: MakeModels, store: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_models(store.folder, Toy_prod={})
        damage(find_model("Toy").path)
        if not url_known:  # then it comes from where it came from
            monkeypatch.delenv("VNLP_COLAB_MODEL_URL")
        found = find_model("Toy")
        assert (found.origin, found.path.read_bytes()) == ("store", b"Toy_prod" * 100)

    def test_a_corrupt_cached_file_is_never_used(
        self, make_models: MakeModels, store: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_models(store.folder, Toy_prod={})
        damage(find_model("Toy").resource("labels"))
        monkeypatch.setenv("VNLP_COLAB_OFFLINE", "1")
        with pytest.raises(ResourceError, match=r"Toy_prod_labels\.json is damaged"):
            find_model("Toy")

    def test_a_corrupt_cached_manifest_is_fetched_again(self, make_models: MakeModels, store: Any) -> None:
        make_models(store.folder, Toy_prod={})
        (find_model("Toy").path.parent / "manifest.json").write_text('{"format": 1, "mod')
        assert find_model("Toy").origin == "store"

    def test_a_damaged_converted_model_gives_way_to_the_store(
        self, make_models: MakeModels, store: Any, cache: Path
    ) -> None:
        make_models(cache, Toy_prod={})
        damage(cache / "Toy_prod.onnx")
        make_models(store.folder, Toy_prod={"content": b"from the store"})
        assert find_model("Toy").path.read_bytes() == b"from the store"

    def test_a_half_done_download_is_finished_not_begun_again(self, make_models: MakeModels, store: Any) -> None:
        make_models(store.folder, Toy_prod={})
        labels = store.folder / "Toy_prod_labels.json"
        content = labels.read_bytes()
        labels.unlink()
        with pytest.raises(ResourceError, match=r"Toy_prod_labels\.json: the server answers 404.*Looked before in"):
            find_model("Toy")
        labels.write_bytes(content)
        assert find_model("Toy").resource("labels").read_bytes() == content
        assert store.requests.count("/Toy_prod.onnx") == 1

    def test_two_stores_with_one_name_do_not_mix(
        self, make_models: MakeModels, store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_models(store.folder, Toy_prod={"content": b"one"})
        make_models(tmp_path / "two", Toy_prod={"content": b"two"})
        assert find_model("Toy").path.read_bytes() == b"one"
        monkeypatch.setenv("VNLP_COLAB_MODEL_URL", (tmp_path / "two").as_uri())
        assert find_model("Toy").path.read_bytes() == b"two"

    def test_a_store_that_changes_leaves_the_cached_model_alone(self, make_models: MakeModels, store: Any) -> None:
        make_models(store.folder, Toy_prod={"content": b"one"})
        find_model("Toy")
        make_models(store.folder, Toy_prod={"content": b"two"}, Other_prod={})
        find_model("Other")
        assert find_model("Toy").path.read_bytes() == b"one"

    def test_files_that_do_not_match_the_manifest_are_refused(self, make_models: MakeModels, store: Any) -> None:
        make_models(store.folder, Toy_prod={})
        damage(store.folder / "Toy_prod.onnx")
        with pytest.raises(ResourceError, match="wrong sha256"):
            find_model("Toy")

    def test_processes_at_once_do_no_harm(self, make_models: MakeModels, store: Any) -> None:
        make_models(store.folder, Toy_prod={})
        with multiprocessing.get_context("spawn").Pool(3) as pool:
            contents = pool.map(_content_in_process, ["Toy"] * 6, chunksize=1)
        assert contents == [b"Toy_prod" * 100] * 6

    @pytest.mark.parametrize(
        "name", ["../../evil.onnx", "/tmp/evil.onnx", "a/../evil.onnx", "..\\evil.onnx", "", None, 3]
    )
    @pytest.mark.parametrize("where", ["file", "resource", "path"])
    def test_names_cannot_leave_the_folder(
        self, name: object, where: str, make_models: MakeModels, store: Any, tmp_path: Path
    ) -> None:
        make_models(store.folder, Toy_prod={})
        manifest = json.loads((store.folder / "manifest.json").read_text())
        record = manifest["files"]["Toy_prod.onnx"]
        if where == "file":
            manifest["models"]["Toy_prod"]["file"] = name
            manifest["files"][str(name)] = record
        elif where == "resource":
            manifest["models"]["Toy_prod"]["resources"]["labels"] = name
            manifest["files"][str(name)] = record
        else:
            record["path"] = name
        (store.folder / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(ResourceError, match="only plain file names"):
            find_model("Toy")
        assert not list(tmp_path.rglob("evil*"))


class TestManifest:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ('{"format": 1, "mod', "is not a manifest"),
            ("[]", "no JSON object"),
            ('{"format": 2}', "format 2.*upgrade vnlp-colab"),
            ('{"format": 1, "models": []}', "objects of objects"),
            ('{"format": 1, "models": {"Toy_prod": {"file": "x.onnx"}}}', "no entry for it under `files`"),
            (
                '{"format": 1, "models": {"Toy_prod": {"file": "x"}}, "files": {"x": {"sha256": "12", "size": 1}}}',
                "64 hex digits",
            ),
        ],
    )
    def test_a_wrong_one_is_told(self, text: str, reason: str, named: Path) -> None:
        named.mkdir()
        (named / "manifest.json").write_text(text)
        with pytest.raises(ResourceError, match=reason) as caught:
            find_model("Toy")
        assert str(named / "manifest.json") in str(caught.value)


def _content_in_process(stem: str) -> bytes:
    return find_model(stem).path.read_bytes()


def damage(path: Path) -> None:
    """Change one byte, neither the size nor the beginning."""
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    # A clock tick may be coarser than two writes of a test; a user's damage comes later than that.
    state = path.stat()
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1_000_000))


def test_a_file_swapped_after_the_check_is_not_used(small_models_folder, tmp_path, monkeypatch):
    from vnlp_colab import SPUContextPoS

    folder = tmp_path / "models"
    shutil.copytree(small_models_folder, folder)
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(folder))
    files = find_model("PoS_SPUContext")
    content = files.path.read_bytes()
    assert files.read() == content
    swapped = folder / "swapped"
    swapped.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    swapped.replace(files.path)  # of the same size
    with pytest.raises(DamagedFileError, match="changed while it was loaded"):
        files.read()
    monkeypatch.setattr("vnlp_colab.annotator.model.find_model", lambda *_, **__: files)
    with pytest.raises(DamagedFileError):
        SPUContextPoS(device="cpu", decoding="stepwise")


def test_what_belongs_to_a_model_is_read_in_the_same_way(small_models):
    files = find_model("PoS_SPUContext")
    assert files.read("labels") == files.resource("labels").read_bytes()
    with pytest.raises(ResourceError, match="no resource 'chars'"):
        files.read("chars")


def test_embedded_models_need_no_home(monkeypatch):
    monkeypatch.delenv("VNLP_COLAB_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", _no_home)
    assert find_model("NER_CharNER").origin == "embedded"


def _no_home(*_, **__):
    raise RuntimeError("Could not determine home directory.")
