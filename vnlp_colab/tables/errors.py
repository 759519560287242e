"""What can be wrong with a table."""

from __future__ import annotations

from vnlp_colab.errors import VNLPError


class TableError(VNLPError):
    """A table that cannot be read or written: the message names the file, the line and what was expected."""
