"""Suffixes that fit their stem: vowel harmony, hard and soft consonants, buffer letters."""

from __future__ import annotations

_BACK, _FRONT = frozenset("aıouâû"), frozenset("eiöüî")
_ROUND = frozenset("oöuüû")
_VOWELS = _BACK | _FRONT
_VOICELESS = frozenset("fstkçşhp")
_SOFTENED = {"dört": "dörd"}
_HIGH = {(False, False): "i", (False, True): "ü", (True, False): "ı", (True, True): "u"}  # (back, round)
_ENDS_WITHOUT_HARMONY = ("ki", "ken")


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
        hard = word[-1:] in _VOICELESS
        letters[0] = (
            {"d": "t", "t": "t", "c": "ç", "ç": "ç"}[letters[0]]
            if hard
            else {"t": "d", "ç": "c"}.get(letters[0], letters[0])
        )
    vowel = next((letter for letter in reversed(word) if letter in _VOWELS), "i")
    at = 0
    while at < len(letters):
        letter = letters[at]
        if at and suffix.startswith(_ENDS_WITHOUT_HARMONY, at):
            at += 2 if suffix.startswith("ki", at) else 3
            vowel = "i"
            continue
        if letter in "ae":
            letters[at] = vowel = "a" if vowel in _BACK else "e"
        elif letter in "ıiuü":
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
    if (
        suffix[:1] in ("y", "n", "s", "ş")
        and suffix[1:2] in _VOWELS
        and suffix[:2] not in ("sı", "si", "su", "sü", "sa", "se")
    ):
        return suffix[1:]
    if (
        suffix[:1] == "s"
        and suffix[1:2] in ("ı", "i", "u", "ü")
        and not suffix.startswith(("sız", "siz", "suz", "süz"))
    ):
        return suffix[1:]
    if suffix[:1] == "y" and suffix[1:2] in ("l", "d", "s", "k", "m"):
        return suffix[1:]  # on-la, on-du, on-sa, on-ken, on-muş
    if suffix[:2] == "nc":
        return "ı" + suffix
    return suffix
