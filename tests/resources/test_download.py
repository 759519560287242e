"""download_resource against a server that fails in every way a server can."""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import multiprocessing
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from vnlp_colab.resources import OfflineError, ResourceError, cache_dir, download_resource

CONTENT = bytes(range(256)) * 1200  # more than one chunk of a transfer
SHA256 = hashlib.sha256(CONTENT).hexdigest()

Answer = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def address(server: Any) -> str:
    (server.folder / "model.onnx").write_bytes(CONTENT)
    return f"{server.url}/model.onnx"


def answers(server: Any, *steps: Answer) -> None:
    """Answer the first requests for the model by `steps`, the last of them for ever."""
    left = list(steps)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(handler)

    server.special["/model.onnx"] = answer


def send(content: bytes, status: int = 200, length: int | None = None) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content) if length is None else length))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


cut_off = send(CONTENT[:1000], length=len(CONTENT))
whole = send(CONTENT)


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_file_is_downloaded_into_the_cache(address: str, cache: Path) -> None:
    path = download_resource("model.onnx", address, known_hash=SHA256)
    assert path == cache / "model.onnx" == cache_dir() / "model.onnx"
    assert path.read_bytes() == CONTENT
    assert left_behind(cache) == ["model.onnx"]


def test_other_users_of_a_shared_cache_can_read_it(address: str) -> None:
    assert download_resource("model.onnx", address).stat().st_mode & 0o444 == 0o444


def test_a_cached_file_is_not_downloaded_again(address: str, server: Any) -> None:
    first = download_resource("model.onnx", address, known_hash=SHA256)
    assert download_resource("model.onnx", address, known_hash=SHA256) == first
    assert len(server.requests) == 1


def test_a_corrupt_cached_file_is_fetched_again(address: str, cache: Path) -> None:
    cache.mkdir()
    (cache / "model.onnx").write_bytes(CONTENT[:-1] + b"x")
    assert download_resource("model.onnx", address, known_hash=SHA256).read_bytes() == CONTENT


def test_another_folder_can_be_named(address: str, tmp_path: Path) -> None:
    assert download_resource("m", address, tmp_path / "else" / "where").parent == tmp_path / "else" / "where"


def test_a_file_address_needs_no_server(tmp_path: Path) -> None:
    source = tmp_path / "a source.onnx"
    source.write_bytes(CONTENT)
    assert download_resource("one", source.as_uri().replace("%20", " "), known_hash=SHA256).read_bytes() == CONTENT
    assert download_resource("two", str(source), known_hash=SHA256).read_bytes() == CONTENT


def test_a_cut_off_download_is_begun_again(address: str, server: Any) -> None:
    answers(server, cut_off, whole)
    assert download_resource("model.onnx", address, known_hash=SHA256).read_bytes() == CONTENT
    assert len(server.requests) == 2


def test_a_download_that_is_always_cut_off_leaves_nothing(address: str, server: Any, cache: Path) -> None:
    answers(server, cut_off)
    with pytest.raises(ResourceError, match=r"model\.onnx could not be fetched from http.*broke off each time"):
        download_resource("model.onnx", address)  # noticed without a hash too
    assert left_behind(cache) == []
    assert len(server.requests) == 3


def test_a_wrong_hash_is_tried_again_then_refused(address: str, server: Any, cache: Path) -> None:
    with pytest.raises(ResourceError, match=r"model\.onnx .*wrong sha256"):
        download_resource("model.onnx", address, known_hash="0" * 64)
    assert left_behind(cache) == []
    assert len(server.requests) == 3


def test_a_failed_refresh_keeps_the_old_file_but_does_not_return_it(address: str, server: Any, cache: Path) -> None:
    cache.mkdir()
    (cache / "model.onnx").write_bytes(b"old")
    answers(server, cut_off)
    with pytest.raises(ResourceError):
        download_resource("model.onnx", address, known_hash=SHA256)
    assert (cache / "model.onnx").read_bytes() == b"old"


def test_404_is_told_at_once(address: str, server: Any) -> None:
    with pytest.raises(ResourceError, match=r"cannot fetch .*/absent\.onnx: the server answers 404"):
        download_resource("model.onnx", f"{server.url}/absent.onnx")
    assert len(server.requests) == 1


def test_a_server_error_is_tried_again(address: str, server: Any) -> None:
    answers(server, send(b"busy", 503), whole)
    assert download_resource("model.onnx", address, known_hash=SHA256).read_bytes() == CONTENT


