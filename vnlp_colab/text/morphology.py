"""Every analysis a Turkish word can have: the candidates among which the stemmer's network chooses.

A word is cut into root and suffix at every place; a cut counts where the suffix is in the lexicon and the root, or
the root with a sound change undone, is a stem the suffix can follow. The answer depends on the word alone, and its
order is fixed: shorter roots first, and for each the readings in the lexicon's order.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.foreign import lower_word
from vnlp_colab.text.lexicon import NUMBER, PROPER, PUNCTUATION, Lexicon, default_lexicon
from vnlp_colab.text.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHED_WORDS = 50_000

_CAPITALS = frozenset("ABCÇDEFGĞHIİJKLMNOÖPQRSŞTUÜVWXYZ")
_LETTER = re.compile("[a-zçğıöşü]")
_DIGIT = re.compile("[0-9]")
# "ç" is missing on purpose: upstream doubles and drops vowels around every consonant but this one.
_CONSONANTS = frozenset("bcdfgğhjklmnprsştvyzxwq")
_HARDENED = {"b": "p", "c": "ç", "d": "t", "ğ": "k", "g": "k"}
_WIDENED = {"i": "e", "ü": "e", "ı": "a", "u": "a"}
# The vowel a root may have lost before a suffix, by the suffix's first letter.
_DROPPED_VOWELS = {"u": "u", "ü": "ü", "ı": "ı", "i": "i", "e": "iü", "a": "ıu"}
_DATIVE_PRONOUNS = {"ban": "ben", "san": "sen", "Ban": "Ben", "San": "Sen"}
# Roots the stem list writes in another way than the text does.
_LISTED_AS = {"tıp": "tıb", "prof.": "profesör", "dr.": "doktor", "yi": "ye", "ed": "et", "di": "de"}


# The tags of a word in which the lexicon finds nothing.
UNKNOWN = "Unknown"


class Analysis(NamedTuple):
    """One reading of a word: its root, in lower case, and its tag sequence."""

    root: str
    tags: str

    def __str__(self) -> str:
        return f"{self.root}+{self.tags}"


def _changed_roots(root: str, suffix: str) -> Iterator[str]:
    """Give the roots that may stand behind `root` before `suffix` when a sound change is undone."""
    last = root[-1]
    if len(root) > 1 and last in _WIDENED and "yor" in suffix:
        yield root[:-1] + _WIDENED[last]  # bekl-iyor: bekle
    if len(root) < 3:
        return
    if last in _CONSONANTS and root[-2] in _CONSONANTS:
        for vowel in _DROPPED_VOWELS.get(suffix[0], ""):
            yield root[:-1] + vowel + last  # ağz-ım: ağız
    if last in _HARDENED:
        yield root[:-1] + _HARDENED[last]  # kitab-ı: kitap


def _respelt(root: str, turkish: str, read: str) -> str:
    """Return `root` with the letters of `read` as far as it is spelt like `turkish`."""
    same = next(
        (at for at, (a, b) in enumerate(zip(root, turkish, strict=False)) if a != b), min(len(root), len(turkish))
    )
    return read[:same] + root[same:]


class CandidateGenerator:
    """The candidates of words over one lexicon.

    Parameters
    ----------
    lexicon
        The tables to look in, by default those inside the package.
    cached_words
        How many words' candidates are kept.

    Examples
    --------
    >>> [str(analysis) for analysis in CandidateGenerator().candidates("kitabı")]
    ['kitap+Noun+A3sg+P3sg+Nom', 'kitap+Noun+A3sg+Pnon+Acc']
    """

    def __init__(self, lexicon: Lexicon | None = None, cached_words: int = CACHED_WORDS) -> None:
        self._lexicon = lexicon or default_lexicon()
        self._longest_suffix = max(map(len, self._lexicon.suffixes))
        self._words = {
            word: tuple(Analysis(*reading) for reading in readings) for word, readings in self._lexicon.words.items()
        }
        self._kept = Remembered(self._candidates, cached_words)
        self._readings = lru_cache(20_000)(self._select)

    def candidates(self, word: str) -> tuple[Analysis, ...]:
        """Return the candidates of `word`; never empty, ``Unknown`` if the lexicon has none."""
        return self._kept(word)

    def roots(self, word: str) -> tuple[str, ...]:
        """Return the roots the lexicon finds in `word`, shorter ones first; none where it knows no reading.

        Examples
        --------
        >>> CandidateGenerator().roots("ağzımızdan"), CandidateGenerator().roots("xqw")
        (('ağız',), ())
        """
        return tuple(dict.fromkeys(root for root, tags in self.candidates(word) if tags != UNKNOWN))

    def is_stem(self, word: str) -> bool:
        """Tell whether `word` is itself a stem of the lexicon."""
        return word in self._lexicon.stems

    @property
    def cached_words(self) -> int:
        """How many words' candidates are kept now."""
        return len(self._kept)

    def forget(self) -> None:
        """Forget all words."""
        self._kept.forget()
        self._readings.cache_clear()

    def _candidates(self, word: str) -> tuple[Analysis, ...]:
        found = self._turkish_candidates(word)
        if "I" not in word:
            return found
        # The lexicon has every "I" as "ı"; the roots of foreign words get their "i" back.
        turkish, read = lower_case(word), lower_word(word, self._knows)
        if turkish == read:
            return found
        return tuple(Analysis(_respelt(root, turkish, read), tags) for root, tags in found)

    def _knows(self, lowered: str) -> bool:
        return self.candidates(lowered)[0].tags != UNKNOWN

    def _turkish_candidates(self, word: str) -> tuple[Analysis, ...]:
        lowered = lower_case(word)
        if lowered in self._words:
            return self._words[lowered]
        # The lexicon's suffixes are short, so that a very long word costs no more than a long one.
        first_cut = max(1, len(lowered) - self._longest_suffix - 1)
        letter = _LETTER.search(lowered)
        letters_from = letter.start() if letter else len(lowered)
        capitalized = word[0] + lowered[1:] if word[:1] in _CAPITALS else None
        found: dict[tuple[str, str], None] = {}
        if letters_from >= first_cut:
            self._add_numbers(found, lowered, letters_from)
        apostrophe = lowered.rfind("'")
        suffixes = self._lexicon.suffixes
        for cut in range(max(first_cut, letters_from + 1), len(lowered)):
            suffix = lowered[cut:]
            if cut <= apostrophe:
                self._add_before_apostrophe(found, lowered[:cut], capitalized and capitalized[:cut], suffix)
            elif suffix in suffixes or suffix[0] == lowered[cut - 1]:
                self._add_inflected(found, lowered[:cut], suffix)
                if capitalized:
                    self._add_inflected(found, capitalized[:cut], suffix)
        self._add_whole(found, lowered, capitalized, letters_from)
        if not found:
            return (Analysis(lowered, UNKNOWN),)
        return tuple(Analysis(*reading) for reading in found)

    def _select(self, paradigm: int, kinds: int) -> tuple[str, ...]:
        """Return the tag sequences of a paradigm that a stem of these kinds can have."""
        lexicon = self._lexicon
        return tuple(lexicon.tags[tag] for tag in lexicon.paradigms[paradigm] if lexicon.kinds[tag] & kinds)

    def _add(self, found: dict[tuple[str, str], None], root: str, paradigm: int, kinds: int) -> None:
        for tags in self._readings(paradigm, kinds):
            found[root, tags] = None

    def _add_numbers(self, found: dict[tuple[str, str], None], lowered: str, letters_from: int) -> None:
        """Add the cuts whose root has no letter in it: with a digit it is a number, else nothing follows it."""
        digit = _DIGIT.search(lowered, 0, letters_from)
        if digit is None:
            return
        # No suffix is longer than the longest of the lexicon and an apostrophe: earlier cuts cannot count.
        first_cut = max(digit.end(), len(lowered) - self._longest_suffix - 1)
        for cut in range(first_cut, min(letters_from + 1, len(lowered))):
            suffix = lowered[cut:]
            paradigm = self._lexicon.suffixes.get(suffix)
            if paradigm is None and suffix[0] == "'" and len(suffix) > 1:
                paradigm = self._lexicon.suffixes.get(suffix[1:])
            if paradigm is not None:
                self._add(found, lowered[:cut], paradigm, NUMBER)

    def _add_before_apostrophe(
        self, found: dict[tuple[str, str], None], root: str, capitalized: str | None, suffix: str
    ) -> None:
        """Add the cut whose suffix has an apostrophe in it: if it is a listed one, any root may be a name."""
        paradigm = self._lexicon.suffixes.get(suffix)
        is_listed = paradigm is not None
        if paradigm is None and suffix[0] == "'" and len(suffix) > 1:
            paradigm = self._lexicon.suffixes.get(suffix[1:])
        if paradigm is None:
            return
        stems = self._lexicon.stems
        unlisted_root = PROPER if is_listed else 0
        listed_root = _LISTED_AS.get(root, root)
        self._add(found, listed_root, paradigm, stems.get(listed_root, unlisted_root))
        if capitalized:
            self._add(found, root, paradigm, stems.get(capitalized, unlisted_root) & PROPER)

    def _add_inflected(self, found: dict[tuple[str, str], None], root: str, suffix: str) -> None:
        """Add the cut between `root`, in lower case or capitalised, and `suffix`, with all sound changes."""
        suffixes = self._lexicon.suffixes
        paradigm = suffixes.get(suffix)
        if suffix == "a" and root in _DATIVE_PRONOUNS:
            if paradigm is not None:
                self._add_stem(found, _DATIVE_PRONOUNS[root], paradigm)
            return
        if paradigm is not None:
            self._add_stem(found, root, paradigm)
        if len(root) > 2 and root[-1] == suffix[0] and root[-1] in _CONSONANTS:
            shortened = suffixes.get(suffix[1:])  # hiss-i: his
            if shortened is not None:
                self._add_stem(found, root, shortened)
        if paradigm is not None:
            for changed in _changed_roots(root, suffix):
                self._add_stem(found, changed, paradigm)

    def _add_stem(self, found: dict[tuple[str, str], None], root: str, paradigm: int) -> None:
        root = _LISTED_AS.get(root, root)
        kinds = self._lexicon.stems.get(root)
        if kinds is not None:
            is_name = root[0] in _CAPITALS
            self._add(found, lower_case(root) if is_name else root, paradigm, kinds & PROPER if is_name else kinds)

    def _add_whole(
        self, found: dict[tuple[str, str], None], lowered: str, capitalized: str | None, letters_from: int
    ) -> None:
        """Add the readings of the word as a bare stem."""
        bare = self._lexicon.suffixes[""]
        if letters_from < len(lowered):
            self._add_stem(found, lowered, bare)
            if capitalized:
                self._add_stem(found, capitalized, bare)
        elif lowered:
            self._add(found, lowered, bare, NUMBER if _DIGIT.search(lowered) else PUNCTUATION)


@cache
def default_generator() -> CandidateGenerator:
    """Return the generator over the package's lexicon, made once per process."""
    return CandidateGenerator()
