"""Two word tokenizers, each one pass of one compiled pattern over the text.

Both are functions named like VNLP's, take a string and give its tokens in reading order; with ``offsets=True`` each
token comes as ``(token, start, end)`` with ``text[start:end]`` its place in the text as given.
"""

from __future__ import annotations

import re
from typing import Literal, overload

from vnlp_colab.text.inputs import check_text

# Marks that sit on or inside a word though `\w` leaves them out: combining accents (Latin, Cyrillic, Hebrew, Arabic),
# the soft hyphen and the two zero-width joiners.
_W = r"[\w\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u00ad\u200c\u200d]"
# Invisible format characters (zero-width space, direction marks, byte order mark): they separate and are no token.
_FORMAT = r"\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_DOMAIN_ENDS = "com|org|net|edu|gov|mil|int|info|biz|bel|pol|k12|tr|io|co|uk|de|fr|eu|az"

# "%5", "-5" at the start of a token, "1.234,56", "19:30", "1990'larda", "Hah-ha", "ve/veya", "3,5'lik".
_WORD = rf"(?:%(?=\d)|(?<![^\s(\[{{])[-+−](?=\d))?\w{_W}*(?:[-'/\u2010\u2011]\w{_W}*|(?<=\d)[.,:](?=\d){_W}+)*"
# An ellipsis of dots is one mark, as "…" is. An emoji keeps the modifiers and joined emoji that follow it.
_MARK = rf"\.\.+|[^\w\s{_FORMAT}](?:[\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d[^\w\s])*"

# Bounded repetition keeps a long run without "@" linear; 64 is also what the standard allows a mailbox name.
_EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
_URL = r"(?:[A-Za-z][A-Za-z0-9+.-]{1,15}://|\bwww\.)[^\s<>\"'“”]*[\w/=&#%~+$-]"
_BARE_DOMAIN = rf"\b[A-Za-z0-9](?:[\w-]{{0,62}}\.){{1,8}}(?:{_DOMAIN_ENDS})\b(?:[/?#][^\s<>\"'“”]*[\w/=&#%~+$-])?"
_TAG = rf"(?<!\w)[@#]\w{_W}*"
_SUFFIX = rf"(?:'\w{_W}*)?"

_PLAIN = re.compile(f"{_WORD}|{_MARK}")
_RICH = re.compile(f"(?:{_EMAIL}|{_URL}|{_BARE_DOMAIN}|{_TAG}){_SUFFIX}|{_WORD}|{_MARK}")
# Few sentences hold a link, an address or a tag; the others take the smaller pattern.
_NEEDS_RICH = re.compile(r"[@#]|://|\.[A-Za-z]")
_WORD_OR_MARKS = re.compile(r"\w+|[^\w\s]+")

Span = tuple[str, int, int]


@overload
def TreebankWordTokenize(text: str, offsets: Literal[False] = False) -> list[str]: ...
@overload
def TreebankWordTokenize(text: str, offsets: Literal[True]) -> list[Span]: ...
@overload
def TreebankWordTokenize(text: str, offsets: bool) -> list[str] | list[Span]: ...
def TreebankWordTokenize(text: str, offsets: bool = False) -> list[str] | list[Span]:  # noqa: N802 - VNLP's name
    """Split a sentence into words and marks, the tokens every model of this package reads.

    A word keeps its inner hyphens, slashes and apostrophes; ``’`` becomes ``'``. Numbers (``1.234,56``, ``19:30``,
    ``%5``), URLs, e-mail addresses, mentions and hashtags stay whole. Every other mark is a token.

    Parameters
    ----------
    text
        Any string.
    offsets
        Give ``(token, start, end)`` instead of the token alone.

    Examples
    --------
    >>> TreebankWordTokenize("Ankara’da saat 19:30, %5 indirim!")
    ["Ankara'da", 'saat', '19:30', ',', '%5', 'indirim', '!']
    >>> TreebankWordTokenize("Evet, geldi.", offsets=True)
    [('Evet', 0, 4), (',', 4, 5), ('geldi', 6, 11), ('.', 11, 12)]
    """
    check_text(text, "TreebankWordTokenize")
    text = text.replace("’", "'")  # one character for one, so offsets stay true
    pattern = _RICH if _NEEDS_RICH.search(text) else _PLAIN
    return _spans(pattern, text) if offsets else pattern.findall(text)


@overload
def WordPunctTokenize(text: str, offsets: Literal[False] = False) -> list[str]: ...
@overload
def WordPunctTokenize(text: str, offsets: Literal[True]) -> list[Span]: ...
@overload
def WordPunctTokenize(text: str, offsets: bool) -> list[str] | list[Span]: ...
def WordPunctTokenize(text: str, offsets: bool = False) -> list[str] | list[Span]:  # noqa: N802 - VNLP's name
    """Split a text into runs of word characters and runs of marks.

    Parameters
    ----------
    text
        Any string.
    offsets
        Give ``(token, start, end)`` instead of the token alone.

    Examples
    --------
    >>> WordPunctTokenize("Ankara'da 3,5 yıl...")
    ['Ankara', "'", 'da', '3', ',', '5', 'yıl', '...']
    """
    check_text(text, "WordPunctTokenize")
    return _spans(_WORD_OR_MARKS, text) if offsets else _WORD_OR_MARKS.findall(text)


def _spans(pattern: re.Pattern[str], text: str) -> list[Span]:
    return [(match.group(), match.start(), match.end()) for match in pattern.finditer(text)]
