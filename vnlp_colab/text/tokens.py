"""`tokenize`: Turkish words and marks as the treebanks cut them, the tokens of this package.

One pass of one compiled pattern. Where a full stop stands inside the text, `stops` says first which ones belong to
their words; those are hidden behind stand-ins of the same length, so that every offset holds for the text as given.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, overload

from vnlp_colab.text.addresses import DOMAIN_ENDS, FILE_ENDS
from vnlp_colab.text.inputs import check_text
from vnlp_colab.text.stops import APOSTROPHES, belongs_to_word, is_plain_word
from vnlp_colab.text.symbols import EMOTICON

if TYPE_CHECKING:
    from collections.abc import Iterator

# Marks on or inside a word that `\w` leaves out: combining accents of the scripts people mix into Turkish (Latin,
# Cyrillic, Hebrew, Arabic, Indic, Thai, kana), the soft hyphen and the two zero-width joiners.
_ON_WORD = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    r"\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20dc\u3099\u309a\ufe20-\ufe2f"
    r"\u00ad\u200c\u200d"
)
# Invisible format characters (zero-width space, direction marks, byte order mark): they separate and are no token.
_INVISIBLE = r"\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"

_A = f"[{APOSTROPHES}]"
_MONEY = "₺$€£¥"
# Groups are repeated inside "(?>...)" and not by "(...)*+": up to Python 3.11.4 those match too much.
_RUN = rf"\w++(?>(?:[{_ON_WORD}]++\w*+)*)"
_SUFFIX = rf"(?>(?:{_A}{_RUN})?)"
# What may join two runs: a hyphen or slash ("ve/veya", "3-2'lik", Penn's "1\/2"), an apostrophe, "&" ("AT&T"); between
# digits also the marks of numbers, times, dates and spans ("1.234,56", "19:30", "1939–1945") and "+" ("3+1 daire"). A
# sign of percent, money or degree stays with its digits ("50₺'ye", "5°C'de").
_JOINS = (
    rf"(?>(?:(?:[-\u2010\u2011/&{APOSTROPHES}]|\\/|(?<=[0-9])[.,:+–](?=[0-9])){_RUN}"
    rf"|(?<=[0-9])(?:[%‰{_MONEY}]|°[CFK]?+)(?!\w))*)"
)
# Stand-ins for a full stop that closes its word and for one inside it; the second one is a letter to the pattern.
_STOP, _JOIN = "\ue000", "\ua4f8"
# Nearly every word ends before white space or a mark: one look ahead then saves the rest.
_WORD = rf"\w++(?:(?=[^\s,.]|[.,](?=[0-9]))(?>(?:[{_ON_WORD}]++\w*+)*){_JOINS}{_STOP}?+)?"
# "%5", "₺50", and "-5" at the start of a token.
_NUMBER = rf"(?>(?:(?<![^\s(\[{{])[-+−](?=[%‰{_MONEY}]?+[0-9]))?)[%‰{_MONEY}]?+(?=[0-9]){_WORD}"
# The suffix of a word that stands before a space by mistake: "Ankara 'da".
_CASE_SUFFIX = "[dt][ae](?:n|ki)?|[yn]?[ıiuüae]|n[ıiuü]n|[ıiuü]n|l[ıiuü]k?|l[ae]r|[dt][ıiuü]r|s[ıiuü]"
_STRAY_SUFFIX = rf"(?<!\S){_A}(?:{_CASE_SUFFIX})(?![\w{APOSTROPHES}])"
_EMOJI_PART = r"(?:[\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]|\u200d[^\w\s])"
_MARK = (
    rf"{_STRAY_SUFFIX}|''|``|--++|{EMOTICON}|[\U0001f1e6-\U0001f1ff]{{2}}|(?:°[CFK]?+|[%‰{_MONEY}]){_A}{_RUN}"
    rf"|°[CFK](?!\w)|[^\w\s{_INVISIBLE}](?>{_EMOJI_PART}*)"
)

# Bounded repetition keeps a long run without "@" linear; 64 is also what the standard allows a mailbox name.
_EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?>(?:\.[\w-]{1,63})+)"
_IN_URL = rf"[^\s<>\"“”{APOSTROPHES}]*[\w/=&#%~+$-]"
_URL = rf"(?:[A-Za-z][A-Za-z0-9+.-]{{1,15}}://|\bwww\.){_IN_URL}"
_DOMAIN = rf"\b[A-Za-z0-9](?:[\w-]{{0,62}}\.){{1,8}}(?:{DOMAIN_ENDS})\b(?!\.\w)(?:[/?#]{_IN_URL})?"
_TAG = rf"(?<!\w)(?:#\w[\w{_ON_WORD}]*+|@\w[\w{_ON_WORD}]*+(?>(?:\.[a-z0-9_]++)*))"  # a name may have stops inside it
_LANGUAGE = r"(?<!\w)[CFJ](?:\+\+|#)(?!\w)"
_KEYCAP = r"[0-9#*]\ufe0f?\u20e3"
_DOT_NAME = r"(?<![\w.])\.(?:NET|com|org|net|tr)\b"

# White space is told apart first: it is what the search meets most often between two words.
_REST = rf"{_WORD}|(?=\S)(?:[,()\"!?“”]|\.++|{_NUMBER}|{_MARK})"
_PLAIN = re.compile(_REST)
_RICH = re.compile(f"(?:{_EMAIL}|{_URL}|{_DOMAIN}|{_TAG}|{_LANGUAGE}|{_DOT_NAME}){_SUFFIX}|{_KEYCAP}|{_REST}")
_RICH_SIGN = re.compile(r"@|#|://|\+\+|\.[A-Za-z]|\u20e3")
_FILE_END = re.compile(r"[A-Za-z0-9]{2,7}+(?!\w)")
_CAPITALS = re.compile(r"[A-ZÇĞİÖŞÜ]")

Span = tuple[str, int, int]


@overload
def tokenize(text: str, offsets: Literal[False] = False) -> list[str]: ...
@overload
def tokenize(text: str, offsets: Literal[True]) -> list[Span]: ...
@overload
def tokenize(text: str, offsets: bool) -> list[str] | list[Span]: ...
def tokenize(text: str, offsets: bool = False) -> list[str] | list[Span]:
    """Split a sentence, or a longer text, into words and marks.

    Every token is a slice of the text: ``text[start:end] == token``, whatever the text. A word keeps its suffix
    (``Ankara'da``, ``%5'lik``), its inner hyphens and slashes, and the full stop that belongs to it (``12. yüzyıl``,
    ``Prof.``, ``A.Ş.'nin``), unless that stop ends the sentence. Numbers, times, dates, amounts of money, file names,
    URLs, e-mail addresses, mentions, hashtags, emoticons and emoji stay whole. Every other mark is a token.

    Parameters
    ----------
    text
        Any string.
    offsets
        Give ``(token, start, end)`` instead of the token alone.

    Examples
    --------
    >>> tokenize("Prof. Dr. Işık 12. yüzyılı anlattı, saat 14.30'da bitti.")
    ['Prof.', 'Dr.', 'Işık', '12.', 'yüzyılı', 'anlattı', ',', 'saat', "14.30'da", 'bitti', '.']
    >>> tokenize("Evet, geldi.", offsets=True)
    [('Evet', 0, 4), (',', 4, 5), ('geldi', 6, 11), ('.', 11, 12)]
    """
    check_text(text, "tokenize")
    shadow, sign = text, None
    if 0 <= text.find(".") < len(text) - 1:
        shadow = _hide_stops(text)
        sign = _RICH_SIGN.search(shadow)
    elif "@" in text or "#" in text or "://" in text or "++" in text or "\u20e3" in text:
        sign = _RICH_SIGN.search(text)
    if offsets or (shadow is not text and (_STOP in text or _JOIN in text)):
        spans = [(text[a:b], a, b) for a, b in map(re.Match.span, _matches(shadow, sign))]
        return spans if offsets else [token for token, _, _ in spans]
    tokens = _found(shadow, sign)
    if shadow is text:
        return tokens
    return "\n".join(tokens).replace(_STOP, ".").replace(_JOIN, ".").split("\n")  # no token has white space in it


def _found(shadow: str, sign: re.Match[str] | None) -> list[str]:
    if sign is None:
        return _PLAIN.findall(shadow)
    return [token for pattern, *place in _stretches(shadow, sign) for token in pattern.findall(shadow, *place)]


def _matches(shadow: str, sign: re.Match[str] | None) -> Iterator[re.Match[str]]:
    if sign is None:
        return _PLAIN.finditer(shadow)
    return (match for pattern, *place in _stretches(shadow, sign) for match in pattern.finditer(shadow, *place))


def _stretches(text: str, sign: re.Match[str] | None) -> Iterator[tuple[re.Pattern[str], int, int]]:
    """Yield the stretches of `text` between spaces that may hold an address or the like, and those between them."""
    done = 0
    while sign:
        start = text.rfind(" ", done, sign.start()) + 1 or done
        end = text.find(" ", sign.end())
        end = len(text) if end < 0 else end
        yield _PLAIN, done, start
        yield _RICH, start, end
        done = end
        sign = _RICH_SIGN.search(text, end)
    yield _PLAIN, done, len(text)


def _hide_stops(text: str) -> str:
    """Return `text` with a stand-in for every full stop that belongs to a word."""
    parts: list[str] = []
    done = 0
    cased: bool | None = None
    last = len(text) - 1
    at = text.find(".")
    while 0 <= at < last:
        if text[at + 1] == " " and is_plain_word(text[text.rfind(" ", 0, at) + 1 : at]):
            at = text.find(".", at + 2)
            continue
        if cased is None:
            cased = _CAPITALS.search(text) is not None
        stand_in = _stand_in(text, at, cased)
        if stand_in:
            parts += (text[done:at], stand_in)
            done = at + 1
        at = text.find(".", at + 1)
    return "".join((*parts, text[done:])) if parts else text


def _stand_in(text: str, at: int, cased: bool) -> str:
    """Return `_JOIN` for a stop inside a word, `_STOP` for one that closes it, "" for one that is a token."""
    before, after = text[at - 1 : at], text[at + 1]
    if not before.isalnum() or after in ".…":
        return ""
    if before.isdigit() and after.isdigit():
        return ""
    if after.isalpha():
        if text[at - 2 : at + 2] == "Ph.D":
            return _JOIN
        if before.isalpha() and (at < 2 or not text[at - 2].isalnum()):  # one letter before the stop
            if not text[at + 2 : at + 3].isalpha():
                return _JOIN  # "T.C", "a.m"
            if before.isupper() and after.isupper():
                return _JOIN  # "G.Saray", "M.FAZIL": the treebanks that have such names keep them whole
        end = _FILE_END.match(text, at + 1)
        if end and end.group() in FILE_ENDS:
            return _JOIN
    if not belongs_to_word(text, at, 0, cased):
        return ""
    return _JOIN if after in APOSTROPHES else _STOP
