"""Apostrophes and quotation marks in one shape."""

from __future__ import annotations

import re

# Every mark keyboards and typesetters put where Turkish has its apostrophe.
_APOSTROPHES = "'’‘‛ʼʻʹ′`´＇\u0092"
_INNER_APOSTROPHE = re.compile(rf"(?<=\w)[{_APOSTROPHES}](?=\w)")
_TO_ASCII = str.maketrans(
    {**dict.fromkeys("“”„‟«»″＂", '"'), **dict.fromkeys("‘’‚‛‹›′`´＇ʼ\u0092\u0091", "'"), "\u0093": '"', "\u0094": '"'}
)
_OPENING = re.compile(r"(?:(?<=^)|(?<=[\s(\[{<“‘—–-]))([\"'])(?=\S)")


def correct_apostrophes(text: str) -> str:
    """Turn whatever stands for an apostrophe inside a word into ``'``.

    Examples
    --------
    >>> correct_apostrophes("Ankara`da, İzmir’in ‘güzel’ günü")
    "Ankara'da, İzmir'in ‘güzel’ günü"
    """
    return _INNER_APOSTROPHE.sub("'", text)


def ascii_quotes(text: str) -> str:
    r"""Turn typographic quotation marks and apostrophes into ``"`` and ``'``.

    Examples
    --------
    >>> ascii_quotes("“Gel” dedi, Ali’nin «abisi».")
    '"Gel" dedi, Ali\'nin "abisi".'
    """
    return text.translate(_TO_ASCII)


def typographic_quotes(text: str) -> str:
    r"""Turn ``"`` and ``'`` into ``“ ”`` and ``‘ ’``: opening after a space or an opening mark, else closing.

    Examples
    --------
    >>> typographic_quotes('"Gel" dedi Ali\'nin abisi.')
    '“Gel” dedi Ali’nin abisi.'
    """
    if '"' not in text and "'" not in text:
        return text
    opened = _OPENING.sub(lambda match: "“" if match.group(1) == '"' else "‘", text)
    return opened.replace('"', "”").replace("'", "’")
