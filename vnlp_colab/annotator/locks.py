"""A lock for every key: who wants the same thing waits, and different things are made side by side."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vnlp_colab.forking import at_work

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator


class Locks:
    """Locks by key, made when first asked for.

    Examples
    --------
    >>> locks = Locks()
    >>> with locks.held("a"), locks.held("b"):
    ...     pass
    """

    def __init__(self) -> None:
        self._locks: dict[Hashable, threading.Lock] = {}
        self._guard = threading.Lock()

    @contextmanager
    def held(self, key: Hashable) -> Iterator[None]:
        """Hold the lock of a key; no fork comes in between."""
        with at_work(), self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with at_work(), lock:
            yield
