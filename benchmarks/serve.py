"""The server under load, beside `nlp.pipe` on the same cores in the same run.

    python -m benchmarks.serve [--seconds 10] [--rounds 3] [--clients 1 8 64] [--sentences 1 20] [--json FILE]
    python -m benchmarks.serve --soak 10                 # minutes at full load: does memory grow?

The server runs on half of the cores this process may use and the clients on the other half; `nlp.pipe` runs on the
server's cores while the server is idle. Sides take turns, and figures are medians over the rounds. Clients keep their
connection and send the next request when the last is answered. Everything stays on 127.0.0.1.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from benchmarks.comparison import columns
from benchmarks.text import ROOT, read_texts
from benchmarks.workers import Work, Worker
from vnlp_colab.registry import DEFAULT_TASKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HOST = "127.0.0.1"
LONGEST_SECONDS = 120.0
LONGEST_SOAK = 30.0
_TEXTS = {1: 256, 20: 48}  # enough that a text comes again only after others
_OTHER_TEXTS = 64


@dataclass
class Load:
    """What a number of clients saw: seconds of each answer, tokens analysed, answers that were no 200."""

    seconds: float
    tokens: int = 0
    errors: int = 0
    waits: list[float] = field(default_factory=list)

    @property
    def tokens_per_second(self) -> float:
        """Throughput."""
        return self.tokens / self.seconds

    def wait(self, percent: int) -> float:
        """Return the milliseconds within which so many of the requests were answered."""
        ordered = sorted(self.waits)
        return 1000 * ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else float("nan")


@dataclass(frozen=True)
class Cell:
    """One line of the table: medians over the rounds."""

    clients: int
    sentences: int
    tokens_per_second: float
    pipe_tokens_per_second: float
    requests: int
    p50: float
    p99: float
    errors: int

    @property
    def share(self) -> float:
        """The server's throughput as a share of `nlp.pipe`'s."""
        return self.tokens_per_second / self.pipe_tokens_per_second


class Server:
    """``vnlp-colab serve`` in a process of its own, on some cores."""

    def __init__(self, models: str, cores: Sequence[int], options: Sequence[str]) -> None:
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = free.getsockname()[1]
        program = [sys.executable, "-m", "vnlp_colab", "serve", "--port", str(self.port), "--models", models]
        program += ["--threads", str(len(cores)), "--device", "cpu", *options]
        self._process = subprocess.Popen(program, cwd=ROOT, stderr=subprocess.DEVNULL)
        _pin(self._process.pid, cores)
        self._wait()

    def _wait(self) -> None:
        for _ in range(600):
            with contextlib.suppress(requests.ConnectionError):
                if requests.get(f"http://{HOST}:{self.port}/readyz", timeout=5).ok:
                    return
            if self._process.poll() is not None:
                raise SystemExit(f"the server ended with {self._process.returncode}")
            time.sleep(0.1)
        raise SystemExit("the server was not ready within a minute")

    @property
    def memory(self) -> int:
        """Resident bytes of the server and its worker processes."""
        return sum(resident(pid) for pid in (self._process.pid, *_children(self._process.pid)))

    def stop(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait(60)


async def load(port: int, texts: Sequence[tuple[bytes, int]], clients: int, seconds: float) -> Load:
    """Let `clients` ask at once for some seconds, each its next request when the last is answered."""
    result = Load(seconds)
    turns = itertools.cycle(range(len(texts)))
    started = time.perf_counter()

    async def client() -> None:
        reader, writer = await asyncio.open_connection(HOST, port)
        while time.perf_counter() - started < seconds:
            request, tokens = texts[next(turns)]
            asked = time.perf_counter()
            writer.write(request)
            status = await _answer(reader)
            done = time.perf_counter()
            result.waits.append(done - asked)
            result.errors += status != 200
            result.tokens += tokens if status == 200 else 0
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    result.seconds = time.perf_counter() - started  # the last answers come a little later
    return result


async def _answer(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    length = next(int(line[15:]) for line in lines if line.lower().startswith(b"content-length:"))
    await reader.readexactly(length)
    return int(lines[0].split()[1])


def request_of(text: str) -> bytes:
    """Return the bytes of a request for one text."""
    body = json.dumps({"text": text}, ensure_ascii=False).encode()
    head = f"POST /v1/analyze HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n".encode() + body


def texts_of(folder: Path | None, sentences: int, count: int) -> list[str]:
    """Return texts of so many sentences each, always the same ones."""
    _, every = read_texts(folder)
    source = itertools.cycle(every)
    return [" ".join(itertools.islice(source, sentences)) for _ in range(count)]


def build_pipe(models: str, cores: Sequence[int], samples: Sequence[Sequence[str]]) -> list[Work]:
    """Return the work of the plain side: all texts of a sample through `nlp.pipe`."""
    _pin(0, cores)
    from vnlp_colab.pipeline_colab import VNLPipeline

    nlp = VNLPipeline(models.split(","), device="cpu", threads=len(cores))

    def work(texts: Sequence[str]) -> Work:
        counts = [len(document) for document in nlp.pipe(texts)]
        return Work(lambda: list(nlp.pipe(texts)), sum(counts), lambda: dict(enumerate(counts)))  # type: ignore[arg-type]

    return [work(texts) for texts in samples]


def measure(args: argparse.Namespace, server_cores: Sequence[int]) -> list[Cell]:
    """Return the table."""
    samples = [texts_of(args.data, count, _TEXTS.get(count, _OTHER_TEXTS)) for count in args.sentences]
    pipe = Worker("nlp.pipe", build_pipe, args.models, server_cores, samples)
    for number in range(len(samples)):
        pipe.ask("ready", number)
    server = Server(args.models, server_cores, args.serve)
    try:
        cells = []
        for number, sentences in enumerate(args.sentences):
            counts = pipe.ask("answers", number)
            texts = [(request_of(text), counts[at]) for at, text in enumerate(samples[number])]
            asyncio.run(load(server.port, texts, 8, args.seconds))  # words get to know each other
            plain: list[float] = []
            loads: dict[int, list[Load]] = {clients: [] for clients in args.clients}
            for _ in range(args.rounds):
                plain.append(pipe.ask("ready", number) / pipe.ask("turn", number).wall)
                for clients in args.clients:
                    loads[clients].append(asyncio.run(load(server.port, texts, clients, args.seconds)))
            cells += [_cell(clients, sentences, found, plain) for clients, found in loads.items()]
        return cells
    finally:
        server.stop()
        pipe.close()


def _cell(clients: int, sentences: int, loads: Sequence[Load], plain: Sequence[float]) -> Cell:
    return Cell(
        clients,
        sentences,
        statistics.median(load.tokens_per_second for load in loads),
        statistics.median(plain),
        sum(len(load.waits) for load in loads),
        statistics.median(load.wait(50) for load in loads),
        statistics.median(load.wait(99) for load in loads),
        sum(load.errors for load in loads),
    )


def soak(args: argparse.Namespace, server_cores: Sequence[int]) -> dict[str, Any]:
    """Return the server's memory, minute by minute, with 64 clients that never rest."""
    source, every = read_texts(args.data)
    texts = [(request_of(" ".join(every[at : at + 5])), 0) for at in range(0, len(every), 5)]
    server = Server(args.models, server_cores, args.serve)
    try:
        memory = [server.memory]
        errors, answers = 0, 0
        for minute in range(max(1, round(args.soak))):
            share = texts[minute * 997 % len(texts) :] + texts[: minute * 997 % len(texts)]
            found = asyncio.run(load(server.port, share, 64, 60.0))
            errors, answers = errors + found.errors, answers + len(found.waits)
            memory.append(server.memory)
            print(f"minute {minute + 1}: {memory[-1] / 2**20:,.0f} MiB, {len(found.waits):,} answers", flush=True)
        return {"text": source, "memory": memory, "answers": answers, "errors": errors}
    finally:
        server.stop()


