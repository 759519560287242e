"""Long jobs survive: whatever the moment of the crash, going on gives the file of one run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from table_fakes import FakeAnalyzer

from vnlp_colab.tables import TableError
from vnlp_colab.tables.identity import difference
from vnlp_colab.tables.job import analyze_file
from vnlp_colab.tables.journal import Journal

FORMATS = ["parquet", "pkl", "csv", "tsv", "jsonl", "conllu", "csv.gz", "jsonl.zst"]
HERE = Path(__file__).parent


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "input.tsv"
    path.write_text("".join(f"t\t1\t1\t{n}\tCümle {n} burada biter.\n" for n in range(47)), encoding="utf-8")
    return path


def crash(table, output, chunks, **options):
    with pytest.raises(RuntimeError, match="crash"):
        analyze_file(FakeAnalyzer(crash_at=chunks), table, output, **options)


def run(table, output, **options):
    return analyze_file(FakeAnalyzer(), table, output, **options)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("chunks", [0, 1, 3])
def test_resumed_file_has_the_bytes_of_one_run(table, tmp_path, ending, chunks):
    run(table, tmp_path / f"whole.{ending}")
    output = tmp_path / f"resumed.{ending}"
    crash(table, output, chunks)
    assert not output.exists()
    summary = run(table, output, resume=True)
    assert summary.rows == 47
    assert summary.resumed_rows == chunks * 10
    assert output.read_bytes() == (tmp_path / f"whole.{ending}").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["input.tsv", f"resumed.{ending}", f"whole.{ending}"]


@pytest.mark.parametrize("damage", ["torn journal", "short part", "changed part", "lost part"])
def test_what_is_damaged_is_done_again(table, tmp_path, damage):
    run(table, tmp_path / "whole.jsonl")
    output = tmp_path / "resumed.jsonl"
    crash(table, output, 3)
    journal, part = (tmp_path / "resumed.jsonl.parts" / name for name in ("journal.jsonl", "part-000001.arrow"))
    if damage == "torn journal":
        journal.write_text(journal.read_text()[:-20])
    elif damage == "short part":
        part.write_bytes(part.read_bytes()[:30])
    elif damage == "changed part":
        data = bytearray(part.read_bytes())
        data[len(data) // 2] ^= 1
        part.write_bytes(data)
    else:
        part.unlink()
    summary = run(table, output, resume=True)
    assert summary.resumed_rows == (20 if damage == "torn journal" else 10)
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl.zst"])
@pytest.mark.parametrize("earlier", [False, True])
def test_a_run_into_the_folder_of_its_input_is_resumed(table, tmp_path, ending, earlier):
    output = tmp_path / f"out.{ending}"
    run(tmp_path, output)
    whole = output.read_bytes()
    if not earlier:
        output.unlink()
    crash(tmp_path, output, 2)
    summary = run(tmp_path, output, resume=True)
    assert (summary.rows, summary.resumed_rows) == (47, 20)
    assert output.read_bytes() == whole


def test_resume_with_nothing_to_resume_just_runs(table, tmp_path):
    assert run(table, tmp_path / "out.csv", resume=True).rows == 47


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 8}, r"another job \(--batch-size: 4 then, 8 now\)"),
        ({"encoding": "cp1254"}, r"another job \(how the input is read: .*utf-8.* then, .*cp1254.* now\)"),
        (
            {"input_format": "tsv", "header": False, "text_column": "5"},
            r"how the input is read: .*; text column: \"sentence\" then, \"column_5\" now\)",
        ),
        ({"columns": ["tokens"]}, r"another job \(columns: "),
        ({"bom": True}, r"another job \(--bom: false then, true now\)"),
    ],
)
def test_another_job_is_not_taken_up(table, tmp_path, options, message):
    crash(table, tmp_path / "out.csv", 2, batch_size=4)
    with pytest.raises(TableError, match=message) as refused:
        run(table, tmp_path / "out.csv", resume=True, **options)
    assert "go on with what it was begun with, or start again with --restart" in str(refused.value)


@pytest.mark.parametrize("length", range(57, 62))
def test_values_that_differ_at_their_end_are_told_apart_however_long(length):
    then, now = ("x" * (length - 3) + letter for letter in "ab")  # two more are the quotation marks
    assert len(json.dumps(then)) == length
    shown = re.fullmatch(r"columns: (.*) then, (.*) now", difference({"columns": then}, {"columns": now}))
    assert shown
    assert shown[1] != shown[2]


def test_what_models_differ_in_is_told_without_digests():
    then = dict.fromkeys(("pos", "dep"), "JointAnalyzer:0123456789abcdef:penn:wiki")
    for now, told in (
        ("JointAnalyzer:0123456789abcdef:boun:wiki", '"JointAnalyzer:penn:wiki" then, "JointAnalyzer:boun:wiki" now'),
        ("JointAnalyzer:fedcba9876543210:penn:wiki", "JointAnalyzer:penn:wiki with other weights"),
        ("TreeStackPoS:fedcba9876543210", '"JointAnalyzer:penn:wiki" then, "TreeStackPoS" now'),
    ):
        assert difference({"models": then}, {"models": dict.fromkeys(then, now)}) == f"model of pos, dep: {told}"
    for one, other, told in (
        ("TreeStackDP:0123456789abcdef+A:00000000ffffffff", "DP:0123456789abcdef", '"TreeStackDP+A" then, "DP" now'),
        ("Joint:0123456789abcdef:penn:wiki:89abcdef", "Joint:0123456789abcdef:penn:wiki", "with other weights"),
        ("Joint:0123456789abcdef", None, '"Joint" then, none now'),
    ):
        assert told in difference({"models": {"dep": one}}, {"models": {"dep": other}})


def test_how_texts_are_prepared_is_told_by_the_options_that_say_so():
    plain = {"split": "none", "normalize": [], "multiword": False}
    told = difference({"preparation": plain}, {"preparation": plain | {"normalize": ["ascii"], "multiword": True}})
    assert told == '--normalize: none then, ["ascii"] now; --multiword: false then, true now'


def test_of_another_kind_of_journal_nothing_else_is_compared():
    then, now = {"journal": 2, "models": {"pos": "A"}}, {"journal": 3, "models": {}, "preparation": {"split": "none"}}
    assert difference(then, now) == "kind of journal: 2 then, 3 now"


def test_the_same_job_differs_in_nothing():
    job = {"version": "1", "models": {"pos": "A:0123456789abcdef"}, "columns": ["tokens"]}
    assert difference(job, json.loads(json.dumps(job))) == ""


def test_another_input_is_another_job(table, tmp_path):
    crash(table, tmp_path / "out.csv", 2)
    table.write_text(table.read_text() + "t\t1\t1\t99\tYeni.\n")
    with pytest.raises(TableError, match=r"another job \(the input has changed since\).*--restart"):
        run(table, tmp_path / "out.csv", resume=True)


def test_a_column_name_with_a_line_separator_resumes(tmp_path):
    table = tmp_path / "in.csv"
    table.write_text("a\u2028b,text\n" + "x,Ali.\n" * 30, encoding="utf-8")
    crash(table, tmp_path / "out.csv", 2)
    assert run(table, tmp_path / "out.csv", resume=True).resumed_rows == 20


def test_a_run_begun_on_a_gpu_goes_on_without_one(table, tmp_path):
    run(table, tmp_path / "whole.jsonl", batch_size=1024)
    with pytest.raises(RuntimeError, match="crash"):
        analyze_file(FakeAnalyzer(crash_at=3, batch=1024), table, tmp_path / "out.jsonl")
    summary = run(table, tmp_path / "out.jsonl", resume=True)
    assert (summary.rows, summary.resumed_rows) == (47, 30)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_finished_parts_are_not_thrown_away_by_forgetting_to_resume(table, tmp_path):
    crash(table, tmp_path / "out.jsonl", 2)
    with pytest.raises(
        TableError, match=r"left 2 finished parts; go on with --resume .* or start again with --restart"
    ):
        run(table, tmp_path / "out.jsonl")
    with pytest.raises(ValueError, match="exclude each other"):
        run(table, tmp_path / "out.jsonl", resume=True, restart=True)
    summary = run(table, tmp_path / "out.jsonl", restart=True)
    assert (summary.rows, summary.resumed_rows) == (47, 0)


@pytest.mark.parametrize("batch_size", [0, -1, 2.5, True, "8"])
def test_wrong_batch_size(table, tmp_path, batch_size):
    with pytest.raises(ValueError, match="batch_size is a whole number from 1 on"):
        run(table, tmp_path / "out.jsonl", batch_size=batch_size)
    assert not (tmp_path / "out.jsonl.parts").exists()


def test_a_run_without_finished_parts_needs_no_words(table, tmp_path):
    crash(table, tmp_path / "out.jsonl", 0)
    assert run(table, tmp_path / "out.jsonl").rows == 47


@pytest.mark.parametrize("content", [{}, {"thesis": "p"}, {"journal.jsonl": "my diary\n"}, {"journal.jsonl": "[1]\n"}])
def test_a_folder_that_is_not_ours_is_left_alone(table, tmp_path, content):
    folder = tmp_path / "out.csv.parts"
    folder.mkdir()
    for name, text in content.items():
        (folder / name).write_text(text)
    if not content:  # an empty folder loses nothing
        assert run(table, tmp_path / "out.csv").rows == 47
        return
    for options in ({}, {"resume": True}, {"restart": True}):
        with pytest.raises(TableError, match=r"out\.csv\.parts: this folder is not one of vnlp-colab's"):
            run(table, tmp_path / "out.csv", **options)
    assert {path.name: path.read_text() for path in folder.iterdir()} == content


def test_a_file_somebody_put_among_the_parts_survives(table, tmp_path):
    crash(table, tmp_path / "out.csv", 2)
    (tmp_path / "out.csv.parts" / "thesis").write_text("p")
    assert run(table, tmp_path / "out.csv", resume=True).rows == 47
    assert [path.name for path in (tmp_path / "out.csv.parts").iterdir()] == ["thesis"]


@pytest.mark.parametrize("line", [b"[]", b"3", b'{"number": 1}', b"\xff\xfe", b"[" * 100_000, b'{"number": "x"}'])
def test_garbage_in_the_journal_is_one_clear_line(table, tmp_path, line):
    crash(table, tmp_path / "out.csv", 2)
    journal = tmp_path / "out.csv.parts" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + line + b"\n")
    with pytest.raises(
        TableError, match=r"journal\.jsonl, line 4: not a line of vnlp-colab; start again with --restart"
    ):
        run(table, tmp_path / "out.csv", resume=True)
    assert run(table, tmp_path / "out.csv", restart=True).rows == 47


def test_two_runs_on_one_output(table, tmp_path):
    with (
        Journal(tmp_path / "out.csv").held(),
        pytest.raises(TableError, match=rf"another run is writing this output \(process {os.getpid()} on .*, since 20"),
    ):
        run(table, tmp_path / "out.csv")
    assert run(table, tmp_path / "out.csv").rows == 47


def test_the_lock_of_a_dead_process_is_taken_over(table, tmp_path):
    crash(table, tmp_path / "out.csv", 2)
    lock = tmp_path / "out.csv.parts" / "lock"
    lock.write_text(json.dumps({"pid": 999_999, "host": "elsewhere", "since": 0}))
    assert run(table, tmp_path / "out.csv", resume=True).resumed_rows == 20


def test_parts_cannot_execute(table, tmp_path):
    """A part that somebody swapped, hash and all, is read as data and refused, never unpickled."""
    crash(table, tmp_path / "out.pkl", 1)
    parts = tmp_path / "out.pkl.parts"
    import hashlib
    import pickle

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "executed"),)

    data = pickle.dumps(Evil())
    (parts / "part-000000.arrow").write_bytes(data)
    lines = (parts / "journal.jsonl").read_text().splitlines()
    told = json.loads(lines[1]) | {"sha256": hashlib.sha256(data).hexdigest()}
    (parts / "journal.jsonl").write_text(f"{lines[0]}\n{json.dumps(told)}\n")
    with pytest.raises(TableError, match=r"part-000000\.arrow: damaged"):
        run(table, tmp_path / "out.pkl", resume=True)
    assert not (tmp_path / "executed").exists()


RUN = """
import os, sys, time
from table_fakes import FakeAnalyzer
from vnlp_colab.tables.job import analyze_file
delay = float(os.environ.get("FAKE_DELAY", "0"))
analyzer = FakeAnalyzer(chunk=1000, on_chunk=lambda _: time.sleep(delay))
analyze_file(analyzer, sys.argv[1], sys.argv[2], resume="resume" in sys.argv)
"""


def command(*arguments, **environment):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])} | environment
    return [sys.executable, "-c", RUN, *map(str, arguments)], env


@pytest.mark.slow
@pytest.mark.parametrize("ending", FORMATS)
def test_kill_9_and_resume(tmp_path, ending):
    table = tmp_path / "input.tsv"
    table.write_text("".join(f"t\t1\t1\t{n}\tCümle {n} biter.\n" for n in range(9000)), encoding="utf-8")
    arguments = [table]
    whole, resumed = tmp_path / f"whole.{ending}", tmp_path / f"resumed.{ending}"
    line, env = command(*arguments, whole)
    subprocess.run(line, check=True, env=env)

    line, env = command(*arguments, resumed, FAKE_DELAY="0.05")
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

    line, env = command(*arguments, resumed, "resume")
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert resumed.read_bytes() == whole.read_bytes()
    if ending == "parquet":
        assert len(pd.read_parquet(resumed)) == 9000
