"""Signs, which are no words: symbols (emoji, arrows, currency signs, emoticons) and marks."""

from __future__ import annotations

import re
import unicodedata

from vnlp_colab.text.remembered import remembered

# What joins and colours emoji: zero-width joiner, variation selectors, key cap, the letters of flags of regions.
_JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3") | {chr(code) for code in range(0xE0020, 0xE0080)}
# As the tokenizer finds them.
EMOTICON = (
    r"[:;=][-'^]?+[)(\]\[]++(?!\w)|(?<!\w)[:;=][-'^]?+[DPpOo3*|/\\]++(?![\w/])|<3++(?!\w)|\^_?+\^|(?<!\S)-_++-(?!\S)"
)
_EMOTICON = re.compile(EMOTICON)
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


@remembered(65_536)
def sign_tag(token: str) -> str:
    """Return the part of speech of a sign, whatever stands beside it: ``SYM`` or ``PUNCT``; of words ``""``.

    A sign of percent counts, and is left to the tagger.

    Examples
    --------
    >>> [sign_tag(token) for token in ("😀", ":)", ":D", "→", "«", "–", "•", "...", "$", "%", "ev")]
    ['SYM', 'SYM', 'SYM', 'SYM', 'PUNCT', 'PUNCT', 'PUNCT', 'PUNCT', 'PUNCT', '', '']
    """
    if is_symbol(token) or _EMOTICON.fullmatch(token):
        return "SYM"
    return "" if not token or any(sign.isalnum() or sign in "%‰" for sign in token) else "PUNCT"
