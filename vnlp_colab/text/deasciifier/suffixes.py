"""Suffixes behind an apostrophe (``Ankara'nin``, ``1990'in``): vowel harmony with the stem gives their letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.deasciifier.letters import TO_ASCII

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_BACK, _FRONT = "aıouâûô", "eiöüîê"
_VOWELS = frozenset(_BACK + _FRONT)
# Whether the name of a number ends in front vowels: by its last digit, then by its last two or more zeros.
_FRONT_DIGITS = {"1": True, "2": True, "3": True, "4": True, "5": True, "6": False, "7": True, "8": True, "9": False}
_FRONT_TENS = {"1": False, "2": True, "3": False, "4": False, "5": True, "6": False, "7": True, "8": True, "9": False}


def takes_front_vowels(stem: str) -> bool:
    """Tell by rule whether a stem, in its Turkish letters, takes ``e i ö ü`` in its suffixes."""
    if stem[-1:].isdigit():
        return _number_is_front(stem)
    letters = lower_case(stem)
    if len(stem) > 1 and stem.isupper() and letters[-1] not in _VOWELS:
        return True  # read letter by letter: te-be-em-em, and nearly every letter's name ends in "e"
    for letter in reversed(letters):
        if letter in _VOWELS:
            return letter in _FRONT
    return True


def _number_is_front(digits: str) -> bool:
    bare = digits.rstrip("0")
    zeros = len(digits) - len(bare)
    if not bare:
        return False  # sıfır
    if zeros == 0:
        return _FRONT_DIGITS.get(bare[-1], True)
    if zeros == 1:
        return _FRONT_TENS.get(bare[-1], True)
    return zeros < 6  # yüz, bin; milyon and milyar are back


def by_harmony(suffix: str, front: bool) -> str:
    """Return an ASCII suffix with ``i`` and ``u`` in harmony with the vowels before them."""
    letters = []
    for letter in suffix:
        if letter in "ae":
            front = letter == "e"
        elif not front and letter == "i":
            letter = "ı"
        elif front and letter == "u":
            letter = "ü"
        letters.append(letter)
    return "".join(letters)


def stem_key(stem: str) -> str:
    """Return a stem, in its Turkish letters, as the list of odd ones has it: lower case, marked if all capitals."""
    return f"^{lower_case(stem)}" if len(stem) > 1 and stem.isupper() else lower_case(stem)


class SuffixModel:
    """The frequent suffixes of back and front stems, and the stems that break the rule (``saat'i``, ``Google'ın``)."""

    def __init__(self, back: Sequence[str], front: Sequence[str], odd_stems: Collection[str]) -> None:
        self._tables = ({s.translate(TO_ASCII): s for s in back}, {s.translate(TO_ASCII): s for s in front})
        self._odd_stems = odd_stems

    def reading(self, stem: str, suffix: str) -> str:
        """Return the Turkish letters of an ASCII `suffix` behind `stem`, which has its own already."""
        front = takes_front_vowels(stem) != (stem_key(stem) in self._odd_stems)
        known = self._tables[front].get(suffix)
        return by_harmony(suffix, front) if known is None else known
