"""``vnlp-colab analyze --engine ray`` as people call it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from engine_cells import assert_same_cells

ROOT = Path(__file__).parents[2]
SENTENCES = ROOT / "examples" / "sentences.tsv"


def command(*arguments, cwd=ROOT) -> subprocess.CompletedProcess:
    line = [sys.executable, "-m", "vnlp_colab", "analyze", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=cwd)


@pytest.mark.slow
def test_the_same_cells_as_the_plain_command_and_quietly(tmp_path):
    pytest.importorskip("ray.data", reason="Ray is not installed (pip install vnlp-colab[ray])")
    plain = command(SENTENCES, "-o", tmp_path / "plain.parquet", "--models", "pos,sentiment", "--device", "cpu")
    assert plain.returncode == 0, plain.stderr
    done = command(SENTENCES, "-o", tmp_path / "out", "--engine", "ray", "--workers", "2", "--models", "pos,sentiment")
    assert done.returncode == 0, done.stderr
    found = pq.read_table(tmp_path / "out").sort_by("row")
    assert_same_cells(found, pq.read_table(tmp_path / "plain.parquet"))
    # Ray writes one native line of its own, which no setting keeps back.
    first = next(line for line in done.stderr.splitlines() if "core_worker.cc" not in line)
    assert first.startswith("1 input, 69 rows")
    again = command(SENTENCES, "-o", tmp_path / "out", "--engine", "ray", "--models", "pos,sentiment")
    assert again.returncode == 1
    assert "--resume goes on with it" in again.stderr


@pytest.mark.slow
def test_workers_of_a_local_ray_are_no_nicer_than_a_plain_process(tmp_path):
    pytest.importorskip("ray.data", reason="Ray is not installed (pip install vnlp-colab[ray])")
    (tmp_path / "in.csv").write_text("text\nAli geldi.\n", encoding="utf-8")
    program = (
        "import os, sys\n"
        "from engine_toys import NicenessTagger\n"
        "from vnlp_colab.ray import analyze_files\n"
        "before = dict(os.environ)\n"
        "analyze_files([sys.argv[1]], sys.argv[2], {'pos': NicenessTagger()}, progress=False)\n"
        "assert 'RAY_worker_niceness' not in set(os.environ) - set(before)\n"
    )
    line = [sys.executable, "-c", program, str(tmp_path / "in.csv"), str(tmp_path / "out")]
    subprocess.run(line, check=True, cwd=ROOT)
    assert pq.read_table(tmp_path / "out")["pos"].to_pylist() == [[str(os.nice(0))] * 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "-o", "out", "--engine", "ray"], "no streams"),
        ([SENTENCES, "-o", "out", "--engine", "ray", "--bom"], "--bom is not for --engine ray"),
        ([SENTENCES, "-o", "out.parquet", "--workers", "2"], "are for --engine ray"),
        ([SENTENCES, "-o", "out", "--engine", "ray", "--models", "nothing"], "unknown task 'nothing'"),
        (
            [SENTENCES, "-o", "out", "--engine", "ray", "--models", "pos:SPUContextPoS", "--style", "boun"],
            "style 'boun' is for the joint network",
        ),
        ([SENTENCES, "-o", "out", "--engine", "ray", "--normalize", "nope"], "unknown step 'nope'"),
        ([SENTENCES, "-o", "out", "--engine", "ray", "--device", "cuda"], "reserve a GPU"),
    ],
)
def test_options_that_do_not_fit_are_told_before_anything_is_started(arguments, message, tmp_path):
    done = command(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_missing_input(tmp_path):
    done = command(tmp_path / "nowhere", "-o", tmp_path / "out", "--engine", "ray")
    assert (done.returncode, done.stderr) == (1, f"vnlp-colab: {tmp_path / 'nowhere'}: no such file\n")
