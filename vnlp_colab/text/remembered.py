"""What was worked out of a word and is kept for the next time: bounded in words, and in the letters of a word."""

from __future__ import annotations

from functools import lru_cache, update_wrapper
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Result = TypeVar("Result")

# Longer words are answered like any other but not kept: as keys they would take any amount of memory.
LONGEST = 64


class Remembered(Generic[Result]):
    """A function of a word that remembers what it said of the last words; safe between threads.

    Parameters
    ----------
    function
        It depends on its arguments alone; the first one is the word.
    capacity
        How many answers are kept.

    Examples
    --------
    >>> asked = []
    >>> size = Remembered(lambda word: asked.append(word) or len(word), 10)
    >>> size("ev"), size("ev"), size.each(["ev", "köy"]), asked
    (2, 2, [2, 3], ['ev', 'köy'])
    """

    def __init__(self, function: Callable[..., Result], capacity: int) -> None:
        self._function = function
        self._kept = lru_cache(capacity)(function)
        update_wrapper(self, function)

    def __call__(self, word: str, *others: Any) -> Result:
        """Return what the function says of a word."""
        return self._kept(word, *others) if len(word) <= LONGEST else self._function(word, *others)

    def __len__(self) -> int:
        """Return how many answers are kept now."""
        return self._kept.cache_info().currsize

    def forget(self) -> None:
        """Forget all answers."""
        self._kept.cache_clear()

    def each(self, words: Sequence[str], *others: Iterable[Any]) -> list[Result]:
        """Return what the function says of each word; `others` are its other arguments, one for each word."""
        short = max(map(len, words), default=0) <= LONGEST
        return list(map(self._kept if short else self, words, *others))


def remembered(capacity: int) -> Callable[[Callable[..., Result]], Remembered[Result]]:
    """Decorate a function of a word so that so many of its answers are kept."""
    return lambda function: Remembered(function, capacity)
