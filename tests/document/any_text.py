"""Texts in every script, with what breaks places: marks that join, letters that fall apart, controls, surrogates."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

_CHANGED_BY_NFC = [
    chr(code)
    for code in range(0x80, 0x20000)
    if unicodedata.combining(chr(code)) or unicodedata.normalize("NFC", chr(code)) != chr(code)
]
_CHARACTERS = st.one_of(
    st.sampled_from(
        "Tom'un Ayşe’ye İstanbul‘da kâğıt îşÎ.!?@#1,🙂\u0302\u0301\u200b\u200d\t\n\r\x00\x07\x85\ud800\udfff"
    ),
    st.sampled_from(_CHANGED_BY_NFC),
    st.characters(min_codepoint=0x0600, max_codepoint=0x06FF),  # Arabic
    st.characters(min_codepoint=0x3040, max_codepoint=0x30FF),  # kana
    st.characters(min_codepoint=0x1100, max_codepoint=0x11FF),  # Hangul letters
    st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),  # Hangul syllables
    st.characters(),
    st.characters(categories=["Cs"]),
)
ANY_TEXT = st.one_of(
    st.text(_CHARACTERS, max_size=60), st.text(_CHARACTERS, max_size=60).map(lambda text: _decomposed(text))
)


def _decomposed(text):
    return unicodedata.normalize("NFD", text)
