"""Sentence boundaries by rule: find every possible end, then ask what stands before and after it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Literal, overload

from vnlp_colab.text.addresses import is_in_address
from vnlp_colab.text.inputs import check_text
from vnlp_colab.text.line_ends import soft_line_ends
from vnlp_colab.text.stops import LINE_ENDS, OPENERS, belongs_to_word, is_plain_word, next_letter, word_before

_CLOSERS = r"'\"”’»›)\]}"
_EMOJI = r"\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_EMOJI_RUN = rf"[{_EMOJI}\ufe00-\ufe0f\u200d]*+"
_FACE = r"[:;=][-'^]?+[)(DPp]++(?!\w)"
_STOPS = ".!?…"
# Stops with the quotes and brackets that close behind them, a line end, a run of emoji, or an emoticon. A closing mark
# may stand off by a space, as in tokenised text, if white space follows it. The pattern begins with one set of
# characters and always matches there: the search is quick, and a long run of any of them is looked at once.
_CANDIDATES = tuple(
    re.compile(
        rf"[{_STOPS}{LINE_ENDS}{_EMOJI}{colons}]"
        rf"(?:(?<=[{_STOPS}])[{_STOPS}]*+( ?[{_CLOSERS}]++(?=\s|\Z))?+"
        rf"|(?<=[{_EMOJI}]){_EMOJI_RUN}|(?<=[:;=])[-'^]?+[)(DPp]*+)?+"
    )
    for colons in ("", ":;=")
)
_BEFORE_CAPITAL = re.compile(rf"\s+[{OPENERS}]?[A-ZÇĞİÖŞÜÂÎÛ]")
_FACES_BEHIND = re.compile(rf"(?:\s*(?:[{_EMOJI}]{_EMOJI_RUN}|{_FACE}))++(?=\s|\Z)")
_LETTER = re.compile(r"[^\W\d_]")
_VOWEL = re.compile("[aeıioöuüâîûAEIİOÖUÜÂÎÛ]")
# What goes on after a quoted question or call: "Gel! dedi".
_SAYING = re.compile(
    r"\s*(?:de(?:di\w*|me[ks]\w*|ni[lr]\w*|nen|rken|r|rler|miş\w*|yip|yince|yen)|diy\w+|sor\w+|bağır\w+|gibi|şeklinde)\b"
)

SentenceSpan = tuple[str, int, int]


class SentenceSplitter:
    """Split Turkish text into sentences.

    A stop separates when a capital, a digit or an opening mark follows, with or without a space, except after
    abbreviations, initials, ordinals (``3.``, ``II.``) and list numbers. A small letter may follow in a text that does
    not begin its sentences with capitals, and after a full stop behind an ordinary word. A line end separates, except
    inside a paragraph that is wrapped at a fixed width. Emoji and emoticons stay with the sentence before them.

    Examples
    --------
    >>> SentenceSplitter().split_sentences('Av. Meryem Beşer 3. davayı kazandı. "Bitti." Bu harika bir haber.')
    ['Av. Meryem Beşer 3. davayı kazandı.', '"Bitti."', 'Bu harika bir haber.']
    """

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
        soft = soft_line_ends(text)
        spans: list[SentenceSpan] = []
        sentence = _Sentence(text, 0)
        pattern = _CANDIDATES[":" in text or ";" in text or "=" in text]
        has_quotes = '"' in text
        for match in pattern.finditer(text):
            if match.start() < sentence.start:
                continue  # an emoticon that was taken into the sentence before
            end = _end(sentence, match, soft)
            if end:
                _append(spans, text, sentence.start, end)
                still_open = has_quotes and sentence.leaves_quote_open(end)
                sentence = _Sentence(text, end, still_open)
        _append(spans, text, sentence.start, len(text))
        return spans if offsets else [sentence for sentence, _, _ in spans]


class _Sentence:
    """The text and where the sentence that is being read begins; its first letter is looked for once."""

    def __init__(self, text: str, start: int, quote_is_open: bool = False) -> None:
        self.text = text
        self.start = start
        self.quote_is_open = quote_is_open  # a straight quote of a sentence before it was not closed

    def leaves_quote_open(self, end: int) -> bool:
        """Tell whether a straight quote is open at the sentence's end; a line end closes it."""
        if self.text[end - 1] in LINE_ENDS:
            return False
        return (self.text.count('"', self.start, end) + self.quote_is_open) % 2 == 1

    @cached_property
    def first_letter(self) -> int:
        letter = _LETTER.search(self.text, self.start)
        return letter.start() if letter else len(self.text)

    @property
    def is_cased(self) -> bool:
        """False if it begins with a small letter: its writer may begin the next one so, too."""
        return not self.text[self.first_letter : self.first_letter + 1].islower()


