"""Closed streams, full disks, a command that is stopped: one line names what failed, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell where V is the command with fake models."""
    tests = ROOT / "tests"
    paths = os.pathsep.join(map(str, (tests, tests / "pipeline", ROOT)))
    env = os.environ | {"PYTHONPATH": paths} | environment
    fake = f'V() {{ "{sys.executable}" "{tests / "pipeline" / "fake_command.py"}" "$@"; }}; '
    command = ["bash", "-c", fake + line]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def assert_told(done: subprocess.CompletedProcess[str], name: str) -> None:
    """What went wrong is told in one line that names it."""
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert name in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs bash")
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("V analyze - -o a.csv --quiet <&-", "standard input"),
        ("V analyze in.txt -o - --quiet >&-", "standard output"),
        ("V models >&-", "standard output"),
        ("V models --json >&-", "standard output"),
        ("V render - -o a.svg <&-", "standard input"),
        ("V tokenize <&-", "standard input"),
        ("echo Ali | V tokenize >&-", "standard output"),
        ("V models > /dev/full", "standard output"),
        ("echo Ali | V tokenize > /dev/full", "standard output"),
        ("V analyze in.txt -o - --quiet > /dev/full", "standard output"),
        ("V render $'\\xff' -o a.svg", "TEXT"),
    ],
)
def test_streams_that_are_closed_or_full(line, name, tmp_path):
    (tmp_path / "in.txt").write_text("Ali geldi.\n")
    done = shell(line, tmp_path)
    assert_told(done, name)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs bash")
def test_closed_streams_that_are_not_needed_do_no_harm(tmp_path):
    (tmp_path / "in.txt").write_text("Ali geldi.\n")
    done = shell("V analyze in.txt -o out.csv <&- >&- 2>&-", tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[0].startswith("document,")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs bash")
@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl", "out.conllu", "out.pkl", "out.csv.gz"])
def test_a_full_disk_names_the_file(name, tmp_path):
    """A limit of 64 KiB a file stands for the full disk; both are told by the system while writing."""
    (tmp_path / "in.txt").write_text("\n".join(f"Ali {number} kere geldi." for number in range(20_000)))
    done = shell(f"ulimit -f 64; V analyze in.txt -o {name} --quiet", tmp_path)
    assert_told(done, name)
    assert "File too large" in done.stderr
    assert not (tmp_path / name).exists()


@pytest.mark.skipif(os.name == "nt", reason="needs bash")
@pytest.mark.parametrize(
    ("line", "name"),
    [("V render 'Ali geldi.' -o a.svg", "a.svg"), ("yes Ali | head -9999 | V tokenize -o tokens.txt", "tokens.txt")],
)
def test_a_full_disk_names_the_file_of_other_commands(line, name, tmp_path):
    done = shell(f"ulimit -f 1; {line}", tmp_path)
    assert_told(done, name)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_sigterm_leaves_no_copy_of_the_standard_input(tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    tests = ROOT / "tests"
    env = os.environ | {"TMPDIR": str(temporary), "FAKE_DELAY": "0.2"}
    env["PYTHONPATH"] = os.pathsep.join(map(str, (tests, tests / "pipeline", ROOT)))
    fake = str(tests / "pipeline" / "fake_command.py")
    command = [sys.executable, fake, "analyze", "-", "-o", str(tmp_path / "out.csv"), "--batch-size", "1"]
    running = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert running.stdin is not None
    running.stdin.write(b"Ali geldi.\n" * 5000)
    running.stdin.close()
    for _ in range(600):
        if list(tmp_path.glob("out.csv*")):  # the copy is made, the analysis runs
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGTERM)
    assert running.wait(30) != 0
    assert list(temporary.iterdir()) == []
