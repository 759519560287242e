"""A password in the address of a store is used, and neither shown nor stored."""

from __future__ import annotations

import base64
import logging
from typing import TYPE_CHECKING, Any

import pytest

from vnlp_colab.cli import main
from vnlp_colab.conversion.sources import find_weights
from vnlp_colab.resources import ResourceError, download_resource, find_model
from vnlp_colab.resources.addresses import without_secrets
from vnlp_colab.resources.publishing import publish_models

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

PASSWORD = "gizli#1"
ESCAPED = "gizli%231"


@pytest.fixture
def store(server: Any, make_models: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> str:
    """A store that asks for a user and a password; its address, with both."""
    make_models(server.folder, Toy_prod={})
    wanted = "Basic " + base64.b64encode(f"ali:{PASSWORD}".encode()).decode()
    serve = server.handle

    def handle(handler: BaseHTTPRequestHandler) -> None:
        if handler.headers.get("Authorization") == wanted:
            serve(handler)
        else:
            handler.send_response(401)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

    monkeypatch.setattr(server, "handle", handle)
    url = server.url.replace("://", f"://ali:{ESCAPED}@")
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", url)
    return url


def has_secret(text: str) -> bool:
    return any(part in text for part in (PASSWORD, ESCAPED, "gizli", "ali:"))


def test_it_is_used_and_not_stored(store: str, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    assert find_model("Toy").read() == b"Toy_prod" * 100
    stored = [path for path in cache.rglob("*") if path.is_file()]
    assert any(path.name == "manifest.json" for path in stored)
    assert not any(has_secret(path.read_text()) or has_secret(str(path)) for path in stored)
    assert not has_secret(caplog.text)


def test_another_password_finds_what_is_cached(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find_model("Toy")
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", store.replace(ESCAPED, "changed"))
    assert find_model("Toy").origin == "cache"


@pytest.mark.parametrize("verbose", [[], ["--verbose"]])
@pytest.mark.parametrize(
    "address",
    [
        "http://ali:gizli@127.0.0.1:9/models",  # nobody listens
        "http://ali:gizli@[/models",
        "http://ali:gizli#söz@127.0.0.1/models",  # not escaped
        "http://ali:gizli/söz@127.0.0.1/models",
        "nonsense://ali:gizli@here/models",
        "sftp://ali:gizli@127.0.0.1:9/models",
        "https://example.invalid/models?key=gizli",
    ],
)
def test_it_is_not_in_errors_and_logs(
    address: str, verbose: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", address)
    table = tmp_path / "a.txt"
    table.write_text("Ali geldi.\n")
    arguments = ["analyze", str(table), "-o", str(tmp_path / "a.csv"), "--models", "pos:TreeStackPoS"]
    assert main([*verbose, *arguments]) == 1
    assert main([*verbose, "models"]) == 0
    assert main([*verbose, "convert", "CharNER", "--source", address, "--output", str(tmp_path / "o")]) == 1
    told = "".join(capfd.readouterr())
    assert "remote store" in told
    assert not has_secret(told)


def test_nor_in_what_a_refusing_server_says(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = store.replace(ESCAPED, "gizli")
    monkeypatch.setenv("VNLP_COLAB_MODEL_URL", wrong)
    with pytest.raises(ResourceError, match="the server answers 401") as caught:
        find_model("Toy")
    assert not has_secret(str(caught.value))
    with pytest.raises(ResourceError) as caught:
        download_resource("x", f"{wrong}/x")
    assert not has_secret(str(caught.value))


def test_nor_in_what_publish_and_convert_keep(
    make_models: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from vnlp_colab.conversion.catalog import network

    assert find_weights(network("CharNER"), "prod", "http://ali:gizli@host/w").source == "http://host/w/"
    folder = make_models(tmp_path / "models", Toy_prod={})
    published = publish_models(folder, "memory://ali:gizli@store")
    assert not has_secret(published.url)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://u:p@host:80/x@y", "http://host:80/x@y"),
        ("http://host:80/x@y", "http://host:80/x@y"),
        ("http://u:p@q@host/x", "http://host/x"),
        ("s3://bucket/a@b", "s3://bucket/a@b"),
        ("s3://key:se/cret@bucket/a", "s3://bucket/a"),
        ("http://[::1]:80/x@y", "http://[::1]:80/x@y"),
        ("from http://u:p@a/x to http://v:q@b/y.", "from http://a/x to http://b/y."),
        ("/a/folder@work", "/a/folder@work"),
    ],
)
def test_what_is_shown_of_addresses(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
