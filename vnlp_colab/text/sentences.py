"""Sentence boundaries by rule: find every possible end, then ask what stands before and after it."""

from __future__ import annotations

import re
from typing import Literal, overload

from vnlp_colab.text.addresses import is_in_address
from vnlp_colab.text.inputs import check_text
from vnlp_colab.text.line_ends import soft_line_ends
from vnlp_colab.text.stops import LINE_ENDS, OPENERS, belongs_to_word, is_plain_word, next_letter, word_before
from vnlp_colab.text.unmarked import FEWEST_WORDS, unmarked_ends

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

# Words that begin sentences and hardly ever stand inside one with a capital: behind a small word they show that a
# sentence, a heading or a verse ended without its mark (of the treebanks' 66,287 sentences to learn from 9 have one
# inside).
_BEGINNERS = """
    Ama Ancak Artık Aynı Ayrıca Bana Bazen Bazı Bazıları Belki Biraz Birçok Bu Bugün Buna Bundan Bunlar Bunların Bunu
    Bunun Bununla Böylece Çoğu Dün Fakat Hatta Hem Hemen Hep Hepsi Herkes Hiç İnsanlar İşte Onlar Onların Onu Onun Orada
    Oysa Örneğin Peki Sanki Sonunda Şimdi Şu Üstelik Yine Zaten
"""
# No sentence ends with these, nor with a word that qualifies the next ("olan", "içeren").
_GO_ON_WORDS = "ama bir bu çok da daha de en hem her ile ki o pek şu ve veya ya"
_GO_ON = frozenset(_GO_ON_WORDS.split())


def _unmarked_ends() -> re.Pattern[str]:
    """Return a pattern of the space between a small letter and one of the words, which looks at the capital first."""
    by_letter: dict[str, list[str]] = {}
    for word in _BEGINNERS.split():
        by_letter.setdefault(word[0], []).append(word[1:])
    words = "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in by_letter.items())
    return re.compile(f" (?=[{''.join(by_letter)}])(?<=[a-zçğıöşüâîû] )(?:{words})(?= )")


_UNMARKED = _unmarked_ends()

# Stretches of so many letters that do not end in a mark may be several sentences.
_LONG = 4 * FEWEST_WORDS
_ENDED = frozenset(_STOPS + ":;'\"”’»›)]}")
_NO_LINE_ENDS: frozenset[int] = frozenset()

SentenceSpan = tuple[str, int, int]


class SentenceSplitter:
    """Split Turkish text into sentences.

    A stop separates when a capital, a digit or an opening mark follows, with or without a space, except after
    abbreviations, initials, ordinals (``3.``, ``II.``) and list numbers. A small letter may follow in a text that does
    not begin its sentences with capitals, and after a full stop behind an ordinary word. A line end separates, except
    inside a paragraph that is wrapped at a fixed width. Emoji and emoticons stay with the sentence before them. Without
    a mark a sentence ends between a small word and one of some fifty that begin sentences (``… sürdü Ancak …``), and in
    a stretch of forty words or more without any stop where a linear model says so (`vnlp_colab.text.unmarked`).

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
        soft = soft_line_ends(text) if "\n" in text or "\r" in text else _NO_LINE_ENDS
        spans: list[SentenceSpan] = []
        sentence = _Sentence(text)
        start, length = 0, len(text)
        pattern = _CANDIDATES[":" in text or ";" in text or "=" in text]
        has_quotes = '"' in text
        for match in pattern.finditer(text):
            at, end = match.span()
            if end == length:
                break
            if at < start:
                continue  # an emoticon that was taken into the sentence before
            # by far the most frequent case is a word, stops, a space and a capital
            if (
                text[end] == " "
                and text[end - 1] in _STOPS
                and text[end + 1 : end + 2].isupper()
                and is_plain_word(text[text.rfind(" ", start, at) + 1 : at])
            ):
                first = start + 1 if text[start] == " " else start
                if text[first].isspace():
                    _append(spans, text, start, end)
                else:
                    spans.append((text[first:end], first, end))
            else:
                end = _end(sentence, match, soft)
                if not end:
                    continue
                _append(spans, text, start, end)
            if has_quotes:
                sentence.quote_is_open = sentence.leaves_quote_open(end)
            sentence.start = start = end
            sentence.letter = -1
        if start < length:
            _append(spans, text, start, length)
        if _UNMARKED.search(text):
            spans = _broken(text, spans)
        return spans if offsets else [sentence for sentence, _, _ in spans]


class _Sentence:
    """The text and where the sentence that is being read begins; its first letter is looked for once."""

    __slots__ = ("letter", "quote_is_open", "start", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.start = 0
        self.letter = -1  # where its first letter is, once someone has asked
        self.quote_is_open = False  # a straight quote of the sentence before it was not closed

    def leaves_quote_open(self, end: int) -> bool:
        """Tell whether a straight quote is open at the sentence's end; a line end or a second sentence closes it.

        Longer than that a quote that nobody closed would turn all that follow around.
        """
        if self.quote_is_open or self.text[end - 1] in LINE_ENDS:
            return False
        return self.text.count('"', self.start, end) % 2 == 1

    @property
    def first_letter(self) -> int:
        if self.letter < 0:
            letter = _LETTER.search(self.text, self.start)
            self.letter = letter.start() if letter else len(self.text)
        return self.letter

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
    if not following.isupper():
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
    """Tell whether a full stop before a small letter ends the sentence: "geldi. sonra gitti", "geldi . sonra"."""
    if cased and text[at - 1 : at] == " ":  # tokenised text
        word = word_before(text, at - 1, start)
        return len(word) > 2 and is_plain_word(word)
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


def _may_end(text: str, at: int) -> bool:
    """Tell whether the word before the space at `at` can be the last of a sentence."""
    word = text[text.rfind(" ", 0, at) + 1 : at]
    return word.isalpha() and word.islower() and word not in _GO_ON and not word.endswith(("an", "en"))


def _broken(text: str, spans: list[SentenceSpan]) -> list[SentenceSpan]:
    """Return the sentences cut where one ended without a mark."""
    breaks = [match.start() for match in _UNMARKED.finditer(text) if _may_end(text, match.start())]
    found: list[SentenceSpan] = []
    waiting = iter(breaks)
    place = next(waiting, None)
    for sentence, first, end in spans:
        start = first
        while place is not None and place < end:
            if place > start:
                found.append((sentence[start - first : place - first], start, place))
                start = place + 1
            place = next(waiting, None)
        found.append((sentence[start - first :], start, end))
    return found


def _append(spans: list[SentenceSpan], text: str, start: int, end: int) -> None:
    if text[start] == " ":  # nearly always just one
        start += 1
    part = text[start:end]
    sentence = part.strip()
    if len(sentence) < len(part):
        start += len(part) - len(part.lstrip())
    if len(sentence) > _LONG and sentence[-1] not in _ENDED:
        last = 0
        for place in [*unmarked_ends(sentence), len(sentence)]:
            words = sentence[last:place].lstrip()
            spans.append((words, start + place - len(words), start + place))
            last = place
    elif sentence:
        spans.append((sentence, start, start + len(sentence)))
