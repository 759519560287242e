"""Tables in, tables out: reading inputs in chunks, writing results in parts, and the journal that lets a run go on."""

from __future__ import annotations

from vnlp_colab.tables.errors import TableError

__all__ = ["TableError"]
