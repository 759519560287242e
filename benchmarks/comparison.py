"""The first table: each task on every side, sides taking turns, and their labels beside those of Keras."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.sides import CONTEXT_TASKS, PIPELINE_TASKS, full_window_works, our_works, pipeline_works
from benchmarks.text import BATCH
from benchmarks.workers import SideError, Worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.sides import Answers, Plan
    from benchmarks.text import Sample
    from benchmarks.workers import Turn
    from vnlp_colab.runtime import Device

KERAS = "Keras, tf.function"
PLAIN = "plain conversion"
STEPWISE = "ours, stepwise"
COLD = "ours, nothing cached"
WARM = "ours, words cached"
OURS = "ours"
# Seconds a turn may take, if others of the same work are to follow.
PATIENCE = 60.0


@dataclass
class Row:
    """One side of one task at one batch size; ratios are to Keras, of clock time and of processor time.

    A side that was `stopped` had fewer turns than asked for (see `measure`).
    """

    task: str
    side: str
    batch: int = BATCH
    tokens: int = 0
    tokens_per_second: float = 0.0
    tokens_per_cpu_second: float = 0.0
    ratio: float | None = None
    cpu_ratio: float | None = None
    compared: int = 0
    equal: int = 0
    peak_memory: int = 0
    gpu_memory: int = 0
    skipped: str = ""
    stopped: bool = False
    seconds: list[float] = field(default_factory=list)


@dataclass
class Outcome:
    """The sides of one task at one batch size, Keras first, and what they answered."""

    rows: list[Row]
    answers: dict[str, Answers]

    def judge(self, keras: Row, expected: Answers) -> None:
        """Give each side its ratios to Keras, and count the labels that are those of Keras."""
        for row in self.rows:
            if row.skipped or keras.skipped:
                continue
            row.ratio = row.tokens_per_second / keras.tokens_per_second
            row.cpu_ratio = row.tokens_per_cpu_second / keras.tokens_per_cpu_second
            answers = self.answers[row.side]
            shared = answers.keys() & expected.keys()
            row.compared = len(shared)
            row.equal = sum(answers[place] == expected[place] for place in shared)


def compare(
    task: str,
    samples: Sequence[Sample],
    plan: Plan,
    rounds: int,
    *,
    plain: bool,
    stepwise: bool = True,
    device: Device = "cpu",
    patience: float = PATIENCE,
) -> list[Outcome]:
    """Measure all sides of a task, for each sample."""
    builders: dict[str, tuple[Any, ...]] = {KERAS: (full_window_works, task, "keras", samples, plan, device)}
    if plain:
        builders[PLAIN] = (full_window_works, task, "plain", samples, plan, device)
    if task in CONTEXT_TASKS or task == "stemmer":
        kinds = {COLD: "cold", WARM: "warm"}
        if stepwise:
            kinds = {STEPWISE: "stepwise", **kinds}
    else:
        kinds = {OURS: "ours"}
    builders |= {side: (our_works, task, kind, samples, plan, device) for side, kind in kinds.items()}
    if STEPWISE in builders and device == "cuda":  # a few words of all sentences, as few sentences would fill no batch
        builders[STEPWISE] = (full_window_works, task, "stepwise", samples, plan, device)
    outcomes = measure(task, builders, samples, rounds, patience)
    for outcome in outcomes:
        outcome.judge(outcome.rows[0], outcome.answers.get(KERAS, {}))
    return outcomes


def compare_pipeline(
    samples: Sequence[Sample],
    rounds: int,
    tasks: dict[str, list[Outcome]],
    device: Device = "cpu",
    patience: float = PATIENCE,
) -> list[Row]:
    """Measure the whole pipeline beside the sum of what Keras takes for its five models."""
    builders: dict[str, tuple[Any, ...]] = {
        COLD: (pipeline_works, "cold", samples, device),
        WARM: (pipeline_works, "warm", samples, device),
    }
    rows: list[Row] = []
    for number, outcome in enumerate(measure("pipeline", builders, samples, rounds, patience)):
        parts = {task: outcomes[number] for task, outcomes in tasks.items() if task in PIPELINE_TASKS}
        keras = _sum_of_models(parts, samples[number])
        expected = {
            (task, *place): answer
            for task, part in parts.items()
            if task != "dep"
            for place, answer in part.answers.get(KERAS, {}).items()
        }
        outcome.judge(keras, expected)
        rows += [keras, *outcome.rows]
    return rows


def _sum_of_models(parts: dict[str, Outcome], sample: Sample) -> Row:
    row = Row("pipeline", "Keras, sum of its models", sample.batch, sample.token_count, ratio=1.0, cpu_ratio=1.0)
    missing = [task for task in PIPELINE_TASKS if task not in parts or parts[task].rows[0].skipped]
    if missing:
        row.skipped = f"needs Keras's times of all its models; missing: {', '.join(missing)}"
        return row
    models = [part.rows[0] for part in parts.values()]
    row.stopped = any(model.stopped for model in models)
    row.tokens_per_second = 1 / sum(1 / model.tokens_per_second for model in models)
    row.tokens_per_cpu_second = 1 / sum(1 / model.tokens_per_cpu_second for model in models)
    return row


def measure(
    task: str,
    builders: dict[str, tuple[Any, ...]],
    samples: Sequence[Sample],
    rounds: int,
    patience: float = PATIENCE,
) -> list[Outcome]:
    """Start a process a side, let each do its work once, and then take turns; sample by sample.

    A turn that takes longer than `patience` seconds is its side's last, and the others go on without it. A side whose
    turns mostly do is not asked about the samples that follow.
    """
    workers = {side: Worker(side, *arguments) for side, arguments in builders.items()}
    outcomes = [Outcome([Row(task, side, sample.batch) for side in builders], {}) for sample in samples]
    too_slow: dict[str, str] = {}
    try:
        for number, outcome in enumerate(outcomes):
            for row in outcome.rows:
                _say(f"{task}: {row.side}, batch {row.batch}")
                row.skipped = too_slow.get(row.side, "")
                if not row.skipped:
                    _start(row, outcome, workers[row.side], number)
            _take_turns(outcome, workers, number, rounds, patience)
            for row in outcome.rows:
                if row.seconds and statistics.median(row.seconds) > patience:
                    too_slow[row.side] = f"batch {row.batch:,} took {statistics.median(row.seconds):.1f} s"
    finally:
        for worker in workers.values():
            worker.close()
    return outcomes


def _start(row: Row, outcome: Outcome, worker: Worker, number: int) -> None:
    try:
        row.tokens = worker.ask("ready", number)
        outcome.answers[row.side] = worker.ask("answers", number)  # does the work once, which also warms it up
    except SideError as error:
        row.skipped = _reason(error)


def _take_turns(outcome: Outcome, workers: dict[str, Worker], number: int, rounds: int, patience: float) -> None:
    running = [row for row in outcome.rows if not row.skipped]
    turns: dict[str, list[Turn]] = {row.side: [] for row in running}
    for _ in range(rounds):
        for row in list(running):
            try:
                turn = workers[row.side].ask("turn", number)
            except SideError as error:  # such as no memory left on a GPU
                row.skipped = _reason(error)
                running.remove(row)
                continue
            turns[row.side].append(turn)
            if turn.wall > patience:
                running.remove(row)
    for row in outcome.rows:
        if row.skipped:
            continue
        row.seconds = [turn.wall for turn in turns[row.side]]
        row.stopped = len(row.seconds) < rounds
        row.tokens_per_second = row.tokens / statistics.median(row.seconds)
        row.tokens_per_cpu_second = row.tokens / statistics.median(turn.cpu for turn in turns[row.side])
        row.peak_memory, row.gpu_memory = workers[row.side].ask("memory")


def _reason(error: SideError) -> str:
    return str(error).strip() or "no reason given"


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table; batch and memory of a GPU have columns where there is something to tell."""
    several = len({row.batch for row in rows}) > 1
    gpu = any(row.gpu_memory for row in rows)
    head = ["task", "side", *["batch"] * several, "tokens/s", "ratio", "CPU ratio", "labels equal", "peak MB"]
    head += ["GPU MB"] * gpu
    lines = []
    for row in rows:
        line = [row.task, row.side, *[f"{row.batch:,}"] * several]
        if row.skipped:
            line.append(f"skipped: {row.skipped.splitlines()[-1]}")
        else:
            line += [
                f"{row.tokens_per_second:,.0f}{' *' * row.stopped}",
                f"{row.ratio:.1f}" if row.ratio else "",
                f"{row.cpu_ratio:.1f}" if row.cpu_ratio else "",
                f"{row.equal:,} of {row.compared:,}" if row.compared else "",
                f"{row.peak_memory >> 20:,}" if row.peak_memory else "",
                *[f"{row.gpu_memory >> 20:,}" if row.gpu_memory else ""] * gpu,
            ]
        lines.append(line + [""] * (len(head) - len(line)))
    note = "\n* from fewer turns than asked for: the last took too long (--patience)"
    return columns(head, lines) + note * any(row.stopped for row in rows)


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
