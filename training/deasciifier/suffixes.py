"""Count which suffixes follow back and front stems, and which stems break the rule of the last vowel."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from training.deasciifier.readings import FOLD
from vnlp_colab.text.deasciifier.letters import TO_ASCII
from vnlp_colab.text.deasciifier.suffixes import by_harmony, stem_key, takes_front_vowels

if TYPE_CHECKING:
    from training.deasciifier.readings import Vocabulary

SMALLEST_SUFFIX = 5
SMALLEST_STEM = 4
FRONT, BACK = frozenset("eiöü"), frozenset("aıou")


def train(vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Return the lists ``back_suffixes``, ``front_suffixes`` and ``odd_stems``."""
    ids = vocabulary.corpus.ids
    places = np.flatnonzero(vocabulary.suffix_places)
    pairs, numbers = np.unique(ids[places - 2].astype(np.uint64) << 32 | ids[places], return_counts=True)
    observed: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    rows = []
    for pair, number in zip(pairs.tolist(), numbers.tolist(), strict=True):
        stem = vocabulary.corpus.spellings[pair >> 32].translate(FOLD)
        suffix = vocabulary.readings[pair & 0xFFFFFFFF]
        front = _is_front(suffix)
        if front is not None:
            observed[stem_key(stem)][front] += number
            rows.append((stem, suffix, number))
    rule = {stem_key(stem): takes_front_vowels(stem) for stem, _, _ in rows}
    odd = {key for key, seen in observed.items() if seen[not rule[key]] > max(seen[rule[key]], SMALLEST_STEM - 1)}
    tables: tuple[defaultdict[str, Counter[str]], ...] = (defaultdict(Counter), defaultdict(Counter))
    for stem, suffix, number in rows:
        front = rule[stem_key(stem)] != (stem_key(stem) in odd)
        tables[front][suffix.translate(TO_ASCII)][suffix] += number
    lists = {"odd_stems": sorted(odd)}
    for front, name in ((False, "back_suffixes"), (True, "front_suffixes")):
        best = {plain: seen.most_common(1)[0] for plain, seen in tables[front].items()}
        lists[name] = sorted(
            suffix
            for plain, (suffix, number) in best.items()
            if number >= SMALLEST_SUFFIX and suffix != by_harmony(plain, front)
        )
    return lists


def _is_front(suffix: str) -> bool | None:
    """Tell the harmony of the first vowel that shows it."""
    for letter in suffix:
        if letter in FRONT:
            return True
        if letter in BACK:
            return False
    return None
