"""Letter case by Turkish rules: ``İ``/``i`` and ``I``/``ı`` are two letters, not one.

The only place in the package that calls ``str.lower`` or ``str.upper`` on Turkish text.
"""

from __future__ import annotations

import re

_DOT_ABOVE = "\u0307"
# A dotted i written as a letter and combining dots: decomposed "İ", or what other programs make of "İ".lower().
_DOTTED_LOWER = re.compile("[Iiıİ]\u0307+")
# A bare "I" with a dot is already the capital "İ"; "ı" with one is read as "i".
_DOTTED_UPPER = re.compile("[iıIİ]\u0307+")


def lower_case(text: str) -> str:
    """Return `text` in lower case; the length only changes where a combining dot melts into its ``i``.

    Examples
    --------
    >>> lower_case("Test karakterleri: İIĞÜÖŞÇ")
    'test karakterleri: iığüöşç'
    """
    if _DOT_ABOVE in text:
        text = _DOTTED_LOWER.sub("i", text)
    return text.replace("İ", "i").replace("I", "ı").lower()


def upper_case(text: str) -> str:
    """Return `text` in upper case.

    Examples
    --------
    >>> upper_case("ılık içecek")
    'ILIK İÇECEK'
    """
    if _DOT_ABOVE in text:
        text = _DOTTED_UPPER.sub("İ", text)
    return text.replace("i", "İ").upper()  # str.upper already gives "I" for "ı"


def capitalize(text: str) -> str:
    """Return `text` with its first letter in upper case and the others in lower case.

    Examples
    --------
    >>> capitalize("iSTANBUL")
    'İstanbul'
    """
    if _DOT_ABOVE in text:
        text = _DOTTED_UPPER.sub("İ", text)
    first = text[:1]
    # title() and not upper(): "ǆ" has a form for the start of a word, and "ß" must not become two capitals.
    return ("İ" if first == "i" else first.title()) + lower_case(text[1:])
