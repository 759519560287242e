"""Forks beside models at work.

A fork copies the locks of other threads as they are: those of onnxruntime and ours may be held by a thread the child
does not have, and then its first answer never comes. So a fork waits until no model is at work, and models wait until
it is over. What cannot be waited for is told in the child, with the way that works: the start methods ``spawn`` and
``forkserver`` of `multiprocessing`.
"""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - first, see below
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vnlp_colab.errors import VNLPError

if TYPE_CHECKING:
    from collections.abc import Iterator

# A batch takes a second or two at most; what is not over by then may be waiting for the one who forks.
PATIENCE_SECONDS = 60.0


class ForkError(VNLPError):
    """The process was forked while a model was at work in another thread, and may not use its models."""


class _Gate:
    """Counts the work that is under way; a fork goes through when there is none."""

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.Lock())
        self.working = 0
        self.forks = 0  # that wait or are under way
        self.own = threading.local()
        self.tears = False  # whether the fork under way could not wait any longer
        self.torn = False  # whether this process is the child of such a one

    def enter(self) -> None:
        if self.torn:
            raise ForkError(
                "this process was forked while a model was at work in another thread, so its models cannot be used; "
                "start processes with multiprocessing.get_context('spawn') or 'forkserver', or before the first text"
            )
        with self.changed:
            while self.forks:
                self.changed.wait()
            self.working += 1

    def leave(self) -> None:
        with self.changed:
            self.working -= 1
            self.changed.notify_all()

    def before(self) -> None:
        """Wait until all is quiet; the lock is held over the fork, so that it stays so."""
        # A thread that forks in the middle of its own work would wait for itself.
        mine = 1 if getattr(self.own, "depth", 0) else 0
        end = time.monotonic() + PATIENCE_SECONDS
        self.changed.acquire()
        self.forks += 1
        while self.working > mine and (left := end - time.monotonic()) > 0:
            self.changed.wait(left)
        self.tears = self.working > mine

    def in_parent(self) -> None:
        self.forks -= 1
        self.changed.notify_all()
        self.changed.release()

    def in_child(self) -> None:
        self.changed = threading.Condition(threading.Lock())
        self.working = 1 if getattr(self.own, "depth", 0) else 0  # the one thread that is left goes on with its own
        self.forks = 0
        self.torn, self.tears = self.torn or self.tears, False


_gate = _Gate()
# Hooks before a fork run in the reverse order of their registration. That of thread pools takes a lock that work needs
# to begin, so it is registered first (by the import above) and taken last, when all is quiet.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_gate.before, after_in_parent=_gate.in_parent, after_in_child=_gate.in_child)


@contextmanager
def at_work() -> Iterator[None]:
    """Keep forks away from what is done inside; work inside of work is one piece.

    Examples
    --------
    >>> with at_work():
    ...     pass
    """
    own = _gate.own
    depth = getattr(own, "depth", 0)
    if not depth:
        _gate.enter()
    own.depth = depth + 1
    try:
        yield
    finally:
        own.depth = depth
        if not depth:
            _gate.leave()


@contextmanager
def helping() -> Iterator[None]:
    """Be a thread that does part of another one's work: it neither counts nor waits for a fork."""
    own = _gate.own
    depth = getattr(own, "depth", 0)
    own.depth = depth + 1
    try:
        yield
    finally:
        own.depth = depth
