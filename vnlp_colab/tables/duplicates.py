"""Finds repeated keys in a table of any length with 16 bytes a row."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

logger = logging.getLogger(__name__)

_BLOCK = 65_536
_TOLD = 5


class RepeatedKeys:
    """Collects the keys of a table's rows and tells which lines repeat an earlier one; both rows are kept.

    Keys are compared by their 64-bit hash: in a table of ten million rows a false alarm has a chance of 3 in a million.
    """

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self._path = path
        self._names = tuple(names)
        self._hashes: list[int] = []
        self._lines: list[int] = []
        self._blocks: list[tuple[np.ndarray, np.ndarray]] = []

    def see(self, line: int, fields: Sequence[Any]) -> None:
        """Take in one row."""
        self._hashes.append(hash(tuple(fields[: len(self._names)])))
        self._lines.append(line)
        if len(self._hashes) == _BLOCK:
            self._flush()

    def _flush(self) -> None:
        self._blocks.append((np.array(self._hashes, dtype=np.int64), np.array(self._lines, dtype=np.int64)))
        self._hashes, self._lines = [], []

    def pairs(self) -> list[tuple[int, int]]:
        """Return ``(line, earlier line with the same key)`` in order of the first."""
        self._flush()
        hashes = np.concatenate([block for block, _ in self._blocks])
        lines = np.concatenate([block for _, block in self._blocks])
        order = np.argsort(hashes, kind="stable")  # stable: equal keys stay in line order
        hashes, lines = hashes[order], lines[order]
        repeated = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1
        firsts = np.searchsorted(hashes, hashes[repeated])
        return sorted(zip(lines[repeated].tolist(), lines[firsts].tolist(), strict=True))

    def tell(self) -> None:
        """Warn about the repeated keys, with line numbers."""
        pairs = self.pairs()
        if not pairs:
            return
        told = "; ".join(f"line {line} repeats line {first}" for line, first in pairs[:_TOLD])
        more = "; ..." if len(pairs) > _TOLD else ""
        logger.warning(
            "%s: rows repeat the index (%s) of an earlier row; all are kept: %s%s (%d in all)",
            self._path,
            ", ".join(self._names),
            told,
            more,
            len(pairs),
        )