def test_a_lasting_server_error_is_told(address: str, server: Any) -> None:
    answers(server, send(b"", 500))
    with pytest.raises(ResourceError, match="500"):
        download_resource("model.onnx", address)


@pytest.mark.parametrize("begins", [False, True], ids=["silent from the start", "silent in the middle"])
def test_a_silent_server_is_given_up(begins: bool, address: str, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VNLP_COLAB_TIMEOUT", "0.2")
    release = threading.Event()

    def stall(handler: BaseHTTPRequestHandler) -> None:
        if begins:
            cut_off(handler)
            handler.wfile.flush()
        release.wait(20)

    answers(server, stall)
    with pytest.raises(ResourceError, match=r"did not answer in time.*VNLP_COLAB_TIMEOUT"):
        download_resource("model.onnx", address, retries=0)
    release.set()


def test_a_slow_server_that_goes_on_is_waited_for(address: str, server: Any) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        for start in range(0, len(CONTENT), 1 << 16):
            threading.Event().wait(0.25)
            handler.wfile.write(CONTENT[start : start + (1 << 16)])

    answers(server, drip)
    # The whole takes longer than the timeout, each pause does not.
    assert download_resource("model.onnx", address, timeout=1.0, known_hash=SHA256).read_bytes() == CONTENT


class TestLimits:
    """What comes is bounded in size and time, whatever a server does."""

    @pytest.mark.parametrize("announced", [True, False], ids=["announced", "found out on the way"])
    def test_more_than_the_size_is_given_up_at_once(
        self, announced: bool, address: str, server: Any, cache: Path
    ) -> None:
        sent = 0

        def endless(handler: BaseHTTPRequestHandler) -> None:
            nonlocal sent
            handler.send_response(200)
            if announced:
                handler.send_header("Content-Length", str(3 << 30))
            handler.end_headers()
            with contextlib.suppress(OSError):
                while sent < 3 << 30:
                    sent += handler.wfile.write(bytes(1 << 16))

        answers(server, endless)
        with pytest.raises(ResourceError, match=r"model\.onnx: it is longer than the 307200 bytes its manifest says"):
            download_resource("model.onnx", address, known_hash=SHA256, size=len(CONTENT))
        assert len(server.requests) == 1  # it would be as long the next time
        assert left_behind(cache) == []
        assert sent < 64 << 20  # what the buffers of two sockets take, and far from all

    def test_nor_is_more_copied_from_a_share(self, tmp_path: Path) -> None:
        with (tmp_path / "long").open("wb") as file:
            file.truncate(1 << 30)
        with pytest.raises(ResourceError, match="longer than the 5 bytes"):
            download_resource("model.onnx", str(tmp_path / "long"), size=5)

    def test_a_file_of_unknown_size_is_limited_too(
        self, address: str, monkeypatch: pytest.MonkeyPatch, cache: Path
    ) -> None:
        from vnlp_colab.resources.download import fetch_file

        with pytest.raises(ResourceError, match="longer than 1000 bytes, the most allowed"):
            fetch_file(cache / "model.onnx", address, most=1000)

    @pytest.mark.parametrize("part", ["head", "body"])
    def test_a_dripping_server_is_dropped(self, part: str, address: str, server: Any) -> None:
        stop = threading.Event()

        def drip(handler: BaseHTTPRequestHandler) -> None:
            if part == "body":
                handler.send_response(200)
                handler.send_header("Content-Length", str(len(CONTENT)))
                handler.end_headers()
            with contextlib.suppress(OSError):
                handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: " if part == "head" else b"")
                while not stop.wait(0.05):
                    handler.wfile.write(b"a")
                    handler.wfile.flush()

        answers(server, drip)
        began = time.monotonic()
        with pytest.raises(ResourceError, match=r"sends hardly anything.*VNLP_COLAB_TIMEOUT"):
            # a byte every 0.05 s never is silence of 0.4 s
            download_resource("model.onnx", address, timeout=0.4, retries=0)
        stop.set()
        assert time.monotonic() - began < 10

    def test_a_server_that_packs_is_unpacked_and_limited(self, address: str, server: Any) -> None:
        def packed(content: bytes) -> Answer:
            def answer(handler: BaseHTTPRequestHandler) -> None:
                body = gzip.compress(content)
                handler.send_response(200)
                handler.send_header("Content-Encoding", "gzip")
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body)

            return answer

        answers(server, packed(CONTENT))
        path = download_resource("model.onnx", address, known_hash=SHA256, size=len(CONTENT))
        assert path.read_bytes() == CONTENT
        answers(server, packed(bytes(100 << 20)))
        with pytest.raises(ResourceError, match="longer than"):
            download_resource("other.onnx", address, size=len(CONTENT))


