"""One process for each side of a comparison, asked in turn: no side's threads, caches or memory touch another's."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.errors import VNLPError
from vnlp_colab.runtime import ask_nvidia_smi

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

# A side that is quicker than this is asked again within its turn: short times are mostly noise.
_LEAST_SECONDS = 0.25


class SideError(Exception):
    """A side that could not be measured, and why."""


@dataclass(frozen=True)
class Turn:
    """What one turn took: seconds on the clock and of processor time, a call."""

    wall: float
    cpu: float


@dataclass
class Work:
    """What a side does.

    Attributes
    ----------
    run
        The work that is timed.
    tokens
        How many tokens it labels.
    answers
        Labels the work gives, by sentence and position; asked for once, and not timed.
    forget
        Empties caches before each run, not timed.
    """

    run: Callable[[], object]
    tokens: int
    answers: Callable[[], dict[tuple[Any, ...], Any]]
    forget: Callable[[], None] = lambda: None


class Worker:
    """A process that builds one side's works (one a sample) and does them when asked.

    `build` must be a function at the top of a module, since it is called in the other process.
    """

    def __init__(self, name: str, build: Callable[..., list[Work]], *arguments: Any) -> None:
        self.name = name
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, build, arguments), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, what: str, number: int = 0) -> Any:
        """Ask for ``"ready"`` (tokens of work `number`), ``"answers"``, ``"turn"`` or ``"memory"`` (bytes).

        Memory is the most the process has had, and what it has on a GPU now.
        """
        try:
            self._pipe.send((what, number))
            kind, value = self._pipe.recv()
        except (EOFError, BrokenPipeError):
            raise SideError(f"the process of {self.name} ended") from None
        if kind == "error":
            raise SideError(value)
        return value

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.join(timeout=20)
        if self._process.is_alive():
            self._process.terminate()


def _serve(pipe: Connection, build: Callable[..., list[Work]], arguments: tuple[Any, ...]) -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    replies: dict[str, Callable[[Work], Any]] = {
        "ready": lambda work: work.tokens,
        "answers": lambda work: work.answers(),
        "turn": _turn,
        "memory": lambda _: (peak_memory(), gpu_memory()),
    }
    works: list[Work] = []
    failure = ""
    try:
        works = build(*arguments)
    except Exception as error:
        failure = _reason(error)
    with contextlib.suppress(EOFError):  # the other end was closed
        while True:
            what, number = pipe.recv()
            try:
                reply = ("error", failure) if failure else ("reply", replies[what](works[number]))
            except Exception as error:
                reply = ("error", _reason(error))
            pipe.send(reply)


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, SideError | VNLPError) else "".join(traceback.format_exception(error))


def _turn(work: Work) -> Turn:
    calls, wall, cpu = 0, 0.0, 0.0
    while wall < _LEAST_SECONDS:
        work.forget()
        started, used = time.perf_counter(), time.process_time()
        work.run()
        wall += time.perf_counter() - started
        cpu += time.process_time() - used
        calls += 1
    return Turn(wall / calls, cpu / calls)


def peak_memory() -> int:
    """Return the most bytes this process has had in memory."""
    return _status("VmHWM")


def gpu_memory() -> int:
    """Return the bytes this process has on GPUs; 0 where there is none, or where a container hides its number."""
    rows = ask_nvidia_smi("--query-compute-apps=pid,used_memory")
    return sum(int(used) << 20 for pid, used in rows if pid == str(os.getpid()) and used.isdigit())


def resident_memory() -> int:
    """Return the bytes this process has in memory now (where the system does not tell: the most it has had)."""
    return _status("VmRSS")


def _status(field: str) -> int:
    status = Path("/proc/self/status")
    if status.exists():  # counts from the start of this program; getrusage includes the parent it was forked from
        line = next(line for line in status.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) << 10
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
