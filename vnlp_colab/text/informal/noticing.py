"""Whether a sentence was typed without Turkish letters: ``dun aksam geldi`` was, ``O da geldi`` was not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.deasciifier import default_deasciifier
from vnlp_colab.text.informal.words import is_inflected, is_known

if TYPE_CHECKING:
    from collections.abc import Sequence

_TURKISH = re.compile("[çğıöşüÇĞİÖŞÜ]|[cgosuCGOSU][\u0306-\u0308\u0327]")
_APOSTROPHE = re.compile("['’‘`´ʼ]")
_WORD = re.compile(r"[^\W\d_]+(?:['’‘`´ʼ][^\W\d_]+)?")
_SHORTEST_EVIDENCE = 3


def typed_without_turkish_letters(tokens: Sequence[str]) -> bool:
    """Tell whether the tokens of a sentence lack the Turkish letters their words should have.

    No token may have one. Then the deasciifier must change two words, or one that the lexicon knows only with its
    letters and that has a single reading (``dondu`` may be ``döndü`` or stay, ``aksam`` is always ``akşam``).

    Examples
    --------
    >>> typed_without_turkish_letters("dun aksam bize geldiler".split())
    True
    >>> typed_without_turkish_letters("O da bize geldi".split())
    False
    """
    if any(map(_TURKISH.search, tokens)):
        return False
    read = default_deasciifier().deasciify(" ".join(tokens))
    if read == " ".join(tokens):
        return False
    changed: set[str] = set()
    start = 0
    for token in tokens:
        mended = read[start : start + len(token)]
        start += len(token) + 1
        if mended != token and _WORD.fullmatch(token):
            if _is_evidence(token, mended):
                return True
            if not _only_dots_an_i(token, mended):
                changed.add(token)
    return len(changed) > 1


def _is_evidence(token: str, mended: str) -> bool:
    stem = _APOSTROPHE.split(token, maxsplit=1)[0]
    if _only_dots_an_i(token, mended):
        # In capitals an "I" is right in Turkish and foreign words alike; "GIDIYORUM" is a word only with its dots. A
        # bare stem the lexicon knows only so is as often a foreign name ("MERRILL").
        lowered = lower_case(mended[: len(stem)])
        return is_inflected(lowered) and not is_known(lower_case(stem))
    if len(stem) < _SHORTEST_EVIDENCE or default_deasciifier().is_ambiguous(stem):
        return False
    return is_known(mended)


def _only_dots_an_i(token: str, mended: str) -> bool:
    return token.isupper() and len(token) > 1 and mended.replace("İ", "I") == token