def test_no_network_is_told_with_what_to_do() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ResourceError, match=r"model\.onnx .*no connection.*VNLP_COLAB_OFFLINE"):
        download_resource("model.onnx", f"http://127.0.0.1:{port}/model.onnx")


def test_offline_never_asks_the_server(address: str, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VNLP_COLAB_OFFLINE", "1")
    with pytest.raises(OfflineError, match="VNLP_COLAB_OFFLINE is set"):
        download_resource("model.onnx", address)
    assert server.requests == []


def test_offline_uses_the_cache_and_files(address: str, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    download_resource("model.onnx", address)
    monkeypatch.setenv("VNLP_COLAB_OFFLINE", "1")
    assert download_resource("model.onnx", address, known_hash=SHA256).read_bytes() == CONTENT
    assert download_resource("other.onnx", str(server.folder / "model.onnx")).read_bytes() == CONTENT


@pytest.mark.parametrize("value", ["0", "false", "no", ""])
def test_offline_can_be_switched_off(value: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VNLP_COLAB_OFFLINE", value)
    assert download_resource("model.onnx", address).exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_cache_is_told(address: str, cache: Path) -> None:
    cache.mkdir(mode=0o555)
    with pytest.raises(ResourceError, match=r"model\.onnx cannot be written .*VNLP_COLAB_CACHE"):
        download_resource("model.onnx", address)


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_a_refusing_file_system_is_told(code: int, address: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise OSError(code, os.strerror(code), str(cache))

    cache.mkdir()
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    with pytest.raises(ResourceError) as caught:
        download_resource("model.onnx", address)
    assert all(part in str(caught.value) for part in ("model.onnx", str(cache), os.strerror(code), "VNLP_COLAB_CACHE"))


def test_a_cache_that_cannot_be_a_folder_is_told(address: str, cache: Path) -> None:
    cache.write_text("a file")
    with pytest.raises(ResourceError, match="VNLP_COLAB_CACHE"):
        download_resource("model.onnx", address)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize("over_http", [True, False])
def test_a_full_disk_is_told(
    over_http: bool, address: str, server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def on_a_full_disk(path: object = None) -> Iterator[str]:
        yield "/dev/full"

    monkeypatch.setattr("pooch.core.temporary_file", on_a_full_disk)
    with pytest.raises(ResourceError, match=r"model\.onnx does not fit .*No space left.*VNLP_COLAB_CACHE"):
        download_resource("model.onnx", address if over_http else str(server.folder / "model.onnx"))
    assert left_behind(cache) == []


def _download_in_process(address: str, folder: str) -> bytes:
    return download_resource("model.onnx", address, folder, SHA256).read_bytes()


def test_processes_at_once_do_no_harm(address: str, cache: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        contents = pool.starmap(_download_in_process, [(address, str(cache))] * 6, chunksize=1)
    assert contents == [CONTENT] * 6
    assert left_behind(cache) == ["model.onnx"]


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/b", "a\\b", "..", ".x", "", "C:x", "a\0b", "manifest.json"])
def test_a_file_name_cannot_leave_the_cache(name: str, address: str, server: Any) -> None:
    with pytest.raises(ResourceError, match="only plain file names"):
        download_resource(name, address)
    assert server.requests == []


def test_a_missing_protocol_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec.core

    def fail(*args: object) -> None:
        raise ImportError("Install s3fs")

    monkeypatch.setattr(fsspec.core, "url_to_fs", fail)
    with pytest.raises(ResourceError, match=r"vnlp-colab\[s3\]"):
        download_resource("model.onnx", "s3://bucket/model.onnx")


def test_an_unknown_protocol_is_told() -> None:
    with pytest.raises(ResourceError, match="nonsense://here"):
        download_resource("model.onnx", "nonsense://here/model.onnx")


@pytest.mark.parametrize("value", ["soon", "-1", "0", "nan"])
def test_a_wrong_timeout_is_told(value: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VNLP_COLAB_TIMEOUT", value)
    with pytest.raises(ResourceError, match="VNLP_COLAB_TIMEOUT must be"):
        download_resource("model.onnx", address)


def test_the_progress_bar_counts_bytes(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    download_resource("model.onnx", address, progress=True)
    assert "model.onnx" in capsys.readouterr().err


def test_nothing_is_printed_where_nobody_looks(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    download_resource("model.onnx", address)
    assert capsys.readouterr() == ("", "")
