"""What the stemmer's network reads: numbers of characters and tags, padded the way its weights were trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from vnlp_colab.errors import VNLPError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vnlp_colab.text.morphology import Analysis

CANDIDATES = 10
STEM_LENGTH = 10
TAG_LENGTH = 15
WORD_LENGTH = 15
WINDOW = 40

Padding = Literal["pre", "post"]


class LayoutError(VNLPError):
    """A manifest names an input layout that there is not."""


@dataclass(frozen=True)
class PaddingLayout:
    """Where the padding stands that differs between the two sets of upstream weights.

    Rows of the right context are always post-padded; stems, tags and the characters of left-context words always
    pre-padded.

    Attributes
    ----------
    left_rows
        Pad words of the left context.
    right_characters
        Pad characters of the words of the right context.
    """

    left_rows: Padding
    right_characters: Padding


LAYOUTS = {"wheel": PaddingLayout("post", "post"), "store": PaddingLayout("pre", "pre")}


def layout_of(name: object) -> PaddingLayout:
    """Return the layout a manifest entry names."""
    if not isinstance(name, str) or name not in LAYOUTS:
        raise LayoutError(
            f"the stemmer's manifest entry has the layout {name!r}, which is none of {', '.join(LAYOUTS)}; "
            "convert the model again with `vnlp-colab convert StemmerAnalyzer`"
        )
    return LAYOUTS[name]


class VocabularyEncoder:
    """Characters and tags to the numbers of the network's embeddings.

    Parameters
    ----------
    characters, tags
        String to number; ``<OOV>`` is the number of everything else.
    """

    def __init__(self, characters: Mapping[str, int], tags: Mapping[str, int]) -> None:
        self._characters = characters
        self._tags = tags
        self._unknown_character = characters["<OOV>"]
        self._unknown_tag = tags["<OOV>"]

    def characters(self, text: str, length: int) -> list[int]:
        """Return the numbers of the last `length` characters."""
        return [self._characters.get(character, self._unknown_character) for character in text[-length:]]

    def tags(self, tags: str) -> list[int]:
        """Return the numbers of the last tags of a sequence such as ``"Noun+A3sg^DB+Verb"``."""
        names = tags.replace("^", "+").split("+")[-TAG_LENGTH:]
        return [self._tags.get(name, self._unknown_tag) for name in names]


def pad(sequences: Sequence[Sequence[int]], length: int, padding: Padding) -> np.ndarray:
    """Return the sequences, none longer than `length`, as rows of one array padded with 0."""
    rows = np.zeros((len(sequences), length), np.int32)
    for row, sequence in zip(rows, sequences, strict=True):
        if padding == "pre":
            row[length - len(sequence) :] = sequence
        else:
            row[: len(sequence)] = sequence
    return rows


class AmbiguousWord(NamedTuple):
    """A word of a sentence, and the analyses it may have."""

    words: Sequence[str]
    position: int
    candidates: Sequence[Analysis]


def windows(places: Iterable[AmbiguousWord], encoder: VocabularyEncoder, layout: PaddingLayout) -> list[np.ndarray]:
    """Return the full network's inputs for `places`: stems, tags, left words and right words, a row a place."""
    return [np.stack(rows) for rows in zip(*(_window(place, encoder, layout) for place in places), strict=True)]


def _window(place: AmbiguousWord, encoder: VocabularyEncoder, layout: PaddingLayout) -> tuple[np.ndarray, ...]:
    words, position, candidates = place
    read = candidates[:CANDIDATES]

    def word_rows(words: Sequence[str], padding: Padding) -> np.ndarray:
        return pad([encoder.characters(word, WORD_LENGTH) for word in words], WORD_LENGTH, padding)

    return (
        _fill(pad([encoder.characters(c.root, STEM_LENGTH) for c in read], STEM_LENGTH, "pre"), CANDIDATES, "post"),
        _fill(pad([encoder.tags(c.tags) for c in read], TAG_LENGTH, "pre"), CANDIDATES, "post"),
        _fill(word_rows(words[max(0, position - WINDOW) : position], "pre"), WINDOW, layout.left_rows),
        _fill(word_rows(words[position + 1 : position + 1 + WINDOW], layout.right_characters), WINDOW, "post"),
    )


def _fill(rows: np.ndarray, count: int, padding: Padding) -> np.ndarray:
    """Add rows of zeros up to `count`."""
    missing = count - len(rows)
    return np.pad(rows, ((missing, 0) if padding == "pre" else (0, missing), (0, 0)))