def table(cells: Sequence[Cell]) -> str:
    """Return the figures as a table."""
    head = ("sentences a text", "clients", "tokens/s", "of nlp.pipe", "requests", "p50", "p99", "errors")
    rows = [
        (
            str(cell.sentences),
            str(cell.clients),
            f"{cell.tokens_per_second:,.0f}",
            f"{100 * cell.share:.0f} %",
            f"{cell.requests:,}",
            f"{cell.p50:,.0f} ms",
            f"{cell.p99:,.0f} ms",
            str(cell.errors),
        )
        for cell in cells
    ]
    return columns(head, rows)


def _pin(pid: int, cores: Sequence[int]) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(pid, cores)


def resident(pid: int) -> int:
    """Return the bytes a process has in memory; 0 where Linux does not tell."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0


def _children(pid: int) -> Iterator[int]:
    for file in Path("/proc").glob(f"{pid}/task/*/children"):
        yield from map(int, file.read_text(encoding="utf-8").split())


def main() -> None:
    """Measure, print, and write it down."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.serve", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", default=",".join(DEFAULT_TASKS), metavar="LIST")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--sentences", type=int, nargs="+", default=[1, 20])
    parser.add_argument("--seconds", type=float, default=10.0, help="of each turn (default: 10)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--soak", type=float, default=0.0, metavar="MINUTES", help="watch memory instead")
    parser.add_argument("--cores", type=int, metavar="N", help="of the server (default: half of those there are)")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks (*-ud-test.conllu)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    parser.add_argument("--serve", nargs=argparse.REMAINDER, default=[], help="options for the server; must be last")
    args = parser.parse_args()
    if not 0 < args.seconds <= LONGEST_SECONDS or not 0 <= args.soak <= LONGEST_SOAK or args.rounds < 1:
        parser.error(f"at most {LONGEST_SECONDS:g} seconds a turn and {LONGEST_SOAK:g} minutes of soaking")
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    mine = args.cores or max(1, len(cores) // 2)
    server_cores, client_cores = cores[:mine], cores[mine:] or cores
    _pin(0, client_cores)
    told = f"server on {len(server_cores)} of {len(cores)} cores, clients on {len(client_cores)}"
    print(f"{args.models}\n{told}, load {os.getloadavg()[0]:.1f}\n", flush=True)
    report: dict[str, Any] = {"models": args.models, "cores": told}
    if args.soak:
        report["soak"] = soak(args, server_cores)
        first, last = report["soak"]["memory"][1], report["soak"]["memory"][-1]
        print(f"{first / 2**20:,.0f} MiB after a minute, {last / 2**20:,.0f} MiB at the end")
        print(f"{report['soak']['answers']:,} answers, {report['soak']['errors']} errors")
    else:
        cells = measure(args, server_cores)
        report["load"] = [{**asdict(cell), "share": cell.share} for cell in cells]
        print(table(cells))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
