"""Start TensorFlow without its native start-up messages, which no setting at Python's level keeps back, nor Keras."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import tempfile
import threading
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import ModuleSpec
    from types import ModuleType

logger = logging.getLogger(__name__)

# How abseil writes: a note on itself, then lines such as "I0000 00:00:1794736727.502969   23001 port.cc:153] ...".
# Up to TensorFlow 2.19 some begin "2026-11-15 23:29:22.968873: E external/...".
_NATIVE = re.compile(
    rb"(WARNING: All log messages before absl|[IWE]\d{4} \d\d:\d\d:|\d{4}-\d\d-\d\d \d\d:\d\d:[\d.]+: [IWE] )"
)


@contextlib.contextmanager
def quiet_tensorflow() -> Iterator[None]:
    """Keep TensorFlow's own lines off the standard error while it starts; all others come out at the end.

    They are about its build and about a GPU it is not wanted for. Nothing is kept back where logging shows INFO
    (``vnlp-colab --verbose``), where TensorFlow runs already, or where the process has no standard error.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    if "tensorflow" in sys.modules or logger.isEnabledFor(logging.INFO):
        yield
        return
    with contextlib.ExitStack() as stack:
        try:
            kept = os.dup(2)
        except OSError:
            yield
            return
        stack.callback(os.close, kept)
        written = stack.enter_context(tempfile.TemporaryFile())
        _flush()
        os.dup2(written.fileno(), 2)
        try:
            yield
        finally:
            _flush()
            os.dup2(kept, 2)
            written.seek(0)
            for line in written:
                if not _NATIVE.match(line):
                    os.write(2, line)


class _NoKeras(MetaPathFinder, Loader):
    """Finds Keras where it is, but does not load it, for the thread that made this."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname != "keras" or threading.get_ident() != self._thread:
            return None
        spec = PathFinder.find_spec(fullname)
        if spec is not None:
            spec.loader = self
        return spec

    def exec_module(self, module: ModuleType) -> None:
        raise ImportError(f"{module.__name__} is not needed for tf.data")


@contextlib.contextmanager
def without_keras() -> Iterator[None]:
    """Keep TensorFlow from loading all of Keras while it starts; ``tf.keras`` and ``import keras`` do so later.

    It loads Keras for optimizers that saved models may name, and goes on without where there is none. Keras brings
    scikit-learn, matplotlib and IPython along where they are installed, as on Colab: 110 MB and 0.8 of 2.1 seconds.
    """
    finder = _NoKeras()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def _flush() -> None:
    if sys.stderr is not None:
        sys.stderr.flush()
