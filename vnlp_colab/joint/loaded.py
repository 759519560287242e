"""What analyzers of all styles have in common, loaded once: the sessions, and the vectors of words.

A style is a number among the inputs of a run, so one file on one device needs one set of sessions, whatever the styles.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from vnlp_colab.forking import at_work

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from vnlp_colab.joint.words import WordVectors


@dataclass(eq=False)
class Loaded:
    """The sessions of sentences and choices, and the words, whose session is with their vectors."""

    sentences: Any
    choices: Any
    words: WordVectors


# What no analyzer uses any more goes.
_loaded: WeakValueDictionary[Hashable, Loaded] = WeakValueDictionary()
_locks: dict[Hashable, threading.Lock] = {}
_guard = threading.Lock()


def shared(key: Hashable, load: Callable[[], Loaded]) -> Loaded:
    """Return what is loaded under `key`; `load` makes it if nobody has it. Threads that want the same one wait."""
    with at_work(), _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with at_work(), lock:
        found = _loaded.get(key)
        if found is None:
            found = _loaded[key] = load()
        return found
