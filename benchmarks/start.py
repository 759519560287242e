"""What a user waits for before the first label, and what the loaded package takes: each in a fresh process."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from benchmarks.comparison import columns
from benchmarks.text import ROOT

if TYPE_CHECKING:
    from benchmarks.text import Sample

IMPORT = "import time; t = time.perf_counter(); import vnlp_colab; print(time.perf_counter() - t)"
FIRST_LABEL = """
from vnlp_colab.pos.pos_colab import SPUContextPoS
SPUContextPoS(device="cpu").predict(["Ali", "eve", "gitti", "."])
"""
RESIDENT = """
import json, sys
from benchmarks.workers import resident_memory
from vnlp_colab import VNLPipeline
pipeline = VNLPipeline(device="cpu")
pipeline("Ali eve gitti.")
loaded = resident_memory()
list(pipeline.pipe(json.load(sys.stdin)))
print(json.dumps([loaded, resident_memory(), "tensorflow" in sys.modules]))
"""
SHARE = """
import json, statistics, sys, time
import pandas as pd
from vnlp_colab import VNLPipeline
pipeline = VNLPipeline(device="cpu")
table = pd.DataFrame({"sentence": json.load(sys.stdin)})
pipeline.process_dataframe(table[:64])
shares = []
for _ in range(int(sys.argv[1])):
    before, started = sum(pipeline.model_seconds.values()), time.perf_counter()
    pipeline.process_dataframe(table)
    shares.append((sum(pipeline.model_seconds.values()) - before) / (time.perf_counter() - started))
print(statistics.median(shares))
"""


def measure(rounds: int, sample: Sample) -> dict[str, Any]:
    """Return seconds, bytes and the models' share of the pipeline's time; what has no model here is left out."""
    found: dict[str, Any] = {"import_seconds": statistics.median(float(_python(IMPORT)) for _ in range(rounds))}
    times, used = [], []
    for _ in range(rounds):
        started, before = time.perf_counter(), os.times()
        _python(FIRST_LABEL)
        after = os.times()
        times.append(time.perf_counter() - started)
        used.append(after.children_user + after.children_system - before.children_user - before.children_system)
    found["first_pos_label_seconds"] = statistics.median(times)
    found["first_pos_label_cpu_seconds"] = statistics.median(used)
    texts = json.dumps(sample.texts)
    try:
        loaded, worked, tensorflow = json.loads(_python(RESIDENT, texts))
        found |= {"resident_bytes": loaded, "resident_after_work_bytes": worked, "tensorflow_loaded": tensorflow}
        found["model_share"] = float(_python(SHARE, texts, str(rounds)))
    except subprocess.CalledProcessError as error:
        found["skipped"] = f"the pipeline did not load: {error.stderr.strip().splitlines()[-1]}"
    return found


def _python(program: str, text: str = "", *arguments: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def table(found: dict[str, Any]) -> str:
    """Return the figures as a table."""
    lines = [
        ("import vnlp_colab", f"{found['import_seconds']:.2f} s"),
        ("PoS: from the start of Python to its end after the first label", f"{found['first_pos_label_seconds']:.2f} s"),
        ("the same, processor time", f"{found['first_pos_label_cpu_seconds']:.2f} s"),
    ]
    if "resident_bytes" in found:
        lines += [
            ("memory with all five models loaded", f"{found['resident_bytes'] >> 20:,} MB"),
            ("memory after the sentences of the first table", f"{found['resident_after_work_bytes'] >> 20:,} MB"),
            ("share of a table's time inside the models", f"{found['model_share']:.0%}"),
        ]
    else:
        lines.append(("memory, share of time in the models", found["skipped"]))
    return columns(("loading", ""), lines)
