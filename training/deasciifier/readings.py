"""How often each ASCII form is which Turkish word, counted apart for lower case, capitals and all capitals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.deasciifier.letters import TO_ASCII
from vnlp_colab.text.deasciifier.model import case_class

if TYPE_CHECKING:
    from training.deasciifier.corpus import Corpus

# Circumflexes are no part of the task: ASCII cannot tell "kar" from "kâr", and remove_accent_marks drops them anyway.
FOLD = str.maketrans("âîûôêÂÎÛÔÊ", "aiuoeAIUOE")
_TURKISH_WORD = re.compile(r"[a-zçğıöşü]+")
APOSTROPHES = "'’‘`´ʼ"


@dataclass(frozen=True)
class Vocabulary:
    """Per token id: its reading in lower case ("" if it is no word in Turkish letters), ASCII form and case class."""

    corpus: Corpus
    readings: list[str]
    plain: list[str]
    cases: np.ndarray

    @classmethod
    def of(cls, corpus: Corpus) -> Vocabulary:
        """Work the columns out of the spellings."""
        lowered = [lower_case(spelling.translate(FOLD)) for spelling in corpus.spellings]
        readings = [word if _TURKISH_WORD.fullmatch(word) else "" for word in lowered]
        plain = [word.translate(TO_ASCII) for word in lowered]
        cases = np.array([case_class(spelling) for spelling in corpus.spellings], np.int8)
        return cls(corpus, readings, plain, cases)

    @cached_property
    def suffix_places(self) -> np.ndarray:
        """True where a token is a suffix behind an apostrophe: vowel harmony with its stem decides, not counts."""
        ids = self.corpus.ids
        is_apostrophe = np.isin(ids, [i for i, s in enumerate(self.corpus.spellings) if s in APOSTROPHES])
        is_stem = np.array([s[:1].isalnum() for s in self.corpus.spellings])
        is_suffix = np.array(
            [bool(r) and s.islower() for r, s in zip(self.readings, self.corpus.spellings, strict=True)]
        )
        places = np.zeros(len(ids), bool)
        places[2:] = is_stem[ids[:-2]] & is_apostrophe[1:-1] & is_suffix[ids[2:]]
        return places

    @cached_property
    def counts(self) -> dict[str, dict[str, list[int]]]:
        """ASCII form to Turkish reading to counts by case class, suffixes left out."""
        totals = np.bincount(self.corpus.ids[~self.suffix_places], minlength=len(self.readings)).tolist()
        table: dict[str, dict[str, list[int]]] = {}
        for reading, plain, case, total in zip(self.readings, self.plain, self.cases.tolist(), totals, strict=True):
            if reading and total:
                table.setdefault(plain, {}).setdefault(reading, [0, 0, 0])[case] += total
        return table


def best_reading(readings: dict[str, list[int]], case: int) -> str:
    """Return the reading seen most in that case class, then overall."""
    return max(readings, key=lambda reading: (readings[reading][case], sum(readings[reading]), reading))
