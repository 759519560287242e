"""Words as TreeStack networks know them: an id in a word list, and the ids of morphological tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.text.case import lower_case

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_UNKNOWN = 1
TAGS = 15
_TAG_BORDER = re.compile(r"[+^]")


class WordList:
    """The words and tags of a TreeStack model.

    Parameters
    ----------
    words, tags
        String to id; 1 is what is unknown, 0 is padding.
    """

    def __init__(self, words: Mapping[str, int], tags: Mapping[str, int]) -> None:
        self._words = words
        self._tags = tags

    def word_id(self, token: str, stem: str) -> int:
        """Return the id of a token, or of its stem where the list has only that.

        As in training, the choice is made before letters become small and digits zero.
        """
        word = stem if token not in self._words and stem in self._words else token
        return self._words.get(_normal_form(word), _UNKNOWN)

    def tag_ids(self, tags: Sequence[str]) -> list[int]:
        """Return the ids of the last 15 tags of an analysis, zeros before them."""
        ids = [self._tags.get(tag, _UNKNOWN) for tag in tags][-TAGS:]
        return [0] * (TAGS - len(ids)) + ids

    def encode(self, tokens: Sequence[str], analyses: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return word ids (words,) and tag ids (words, 15) of a sentence and its morphological analyses."""
        words = np.zeros(len(tokens), np.int32)
        tags = np.zeros((len(tokens), TAGS), np.int32)
        for row, (token, analysis) in enumerate(zip(tokens, analyses, strict=True)):
            stem, *parts = split_analysis(analysis)
            words[row] = self.word_id(token, stem)
            tags[row] = self.tag_ids(parts)
        return words, tags


def split_analysis(analysis: str) -> list[str]:
    """Return the stem and the tags of an analysis.

    Examples
    --------
    >>> split_analysis("ev+Noun+A3sg+P1sg+Nom^DB+Verb+Zero")
    ['ev', 'Noun', 'A3sg', 'P1sg', 'Nom', 'DB', 'Verb', 'Zero']
    >>> split_analysis("++Punc")
    ['+', 'Punc']
    """
    stem, rest = (analysis[0], analysis[1:]) if analysis[:1] in ("+", "^") else ("", analysis)
    head, *tags = _TAG_BORDER.split(rest)
    return [stem + head, *tags]


def _normal_form(word: str) -> str:
    """Return the form the word list has: small letters, straight apostrophe, every digit a zero."""
    small = lower_case(word.replace("’", "'"))
    return "".join("0" if char.isnumeric() else char for char in small)
