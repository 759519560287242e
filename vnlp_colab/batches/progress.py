"""A bar over sentences that also tells tokens a second."""

from __future__ import annotations

import sys
import time
import warnings

with warnings.catch_warnings():  # a notebook without ipywidgets gets a plain bar, and needs no advice about it
    warnings.filterwarnings("ignore", message="IProgress not found")
    from tqdm.auto import tqdm


class Progress:
    """A progress bar; ``shown=None`` shows it on a terminal and in a notebook."""

    def __init__(self, rows: int, done: int, shown: bool | None) -> None:
        if shown is None and "ipykernel" in sys.modules:  # a notebook is no terminal, but it can show a bar
            shown = True
        disabled = None if shown is None else not shown  # None: a terminal decides
        self._bar = tqdm(total=rows, initial=done, unit=" sentences", disable=disabled, file=sys.stderr)
        self._tokens = 0
        self._started = time.perf_counter()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def batch_done(self, rows: int, tokens: int) -> None:
        """Move the bar on."""
        self._tokens += tokens
        speed = self._tokens / max(time.perf_counter() - self._started, 1e-9)
        self._bar.set_postfix_str(f"{speed:.0f} tokens/s", refresh=False)
        self._bar.update(rows)
