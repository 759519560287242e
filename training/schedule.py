"""How far a run has come, and the learning rate there."""

from __future__ import annotations

import math
import time


def progress(step: int, steps: int | None, begin: float, minutes: float) -> float:
    """Return how much of `steps`, or else of the `minutes` since `begin`, is over; 1 is the end."""
    if steps is None:
        return (time.time() - begin) / (60 * minutes)
    return step / steps if steps else 1.0


def cosine(rate: float, step: int, done: float, *, warm: int, last: float = 0.01) -> float:
    """Return the rate after a linear start of `warm` steps, falling along a cosine to the share `last` of it."""
    return rate * min(1.0, (step + 1) / warm) * (last + (1 - last) * 0.5 * (1 + math.cos(math.pi * done)))
