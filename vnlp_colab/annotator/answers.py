"""What models answer, in a form with more in it than the tuples of ``predict``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Labelled:
    """The labels of a sentence, and how sure the model is of each (its score, 0 to 1, float32)."""

    labels: list[str]
    confidence: np.ndarray


@dataclass(frozen=True)
class Parsed:
    """A dependency tree: of each word the position of its head (from 1; 0 is the root) and its relation to it."""

    heads: list[int]
    relations: list[str]
