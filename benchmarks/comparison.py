"""The first table: each task on every side, sides taking turns, and their labels beside those of Keras."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.sides import CONTEXT_TASKS, PIPELINE_TASKS, full_window_work, our_work, pipeline_work
from benchmarks.workers import SideError, Worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.sides import Answers, Plan
    from benchmarks.text import Sample
    from benchmarks.workers import Turn

KERAS = "Keras, tf.function"
PLAIN = "plain conversion"
STEPWISE = "ours, stepwise"
COLD = "ours, nothing cached"
WARM = "ours, words cached"
OURS = "ours"


@dataclass
class Row:
    """One side of one task; ratios are to Keras, of clock time and of processor time."""

    task: str
    side: str
    tokens: int = 0
    tokens_per_second: float = 0.0
    tokens_per_cpu_second: float = 0.0
    ratio: float | None = None
    cpu_ratio: float | None = None
    compared: int = 0
    equal: int = 0
    peak_memory: int = 0
    skipped: str = ""
    seconds: list[float] = field(default_factory=list)


def compare(
    task: str, sample: Sample, plan: Plan, rounds: int, *, plain: bool, stepwise: bool = True
) -> tuple[list[Row], Answers]:
    """Measure all sides of a task; also return the answers of Keras."""
    builders: dict[str, tuple[Any, ...]] = {KERAS: (full_window_work, task, "keras", sample, plan)}
    if plain:
        builders[PLAIN] = (full_window_work, task, "plain", sample, plan)
    if task in CONTEXT_TASKS or task == "stemmer":
        kinds = {COLD: "cold", WARM: "warm"}
        if stepwise:
            kinds = {STEPWISE: "stepwise", **kinds}
    else:
        kinds = {OURS: "ours"}
    builders |= {side: (our_work, task, kind, sample, plan) for side, kind in kinds.items()}
    rows, answers = measure(task, builders, rounds)
    expected = answers.get(KERAS, {})
    keras = rows[0]
    for row in rows:
        _judge(row, keras, answers.get(row.side, {}), expected)
    return rows, expected


def compare_pipeline(sample: Sample, rounds: int, tasks: dict[str, tuple[list[Row], Answers]]) -> list[Row]:
    """Measure the whole pipeline beside the sum of what Keras takes for its five models."""
    missing = [task for task in PIPELINE_TASKS if task not in tasks or tasks[task][0][0].skipped]
    if missing:
        return [Row("pipeline", OURS, skipped=f"needs Keras's times of all its models; missing: {', '.join(missing)}")]
    parts = [tasks[task][0][0] for task in PIPELINE_TASKS]
    keras = Row(
        "pipeline",
        "Keras, sum of its models",
        tokens=sample.token_count,
        tokens_per_second=1 / sum(1 / part.tokens_per_second for part in parts),
        tokens_per_cpu_second=1 / sum(1 / part.tokens_per_cpu_second for part in parts),
        ratio=1.0,
        cpu_ratio=1.0,
    )
    builders: dict[str, tuple[Any, ...]] = {
        COLD: (pipeline_work, "cold", sample),
        WARM: (pipeline_work, "warm", sample),
    }
    rows, answers = measure("pipeline", builders, rounds)
    expected = {
        (task, *place): answer for task in PIPELINE_TASKS if task != "dep" for place, answer in tasks[task][1].items()
    }
    for row in rows:
        _judge(row, keras, answers.get(row.side, {}), expected)
    return [keras, *rows]


def measure(task: str, builders: dict[str, tuple[Any, ...]], rounds: int) -> tuple[list[Row], dict[str, Answers]]:
    """Start a process a side, let each do its work once, and then take turns."""
    workers = {side: Worker(side, *arguments) for side, arguments in builders.items()}
    rows = {side: Row(task, side) for side in workers}
    answers: dict[str, Answers] = {}
    turns: dict[str, list[Turn]] = {side: [] for side in workers}
    try:
        for side, worker in workers.items():
            _say(f"{task}: {side}")
            try:
                rows[side].tokens = worker.ask("ready")
                answers[side] = worker.ask("answers")  # does the work once, which also warms it up
            except SideError as error:
                rows[side].skipped = str(error).strip()
        running = [side for side in workers if not rows[side].skipped]
        for number in range(rounds):
            _say(f"{task}: round {number + 1} of {rounds}")
            for side in running:
                turns[side].append(workers[side].ask("turn"))
        for side in running:
            row = rows[side]
            row.seconds = [turn.wall for turn in turns[side]]
            row.tokens_per_second = row.tokens / statistics.median(row.seconds)
            row.tokens_per_cpu_second = row.tokens / statistics.median(turn.cpu for turn in turns[side])
            row.peak_memory = workers[side].ask("memory")
    finally:
        for worker in workers.values():
            worker.close()
    return list(rows.values()), answers


def _judge(row: Row, keras: Row, answers: Answers, expected: Answers) -> None:
    if row.skipped or keras.skipped:
        return
    row.ratio = row.tokens_per_second / keras.tokens_per_second
    row.cpu_ratio = row.tokens_per_cpu_second / keras.tokens_per_cpu_second
    shared = answers.keys() & expected.keys()
    row.compared = len(shared)
    row.equal = sum(answers[place] == expected[place] for place in shared)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table."""
    head = ("task", "side", "tokens/s", "ratio", "CPU ratio", "labels equal", "peak MB")
    lines = []
    for row in rows:
        if row.skipped:
            lines.append((row.task, row.side, f"skipped: {row.skipped.splitlines()[-1]}", *[""] * 4))
            continue
        lines.append(
            (
                row.task,
                row.side,
                f"{row.tokens_per_second:,.0f}",
                f"{row.ratio:.1f}" if row.ratio else "",
                f"{row.cpu_ratio:.1f}" if row.cpu_ratio else "",
                f"{row.equal:,} of {row.compared:,}" if row.compared else "",
                f"{row.peak_memory >> 20:,}" if row.peak_memory else "",
            )
        )
    return columns(head, lines)


def columns(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Lay out a Markdown table that also reads well as it is."""
    kept = [line for line in lines if not any(cell.startswith("skipped") for cell in line)]
    widths = [max(map(len, cells)) for cells in zip(head, *kept, strict=True)]
    made = [f"| {' | '.join(cell.ljust(width) for cell, width in zip(head, widths, strict=True))} |"]
    made.append(f"|{'|'.join('-' * (width + 2) for width in widths)}|")
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        made.append(f"| {' | '.join(cells)} |")
    return "\n".join(made)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
