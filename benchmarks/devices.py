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
from benchmarks.sides import VNLP_MODELS
from benchmarks.text import draw_sample
from vnlp_colab.cli.options import positive
from vnlp_colab.errors import VNLPError
from vnlp_colab.runtime import cuda_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.text import Sample
    from vnlp_colab.runtime import Device

PIPELINE = "VNLPipeline"
MODELS = ("SPUContextPoS", "SPUContextNER", "SPUContextDP", "StemmerAnalyzer", PIPELINE)
MORE_MODELS = ("CharNER", "SPUCBiGRUSentimentAnalyzer", "TreeStackPoS", "TreeStackDP")
BATCH = 512


def load(name: str, device: Device) -> Any:
    """Return a model or pipeline on a device."""
    if name == PIPELINE:
        return vnlp_colab.VNLPipeline(list(VNLP_MODELS), device=device)
    return getattr(vnlp_colab, name)(device=device)


def cut(sample: Sample, words: int) -> Sample:
    """Return the sample with at most so many words a sentence."""
    tokens = [sentence[:words] for sentence in sample.tokens]
    return replace(sample, tokens=tokens, texts=[" ".join(sentence) for sentence in tokens])


def work_of(model: Any, sample: Sample, batch: int | None) -> Callable[[], list[Any]]:
    """Return the work that gives the answers to all sentences; a pipeline chooses its batch where there is none."""
    if isinstance(model, vnlp_colab.VNLPipeline):
        import pandas as pd

        table = pd.DataFrame({"sentence": sample.texts})
        return lambda: model.process_dataframe(table, batch).to_dict("records")
    inputs: list[Any] = sample.texts if hasattr(model, "predict_proba") else sample.tokens
    return lambda: [answer for place in sample.batches() for answer in model.predict_batch(inputs[place])]


def measure(
    name: str, sample: Sample, batch: int | None, device: Device, rounds: int
) -> tuple[dict[str, Any], list[Any]]:
    """Return what the work takes on a device, and its answers."""
    model = load(name, device)
    work = work_of(model, sample, batch)
    answers = work()
    before = dict(getattr(model, "model_seconds", {}))
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    found: dict[str, Any] = {"seconds": statistics.median(times)}
    if before:
        parts = {task: (seconds - before[task]) / rounds for task, seconds in model.model_seconds.items()}
        found["parts"] = {**parts, "everything else": statistics.mean(times) - sum(parts.values())}
    return found, answers


def parts_table(device: Device, parts: dict[str, float]) -> str:
    """Return what the models of a pipeline take in the mean, as a table."""
    whole = sum(parts.values())
    falling = sorted(parts.items(), key=lambda part: -part[1])
    lines = [(task, f"{seconds:.2f}", f"{seconds / whole:.0%}") for task, seconds in falling]
    return columns((f"pipeline, {device}", "seconds", "share"), [*lines, ("whole table", f"{whole:.2f}", "")])


def same(one: Any, other: Any) -> bool:
    """Tell whether two answers are the same; numbers may differ in their sixth place, labels never."""
    if isinstance(one, dict):
        return all(same(one[key], other[key]) for key in one)
    if isinstance(one, float):
        return abs(one - other) < 1e-5 or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.devices",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    models = [*MODELS, *MORE_MODELS]
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument(
        "--models",
        nargs="+",
        choices=models,
        default=list(MODELS),
        metavar="MODEL",
        help=f"of {', '.join(models)}",
    )
    parser.add_argument("--sentences", type=positive, help="so many of them, drawn at random (default: all)")
    parser.add_argument("--words", type=positive, help="cut sentences after so many")
    parser.add_argument("--batch", type=positive, help=f"default: {BATCH}; of a pipeline, what it takes by itself")
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks (*-ud-test.conllu)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures here, too")
    args = parser.parse_args()
    if args.json and not args.json.parent.is_dir():
        parser.error(f"--json: there is no folder {args.json.parent}")
    if args.device == "cuda" and (problem := cuda_problem()):
        parser.error(f"--device cuda: {problem} (--device cpu measures the CPU alone)")
    sample = draw_sample(args.data, args.sentences, args.batch or BATCH)
    if args.words:
        sample = cut(sample, args.words)
    print(f"{sample.source}: {len(sample.texts):,} sentences, {sample.token_count:,} tokens\n")
    devices: list[Device] = ["cpu"] if args.device == "cpu" else ["cuda", "cpu"]
    head = ["model", *(f"seconds, {device}" for device in devices), *["answers equal"] * (len(devices) - 1)]
    report: dict[str, Any] = {"sentences": len(sample.texts), "tokens": sample.token_count, "models": {}}
    lines = []
    for name in args.models:
        try:
            measured = [measure(name, sample, args.batch, device, args.rounds) for device in devices]
        except VNLPError as error:
            lines.append([name, f"skipped: {error}", *[""] * (len(head) - 2)])
            continue
        figures = {device: found for device, (found, _) in zip(devices, measured, strict=True)}
        report["models"][name] = figures
        lines.append([name, *(f"{found['seconds']:.2f}" for found in figures.values())])
        if len(devices) > 1:
            answers, others = (answers for _, answers in measured)
            equal = sum(same(*pair) for pair in zip(answers, others, strict=True))
            report["models"][name]["equal"] = equal
            lines[-1].append(f"{equal:,} of {len(answers):,}")
    print(columns(head, lines))
    for device in devices if PIPELINE in report["models"] else []:
        print(f"\n{parts_table(device, report['models'][PIPELINE][device]['parts'])}")
    if args.json:
        args.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
