"""Between a pandas data frame and the rows the pipeline works on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.chunk import Rows
from vnlp_colab.batches.preparation import clean_sentence
from vnlp_colab.columns import COLUMNS, PREPARED
from vnlp_colab.text.case import lower_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

logger = logging.getLogger(__name__)

# Columns that are called so hold the text, if nobody says which does; the first that is there.
TEXT_NAMES = ("sentence", "text", "cümle", "metin", "cumle")
# Other names people give to columns of text.
TEXT_LIKE_NAMES = frozenset(
    {*TEXT_NAMES, "yorum", "tweet", "tvit", "içerik", "icerik", "başlık", "baslik", "mesaj", "haber", "paragraf"}
    | {"açıklama", "aciklama", "soru", "cevap", "özet", "ozet", "belge", "review", "comment", "content", "body"}
    | {"title", "message", "paragraph", "document", "description", "question", "answer", "summary"}
    | {"sentences", "texts", "reviews", "comments", "tweets", "messages", "cümleler", "cumleler", "metinler"}
    | {"yorumlar", "tweetler", "tvitler", "mesajlar", "haberler", "sorular", "cevaplar"}
)
_MADE_HERE = "vnlp_colab"  # in DataFrame.attrs: the columns this package made
_DTYPES = {"double": "float64", "string": "object"}


def rows_of(df: pd.DataFrame, text_column: str | int | None) -> Rows:
    """Return the cells of a data frame, with the tokens `VNLPipeline.run_preprocessing` made of them if any."""
    import pandas as pd

    if not isinstance(df, pd.DataFrame):
        raise TypeError(f"expected a pandas DataFrame, not {type(df).__name__}")
    place = text_place(list(df.columns), text_column)
    cells = df.iloc[:, place].tolist()
    return Rows(cells, _ready_tokens(df, cells))


def text_place(columns: Sequence[Any], text_column: str | int | None) -> int:
    """Return the place of the column that holds the text, or say why it cannot be told."""
    known = ", ".join(map(repr, columns)) or "none"
    if text_column is None:
        if places := text_places(columns):
            return _only(places, columns[places[0]])
        raise ValueError(f"cannot tell which column holds the text; name it with text_column=: {known}")
    places = [at for at, column in enumerate(columns) if column == text_column]
    if places:
        return _only(places, text_column)
    if isinstance(text_column, int) and 0 <= text_column < len(columns):
        return text_column
    if isinstance(text_column, str) and text_column.isdecimal() and 1 <= int(text_column) <= len(columns):
        return int(text_column) - 1  # as on the command line, where people count from 1
    raise ValueError(f"no column {text_column!r} (text_column=) in the table; there are {known}")


def text_places(columns: Sequence[Any]) -> list[int]:
    """Return the places of the columns that hold the text by their names: several if they have the same one.

    Examples
    --------
    >>> text_places(["no", "Text"]), text_places(["no", "yorum"]), text_places(["yorum", "title"]), text_places(["a"])
    ([1], [1], [], [0])
    """
    called = [spellings(column) for column in columns]
    for name in TEXT_NAMES:
        if places := [at for at, names in enumerate(called) if name in names]:
            return places
    like_text = [at for at, names in enumerate(called) if len(columns) == 1 or names & TEXT_LIKE_NAMES]
    return like_text if len(like_text) == 1 else []


def spellings(name: object) -> set[str]:
    """Return a column's name in lower case, by the rules of Turkish and of English.

    Examples
    --------
    >>> "metin" in spellings("METİN"), "title" in spellings("TITLE")
    (True, True)
    """
    return {lower_case(str(name)), str(name).lower()}


def with_columns(df: pd.DataFrame, columns: Mapping[str, list[Any]]) -> pd.DataFrame:
    """Return `df` with result columns added by place, whatever its index; its own columns and index stay as they are.

    Columns this package made before are replaced; others of such a name are kept as ``input_NAME``.
    """
    import pandas as pd

    ours = {*df.attrs.get(_MADE_HERE, ()), *(PREPARED if _ready_made(df) else ())}
    kept = df.drop(columns=[name for name in columns if name in ours and name in df.columns])
    kept = kept.rename(columns=renamed(kept.columns, columns))
    added = {
        name: pd.Series(values, index=df.index, dtype=_DTYPES.get(COLUMNS[name].type, "object"))
        for name, values in columns.items()
    }
    result = pd.concat([kept, pd.DataFrame(added, index=df.index)], axis=1)
    result.attrs = {**df.attrs, _MADE_HERE: sorted({*ours, *columns} & set(result.columns))}
    return result


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


def _only(places: list[int], name: Any) -> int:
    if len(places) > 1:
        raise ValueError(f"the table has {len(places)} columns named {name!r}")
    return places[0]


def _ready_made(df: pd.DataFrame) -> bool:
    if not {"no_accents", "tokens"} <= set(df.columns):
        return False
    texts, tokens = df["no_accents"], df["tokens"]
    return all(isinstance(text, str) for text in texts) and all(isinstance(row, list) for row in tokens)


def _ready_tokens(df: pd.DataFrame, cells: Sequence[Any]) -> list[list[str] | None] | None:
    """Return the tokens of `run_preprocessing` where they still belong to the sentence; other rows are cut anew."""
    if not _ready_made(df):
        return None
    for place, row in enumerate(df["tokens"]):
        for token in row:
            if not isinstance(token, str) or not token:
                raise TypeError(f"tokens are texts with letters in them; row {place} has {token!r} among its own")
    fits = [text == clean_sentence(cell) for text, cell in zip(df["no_accents"], cells, strict=True)]
    if not all(fits):
        stale = fits.index(False)
        logger.warning(
            "%d rows have tokens of another sentence (first at place %d); they are cut into tokens anew",
            fits.count(False),
            stale,
        )
    return [list(row) if fit else None for row, fit in zip(df["tokens"], fits, strict=True)]
