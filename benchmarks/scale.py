"""Rows a second of the engines beside the plain command, all in one run.

    python -m benchmarks.scale [--rows 24576] [--rounds 3] [--models LIST] [--data FOLDER] [--json FILE]

Sides: the plain command in one process and in two at a time (half of the table each), Ray and Spark with one and two
workers. Every worker has one thread, and all processes of a side (driver, Ray's and Spark's own, workers) together have
as many cores as it has workers. Each side runs a short and the long table, turn by turn, every other round in the
opposite order; rows a second are those between the two tables, so that starting Python, Ray, Java and the models
counts on no side, and the seconds of the short table are told beside them. Processor time is that of all processes of
a side between the two tables: it says what an engine costs where the machine is not idle, and which of its processes
takes it.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.text import draw_sample
from vnlp_colab.registry import DEFAULT_TASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

SIDES = {
    "plain, 1 process": ("plain", 1),
    "plain, 2 processes": ("plain", 2),
    "Ray, 1 worker": ("ray", 1),
    "Ray, 2 workers": ("ray", 2),
    "Spark, 1 worker": ("spark", 1),
    "Spark, 2 workers": ("spark", 2),
}
_TICK = os.sysconf("SC_CLK_TCK")
_ROWS = 2048  # rows of an actor's turn and of a partition: as many as the plain command sorts and analyses together
_PR_SET_CHILD_SUBREAPER = 36
_TRIES = 20
# How the command line of a process begins, paths left out, and what it is called in the table.
_KINDS = {
    "python -m vnlp_colab": "workers",
    "ray::MapWorker": "workers",
    "python -m pyspark.daemon": "workers",
    "python -m benchmarks.scale": "driver",
    "java": "Java",
    "gcs_server": "gcs_server",
    "raylet": "raylet",
    "ray::": "Ray's actors and tasks",
}


@dataclass(frozen=True)
class Result:
    """What a side took: medians over the rounds."""

    side: str
    workers: int
    rows_per_second: float
    rows_per_cpu_second: float
    start_seconds: float
    seconds: float
    turns: list[float] = field(default_factory=list)  # rows a second of each round
    processes: dict[str, float] = field(default_factory=dict)  # processor seconds between the tables, by kind


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=24_576)
    parser.add_argument("--short", type=int, default=4096, help="rows of the short table (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--others",
        type=float,
        metavar="SHARE",
        help="run a turn again in which other processes took more than this share of the machine",
    )
    parser.add_argument(
        "--cores", type=int, metavar="N", help="cores of an engine's side (default: as many as it has workers)"
    )
    parser.add_argument("--models", default=",".join(DEFAULT_TASKS), metavar="LIST")
    parser.add_argument("--sides", default=",".join(sorted({kind for kind, _ in SIDES.values()})), metavar="LIST")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks (*-ud-test.conllu)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--one", nargs=4, metavar=("KIND", "WORKERS", "INPUT", "OUTPUT"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        kind, workers, source, output = args.one
        {"ray": _ray, "spark": _spark}[kind](int(workers), source, output, args.models.split(","))
        return
    sides = {name: side for name, side in SIDES.items() if side[0] in args.sides.split(",")}
    with tempfile.TemporaryDirectory(prefix="vnlp-colab-scale-") as folder:
        results = measure(Path(folder), sides, args)
    print(table(results))
    print(f"\n{processes_table(results)}")
    if args.json:
        args.json.write_text(json.dumps([asdict(result) for result in results], indent=1), encoding="utf-8")


def measure(folder: Path, sides: dict[str, tuple[str, int]], args: argparse.Namespace) -> list[Result]:
    """Let the sides take turns and return the medians."""
    # Orphans of Ray and Java come to us, so that their processor time can be read to the end.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    rows = {"short": args.short, "long": args.rows}
    for name, count in rows.items():
        _write_table(folder / f"{name}.parquet", args.data, count)
    taken: dict[tuple[str, str], list[_Turn]] = {}
    for turn in range(args.rounds):
        for name, (kind, workers) in list(sides.items())[:: -1 if turn % 2 else 1]:
            for size in rows:
                for _ in range(1 if args.others is None else _TRIES):
                    one = _run(kind, workers, folder, size, args.models, args.cores)
                    told = f"{one.seconds:.1f} s, {one.cpu:.1f} s of processors, {100 * one.others:.0f} % others"
                    print(f"round {turn + 1}: {name}, {size}: {told}", file=sys.stderr)
                    if args.others is None or one.others <= args.others:
                        break
                else:
                    raise SystemExit("the machine is never idle")
                taken.setdefault((name, size), []).append(one)
        results = [
            _result(name, workers, args.rows - args.short, taken[name, "short"], taken[name, "long"])
            for name, (_, workers) in sides.items()
        ]
        print(f"after round {turn + 1}:\n{table(results)}", file=sys.stderr)
    return results


def _result(name: str, workers: int, rows: int, short: Sequence[_Turn], long: Sequence[_Turn]) -> Result:
    """Return the medians of what `rows` more rows took in each round."""
    pairs = list(zip(short, long, strict=True))
    walls = [b.seconds - a.seconds for a, b in pairs]
    kinds = dict.fromkeys(kind for b in long for kind in b.processes)
    return Result(
        name,
        workers,
        rows / statistics.median(walls),
        rows / statistics.median(b.cpu - a.cpu for a, b in pairs),
        statistics.median(a.seconds for a in short),
        statistics.median(b.seconds for b in long),
        [rows / wall for wall in walls],
        {
            kind: statistics.median(b.processes.get(kind, 0) - a.processes.get(kind, 0) for a, b in pairs)
            for kind in kinds
        },
    )


def table(results: Sequence[Result]) -> str:
    """Return the results as Markdown.

    Ratios are to one worker of the same kind, and to plain processes on as many cores.
    """
    lines = [
        "| side | rows/s | to one worker | to plain | rows a processor second | to plain | short table | long table |",
        "|---|---|---|---|---|---|---|---|",
    ]
    by_side = {SIDES[one.side]: one for one in results}
    for one in results:
        kind, workers = SIDES[one.side]
        single, plain = by_side.get((kind, 1)), by_side.get(("plain", workers))
        lines.append(
            f"| {one.side} | {one.rows_per_second:,.0f} "
            f"| {_ratio('rows_per_second', one, single)} | {_ratio('rows_per_second', one, plain)} "
            f"| {one.rows_per_cpu_second:,.0f} | {_ratio('rows_per_cpu_second', one, plain)} "
            f"| {one.start_seconds:.1f} s | {one.seconds:.1f} s |"
        )
    return "\n".join(lines)


def processes_table(results: Sequence[Result]) -> str:
    """Return, as Markdown, the processor seconds of each kind of process between the two tables, the largest first."""
    lines = ["| side | processor seconds between the tables |", "|---|---|"]
    for one in results:
        kinds = sorted(one.processes.items(), key=lambda pair: -pair[1])
        told = ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in kinds if seconds >= 0.05)
        lines.append(f"| {one.side} | {told} |")
    return "\n".join(lines)


def _ratio(figure: str, one: Result, other: Result | None) -> str:
    return "" if other is None else f"{getattr(one, figure) / getattr(other, figure):.2f}"


def _write_table(path: Path, data: Path | None, count: int) -> None:
    texts = draw_sample(data, None).texts
    order = [texts[(number * 7919) % len(texts)] for number in range(count)]  # lengths well mixed
    pq.write_table(pa.table({"id": range(count), "text": order}), path)
    for half in range(2):  # for two plain processes
        part = pa.table({"id": range(half, count, 2), "text": order[half::2]})
        pq.write_table(part, path.with_name(f"{path.stem}-{half}.parquet"))


@dataclass(frozen=True)
class _Turn:
    """A side's run over one table.

    Seconds, processor seconds by kind of process, and what share of the machine others had.
    """

    seconds: float
    processes: dict[str, float]
    others: float

    @property
    def cpu(self) -> float:
        return sum(self.processes.values())


def _run(kind: str, workers: int, folder: Path, size: str, models: str, core_count: int | None) -> _Turn:
    """Run a side over one table."""
    out = Path(tempfile.mkdtemp(dir=folder))
    cores = sorted(os.sched_getaffinity(0))[: workers if kind == "plain" else core_count or workers]
    if len(cores) < workers:
        raise SystemExit(f"{workers} workers need {workers} cores, and there are {len(cores)}")
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    if kind == "plain":
        common = ["--models", models, "--threads", "1", "--device", "cpu", "--quiet"]
        inputs = [f"{size}.parquet"] if workers == 1 else [f"{size}-0.parquet", f"{size}-1.parquet"]
        commands = [
            [sys.executable, "-m", "vnlp_colab", "analyze", str(folder / name), "-o", str(out / name), *common]
            for name in inputs
        ]
        places = [[core] for core in cores]
    else:
        one = [kind, str(workers), str(folder / f"{size}.parquet"), str(out / "out")]
        commands = [[sys.executable, "-m", "benchmarks.scale", "--models", models, "--one", *one]]
        places = [cores]
    clock = _Processors()
    busy, started = _busy(), time.perf_counter()
    running = [
        subprocess.Popen(
            command,
            env=environment,
            stderr=subprocess.DEVNULL,
            preexec_fn=partial(os.sched_setaffinity, 0, place),
        )
        for command, place in zip(commands, places, strict=True)
    ]
    codes = [process.wait() for process in running]
    seconds = time.perf_counter() - started
    if any(codes):
        raise SystemExit(f"{kind} with {workers} failed: {commands[0]}")
    processes = clock.stop()
    whole = (os.cpu_count() or 1) * (time.perf_counter() - started)
    return _Turn(seconds, processes, max(0.0, _busy() - busy - sum(processes.values())) / whole)


def _busy() -> float:
    """Return the seconds all processors of the machine have worked so far, here or for other guests of its host."""
    with Path("/proc/stat").open(encoding="ascii") as lines:
        user, nice, system, _, _, _, _, stolen = map(int, next(lines).split()[1:9])
    return (user + nice + system + stolen) / _TICK


class _Processors:
    """The processor time of all processes that come to be below this one, read twice a second until they end.

    A look costs 5 ms, and the sides need the cores themselves.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], int] = {}
        self._kinds: dict[tuple[int, int], str] = {}
        self._look()
        self._before = set(self._seen)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> dict[str, float]:
        """Wait for the last of them, and return their seconds by kind of process."""
        patience = time.perf_counter() + 30
        with contextlib.suppress(ChildProcessError):  # there is none left
            while time.perf_counter() < patience:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    time.sleep(0.1)
        self._ended.set()
        self._thread.join()
        seconds: dict[str, float] = {}
        for key, ticks in self._seen.items():
            if key not in self._before:
                kind = self._kinds.get(key, "other")
                seconds[kind] = seconds.get(kind, 0.0) + ticks / _TICK
        return seconds

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            self._look()
        self._look()

    def _look(self) -> None:
        found: dict[int, tuple[int, tuple[int, int], int]] = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            pid = int(path.parent.name)
            found[pid] = int(fields[1]), (pid, int(fields[19])), int(fields[11]) + int(fields[12])
        ours = {os.getpid()}
        while more := {pid for pid, (parent, _, _) in found.items() if parent in ours and pid not in ours}:
            ours |= more
        for pid in ours - {os.getpid()}:
            _, key, ticks = found[pid]
            self._seen[key] = ticks
            with contextlib.suppress(OSError):
                self._kinds[key] = _kind(Path(f"/proc/{pid}/cmdline").read_bytes()) or self._kinds.get(key, "other")


def _kind(command: bytes) -> str:
    """Return what a process is called in the table; nothing for one that has ended."""
    words = command.decode(errors="replace").strip("\0 ").split("\0")
    line = " ".join(word.rpartition("/")[2] for word in words[:4])
    return next((kind for start, kind in _KINDS.items() if line.startswith(start)), line and "other")


def _ray(workers: int, source: str, output: str, models: list[str]) -> None:
    from vnlp_colab.ray import analyze_files

    analyze_files([source], output, models, workers=workers, rows=_ROWS, progress=False)


def _spark(workers: int, source: str, output: str, models: list[str]) -> None:
    from pyspark.sql import SparkSession

    from vnlp_colab.spark import analyze

    spark = (
        SparkSession.builder.master(f"local[{workers}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    df = spark.read.parquet(source)
    count = df.count()
    partitions = workers * -(-count // (_ROWS * workers))  # as many for each worker
    result = analyze(df.repartition(partitions), models, text_column="text")
    result.write.parquet(output)
    spark.stop()


if __name__ == "__main__":
    main()
