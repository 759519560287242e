"""What README and the guide show is what happens: Python blocks print the text below them, commands do as they say."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from pages import ROOT, blocks

# Pages of measurements tell how they were made; that takes too long to do again here.
MEASUREMENTS = ("performance.md", "performance-vnlp.md", "performance-notes.md", "scale.md")
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in MEASUREMENTS)]
# Blocks that need a place in the network that does not exist.
NOT_RUN = ("https://example.org",)


def with_language(language):
    pages = [page for page in PAGES if any(block.language == language for block in blocks(page))]
    return pytest.mark.parametrize("page", pages, ids=lambda page: page.name)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "in.txt").write_text("Dr. Ali geldi. Sonra gitti.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@with_language("python")
def test_python_blocks(page, folder):
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.language != "python" or any(word in block.content for word in NOT_RUN):
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block.content, str(page), "exec"), names)
        if block.output is not None:
            assert printed.getvalue().split() == block.output.split()


@pytest.mark.slow
@with_language("console")
def test_commands(page, folder):
    programs = folder / "programs"
    programs.mkdir()
    command = programs / "vnlp-colab"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m vnlp_colab "$@"\n')
    command.chmod(0o755)
    env = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    for block in blocks(page):
        if block.language != "console":
            continue
        for entry in block.content.split("$ ")[1:]:
            line, _, output = entry.partition("\n")
            done = subprocess.run(line, shell=True, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{line}: {done.stderr}"
            if output:
                assert done.stdout == output


def run_example(folder, *arguments):
    command = [sys.executable, str(ROOT / "examples" / "analyze_table.py"), *arguments]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.tsv"], "nothing.tsv: no such file"),
        (["a.csv", "a.xyz"], "a.xyz: the result is read as a pickled data frame; end its name in .pkl"),
        (["a.csv", "a.parquet"], "a.parquet: the result is read as a pickled data frame; end its name in .pkl"),
    ],
)
def test_the_example_tells_what_is_wrong_in_one_line(tmp_path, arguments, told):
    (tmp_path / "a.csv").write_text("text\nAli geldi.\n")
    done = run_example(tmp_path, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"analyze_table: {told}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [[], ["Ali geldi."]])
def test_the_example_takes_a_table_of_one_row_or_none(tmp_path, rows):
    (tmp_path / "a.csv").write_text("\n".join(["sentence", *rows, ""]))
    done = run_example(tmp_path, "a.csv", "a.pkl")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert done.stdout.count("Ali geldi.") == 3 * len(rows)


def test_links_between_files_lead_somewhere():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
