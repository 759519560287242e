"""Between a text as written and what the models read: how accents go, and where each character of the result was.

Cleaning never makes a text longer: white space shrinks, a letter and its marks join into one character or stay as many
as they are. So every cleaned character has a written one (or more) of its own, and the places of tokens in the text as
given never overlap, in any script.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from vnlp_colab.text.accents import remove_accent_marks
from vnlp_colab.text.remembered import remembered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Span = tuple[int, int]

_WORD = re.compile(r"\S+")
# A lone surrogate is no character: no file format can hold it, so it becomes the replacement character.
_SURROGATE = re.compile("[\ud800-\udfff]")
_APOSTROPHES = dict.fromkeys("'’‘‛ʼʻʹ′`´＇\u0092", "'")
_QUOTES = dict.fromkeys('"“”„‟«»″＂\u0093\u0094', '"')
_DOTTED = dict.fromkeys("Iİı", "i")
_LETTERS = {**_APOSTROPHES, **_QUOTES, **_DOTTED}
# How far ahead a token of the caller's may stand, in letters: tokens may have been left out, but not a whole page.
_WINDOW = 4096


def replace_surrogates(text: str) -> str:
    """Return `text` with lone surrogates replaced by ``\ufffd``, so that it can be written as UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def remove_accents(text: str) -> str:
    """Return `text` composed (NFC), without accent marks (``â`` to ``a``).

    The few characters that NFC takes apart (``U+0958``) stay as they are.
    """
    if text.isascii():
        return text
    text = replace_surrogates(text)
    if not unicodedata.is_normalized("NFC", text):
        text = _patterns()[0].sub(_composed, text)
    return remove_accent_marks(text)


def spans_in_original(original: str, cleaned: str, spans: Sequence[Span]) -> list[Span]:
    """Carry spans of a cleaned sentence over to the text it was made from.

    Cleaning works on each word by itself, and inside it on each written character (a base and the marks that may join
    it), so doing that again tells where each cleaned character came from. Spans of ``cleaned`` that do not overlap do
    not overlap in ``original`` either.

    Examples
    --------
    >>> spans_in_original("  Kâğıt   bitti", "Kağıt bitti", [(0, 5), (6, 11)])
    [(2, 7), (10, 15)]
    """
    if len(original) == len(cleaned):  # nothing grows, so where nothing is lost nothing moved
        return list(spans)
    places: list[Span] = []
    for match in _WORD.finditer(original):
        if places:
            places.append((places[-1][1], match.start()))  # the white space before the word
        places += _word_places(match.group(), match.start())
    if len(places) != len(cleaned):  # a text of the caller's own
        return align_tokens(original, [cleaned[start:end] for start, end in spans])
    return [(places[start][0], places[end - 1][1]) for start, end in spans]


def align_tokens(text: str, tokens: Sequence[str]) -> list[Span]:
    """Return the place of each token in `text`, for tokens that someone else cut.

    Each token is looked for behind the one before it. Case, accents, the shape of apostrophes and quotation marks and
    the spaces inside a token may differ. A token that the text does not have gets an empty span where the one before
    it ended.

    Examples
    --------
    >>> align_tokens("Kâmil  Ankara’ya gitti.", ["kamil", "Ankara", "'ya", "gitti", "."])
    [(0, 5), (7, 13), (13, 16), (17, 22), (22, 23)]
    """
    found = found_as_written(text, tokens)
    return _found_by_letters(text, tokens) if found is None else found


def _word_places(word: str, at: int) -> Iterator[Span]:
    """Yield where each character of a cleaned word was; `at` is the word's start."""
    if len(remove_accents(word)) == len(word):
        for place in range(at, at + len(word)):
            yield place, place + 1
        return
    for match in _patterns()[1].finditer(word):
        start, end = match.start() + at, match.end() + at
        last = start + len(remove_accents(match.group())) - 1
        for place in range(start, last):
            yield place, place + 1
        yield last, end


