"""Tables in, tables out: reading inputs as Arrow, writing results in parts, and the journal that lets a run go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from vnlp_colab.tables.source import InputTables, open_input, read_frame

__all__ = ["InputTables", "TableError", "open_input", "read_frame"]


def __getattr__(name: str) -> Any:
    """Import what needs pyarrow when it is asked for: the error alone is needed without it."""
    if name in __all__:
        from vnlp_colab.tables import source

        return getattr(source, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
