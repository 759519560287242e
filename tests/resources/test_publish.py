"""publish -> empty cache -> find_model -> run, over a folder, HTTP and S3."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vnlp_colab import CharNER
from vnlp_colab.cli import main
from vnlp_colab.resources import EMBEDDED_FOLDER, ResourceError, find_model
from vnlp_colab.resources.publishing import publish_models

MakeModels = Callable[..., Path]


@pytest.fixture
def converted(make_models: MakeModels, tmp_path: Path) -> Path:
    return make_models(tmp_path / "converted", Toy_prod={}, Toy_eval={})


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty bucket; credentials and endpoint come from the environment, as a user gives them."""
    s3fs = pytest.importorskip("s3fs")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    filesystem = s3fs.S3FileSystem()
    if filesystem.exists("models"):
        filesystem.rm("models", recursive=True)
    filesystem.mkdir("models")
    return "s3://models"


def use(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", url)


def test_what_is_published_over_a_folder_is_found_over_http(
    converted: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = publish_models(converted, server.folder.as_uri())
    assert (done.models, len(done.uploaded)) == (["Toy_eval", "Toy_prod"], 4)
    use(server.url, monkeypatch)
    found = find_model("Toy", evaluate=True)
    assert (found.origin, found.path.read_bytes()) == ("store", b"Toy_eval" * 100)
    assert json.loads(found.resource("labels").read_text()) == ["", "NOUN"]


def test_and_over_the_folder_itself(converted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_models(converted, str(tmp_path / "a share" / "models"))
    use(f"file://{tmp_path}/a share/models", monkeypatch)
    monkeypatch.setenv("VNLP_COLAB_OFFLINE", "1")  # a folder is not the network
    assert find_model("Toy").path.read_bytes() == b"Toy_prod" * 100


def test_a_published_folder_can_be_named_as_folder_of_models(
    converted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_models(converted, str(tmp_path / "share"))
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(tmp_path / "share"))
    found = find_model("Toy")
    assert (found.origin, found.path.read_bytes()) == ("folder", b"Toy_prod" * 100)
    assert found.resource("labels").exists()


def test_the_round_trip_over_s3(converted: Path, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_models(converted, f"{bucket}/v1")
    use(f"{bucket}/v1", monkeypatch)
    found = find_model("Toy")
    assert (found.origin, found.path.read_bytes()) == ("store", b"Toy_prod" * 100)
    assert find_model("Toy").origin == "cache"


def test_a_bucket_that_does_not_exist_is_told_and_not_made(converted: Path, bucket: str) -> None:
    import s3fs

    with pytest.raises(ResourceError, match="s3://no-such-bucket"):
        publish_models(converted, "s3://no-such-bucket/models")
    assert not s3fs.S3FileSystem().exists("no-such-bucket")


def test_an_absent_s3_store_is_told(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use(f"{bucket}/nothing", monkeypatch)
    with pytest.raises(ResourceError, match=r"s3://models/nothing/manifest\.json: there is no such file"):
        find_model("Toy")


@pytest.mark.parametrize("over", ["http", "s3"])
def test_a_real_model_predicts_the_same_after_the_round_trip(
    over: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = ["Orhan", "Pamuk", "İstanbul'da", "doğdu", "."]
    before = CharNER(device="cpu").predict(tokens)
    assert before[0] == ("Orhan", "PER")
    if over == "http":
        served = request.getfixturevalue("server")
        target, address = served.folder.as_uri(), served.url
    else:
        target = address = request.getfixturevalue("bucket")
    publish_models(EMBEDDED_FOLDER, target)
    monkeypatch.setattr("vnlp_colab.resources.places.EMBEDDED_FOLDER", tmp_path / "nothing")
    use(address, monkeypatch)
    model = CharNER(device="cpu")
    assert model.files.origin == "store"
    assert model.predict(tokens) == before


class TestUpload:
    def test_the_manifest_goes_last(self, converted: Path, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
        import s3fs

        fail_at(monkeypatch, s3fs.S3FileSystem, "_put_file", call=3)
        s3fs.S3FileSystem.clear_instance_cache()  # an instance keeps the methods it was made with
        with pytest.raises(ResourceError, match="the store still serves what it served before"):
            publish_models(converted, bucket)
        use(bucket, monkeypatch)
        with pytest.raises(ResourceError, match="there is no such file"):
            find_model("Toy")

    @pytest.mark.parametrize("call", [1, 2, 3, 4])
    def test_a_half_done_update_serves_the_old_models(
        self, call: int, converted: Path, make_models: MakeModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from fsspec.implementations.local import LocalFileSystem

        share = str(tmp_path / "share")
        publish_models(converted, share)
        newer = make_models(tmp_path / "newer", Toy_prod={"content": b"new"}, Toy_eval={"content": b"newer"})
        use(share, monkeypatch)
        # Two new files (the labels are the same) and the manifest; each is put, then renamed.
        steps = {1: ("put_file", 1), 2: ("mv", 1), 3: ("put_file", 2), 4: ("mv", 3)}
        with monkeypatch.context() as broken:
            fail_at(broken, LocalFileSystem, *steps[call])
            with pytest.raises(ResourceError):
                publish_models(newer, share)
        assert find_model("Toy").path.read_bytes() == b"Toy_prod" * 100
        assert find_model("Toy", evaluate=True).path.read_bytes() == b"Toy_eval" * 100

    def test_an_update_serves_the_new_models(
        self, converted: Path, make_models: MakeModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        share = str(tmp_path / "share")
        publish_models(converted, share)
        publish_models(make_models(tmp_path / "newer", Toy_prod={"content": b"new"}), share)
        use(share, monkeypatch)
        assert find_model("Toy").path.read_bytes() == b"new"
        assert find_model("Toy", evaluate=True).path.read_bytes() == b"Toy_eval" * 100  # it stays

    def test_a_broken_off_upload_goes_on(
        self, converted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from fsspec.implementations.local import LocalFileSystem

        with monkeypatch.context() as broken:
            fail_at(broken, LocalFileSystem, "put_file", call=3)
            with pytest.raises(ResourceError):
                publish_models(converted, str(tmp_path / "share"))
        done = publish_models(converted, str(tmp_path / "share"))
        assert (len(done.already_there), len(done.uploaded)) == (2, 2)

    def test_replace_takes_the_others_out(
        self, converted: Path, make_models: MakeModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        publish_models(converted, str(tmp_path / "share"))
        publish_models(make_models(tmp_path / "one", Other_prod={}), str(tmp_path / "share"), replace=True)
        use(str(tmp_path / "share"), monkeypatch)
        assert find_model("Other").path.exists()
        with pytest.raises(ResourceError, match="no Toy_prod"):
            find_model("Toy")

    def test_a_kept_model_does_not_lose_its_files(self, make_models: MakeModels, tmp_path: Path) -> None:
        first = make_models(tmp_path / "one", One_prod={"labels": "labels.json"})
        second = make_models(tmp_path / "two", Two_prod={"labels": "labels.json"})
        publish_models(first, str(tmp_path / "share"))
        publish_models(second, str(tmp_path / "share"))  # the same file under the same name is no clash
        third = make_models(tmp_path / "three", labels={"labels": "x.json"}, Three_prod={})
        manifest = (third / "manifest.json").read_text().replace("labels.onnx", "labels.json")
        (third / "labels.onnx").rename(third / "labels.json")
        (third / "manifest.json").write_text(manifest)
        with pytest.raises(ResourceError, match=r"labels\.json is another file than the one .*--replace"):
            publish_models(third, str(tmp_path / "share"))


class TestRefused:
    def test_a_damaged_file_stops_before_anything_is_sent(self, converted: Path, tmp_path: Path) -> None:
        path = converted / "Toy_prod.onnx"
        path.write_bytes(path.read_bytes().replace(b"Toy", b"Yot"))
        with pytest.raises(ResourceError, match=r"Toy_prod\.onnx is damaged"):
            publish_models(converted, str(tmp_path / "share"))
        assert not (tmp_path / "share").exists()

    def test_a_folder_without_models(self, tmp_path: Path) -> None:
        with pytest.raises(ResourceError, match="vnlp-colab convert --output"):
            publish_models(tmp_path, str(tmp_path / "share"))

    def test_an_http_address(self, converted: Path) -> None:
        with pytest.raises(ResourceError, match="can only be read"):
            publish_models(converted, "https://example.org/models")

    def test_the_folder_itself(self, converted: Path) -> None:
        with pytest.raises(ResourceError, match="to itself"):
            publish_models(converted, converted.as_uri() + "/")

    def test_a_place_that_cannot_be_written(self, converted: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("not a folder")
        with pytest.raises(ResourceError, match="cannot write"):
            publish_models(converted, str(tmp_path / "file" / "models"))

    def test_a_store_with_an_unreadable_manifest(self, converted: Path, tmp_path: Path) -> None:
        (tmp_path / "manifest.json").write_text("<html>")
        with pytest.raises(ResourceError, match="is not a manifest"):
            publish_models(converted, str(tmp_path))


def test_the_command_says_what_it_did(converted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = (tmp_path / "share").as_uri()
    assert main(["publish", str(converted), url]) == 0
    out = capsys.readouterr().out
    assert "Toy_eval, Toy_prod" in out
    assert f"VNLP_COLAB_MODEL_URL={url}" in out


def test_the_command_fails_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(tmp_path), str(tmp_path / "share")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def fail_at(monkeypatch: pytest.MonkeyPatch, cls: type, method: str, call: int) -> None:
    """Let the method of a filesystem fail from its n-th call on, as a lost connection does."""
    real = getattr(cls, method)
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1
        if calls >= call:
            raise OSError("connection lost")

    def failing(self: Any, *args: Any, **more: Any) -> Any:
        count()
        return real(self, *args, **more)

    async def failing_async(self: Any, *args: Any, **more: Any) -> Any:
        count()
        return await real(self, *args, **more)

    monkeypatch.setattr(cls, method, failing_async if inspect.iscoroutinefunction(real) else failing)
