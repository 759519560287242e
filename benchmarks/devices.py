"""Whole texts on a GPU and on the CPU: how long each model takes, and whether all answers are the same.

    python -m benchmarks.devices [--models SPUContextPoS VNLPipeline ...] [--sentences N] [--words N] [--batch N]

Reads all test sentences (or N of them), sorted by length, a batch at a time; once to warm up, then for the times, which
are medians. For the pipeline it also says what its models take. With ``--device cpu`` there is nothing to compare.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vnlp_colab
from benchmarks.comparison import columns
from benchmarks.sides import PIPELINE_TASKS
from benchmarks.text import draw_sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.text import Sample
    from vnlp_colab.runtime import Device

PIPELINE = "VNLPipeline"
MODELS = ("SPUContextPoS", "SPUContextNER", "SPUContextDP", "StemmerAnalyzer", PIPELINE)
MORE_MODELS = ("CharNER", "SPUCBiGRUSentimentAnalyzer", "TreeStackPoS", "TreeStackDP")


def load(name: str, device: Device) -> Any:
    """Return a new model or pipeline on a device."""
    if name == PIPELINE:
        return vnlp_colab.VNLPipeline(list(PIPELINE_TASKS), device=device)
    return getattr(vnlp_colab, name)(device=device)


def work_of(model: Any, sample: Sample, batch: int | None) -> Callable[[], list[Any]]:
    """Return the work that gives the answers to all sentences; a pipeline chooses its batch where there is none."""
    if isinstance(model, vnlp_colab.VNLPipeline):
        import pandas as pd

        table = pd.DataFrame({"sentence": sample.texts})
        return lambda: model.process_dataframe(table, batch).to_dict("records")
    inputs: list[Any] = sample.texts if hasattr(model, "predict_proba") else sample.tokens
    return lambda: [answer for place in sample.batches() for answer in model.predict_batch(inputs[place])]


def measure(name: str, sample: Sample, batch: int | None, device: Device, rounds: int) -> tuple[dict[str, Any], Any]:
    """Return what loading and the work take on a device, and its answers."""
    started = time.perf_counter()
    model = load(name, device)
    found: dict[str, Any] = {"load": time.perf_counter() - started}
    work = work_of(model, sample, batch)
    answers = work()
    before = dict(getattr(model, "model_seconds", {}))
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    found["seconds"] = statistics.median(times)
    if before:
        parts = {task: (seconds - before[task]) / rounds for task, seconds in model.model_seconds.items()}
        found["parts"] = {**parts, "everything else": statistics.mean(times) - sum(parts.values())}
    return found, answers


def parts_table(device: Device, parts: dict[str, float]) -> str:
    """Return what the models of a pipeline take, as a table."""
    whole = sum(parts.values())
    falling = sorted(parts.items(), key=lambda part: -part[1])
    lines = [(task, f"{seconds:.2f}", f"{seconds / whole:.0%}") for task, seconds in falling]
    return columns((f"pipeline, {device}", "seconds", "share"), lines)


def same(one: Any, other: Any) -> bool:
    """Tell whether two answers are the same; numbers may differ in their sixth place, labels never."""
    if isinstance(one, dict):
        return all(same(one[key], other[key]) for key in one)
    if isinstance(one, float):
        return abs(one - other) < 1e-5 or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--models", nargs="+", choices=[*MODELS, *MORE_MODELS], default=list(MODELS), metavar="MODEL")
    parser.add_argument("--sentences", type=int, default=1 << 30, help="so many of them, drawn at random")
    parser.add_argument("--words", type=int, help="cut tokens after so many")
    parser.add_argument("--batch", type=int, help="default: 512; of a pipeline, what it takes by itself")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks (*-ud-test.conllu)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures here, too")
    args = parser.parse_args()
    sample = draw_sample(args.data, args.sentences, args.batch or 512)
    sample = replace(sample, tokens=[tokens[: args.words] for tokens in sample.tokens])
    print(f"{sample.source}: {len(sample.texts):,} sentences, {sample.token_count:,} tokens\n")
    devices: list[Device] = ["cpu"] if args.device == "cpu" else [args.device, "cpu"]
    report: dict[str, Any] = {"sentences": len(sample.texts), "tokens": sample.token_count, "models": {}}
    lines = []
    for name in args.models:
        measured = {device: measure(name, sample, args.batch, device, args.rounds) for device in devices}
        report["models"][name] = {device: figures for device, (figures, _) in measured.items()}
        seconds = [f"{measured[device][0][what]:.2f}" for what in ("load", "seconds") for device in devices]
        lines.append([name, *seconds])
        if args.device != "cpu":
            answers, others = (measured[device][1] for device in devices)
            report["models"][name]["equal"] = equal = sum(map(same, answers, others))
            lines[-1].append(f"{equal:,} of {len(answers):,}")
    head = ["model", *(f"{what}, {device}" for what in ("load", "seconds") for device in devices)]
    print(columns(head if args.device == "cpu" else [*head, "answers equal"], lines))
    if PIPELINE in args.models:
        for device in devices:
            print(f"\n{parts_table(device, report['models'][PIPELINE][device]['parts'])}")
    if args.json:
        args.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
