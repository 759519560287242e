"""Whether a full stop belongs to the word before it: ``12. yüzyıl``, ``Prof. Dr.``, ``T.C.``; or ends a sentence.

The tokenizer and the sentence splitter ask here, so that they never disagree about a stop.
"""

from __future__ import annotations

import re

from vnlp_colab.text.abbreviations import BEFORE_DIGIT, HOLDS, MAY_END, abbreviations

APOSTROPHES = "'’‘‛ʼʻʹ′`´＇\u0092"
OPENERS = "'\"“”‘„«‹([{¿¡-–—*•"
LINE_ENDS = "\n\r\v\f\x85\u2028\u2029"

_CLOSING_QUOTES = "\"”’»›'"
_LONGEST_WORD = 24
_AHEAD = 16
_ORDINAL = re.compile(r"[0-9]{1,4}(?:[-–/][0-9]{1,4})?")  # "3.", "15-16. yüzyıl"
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})(?:[-–]X{0,3}(?:IX|IV|V?I{0,3}))?")
_LETTERS = r"[^\W\d_]"
_INITIALS = re.compile(rf"(?:{_LETTERS}\.)+{_LETTERS}{{1,2}}")  # the last stop is the one asked about: "T.C", "M.Ö"
_LABEL = re.compile(rf"[0-9]{{1,3}}(?:\.[0-9]{{1,3}})*|{_LETTERS}")  # "1.", "2.3.", "a." at the start of a sentence
# What an ordinal of four digits is said of; before another small letter it is a year that ends its sentence.
_AFTER_YEAR = re.compile(r"(?:yıl|gün|sayı|madde|yüzyıl|doğum|ölüm|kuruluş|kez|kere|kişi|müşteri|üye)")

# A capital that begins a sentence, no name: "sayısı 12. Yarın", but "57. Alay".
_STARTERS_LIST = """
    Acaba Ama Ancak Artık Asla Aslında Ayrıca Bana Bazen Bazı Belki Ben Beni Benim Biz Bizi Bizim Bu Bugün Buna Bundan
    Bunlar Bunu Bunun Burada Böyle Böylece Çünkü Daha Dün Eğer En Evet Fakat Galiba Hangi Hani Hatta Hayır Hem Hemen Hep
    Her Herkes Hiç Hiçbir Hâlâ İşte Keşke Kim Kimse Lütfen Madem Meğer Nasıl Ne Neden Nerede Niye O Oysa Ona Ondan Onlar
    Onu Onun Orada Öyle Peki Sadece Sakın Sanki Sen Senin Siz Sizin Sonra Şimdi Şu Şunu Tabii Üstelik Ve Veya Ya Yani
    Yarın Yine Yoksa Zaten
"""
_STARTERS = frozenset(_STARTERS_LIST.split())
_FIRST_WORD = re.compile(rf"[\s{re.escape(OPENERS)}]*([^\W\d_]+)")

_TABLE = abbreviations()


def is_plain_word(word: str) -> bool:
    """Tell quickly that a full stop behind `word` is no part of it, as nearly all are."""
    return len(word) > 1 and word.islower() and word.isalpha() and word not in _TABLE


def word_before(text: str, at: int, start: int = 0) -> str:
    """Return the word that ends at `at`, without the marks that open it; at most 24 characters back."""
    words = text[max(start, at - _LONGEST_WORD) : at].split()
    if not words or text[at - 1].isspace():
        return ""
    word = words[-1].lstrip(OPENERS)
    last = word.rpartition(".")[2]
    return last if last in _TABLE and word not in _TABLE else word  # "Prof.Dr.Ali": the spaces were lost


def next_letter(text: str, position: int) -> str:
    """Return the first character from `position` on that is neither white space nor an opening mark."""
    ahead = text[position : position + _AHEAD].lstrip()
    for character in ahead:
        if character not in OPENERS and not character.isspace():
            return character
    return ahead[:1]


def belongs_to_word(text: str, at: int, start: int = 0, cased: bool = True) -> bool:
    """Tell whether the full stop at `at` is part of the word before it.

    Parameters
    ----------
    text
        The text.
    at
        The place of a full stop that has no other beside it.
    start
        Where the sentence begins.
    cased
        False if the text is written without capitals, where a small letter says nothing.
    """
    word = word_before(text, at, start)
    if not word:
        return False
    ahead = text[at + 1 : at + 1 + _AHEAD]
    after = ahead[:1]
    following = next_letter(text, at + 1)
    if not following:
        return False  # the last stop of the text
    if after in APOSTROPHES and ahead[1:2].isalpha():
        return _is_dotted(word)  # "A.Ş.'nin", "3.'lük"
    if after in _CLOSING_QUOTES:
        return False  # the quoted sentence is over
    if after in ",;:-–":
        return _is_dotted(word)  # "1., 2. ve 3.", "Inc., New York", "2.-3. sıra"
    if after == ")":
        return _is_abbreviation(word)
    if after in LINE_ENDS:
        return _TABLE.get(word) == HOLDS
    if not after.isalnum() and _LABEL.fullmatch(word) and _begins(text, start, at - len(word)):
        return True  # "1. Giriş", "2.3. Sonuç"
    if _ORDINAL.fullmatch(word):
        return _is_ordinal(word, text, at, following, cased)
    kind = _TABLE.get(word)
    if kind == MAY_END:
        in_capitals = word.isupper() and len(word) > 1  # where a capital says nothing
        return following.islower() or in_capitals or ahead.lstrip().startswith("(")
    if kind == BEFORE_DIGIT:
        return following.isdigit()
    if len(word) == 1:
        # "A. Yılmaz", "s. 12"; a letter before a small one without a space is an address ("m.facebook").
        return word.isalpha() and not after.islower()
    if _INITIALS.fullmatch(word):
        return not _starts_sentence(text, at)
    return kind == HOLDS or _is_roman(word)


def _begins(text: str, start: int, at: int) -> bool:
    """Tell whether nothing but opening marks stands between the start of the sentence and `at`."""
    return at - start <= _AHEAD and not text[start:at].strip(OPENERS + " ")


def _is_ordinal(word: str, text: str, at: int, following: str, cased: bool) -> bool:
    """Tell an ordinal from a number that ends its sentence by its length and by what comes next."""
    if following.isdigit():
        return False
    if following.islower():
        if cased or len(word) <= 3 or "-" in word:
            return True
        return _AFTER_YEAR.match(text[at + 1 : at + 1 + _AHEAD].lstrip()) is not None
    # "3. Bölüm", "57. Alay"; a longer number before a capital is a year or an amount that ends its sentence.
    return len(word) <= 2 and not _starts_sentence(text, at)


def _starts_sentence(text: str, at: int) -> bool:
    """Tell whether the word behind the stop is one that sentences begin with, capital and all."""
    first = _FIRST_WORD.match(text, at + 1, at + 1 + _AHEAD)
    return first is not None and first[1] in _STARTERS


def _is_roman(word: str) -> bool:
    return word.isupper() and _ROMAN.fullmatch(word) is not None


def _is_abbreviation(word: str) -> bool:
    return word in _TABLE or (len(word) == 1 and word.isalpha()) or _INITIALS.fullmatch(word) is not None


def _is_dotted(word: str) -> bool:
    return _is_abbreviation(word) or _ORDINAL.fullmatch(word) is not None or _is_roman(word)
