"""Symbols: emoji, arrows, currency signs and the like, which are no words and no punctuation."""

from __future__ import annotations

import unicodedata

from vnlp_colab.text.remembered import remembered

# What joins and colours emoji: zero-width joiner, variation selectors, key cap, the letters of flags of regions.
_JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3") | {chr(code) for code in range(0xE0020, 0xE0080)}
_SKIN_TONES = frozenset("🏻🏼🏽🏾🏿")


@remembered(65_536)
def is_symbol(token: str) -> bool:
    """Tell whether a token is an emoji or another symbol, or several of them.

    ASCII signs (``$``, ``+``, ``=``) are left to the tagger: the Turkish treebanks count them as punctuation.

    Examples
    --------
    >>> is_symbol("😀"), is_symbol("👩🏽‍💻"), is_symbol("🇹🇷"), is_symbol("→"), is_symbol("₺"), is_symbol("1️⃣")
    (True, True, True, True, True, True)
    >>> is_symbol("$"), is_symbol("..."), is_symbol("2€"), is_symbol("")
    (False, False, False, False)
    """
    if token.isascii():
        return False
    if token.endswith("\u20e3"):  # a key cap: a digit, *, or # in a box
        return token[0] in "0123456789*#" and all(sign in _JOINERS for sign in token[1:])
    signs = [sign for sign in token if sign not in _JOINERS]
    return bool(signs) and all(
        sign in _SKIN_TONES or (not sign.isascii() and unicodedata.category(sign) in ("So", "Sm", "Sc"))
        for sign in signs
    )
