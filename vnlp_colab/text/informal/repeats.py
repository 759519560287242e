"""Letters repeated for emphasis: ``çoook`` is ``çok``, ``süperrr`` is ``süper``."""

from __future__ import annotations

import re
from itertools import product

from vnlp_colab.text.informal.words import is_known, mended_like

_RUN = re.compile(r"([^\W\d_])\1{2,}")
_DOUBLE_VOWEL = re.compile(r"([aeıioöuü])\1")
_ROMAN = re.compile("[IVXLCDM]+")
_MOST_RUNS = 4
_ASCII = str.maketrans("çğıöşü", "cgiosu")


def mend_repeats(word: str) -> str:
    """Return a word without the letters it has for emphasis.

    Three equal letters or more become one, or two if only so the lexicon knows the word. Two equal vowels in a word of
    small letters become one if the lexicon knows it only so.

    Examples
    --------
    >>> [mend_repeats(word) for word in ("çoook", "Süperrrr", "evettt", "çook", "saat", "dikkaaat", "hahaha")]
    ['çok', 'Süper', 'evet', 'çok', 'saat', 'dikkat', 'hahaha']
    """
    if _ROMAN.fullmatch(word):
        return word
    mended = mended_like(word, _mended)
    if mended == word and word.islower() and _DOUBLE_VOWEL.search(word):  # a name may well have two: "Haagen"
        mended = mended_like(word, _with_single_vowels)
    return mended


def _mended(word: str) -> str | None:
    runs = list(_RUN.finditer(word))
    if runs:
        if word.startswith("www") or len({run[1] for run in runs}) == len(set(word)):
            return None  # "aaa", "hmmm" and the like are no words
        spellings = [_shortened(word, runs, lengths) for lengths in product((1, 2), repeat=min(len(runs), _MOST_RUNS))]
        return next(filter(_is_word, spellings), spellings[0])
    return None


def _with_single_vowels(word: str) -> str | None:
    spelt = _DOUBLE_VOWEL.sub(r"\1", word)
    return spelt if not is_known(word) and is_known(spelt) else None


def _is_word(word: str) -> bool:
    """Tell whether the lexicon knows a word, or would with its Turkish letters."""
    if is_known(word):
        return True
    if word.translate(_ASCII) != word:
        return False
    from vnlp_colab.text.deasciifier import default_deasciifier

    return is_known(default_deasciifier().deasciify(word))


def _shortened(word: str, runs: list[re.Match[str]], lengths: tuple[int, ...]) -> str:
    parts: list[str] = []
    done = 0
    for run, length in zip(runs, (*lengths, *[1] * len(runs)), strict=False):
        parts += (word[done : run.start()], run[1] * length)
        done = run.end()
    return "".join((*parts, word[done:]))
