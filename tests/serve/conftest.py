"""Servers under test: real ones, in processes of their own, on 127.0.0.1."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")
pytest.importorskip("uvicorn", reason="the extra 'serve' is not installed")

ROOT = Path(__file__).parents[2]


class Server:
    """A server process: its address and its log."""

    def __init__(self, folder, settings, workers=1, environment=None, wait="/readyz"):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = folder / f"server-{self.port}.log"
        program = [sys.executable, str(Path(__file__).with_name("fake_server.py")), json.dumps(settings)]
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*program, str(self.port), str(workers)],
                stdout=log,
                stderr=log,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": path, **(environment or {})},
            )
        if wait:
            self.wait_for(wait)

    def wait_for(self, path):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            assert self.process.poll() is None, self.log
            try:
                if requests.get(self.url + path, timeout=5).status_code == 200:
                    return
            except requests.ConnectionError:
                time.sleep(0.05)
        raise AssertionError(f"not ready within a minute: {self.log}")

    @property
    def log(self):
        return self._log.read_text(encoding="utf-8", errors="replace")

    def analyze(self, body, path="/v1/analyze", **options):
        """Send a body: as JSON, or as it is where it is bytes."""
        if isinstance(body, bytes):
            options.setdefault("headers", {"Content-Type": "application/json"})
            return requests.post(self.url + path, data=body, timeout=30, **options)
        return requests.post(self.url + path, json=body, timeout=30, **options)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode


@pytest.fixture(scope="session")
def start_server(tmp_path_factory):
    """Start servers with settings of one's own; all are stopped at the end."""
    started = []

    def start(workers=1, environment=None, wait="/readyz", **settings):
        server = Server(tmp_path_factory.mktemp("server"), settings, workers, environment, wait)
        started.append(server)
        return server

    yield start
    for server in started:
        server.process.terminate()
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def server(start_server):
    """A server with small limits that tests share."""
    return start_server(max_body=200_000, max_tokens=1000, max_word=200, max_texts=300, time_limit=5)


@pytest.fixture(scope="session")
def metrics_of():
    """The figures of a server, by name with labels."""

    def read(server):
        lines = requests.get(server.url + "/metrics", timeout=5).text.splitlines()
        pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in pairs}

    return read
