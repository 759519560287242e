"""Arguments of the text tools, checked so that a wrong one is told by the name of the tool and not from inside it."""

from __future__ import annotations

from collections.abc import Iterable


def check_text(text: object, tool: str) -> None:
    """Raise `TypeError` if `text` is no string."""
    if not isinstance(text, str):
        raise TypeError(f"{tool} takes a string, not {type(text).__name__}")


def check_tokens(tokens: object, tool: str) -> None:
    """Raise `TypeError` if `tokens` is neither a string nor a list of some kind; the tokens are not looked at."""
    if isinstance(tokens, bytes) or not isinstance(tokens, Iterable):
        raise TypeError(f"{tool} takes a list of tokens or a string, not {type(tokens).__name__}")
