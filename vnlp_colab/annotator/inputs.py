"""Tokens, sentences and texts as users give them, checked before a model sees them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def check_tokens(tokens: Iterable[str]) -> list[str]:
    """Return the tokens of one sentence as a list, or say what is wrong with them.

    Raises
    ------
    TypeError
        If `tokens` is a string, is no sequence, or holds something else than strings.
    """
    if isinstance(tokens, str | bytes):
        raise TypeError(
            f"a list of tokens is expected, not the {type(tokens).__name__} {_short(tokens)}: "
            "tokenize it first, for example with vnlp_colab.TreebankWordTokenize(text)"
        )
    if not isinstance(tokens, Iterable):
        raise TypeError(f"a list of tokens is expected, not {_short(tokens)}")
    checked = list(tokens)
    for number, token in enumerate(checked):
        if not isinstance(token, str):
            raise TypeError(f"token {number} of the sentence is {_short(token)}, not a string")
    return checked


def check_sentences(sentences: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return sentences as lists of tokens, or say what is wrong with them (see `check_tokens`)."""
    if isinstance(sentences, str | bytes) or not isinstance(sentences, Iterable):
        raise TypeError(f"a list of sentences, each a list of tokens, is expected, not {_short(sentences)}")
    return [check_tokens(sentence) for sentence in sentences]


def check_text(text: str) -> str:
    """Return `text` if it is a string, else say what it is."""
    if not isinstance(text, str):
        raise TypeError(f"a text (str) is expected, not {_short(text)}")
    return text


def check_texts(texts: Iterable[str]) -> list[str]:
    """Return texts as a list, or say what is wrong with them."""
    if isinstance(texts, str | bytes):
        raise TypeError("a list of texts is expected, not one string; use predict or predict_proba for that")
    if not isinstance(texts, Iterable):
        raise TypeError(f"a list of texts is expected, not {_short(texts)}")
    return [check_text(text) for text in texts]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
