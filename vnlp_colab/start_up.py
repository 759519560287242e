"""Start TensorFlow without its native start-up messages, which no setting at Python's level keeps back."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def _flush() -> None:
    if sys.stderr is not None:
        sys.stderr.flush()
