"""Documents from several processes: each has a pipeline of its own; documents come back in the order of the texts."""

from __future__ import annotations

import multiprocessing
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any

from vnlp_colab.runtime import available_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vnlp_colab.batches.preparation import Split

_pipeline: Any = None


def in_processes(
    make: Callable[..., Any],
    settings: dict[str, Any],
    texts: Iterable[Any],
    batch_size: int,
    as_tuples: bool,
    processes: int,
    split: Split = "sentences",
) -> Iterator[Any]:
    """Yield the documents of `texts` in order, from `processes` processes that each make a pipeline of `settings`.

    Processes are spawned: a fork would copy the threads' locks of onnxruntime in whatever state they are.
    """
    if isinstance(processes, bool) or not isinstance(processes, int) or processes < 1:
        raise ValueError(f"n_process is a whole number from 1 on, not {processes!r}")
    threads = settings.get("threads") or available_cores()
    settings = {**settings, "threads": max(1, threads // processes)}
    source = iter(texts)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _start, (make, settings)) as pool:
        running: deque[Future[list[Any]]] = deque()
        for group in iter(lambda: list(islice(source, batch_size)), []):
            running.append(pool.submit(_documents, group, batch_size, as_tuples, split))
            if len(running) > 2 * processes:
                yield from running.popleft().result()
        while running:
            yield from running.popleft().result()


def _start(make: Callable[..., Any], settings: dict[str, Any]) -> None:
    global _pipeline
    _pipeline = make(settings)


def _documents(texts: list[Any], batch_size: int, as_tuples: bool, split: Split) -> list[Any]:
    return list(_pipeline.pipe(texts, batch_size, as_tuples=as_tuples, split=split))
