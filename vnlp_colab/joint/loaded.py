"""What analyzers of all styles have in common, loaded once: the sessions, and the vectors of words.

A style is a number among the inputs of a run, so one file on one device needs one set of sessions, whatever the styles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from vnlp_colab.annotator.locks import Locks

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
_locks = Locks()


def shared(key: Hashable, load: Callable[[], Loaded]) -> Loaded:
    """Return what is loaded under `key`; `load` makes it if nobody has it. Threads that want the same one wait."""
    with _locks.held(key):
        found = _loaded.get(key)
        if found is None:
            found = _loaded[key] = load()
        return found
