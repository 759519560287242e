"""Sentence boundaries by rule: find every possible end, then ask what stands before and after it."""

from __future__ import annotations

import re
from typing import Literal, overload

from vnlp_colab.text.abbreviations import abbreviations
from vnlp_colab.text.inputs import check_text

_CLOSERS = r"'\"”’»›)\]}"
_OPENERS = "'\"“”‘„«‹([{¿¡-–—*•"
_LINE_ENDS = r"\n\r\v\f\x85\u2028\u2029"
# A line end, or stops with the quotes and brackets that close behind them, then white space. A closing mark may stand
# off by a space, as in tokenised text, if white space follows it. The lookbehind and the possessive repeats keep a
# long run of stops linear.
_CANDIDATE = re.compile(rf"[{_LINE_ENDS}]|(?<![.!?…])([.!?…]++)((?: ?[{_CLOSERS}]++(?=\s|\Z))?+)(?=\s)")
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_INITIALS = re.compile(r"(?:\w{1,3}\.)+\w{1,3}")  # the last stop is the candidate: "T.C", "Ph.D", "M.Ö"
_LONGEST_PREFIX = 24

SentenceSpan = tuple[str, int, int]


class SentenceSplitter:
    """Split Turkish text into sentences.

    A line end always separates. A stop separates when white space and then a capital, a digit or an opening mark
    follow, except after abbreviations, initials, ordinals (``3.``, ``II.``) and list numbers.

    Examples
    --------
    >>> SentenceSplitter().split_sentences('Av. Meryem Beşer 3. davayı kazandı. "Bitti." Bu harika bir haber.')
    ['Av. Meryem Beşer 3. davayı kazandı.', '"Bitti."', 'Bu harika bir haber.']
    """

    def __init__(self) -> None:
        self._abbreviations = abbreviations()

    @overload
    def split_sentences(self, text: str, offsets: Literal[False] = False) -> list[str]: ...
    @overload
    def split_sentences(self, text: str, offsets: Literal[True]) -> list[SentenceSpan]: ...
    @overload
    def split_sentences(self, text: str, offsets: bool) -> list[str] | list[SentenceSpan]: ...
    def split_sentences(self, text: str, offsets: bool = False) -> list[str] | list[SentenceSpan]:
        """Return the sentences in order, each a slice of `text` without white space around it.

        Parameters
        ----------
        text
            Any string.
        offsets
            Give ``(sentence, start, end)`` with ``text[start:end] == sentence``.
        """
        check_text(text, "split_sentences")
        spans: list[SentenceSpan] = []
        start = 0
        for match in _CANDIDATE.finditer(text):
            if match.group(1) is None:
                end = match.end()
            elif self._ends(text, start, match):
                end = _behind_closing_marks(text, start, match)
            else:
                continue
            _append(spans, text, start, end)
            start = end
        _append(spans, text, start, len(text))
        return spans if offsets else [sentence for sentence, _, _ in spans]

    def _ends(self, text: str, start: int, match: re.Match[str]) -> bool:
        following = _next_letter(text, match.end())
        if following.islower() or not following:
            return False
        if match.group(1) != ".":
            return True
        return not self._holds_on(text, start, match, following)

    def _holds_on(self, text: str, start: int, match: re.Match[str], following: str) -> bool:
        """Tell whether the full stop belongs to the word before it."""
        closers = match.group(2).lstrip()
        if closers.strip(")"):  # a quote closes behind it: the quoted sentence is over
            return False
        words = text[max(start, match.start() - _LONGEST_PREFIX) : match.start()].split()
        if not words:
            return False
        word = words[-1].lstrip(_OPENERS)
        if len(words) == 1 and not closers and _is_label(word):
            return True
        if word.isdigit():
            # "3. Bölüm", "57. Alay"; a longer number before a capital is a year or an amount that ends its sentence.
            return len(word) <= 2 and not following.isdigit()
        return (
            (len(word) == 1 and word.isalpha())
            or word in self._abbreviations
            or (word.isupper() and _ROMAN.fullmatch(word) is not None)
            or _INITIALS.fullmatch(word) is not None
        )


def _behind_closing_marks(text: str, start: int, match: re.Match[str]) -> int:
    """Return the end of the sentence; a straight quote that stands off closes only if one is open before it."""
    closers = match.group(2)
    if closers[:2] in {' "', " '"} and text.count(closers[1], start, match.start()) % 2 == 0:
        return match.end(1)
    return match.end()


def _is_label(word: str) -> bool:
    """Tell whether `word` alone at the start of a sentence numbers it: ``1.``, ``2.3.``, ``a.``."""
    return len(word) <= 8 and (word.replace(".", "").isdigit() or (len(word) == 1 and word.isalpha()))


def _next_letter(text: str, position: int) -> str:
    """Return the first character from `position` on that is neither white space nor an opening mark."""
    for character in text[position : position + 16].lstrip():
        if character not in _OPENERS and not character.isspace():
            return character
    return text[position : position + 16].strip()[:1]


def _append(spans: list[SentenceSpan], text: str, start: int, end: int) -> None:
    part = text[start:end]
    sentence = part.strip()
    if sentence:
        start += len(part) - len(part.lstrip())
        spans.append((sentence, start, start + len(sentence)))
