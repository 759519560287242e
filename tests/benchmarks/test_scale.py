"""The table of the engines' figures."""

from __future__ import annotations

import os
import sys

import pytest

from benchmarks.scale import SIDES, Result, _busy, table


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


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_work_of_the_machine_is_counted():
    before = _busy()
    started = os.times()
    while sum(os.times()[:2]) - sum(started[:2]) < 0.1:
        pass
    assert _busy() - before >= 0.09
