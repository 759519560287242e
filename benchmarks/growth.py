"""The second table: how tokens a second change with the length of sentences and the size of batches."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

from benchmarks.comparison import columns
from benchmarks.sides import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vnlp_colab.runtime import Device

LENGTHS = (5, 10, 20, 40, 80)
BATCHES = (1, 16, 64, 256)
QUICK_LENGTHS = (5, 20, 80)
QUICK_BATCHES = (1, 64)


def growth(
    task: str,
    words: Sequence[str],
    lengths: Sequence[int],
    batches: Sequence[int],
    rounds: int,
    device: Device = "cpu",
) -> dict[str, dict[str, dict[str, float]]]:
    """Return tokens a second by length and batch size: stretches of running text, words known from a first run.

    Cells take turns, so that what else the machine does meets them all.
    """
    model = load(task, device=device)
    cells = {(length, size): cut(words, length, size) for length in lengths for size in batches}
    times: dict[tuple[int, int], list[tuple[float, float]]] = {cell: [] for cell in cells}
    for number in range(rounds + 1):
        for cell, sentences in cells.items():
            started, used = time.perf_counter(), time.process_time()
            model.predict_batch(sentences)
            if number:
                times[cell].append((time.perf_counter() - started, time.process_time() - used))
    found: dict[str, dict[str, dict[str, float]]] = {str(length): {} for length in lengths}
    for (length, size), pairs in times.items():
        wall, cpu = (length * size / statistics.median(seconds) for seconds in zip(*pairs, strict=True))
        found[str(length)][str(size)] = {"tokens_per_second": wall, "tokens_per_cpu_second": cpu}
    return found


def cut(words: Sequence[str], length: int, count: int) -> list[list[str]]:
    """Cut running text into stretches; where it is short they overlap, but no two begin at the same place."""
    last = len(words) - length
    step = min(length, max(1, last // count))
    starts = [number * step % (last + 1) for number in range(count)]
    return [list(words[start : start + length]) for start in starts]


def table(task: str, result: dict[str, dict[str, dict[str, float]]], unit: str = "tokens_per_second") -> str:
    """Return the figures of one task as a table."""
    sizes = list(next(iter(result.values())))
    head = (f"{task}: words a sentence", *(f"batch {size}" for size in sizes))
    return columns(head, [(length, *(f"{row[size][unit]:,.0f}" for size in sizes)) for length, row in result.items()])
