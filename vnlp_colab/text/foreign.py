"""Lower case of single words, foreign ones included: ``Isparta`` is ``ısparta``, but ``Instagram`` is ``instagram``.

Turkish rules make ``ı`` of every ``I``. Names written by the rules of other languages, Roman numerals and words typed
without Turkish letters have an ``i`` there. The letters around it tell most of them apart, the lexicon the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vnlp_colab.text.case import lower_case

if TYPE_CHECKING:
    from collections.abc import Callable

_APOSTROPHE = re.compile("['’‘`´ʼ]")
_ROMAN = re.compile(r"(?:X{0,3}(?:IX|IV|V?I{0,3}))(?:[-–]X{0,3}(?:IX|IV|V?I{0,3}))?\.?")
_ONLY_TURKISH = re.compile("[İÇĞÖŞÜ]")
_NEVER_TURKISH = re.compile("[QWX]")
_BESIDE_A_VOWEL = re.compile("I[AEIOU]|[AEIOU]I")
_AFTER_E = re.compile("E[BCDFGHJKLMNPRSTVYZ]+I")  # no harmony: with its dots on, the word would have an "İ"
_CLUSTER_IN_FRONT = re.compile("[BCDFGHJKLMNPRSTVYZ]{2}")

# How words begin that have an "ı" in front: those of the dictionary and the place names. There are few.
_BEGINS_WITH_DOTLESS_LIST = """
    ıcık ığd ığr ıhla ıkın ıkıl ıkla ıldır ıldız ılgar ılgat ılgaz ılgım ılgın ılgıt ılı ıpıs ıraklı ırakla ırakt
    ıraksa ırgal ırgan ırgat ırgın ırgıt ırk ırlama ırlay ırmak ırmağ ırz ısı ıskala ıskarta ıskon ıslak ıslah ıslat
    ıslan ıslık ıslığ ısmarla ıspanak ıspanağ ısparta ıspatul ıspazmoz ısrar ıssı ıstak ıstam ıstıf ıstır ıstranc ışı
    ışgın ışkın ıtır ıtri ıvır ızbandut ızdır ızgar
"""
_BEGINS_WITH_DOTLESS = tuple(_BEGINS_WITH_DOTLESS_LIST.split())
_WHOLE_WITH_DOTLESS = frozenset({"ırak", "ıska", "ılgar", "ıtrî", "ırsî", "ıslâh"})
_BEGINS_LIKE_DOTLESS = ("island", "irkut")
# Frequent names and acronyms that no letter gives away, for text in capitals.
_FOREIGN_NAMES_LIST = """
    acid adidas africa airbnb alice ansi api aris asia asics atis austin barbie basic berlin bill bing bitcoin boris
    bristol bruno bugatti california carolina chicago china chip cid cis clint clinton colin copilot covid cristiano
    curtis daily dario david dennis dice digimon dis disco disney diva dpi dublin edi emi esi fiat fiba fide fifa figma
    fiji fila fim fis florida gif gimp gina github gmail gucci hamilton harris hilton him icardi instagram javascript
    jit kick kids kiss kit kitt lamborghini lid lidl light linda linux lipton madrid malcolm malibu mamma martin mic
    microsoft midi mig miki mim mime mini mit mitsubishi mobil mozilla nairobi napoli nato nic nicole nirvana nis
    nissan nokia norris oprah paris philip philips pic pip pisa pixar playstation ppi psi radio ramiz ribs richard
    rihanna rik rim rip robin roma rsi santiago seti shakira sicilia sid sig sim sip siri smith sonic spotify studio
    suzuki tiktok tim tinder titanic torino trinity ubisoft udi uni unicef unido uri uti vic vichy viking villa vim vip
    virginia visa vista vladimir wifi yokohama zidane zip
"""
_FOREIGN_NAMES = frozenset(_FOREIGN_NAMES_LIST.split())


def lower_word(word: str, is_known: Callable[[str], bool] | None = None) -> str:
    """Return one word in lower case, with ``i`` for ``I`` where the word is no Turkish one.

    A word with a small letter before a capital ``I`` (``LinkedIn``), a Roman numeral and a word with ``Q``, ``W`` or
    ``X`` is foreign. One that begins with ``I`` and goes on in small letters is Turkish only if it begins like one of
    the few words that do. One in capitals is Turkish if it has a letter only Turkish has, or if the lexicon knows it
    with ``ı``. Behind an apostrophe a suffix is Turkish.

    Parameters
    ----------
    word
        One token.
    is_known
        Tells whether a word in lower case is Turkish; by default the package's lexicon does.

    Examples
    --------
    >>> [lower_word(word) for word in ("Instagram'ın", "Isparta'nın", "KIRMIZI", "WIFI", "II.", "INTERNET")]
    ["instagram'ın", "ısparta'nın", 'kırmızı', 'wifi', 'ii.', 'internet']
    """
    if "I" not in word:
        return lower_case(word)
    apostrophe = _APOSTROPHE.search(word)
    end = apostrophe.start() if apostrophe else len(word)
    stem = word[:end]
    if "I" in stem and _is_foreign(stem, is_known):
        return lower_case(stem.replace("I", "i")) + lower_case(word[end:])
    return lower_case(word)


def _is_foreign(stem: str, is_known: Callable[[str], bool] | None) -> bool:
    if _ROMAN.fullmatch(stem):
        return stem != "I"  # the letter itself, more often than the numeral without its stop
    letters = "".join(filter(str.isalpha, stem))
    if letters.isupper():
        return len(letters) > 1 and _is_foreign_in_capitals(stem, is_known)
    if "I" in letters[1:]:
        return True  # "LinkedIn", "WiFI"
    return not _has_dotless_front(lower_case(stem))


def _has_dotless_front(lowered: str) -> bool:
    if ("i" + lowered[1:]).startswith(_BEGINS_LIKE_DOTLESS):
        return False
    return lowered in _WHOLE_WITH_DOTLESS or lowered.startswith(_BEGINS_WITH_DOTLESS)


def _is_foreign_in_capitals(stem: str, is_known: Callable[[str], bool] | None) -> bool:
    lowered, dotted = lower_case(stem), lower_case(stem.replace("I", "i"))
    if _ONLY_TURKISH.search(stem):
        return False
    if stem[0] == "I":
        return not _has_dotless_front(lowered)
    if _NEVER_TURKISH.search(stem) or _BESIDE_A_VOWEL.search(stem) or dotted in _FOREIGN_NAMES:
        return True
    known = is_known or _in_lexicon
    if known(lowered) and not (_AFTER_E.search(stem) and known(dotted)):
        return False
    # Unknown either way: no Turkish word begins with two consonants, and "ı" beside "e" is against vowel harmony.
    return known(dotted) or "E" in stem or _CLUSTER_IN_FRONT.match(stem) is not None


def _in_lexicon(word: str) -> bool:
    from vnlp_colab.text.morphology import default_generator

    return default_generator().candidates(word)[0].tags != "Unknown"
