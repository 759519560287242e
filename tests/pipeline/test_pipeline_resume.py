"""Long jobs survive: whatever the moment of the crash, going on gives the file of one run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from pipeline_fakes import FakeTagger, fake_models

from vnlp_colab import pipeline_colab
from vnlp_colab.pipeline_colab import VNLPipeline
from vnlp_colab.tables import TableError

FORMATS = ["parquet", "pkl", "csv", "jsonl", "conllu"]
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(pipeline_colab, "_CHUNK_ROWS", 10)
    monkeypatch.setattr(pipeline_colab, "_BATCHES_A_CHUNK", 1)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "input.tsv"
    path.write_text("".join(f"t\t1\t1\t{n}\tCümle {n} burada biter.\n" for n in range(47)), encoding="utf-8")
    return path


class Crashing(FakeTagger):
    """Works for some batches, then fails."""

    def __init__(self, batches):
        self.left = batches

    def label_batch(self, sentences):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("crash")
        return super().label_batch(sentences)


def crash(table, output, batches):
    with pytest.raises(RuntimeError, match="crash"):
        VNLPipeline(fake_models() | {"pos": Named(batches)}).run(table, output, batch_size=4)


class Named(Crashing):
    """Crashing under the name of the model it stands for, so that the job is the same one."""


Named.__name__ = "FakeTagger"


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("batches", [0, 4, 9])
def test_resumed_file_has_the_bytes_of_one_run(nlp, table, tmp_path, ending, batches):
    nlp.run(table, tmp_path / f"whole.{ending}", batch_size=4)
    output = tmp_path / f"resumed.{ending}"
    crash(table, output, batches)
    assert not output.exists()
    summary = nlp.run(table, output, batch_size=4, resume=True)
    assert summary.rows == 47
    assert summary.resumed_rows == batches // 3 * 10
    assert output.read_bytes() == (tmp_path / f"whole.{ending}").read_bytes()


def test_a_torn_journal_or_part_is_done_again(nlp, table, tmp_path):
    nlp.run(table, tmp_path / "whole.jsonl", batch_size=4)
    output = tmp_path / "resumed.jsonl"
    crash(table, output, 9)
    parts = tmp_path / "resumed.jsonl.parts"
    journal = (parts / "journal.jsonl").read_text()
    (parts / "journal.jsonl").write_text(journal[:-20])
    with (parts / "part-000001").open("ab") as handle:
        handle.truncate(30)
    summary = nlp.run(table, output, batch_size=4, resume=True)
    assert summary.resumed_rows == 10
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_resume_with_nothing_to_resume_just_runs(nlp, table, tmp_path):
    assert nlp.run(table, tmp_path / "out.csv", resume=True).rows == 47


def test_another_job_is_not_taken_up(nlp, table, tmp_path):
    output = tmp_path / "out.jsonl"
    crash(table, output, 4)
    with pytest.raises(TableError, match=r"another job \(batch_size: 4 then, 8 now\)"):
        nlp.run(table, output, batch_size=8, resume=True)
    table.write_text(table.read_text() + "t\t1\t1\t99\tYeni.\n")
    with pytest.raises(TableError, match=r"another job \(input: "):
        nlp.run(table, output, batch_size=4, resume=True)


def test_a_run_begun_on_a_gpu_goes_on_without_one(nlp, table, tmp_path, monkeypatch):
    monkeypatch.setattr("vnlp_colab.pipeline_colab._GPU_BATCH", 4)
    nlp.run(table, tmp_path / "whole.jsonl", batch_size=4)
    output = tmp_path / "out.jsonl"
    tagger = Named(9)
    tagger.device = "cuda"
    with pytest.raises(RuntimeError, match="crash"):
        VNLPipeline(fake_models() | {"pos": tagger}).run(table, output)
    summary = nlp.run(table, output, resume=True)
    assert (summary.rows, summary.resumed_rows) == (47, 30)
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_without_resume_a_run_starts_again_and_says_so(nlp, table, tmp_path, caplog):
    output = tmp_path / "out.jsonl"
    crash(table, output, 4)
    assert nlp.run(table, output, batch_size=4).resumed_rows == 0
    assert "parts of an unfinished run are dropped" in caplog.text


def command(*arguments, **environment):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])} | environment
    return [sys.executable, str(HERE / "fake_command.py"), *map(str, arguments)], env


@pytest.mark.slow
@pytest.mark.parametrize("ending", FORMATS)
def test_kill_9_and_resume(tmp_path, ending):
    table = tmp_path / "input.tsv"
    table.write_text("".join(f"t\t1\t1\t{n}\tCümle {n} biter.\n" for n in range(9000)), encoding="utf-8")
    arguments = ["analyze", table, "--batch-size", "64", "--quiet", "-o"]
    whole, resumed = tmp_path / f"whole.{ending}", tmp_path / f"resumed.{ending}"
    line, env = command(*arguments, whole)
    subprocess.run(line, check=True, env=env)

    line, env = command(*arguments, resumed, FAKE_DELAY="0.02")
    process = subprocess.Popen(line, env=env)
    journal = tmp_path / f"resumed.{ending}.parts" / "journal.jsonl"
    deadline = time.monotonic() + 120
    while not (journal.exists() and len(journal.read_text().splitlines()) >= 3):
        assert process.poll() is None, "the command ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not resumed.exists()

    line, env = command(*arguments, resumed, "--resume")
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert resumed.read_bytes() == whole.read_bytes()
    if ending == "parquet":
        assert len(pd.read_parquet(resumed)) == 9000