def _composed(match: re.Match[str]) -> str:
    written = match.group()
    composed = unicodedata.normalize("NFC", written)
    return composed if len(composed) <= len(written) else written


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of what NFC treats as one: those it may change, and any.

    What can join the character before it are marks with a combining class and the second halves of compositions
    (Hangul vowels and finals, Indic vowel signs). Beyond the first two planes there are none. Made when first needed:
    most texts are composed.
    """
    joining = {chr(code) for code in [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]}
    for code in range(0x80, 0x20000):
        character = chr(code)
        if unicodedata.combining(character):
            joining.add(character)
        halves = unicodedata.decomposition(character).split()
        if len(halves) == 2 and not halves[0].startswith("<"):
            joining.add(chr(int(halves[1], 16)))
    for code in range(0x80, 0x20000):  # what falls apart into marks
        if unicodedata.normalize("NFD", chr(code))[0] in joining:
            joining.add(chr(code))
    marks = "[" + "".join(f"{low}-{high}" for low, high in _ranges(sorted(joining))) + "]"
    # A space is never a base, so that words can be cleaned one by one.
    may_change = re.compile(rf"[^\x00-\x7f]{marks}*|[^\s\x80-\U0010ffff]{marks}+")
    return may_change, re.compile(rf".{marks}*", re.DOTALL)


def _ranges(characters: list[str]) -> Iterator[tuple[str, str]]:
    first = last = characters[0]
    for character in [*characters[1:], ""]:
        if not character or ord(character) != ord(last) + 1:
            yield first, last
            first = character
        last = character


def found_as_written(text: str, tokens: Sequence[str]) -> list[Span] | None:
    """Return the spans of tokens that stand in the text as they are, with nothing but white space between them."""
    spans, at = [], 0
    for token in tokens:
        start = text.find(token, at, at + len(token) + 64) if token else -1
        if start < 0 or not (start == at or text[at:start].isspace()):
            return None
        at = start + len(token)
        spans.append((start, at))
    return spans


def _found_by_letters(text: str, tokens: Sequence[str]) -> list[Span]:
    letters, places = _letters(text)
    spans: list[Span] = []
    at = end = 0
    for token in tokens:
        wanted = _letters_of(token)
        start = _next(letters, places, wanted, at) if wanted else -1
        if start < 0:
            spans.append((end, end))
            continue
        at = start + len(wanted)
        # Two tokens may share one written character that is several letters (a Hangul syllable): the first has it.
        first, end = max(end, places[start][0]), max(end, places[at - 1][1])
        spans.append((first, end))
    return spans


def _next(letters: str, places: list[Span], wanted: str, at: int) -> int:
    """Return where the letters of a token come next: right here, or soon and at the start of a word."""
    if letters.startswith(wanted, at):
        return at
    limit = at + _WINDOW + len(wanted)
    start = letters.find(wanted, at, limit)
    while start > 0:
        apart = places[start][0] > places[start - 1][1]
        if apart or not (letters[start - 1].isalnum() and letters[start].isalnum()):
            return start
        start = letters.find(wanted, start + 1, limit)
    return start


@remembered(65_536)
def _letters_of(token: str) -> str:
    return _letters(token)[0]


def _letters(text: str) -> tuple[str, list[Span]]:
    """Return what is left of a text without case, marks and white space, and where each letter of it stands."""
    letters: list[str] = []
    places: list[Span] = []
    for match in _patterns()[1].finditer(text):
        written = match.group()
        if written.isspace() or unicodedata.category(written[0]) == "Cf":
            continue
        bases = [_letter(part) for part in unicodedata.normalize("NFD", written) if not unicodedata.combining(part)]
        kept = "".join(bases) or written
        letters.append(kept)
        places += [match.span()] * len(kept)
    return "".join(letters), places


def _letter(character: str) -> str:
    shape = _LETTERS.get(character)
    if shape is not None:
        return shape
    lower = character.lower()
    return lower if len(lower) == 1 else character
