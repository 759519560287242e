"""The table of the engines' figures."""

from __future__ import annotations

import os
import sys

import pytest

from benchmarks.scale import SIDES, Result, _busy, _kind, _result, _Turn, processes_table, table


def result(side, rows_per_second, rows_per_cpu_second):
    return Result(side, SIDES[side][1], rows_per_second, rows_per_cpu_second, 5.0, 25.0)


def test_sides_are_compared_with_one_worker_and_with_plain_processes():
    told = table(
        [
            result("plain, 1 process", 500, 500),
            result("plain, 2 processes", 800, 400),
            result("Ray, 1 worker", 400, 400),
            result("Ray, 2 workers", 760, 390),
        ]
    )
    rows = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in told.splitlines()}
    assert rows["plain, 2 processes"] == ["800", "1.60", "1.00", "400", "1.00", "5.0 s", "25.0 s"]
    assert rows["Ray, 2 workers"] == ["760", "1.90", "0.95", "390", "0.97", "5.0 s", "25.0 s"]


def test_a_side_that_is_not_measured_leaves_its_ratios_empty():
    last = table([result("Spark, 2 workers", 700, 350)]).splitlines()[-1]
    assert last == "| Spark, 2 workers | 700 |  |  | 350 |  | 5.0 s | 25.0 s |"


def test_what_counts_is_the_median_of_what_lies_between_the_two_tables():
    short = [_Turn(10.0, {"workers": 5.0, "raylet": 1.0}, 0.0) for _ in range(3)]
    long = [_Turn(seconds, {"workers": seconds - 5, "raylet": 2.0}, 0.0) for seconds in (20.0, 50.0, 30.0)]
    found = _result("Ray, 1 worker", 1, 100, short, long)
    assert (found.rows_per_second, found.start_seconds, found.seconds) == (5.0, 10.0, 30.0)
    assert found.turns == [10.0, 2.5, 5.0]
    assert found.processes == {"workers": 20.0, "raylet": 1.0}
    assert found.rows_per_cpu_second == pytest.approx(100 / 21)
    assert processes_table([found]).splitlines()[-1] == "| Ray, 1 worker | workers 20.0, raylet 1.0 |"


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("/a/bin/python -m vnlp_colab analyze in.parquet -o out.parquet", "workers"),
        ("ray::MapWorker(MapBatches(_AnalysisInParts))\0", "workers"),
        ("ray::_StatsActor", "Ray's actors and tasks"),
        ("/a/ray/core/src/ray/raylet/raylet --java_worker_command=java", "raylet"),
        ("/usr/lib/jvm/bin/java -cp a.jar", "Java"),
        ("/a/bin/python -u /a/ray/_private/log_monitor.py", "other"),
        ("", ""),
    ],
)
def test_processes_are_told_apart_by_how_they_were_called(command, kind):
    assert _kind(command.replace(" ", "\0").encode()) == kind


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_work_of_the_machine_is_counted():
    before = _busy()
    started = os.times()
    while sum(os.times()[:2]) - sum(started[:2]) < 0.5:
        pass
    # the kernel counts ticks of a hundredth of a second, and on a virtual machine misses some of them
    assert _busy() - before >= 0.3
