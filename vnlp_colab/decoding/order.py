"""Sentences sorted by length, worked on in parts, and back in the order they came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from vnlp_colab.runtime import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Sized

Item = TypeVar("Item", bound="Sized")
Result = TypeVar("Result")


def by_length(
    items: Sequence[Item],
    cut: Callable[[list[int]], list[slice]],
    work: Callable[[list[Item]], Sequence[Result]],
    threads: int = 1,
) -> list[Result]:
    """Return what `work` makes of each item, in the order given.

    Parameters
    ----------
    cut
        Says, from the falling lengths of all items, where the parts end that are worked on together.
    work
        Gets one part, longest item first, and returns an answer for each.
    threads
        How many parts are worked on at a time.

    Examples
    --------
    >>> by_length(["a", "ccc", "bb"], lambda lengths: [slice(0, 2), slice(2, 3)], lambda part: [part] * len(part))
    [['a'], ['ccc', 'bb'], ['ccc', 'bb']]
    """
    if not items:
        return []
    order = sorted(range(len(items)), key=lambda number: -len(items[number]))
    parts = [order[part] for part in cut([len(items[number]) for number in order])]
    answers = in_threads(lambda part: work([items[number] for number in part]), parts, threads)
    results = {
        number: answer
        for part, made in zip(parts, answers, strict=True)
        for number, answer in zip(part, made, strict=True)
    }
    return [results[number] for number in range(len(items))]


def in_rows(rows: int) -> Callable[[list[int]], list[slice]]:
    """Return a cut (see `by_length`) into parts of `rows` items."""
    return lambda lengths: [slice(start, start + rows) for start in range(0, len(lengths), rows)]
