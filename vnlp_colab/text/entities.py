"""Entities from labelled tokens: where one ends, its name without the suffix, and what is never one.

The networks label tokens; people ask for names. ``Tom'un Mary'nin evine`` is labelled ``PER PER O`` and names two
people, and ``Türkiye'nin`` is the country ``Türkiye``. Pure functions of text, used by documents and by tables alike.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.remembered import remembered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OUTSIDE = "O"

_APOSTROPHES = "'’‘ʼ‛ʻ′`´＇\u0092"
# The inflections a name takes behind its apostrophe, in the order they stack: Ankara'-da-ki-ler-den, Ali'-ler-in,
# Bolu'-lu-lar-a, İzmir'-miş. All are optional, so what a French or Irish name has there ("L'Oréal", "O'Neil",
# "McDonald's", "Kur'an") fits none.
_PLURAL = "(?:l[ae]r)?"
_OWNER = "(?:[ıiuü]?m(?:[ıiuü]z)?|[ıiuü]?n[ıiuü]z|s[ıiuü])?"
_CASE = "(?:[yn]?[ıiuü]|n?[ıiuü]n|[yn]?[ae]|n?[dt][ae]n?|[yn]?l[ae]|c[ae])?"
_DERIVED = "(?:l[ıiuü]k?|s[ıiuü]z|c[ıiuü]|gil)?"
_COPULA = "(?:[dt][ıiuü]r(?:l[ae]r)?|y?m[ıiuü]ş|y?[dt][ıiuü][mk]?|y?s[ae]|y?ken|y?[ıiuü](?:m|z)|s[ıiuü]n)?"
_SUFFIX = re.compile(_PLURAL + _DERIVED + _PLURAL + _OWNER + _CASE + "(?:ki)?" + _PLURAL + _CASE + _COPULA)
_LONGEST_SUFFIX = 16
_MARKS = r"\u0300-\u036f"  # letters may be written with their marks apart
_ENDING = re.compile(rf"(?<=[\w.)\]{_MARKS}])\s?[{_APOSTROPHES}]([\w{_MARKS}]{{1,{_LONGEST_SUFFIX}}})\Z")

_NEVER_FIRST = frozenset("@#:;=<^")  # of mentions, hashtags and emoticons
_LINK = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{1,15}://|www\.)\S|[\w.+-]{1,64}@[\w-]{1,63}\.\w")
_DOMAIN = re.compile(
    r"[A-Za-z0-9](?:[\w-]{0,62}\.){1,8}(?:com|org|net|edu|gov|info|biz|tr|io|co|uk|de|fr|eu|az)\b(?:[/?#'’]\S*)?\Z"
)


@dataclass(frozen=True)
class Entity:
    """A named entity: ``text`` as written, ``name`` without the suffix, and its place in the text it was found in."""

    text: str
    name: str
    label: str
    start: int
    end: int

    def to_dict(self) -> dict[str, Any]:
        """Return the entity as an entry of the ``entities`` column: text, name, type, start, end."""
        return {"text": self.text, "name": self.name, "type": self.label, "start": self.start, "end": self.end}

    def __str__(self) -> str:
        return self.text


def find_entities(
    text: str, spans: Sequence[tuple[int, int]], labels: Sequence[str], starts: Sequence[bool] | None = None
) -> list[Entity]:
    """Return the entities of a sentence.

    Parameters
    ----------
    text
        The text as written.
    spans
        Start and end of each token in it.
    labels
        The label of each token: ``PER``, ``LOC``, ``ORG``, ``O``, or with a prefix (``B-PER``, ``I-PER``).
    starts
        Whether an entity begins at each token, from a model that knows. Without it (and without prefixes) an entity
        is a run of one label, cut behind each suffix.

    Examples
    --------
    >>> text = "Tom'un Mary'nin evine"
    >>> found = find_entities(text, [(0, 6), (7, 15), (16, 21)], ["PER", "PER", "O"])
    >>> [(entity.text, entity.name) for entity in found]
    [("Tom'un", 'Tom'), ("Mary'nin", 'Mary')]
    """
    found = []
    for first, last, label in _runs(text, spans, labels, starts):
        start, end = spans[first][0], spans[last][1]
        surface = text[start:end]
        found.append(Entity(surface, name_of(surface), label, start, end))
    return found


def settled_labels(
    text: str, spans: Sequence[tuple[int, int]], labels: Sequence[str], starts: Sequence[bool] | None = None
) -> list[str]:
    """Return the labels without prefixes, ``O`` for every token that is part of no entity.

    This is what the ``ner`` column holds, so that it and the ``entities`` never contradict each other: the labels are
    the network's, but a link, a mention, a hashtag, a number, an emoji or a mark by itself is no entity.

    Examples
    --------
    >>> settled_labels("@ali Ankara 🙂", [(0, 4), (5, 11), (12, 13)], ["PER", "LOC", "LOC"])
    ['O', 'LOC', 'O']
    """
    settled = [OUTSIDE] * len(labels)
    for first, last, label in _runs(text, spans, labels, starts):
        settled[first : last + 1] = [label] * (last + 1 - first)
    return settled


def bio_labels(
    text: str, spans: Sequence[tuple[int, int]], labels: Sequence[str], starts: Sequence[bool] | None = None
) -> list[str]:
    """Return the labels as ``B-PER``, ``I-PER`` and ``O``, which say where each entity begins.

    Examples
    --------
    >>> bio_labels("Tom'un Mary Jones", [(0, 6), (7, 11), (12, 17)], ["PER", "PER", "PER"])
    ['B-PER', 'B-PER', 'I-PER']
    """
    written = [OUTSIDE] * len(labels)
    for first, last, label in _runs(text, spans, labels, starts):
        written[first : last + 1] = [f"B-{label}", *[f"I-{label}"] * (last - first)]
    return written


def name_of(surface: str) -> str:
    """Return a name without the suffix behind its apostrophe, in one line.

    Examples
    --------
    >>> name_of("Türkiye’nin"), name_of("Kur'an'ın"), name_of("McDonald's")
    ('Türkiye', "Kur'an", "McDonald's")
    """
    ending = _suffix(surface)
    return " ".join(surface[: len(surface) - ending].split())


def plain_label(label: str | None) -> str:
    """Return a label without its ``B-`` or ``I-``, ``O`` for none."""
    if not label:
        return OUTSIDE
    return label[2:] if label[:2] in ("B-", "I-") else label


def _runs(
    text: str, spans: Sequence[tuple[int, int]], labels: Sequence[str], starts: Sequence[bool] | None
) -> Iterator[tuple[int, int, str]]:
    """Yield the first and the last token of each entity, and its label."""
    if not any(plain_label(label) != OUTSIDE for label in labels):
        return
    words = [text[start:end] for start, end in spans]
    for first, last, label in _raw_runs(text, spans, labels, starts):
        while first <= last and _is_never_part(words[first]):
            first += 1
        while first <= last and _is_never_part(words[last]):
            last -= 1
        if first <= last and any(_has_letters(word) for word in words[first : last + 1]):
            yield first, last, label


def _raw_runs(
    text: str, spans: Sequence[tuple[int, int]], labels: Sequence[str], starts: Sequence[bool] | None
) -> Iterator[tuple[int, int, str]]:
    plain = [plain_label(label) for label in labels]
    told = starts is not None or any((label or "").startswith(("B-", "I-")) for label in labels)
    if not told:
        _join_suffixes(text, spans, plain)
    cuts = [0, len(plain)]
    for at in range(1, len(plain)):
        if plain[at] != plain[at - 1]:
            cuts.append(at)
        elif plain[at] != OUTSIDE:
            if starts is not None:
                begins = bool(starts[at])
            elif told:
                begins = labels[at].startswith("B-")
            else:
                begins = _stands_behind_a_suffix(text, spans[at - 1][1], spans[at][0])
            if begins:
                cuts.append(at)
    for first, end in pairwise(sorted(cuts)):
        if first < end and plain[first] != OUTSIDE:
            yield first, end - 1, plain[first]


def _join_suffixes(text: str, spans: Sequence[tuple[int, int]], labels: list[str]) -> None:
    """Give a suffix that was cut off its name (``Tom`` ``‘`` ``un``) the label of the name."""
    for at in range(1, len(labels) - 1):
        start, end = spans[at]
        if end - start == 1 and text[start] in _APOSTROPHES and spans[at - 1][1] == start and spans[at + 1][0] == end:
            head = text[max(start - 1, 0) : spans[at + 1][1]]
            if _suffix(head) == len(head) - 1:
                word = text[spans[at - 1][0] : start]
                labels[at] = labels[at + 1] = OUTSIDE if _is_never_part(word) else labels[at - 1]


def _stands_behind_a_suffix(text: str, end: int, start: int) -> bool:
    """Whether the name that ends at `end` is inflected, and so is another than the one at `start`.

    The tokeniser may have cut the suffix off its word, so this looks at the text.
    """
    return any(map(str.isspace, text[end:start])) and _suffix(text[max(end - 2 * _LONGEST_SUFFIX, 0) : end]) > 0


def _suffix(surface: str) -> int:
    """Return the length of the suffix a name ends in, its apostrophe included; 0 for none."""
    match = _ENDING.search(surface, max(len(surface) - 3 - _LONGEST_SUFFIX, 0))
    if match is None or not _SUFFIX.fullmatch(lower_case(unicodedata.normalize("NFC", match.group(1)))):
        return 0
    return len(surface) - match.start()


@remembered(65_536)
def _is_never_part(word: str) -> bool:
    """Whether a token is a link, a mention, a hashtag, an emoticon or an emoji: never the edge of a name."""
    if word[:1] in _NEVER_FIRST and len(word) > 1:
        return True
    if _LINK.match(word) or ("." in word and _DOMAIN.match(word)):
        return True
    return bool(word) and unicodedata.category(word[0]) in ("So", "Sk", "Co", "Cs", "Cc", "Cn", "Cf")


@remembered(65_536)
def _has_letters(word: str) -> bool:
    """Whether a token can name something by itself: it has a letter before its suffix, unlike ``1990'da`` or ``%5``."""
    kept = word[: len(word) - _suffix(word)]
    return any(character.isalpha() for character in kept)
