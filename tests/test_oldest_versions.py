"""The oldest versions that pyproject.toml admits work: they are installed into an empty environment and tried there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
# A few minutes' worth of tests that go through every dependency: tables, downloads, sessions, graphs, all models.
TRIED = (
    "tests/pipeline/test_golden_labels.py",
    "tests/tables/test_outputs.py",
    "tests/resources/test_download.py",
    "tests/conversion/test_weight_files.py",
    "tests/runtime",
    "tests/spucontext/test_decoding.py",
)


def requirements() -> list[Requirement]:
    """Return what the package needs here."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        lines = tomllib.load(file)["project"]["dependencies"]
    found = [Requirement(line) for line in lines]
    return [one for one in found if one.marker is None or one.marker.evaluate()]


def oldest(requirement: Requirement, releases: list[str]) -> str:
    """Return the first release a requirement admits; the one it names may have been taken back."""
    fitting = sorted(Version(release) for release in releases if requirement.specifier.contains(release))
    return str(fitting[0])


def test_every_requirement_has_a_least_version():
    for requirement in requirements():
        assert any(bound.operator == ">=" for bound in requirement.specifier), requirement


def test_the_oldest_release_is_found():
    assert oldest(Requirement("a>=1.9"), ["2.0", "1.10", "1.9.1", "1.8", "1.9rc1"]) == "1.9.1"


@pytest.mark.slow
@pytest.mark.network
def test_the_oldest_versions_work(tmp_path: Path) -> None:
    def call(*line: object) -> str:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        env["VNLP_COLAB_CACHE"] = str(tmp_path / "cache")
        done = subprocess.run(list(map(str, line)), cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]
        return done.stdout

    constraints = []
    for requirement in requirements():
        listed = call(sys.executable, "-m", "pip", "index", "versions", requirement.name)
        told = re.search(r"^Available versions: (.+)$", listed, re.MULTILINE)
        assert told, requirement
        constraints.append(f"{requirement.name}=={oldest(requirement, told[1].split(', '))}")
    (tmp_path / "oldest.txt").write_text("\n".join(constraints))
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    tools = ("pytest", "hypothesis", "conllu", "openpyxl")
    call(python, "-m", "pip", "install", "--quiet", "--requirement", tmp_path / "oldest.txt", *tools)
    call(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not network", *TRIED)
