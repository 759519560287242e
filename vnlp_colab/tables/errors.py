"""What can be wrong with a table."""

from __future__ import annotations

from vnlp_colab.errors import VNLPError


class TableError(VNLPError):
    """A table that cannot be read or written: one line that names the file, the place and what was expected."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))  # a library's reason or a column's name may bring lines of its own
