"""From a cell of a table to the tokens every model reads: whitespace cleaned, accent marks removed, Treebank tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.alignment import Span, align_tokens, remove_accents, replace_surrogates, spans_in_original
from vnlp_colab.text import TreebankWordTokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCK = 40  # the window of the context models, and so the size of the blocks of `tokens_40`

__all__ = [
    "BLOCK",
    "Span",
    "align_tokens",
    "clean_sentence",
    "in_blocks",
    "remove_accents",
    "replace_surrogates",
    "spans_in_original",
    "token_spans",
    "tokenize",
]


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


def in_blocks(tokens: Sequence[str], size: int = BLOCK) -> list[list[str]]:
    """Cut a token list into blocks of `size`.

    Examples
    --------
    >>> in_blocks(["a", "b", "c"], size=2)
    [['a', 'b'], ['c']]
    """
    return [list(tokens[start : start + size]) for start in range(0, len(tokens), size)]
