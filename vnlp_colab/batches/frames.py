"""Between a pandas data frame and the rows the pipeline works on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.chunk import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

_RESULT_DTYPES = {"sentiment": "float64", "no_accents": "str"}


TEXT_NAMES = ("sentence", "text", "cümle", "metin", "cumle")
logger = logging.getLogger(__name__)


def rows_of(df: pd.DataFrame, text_column: str) -> Rows:
    """Return the sentences of a data frame, with the tokens `VNLPipeline.run_preprocessing` made of them if any."""
    import pandas as pd

    if not isinstance(df, pd.DataFrame):
        raise TypeError(f"expected a pandas DataFrame, not {type(df).__name__}")
    if text_column not in df.columns:
        known = ", ".join(map(repr, df.columns))
        raise ValueError(f"no column {text_column!r} (text_column=) in the table; there are {known or 'none'}")
    if (count := list(df.columns).count(text_column)) > 1:
        raise ValueError(f"the table has {count} columns named {text_column!r}")
    return Rows(df[text_column].tolist(), *_ready_made(df))


def with_columns(df: pd.DataFrame, columns: Mapping[str, list[Any]]) -> pd.DataFrame:
    """Return `df` with columns added by place, whatever its index; its own columns and index stay as they are."""
    import pandas as pd

    added = {
        name: pd.Series(values, index=df.index, dtype=_RESULT_DTYPES.get(name, object))
        for name, values in columns.items()
    }
    kept = df.drop(columns=[name for name in columns if name in df.columns])
    return pd.concat([kept, pd.DataFrame(added, index=df.index)], axis=1)


_RESULT_DTYPES = {"sentiment": "float64", "no_accents": "str"}


def renamed(own: Iterable[Any], results: Iterable[str]) -> dict[str, str]:
    """Return new names for a table's own columns that are called like a result column, and say so."""
    names, taken = list(own), {str(name) for name in own}
    new_names = {}
    for name in results:
        if name in names:
            new = f"input_{name}"
            while new in taken:
                new = f"{new}_"
            taken.add(new)
            new_names[name] = new
            logger.warning("the input's column %r is kept as %r, since the result has one of that name", name, new)
    return new_names


def _ready_made(df: pd.DataFrame) -> tuple[list[str], list[list[str]]] | tuple[None, None]:
    """Return the columns of `VNLPipeline.run_preprocessing` if `df` has them."""
    if "no_accents" not in df.columns or "tokens" not in df.columns:
        return None, None
    texts, tokens = df["no_accents"].tolist(), df["tokens"].tolist()
    made_here = all(isinstance(text, str) for text in texts) and all(isinstance(row, list) for row in tokens)
    return (texts, tokens) if made_here else (None, None)
