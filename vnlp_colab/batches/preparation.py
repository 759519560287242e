"""From a cell of a table to the tokens every model reads: whitespace cleaned, accent marks removed, Treebank tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from vnlp_colab.text import TreebankWordTokenize
from vnlp_colab.text.accents import remove_accent_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCK = 40  # the window of the context models, and so the size of the blocks of `tokens_40`

Span = tuple[int, int]

# White space, or a character with the combining marks that belong to it.
_CHARACTER = re.compile(r"\s+|\S[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]*")
# A lone surrogate is no character: no file format can hold it, so it becomes the replacement character.
_SURROGATE = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Return `text` with lone surrogates replaced by ``\ufffd``, so that it can be written as UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def remove_accents(text: str) -> str:
    """Return `text` in NFC without accent marks (``â`` to ``a``)."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", replace_surrogates(text))
    plain = remove_accent_marks(composed)
    # a letter that lost its circumflex may join with a mark that came after it
    return plain if plain is composed else unicodedata.normalize("NFC", plain)


def cell_text(value: Any) -> str:
    """Return a cell as text: strings as they are, numbers, dates and other scalars as written; ``""`` for no value.

    Examples
    --------
    >>> cell_text(2024), cell_text(None), cell_text(float("nan")), cell_text(["a", "list"])
    ('2024', '', '', '')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes) or value is None or not _is_scalar(value):
        return ""
    return str(value)


def _is_scalar(value: Any) -> bool:
    """Whether a value is one thing with a text of its own, and not a missing one (NaN, NaT, NA)."""
    if isinstance(value, Iterable):
        return False
    try:
        return bool(value == value)
    except TypeError:  # pandas.NA compares to NA, which is neither true nor false
        return False


def clean_sentence(value: Any) -> str:
    r"""Return a cell's text as the models read it; anything that is no string is no sentence and gives ``""``.

    Examples
    --------
    >>> clean_sentence("  Kâğıt\t bitti. ")
    'Kağıt bitti.'
    >>> clean_sentence(None)
    ''
    """
    return remove_accents(" ".join(value.split())) if isinstance(value, str) else ""


def tokenize(text: str) -> list[str]:
    """Return the tokens of a cleaned sentence."""
    return TreebankWordTokenize(text)


def token_spans(text: str) -> list[Span]:
    """Return ``(start, end)`` of each token in a cleaned sentence."""
    return [(start, end) for _, start, end in TreebankWordTokenize(text, offsets=True)]


def spans_in_original(original: str, cleaned: str, spans: Sequence[Span]) -> list[Span]:
    """Carry spans of a cleaned sentence over to the text it was made from.

    Cleaning works on one written character (a base and its combining marks) or one run of white space at a time, so
    doing that again, one by one, tells where each cleaned character came from.

    Examples
    --------
    >>> spans_in_original("  Kâğıt   bitti", "Kağıt bitti", [(0, 5), (6, 11)])
    [(2, 7), (10, 15)]
    """
    if original == cleaned:
        return list(spans)
    places: list[Span] = []
    for match in _CHARACTER.finditer(original):
        text = match.group()
        piece = " " if text.isspace() else remove_accents(text)
        if piece != " " or (places and match.end() < len(original)):  # white space around the sentence is gone
            start, end = match.span()
            same = len(piece) == len(text)
            places += [(at, at + 1) for at in range(start, end)] if same else [(start, end)] * len(piece)
    if len(places) != len(cleaned):  # marks that join across characters (Hangul letters): the cleaned text must do
        return list(spans)
    return [(places[start][0], places[end - 1][1]) for start, end in spans]


def in_blocks(tokens: Sequence[str], size: int = BLOCK) -> list[list[str]]:
    """Cut a token list into blocks of `size`.

    Examples
    --------
    >>> in_blocks(["a", "b", "c"], size=2)
    [['a', 'b'], ['c']]
    """
    return [list(tokens[start : start + size]) for start in range(0, len(tokens), size)]
