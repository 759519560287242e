"""Memory does not grow with the table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RUN = """
import resource, sys
from table_fakes import FakeAnalyzer
from vnlp_colab.tables.job import analyze_file
summary = analyze_file(FakeAnalyzer(chunk=2048), sys.argv[1], sys.argv[2])
unit = 1 if sys.platform == "darwin" else 1024
print(summary.rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)
"""


def peak(tmp_path, rows, ending):
    pytest.importorskip("resource")
    table = tmp_path / f"{rows}.tsv"
    words = [f"sözcük{number}" for number in range(997)]
    with table.open("w", encoding="utf-8") as handle:
        for row in range(rows):
            handle.write(f"t\t1\t{row}\t1\t{' '.join(words[row % 900 : row % 900 + 12])} {row}.\n")
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])}
    line = [sys.executable, "-c", RUN, str(table), str(tmp_path / f"out.{ending}")]
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=True)
    counted, size = map(int, done.stdout.split())
    assert counted == rows
    return size


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_four_times_the_rows_need_little_more_memory(tmp_path, ending):
    small, large = peak(tmp_path, 20_000, ending), peak(tmp_path, 80_000, ending)
    # The results of 60,000 more rows would take 300 MB as Python objects. What may grow is the list of key hashes
    # (16 bytes a row) and the allocator's slack.
    assert large - small < 100e6, (small, large)
