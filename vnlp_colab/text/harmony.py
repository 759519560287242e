"""Suffixes that fit their stem: vowel harmony, hard and soft consonants, buffer letters."""

from __future__ import annotations

import re

_BACK, _FRONT = frozenset("aıouâû"), frozenset("eiöüî")
_ROUND = frozenset("oöuüû")
_VOWELS = _BACK | _FRONT
_HIGH = {(False, False): "i", (False, True): "ü", (True, False): "ı", (True, True): "u"}  # (back, round)
_VOICELESS = frozenset("fstkçşhp")
_HARD, _SOFT = {"d": "t", "t": "t", "c": "ç", "ç": "ç"}, {"d": "d", "t": "d", "c": "c", "ç": "c"}
_SOFTENED = {"dört": "dörd"}
_ENDS_WITHOUT_HARMONY = re.compile("ki|ken")
_BUFFER_AND_VOWEL = re.compile("[ynş][aeıiuü]|s[ıiuü](?!z)")  # but "-sız" and "-sa" begin with their own "s"
_BUFFER_BEFORE_CONSONANT = re.compile("y[ldskm]")  # iki-yle, on-la; iki-ydi, on-du


def attach_suffix(word: str, suffix: str) -> str:
    """Return `word` with `suffix`, whose letters may have been chosen for another word.

    Vowels follow those of the word, ``d`` and ``c`` harden behind a voiceless consonant, and the buffer letters
    ``y n s ş`` stand between vowels only.

    Examples
    --------
    >>> [attach_suffix(*pair) for pair in (("üç", "da"), ("dört", "e"), ("iki", "ın"), ("on", "ya"), ("altı", "uncu"))]
    ['üçte', 'dörde', 'ikinin', 'ona', 'altıncı']
    """
    suffix = _with_buffer(word, suffix)
    if suffix[:1] in _VOWELS:
        word = _SOFTENED.get(word, word)
    letters = list(suffix)
    if letters and letters[0] in "dtcç":
        letters[0] = (_HARD if word[-1:] in _VOICELESS else _SOFT)[letters[0]]
    vowel = next((letter for letter in reversed(word) if letter in _VOWELS), "i")
    at = 0
    while at < len(letters):
        fixed = _ENDS_WITHOUT_HARMONY.match(suffix, at) if at else None
        if fixed:
            vowel = "i"
            at = fixed.end()
            continue
        if letters[at] in "ae":
            letters[at] = vowel = "a" if vowel in _BACK else "e"
        elif letters[at] in "ıiuü":
            letters[at] = vowel = _HIGH[vowel in _BACK, vowel in _ROUND]
        at += 1
    return word + "".join(letters)


def _with_buffer(word: str, suffix: str) -> str:
    """Return `suffix` with the buffer letter it needs behind `word`, and no other."""
    if word[-1:] in _VOWELS:
        if suffix[:1] not in _VOWELS:
            return suffix
        if suffix[1:3] == "nc":
            return suffix[1:]  # altı-ncı
        if suffix in {"ar", "er"}:
            return "ş" + suffix
        if suffix[1:] == "n" and suffix[0] in "ıiuü":
            return "n" + suffix
        return ("s" if suffix[1:2] == "n" else "y") + suffix  # iki-sinde, iki-ye
    if _BUFFER_AND_VOWEL.match(suffix) or _BUFFER_BEFORE_CONSONANT.match(suffix):
        return suffix[1:]
    return "ı" + suffix if suffix[:2] == "nc" else suffix
