"""Toy models and a small HTTP server that can misbehave."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

VARIABLES = ("MODELS", "CACHE", "MODEL_URL", "OFFLINE", "TIMEOUT")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and no other setting; the pauses between attempts are left out."""
    import pooch.core

    for name in VARIABLES:
        monkeypatch.delenv(f"VNLP_COLAB_{name}", raising=False)
    # Proxies of the machine must not stand between the tests and their own server.
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    folder = tmp_path / "cache"
    monkeypatch.setenv("VNLP_COLAB_CACHE", str(folder))
    monkeypatch.setattr(pooch.core, "time", SimpleNamespace(sleep=lambda _: None))
    return folder


def write_models(folder: Path, **models: dict[str, Any]) -> Path:
    """Write a folder as `vnlp-colab convert` does; `Toy_prod={"content": b"..."}`, each with a labels file."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest: dict[str, Any] = {"format": 1, "models": {}, "files": {}}
    for key, settings in models.items():
        labels = settings.get("labels", f"{key}_labels.json")
        contents = {f"{key}.onnx": settings.get("content", key.encode() * 100), labels: b'["", "NOUN"]'}
        for name, content in contents.items():
            (folder / name).write_bytes(content)
            manifest["files"][name] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        manifest["models"][key] = {
            "model": key.rpartition("_")[0],
            "file": f"{key}.onnx",
            "weights": key.rpartition("_")[2],
            "source": settings.get("source", "a test"),
            "resources": {"labels": labels},
            "options": settings.get("options", {}),
        }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture
def make_models() -> Callable[..., Path]:
    return write_models


@dataclass
class Server:
    """Serves a folder; `special[path]` is called with the request's handler instead of it."""

    url: str
    folder: Path
    requests: list[str] = field(default_factory=list)
    special: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(handler.path)
        if handler.path in self.special:
            self.special[handler.path](handler)
            return
        path = self.folder / handler.path.lstrip("/")
        content = path.read_bytes() if path.is_file() else None
        handler.send_response(404 if content is None else 200)
        handler.send_header("Content-Length", str(len(content or b"")))
        handler.end_headers()
        handler.wfile.write(content or b"")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.handle(self)

        def log_message(self, *args: object) -> None:
            pass

    folder = tmp_path / "served"
    folder.mkdir()
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    served = Server(f"http://127.0.0.1:{http.server_address[1]}", folder)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield served
    http.shutdown()
    http.server_close()
    thread.join()