def _end(sentence: _Sentence, match: re.Match[str], soft: frozenset[int]) -> int:
    """Return where the sentence ends if it does at this candidate, else 0."""
    text, (at, end) = sentence.text, match.span()
    sign = text[at]
    if sign in _STOPS:
        after = text[end : end + 1]
        if after == " " or after.isspace():
            if not _stops_end(sentence, match, at, end):
                return 0
        elif not after.isalpha() or not _space_was_lost(sentence, at, end):
            return 0
        if match.end(1) > 0:
            end = _behind_closing_marks(sentence, match)
        if text[end + 1 : end + 2].isalnum():
            return end
        faces = _FACES_BEHIND.match(text, end)
        return faces.end() if faces else end
    if sign in LINE_ENDS:
        return 0 if at in soft else end
    if sign in ":;=" and (end - at < 2 or text[end - 1] in "-'^"):
        return 0  # a colon, no face
    # An emoji before a capital; one with nothing before it is a bullet.
    return end if sentence.first_letter < at and _BEFORE_CAPITAL.match(text, end) else 0


def _stops_end(sentence: _Sentence, match: re.Match[str], at: int, end: int) -> bool:
    text, start = sentence.text, sentence.start
    closers = match.group(1)
    following = text[end + 1 : end + 2]
    if following.isupper():
        if not closers and is_plain_word(text[text.rfind(" ", start, at) + 1 : at]):
            return True  # by far the most frequent case: a word, a stop, a capital
    else:
        following = next_letter(text, end)
        if not following or (following in _STOPS and text[at - 1 : at].isdigit()):
            return False
    one_stop = text[at] == "." and text[at + 1 : at + 2] not in ".!?…"
    if closers == ")" and text[at - 1 : at] == "(":
        return False  # "harika(!) bir gün"
    if following.islower() and sentence.first_letter > at:
        return False  # a stray mark
    if not following.islower():
        return not one_stop or not belongs_to_word(text, at, start)
    cased = sentence.is_cased
    if one_stop and not closers:
        return _small_letter_may_follow(text, start, at, cased)
    return not cased and not _SAYING.match(text, end)


def _small_letter_may_follow(text: str, start: int, at: int, cased: bool) -> bool:
    """Tell whether a full stop before a small letter ends the sentence: "geldi. sonra gitti"."""
    word = word_before(text, at, start)
    if cased and (len(word) < 3 or not word.isalpha() or not _VOWEL.search(word)):
        return False
    return not belongs_to_word(text, at, start, cased)


def _space_was_lost(sentence: _Sentence, at: int, end: int) -> bool:
    """Tell whether stops between two letters end the sentence ("geldi.Çok") or are part of a name or an address."""
    text = sentence.text
    word = word_before(text, at, sentence.start).rpartition(".")[2]
    small = text[end].islower()
    if not text[at - 1].isalpha() or len(word) < (3 if word.isupper() or small else 2) or (small and sentence.is_cased):
        return False
    is_full_stop = end - at == 1 and text[at] == "."
    return not (is_full_stop and belongs_to_word(text, at, sentence.start)) and not is_in_address(text, end - 1)


def _behind_closing_marks(sentence: _Sentence, match: re.Match[str]) -> int:
    """Return the end of the sentence; a straight quote that stands off closes only if one is open before it."""
    closers = match.group(1)
    if closers[:2] in {' "', " '"} and closers != " ''":  # two apostrophes stand for a closing quote
        open_quotes = sentence.text.count(closers[1], sentence.start, match.start())
        if closers[1] == '"':
            open_quotes += sentence.quote_is_open
        if open_quotes % 2 == 0:
            return match.start(1)
    return match.end()


def _append(spans: list[SentenceSpan], text: str, start: int, end: int) -> None:
    part = text[start:end]
    sentence = part.strip()
    if sentence:
        start += len(part) - len(part.lstrip())
        spans.append((sentence, start, start + len(sentence)))
