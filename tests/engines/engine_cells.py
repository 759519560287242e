"""Two tables compared cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import pyarrow as pa


def assert_same_cells(found: pa.Table, expected: pa.Table) -> None:
    """Every cell of `expected` is in `found`; floats to 1e-6, since a sum depends on the shape of its batch."""
    assert found.num_rows == expected.num_rows
    for name in expected.column_names:
        ours, theirs = found[name].to_pylist(), expected[name].to_pylist()
        for row, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert _same(one, other), f"{name}, row {row}: {one!r} and {other!r}"


def _same(one, other) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return (one != one and other != other) or one == pytest.approx(other, abs=1e-6)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other
