"""Where the files of a treebank follow different conventions: features a dev file has given up, words it has otherwise.

UD 2.9's BOUN has other rules for features in its train file than in its dev file: there the determiner *bir* is
``NumType=Card`` two thousand times, here never; an adverb has case and person there and nothing here. What a dev file
would have often at its train file's rates and never has is not the treebank's convention any more.

The other way round, what one annotator calls a word is no convention where all others agree: Tourism's train file has
*ile* 438 times of 441 as CCONJ, its dev file 51 times of 66 as ADP.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

_Word = TypeVar("_Word")
_Label = TypeVar("_Label")

# So often a pair must be expected in the dev file for its absence to be no accident (chance: exp(-5), under 1 %).
LEAST = 5.0
NONE = "_"
# So often a train file must have a word, and such a share of these as the same, for all annotators to agree.
OFTEN, AGREED = 20, 0.9
# How likely so many words of a dev file are something else by accident; some thousand words are looked at.
CHANCE = 1e-4


def abandoned(
    train: Iterable[tuple[str, str]], dev: Iterable[tuple[str, str]], least: float = LEAST
) -> dict[tuple[str, str], str]:
    """Return the pairs of UPOS and feature that the dev file has given up, with what stands there instead.

    `train` and `dev` are UPOS and feature string of each word. The new feature is another value of the same name that
    the dev file has more often than it should, or ``_``: the word has no features at all.

    Examples
    --------
    >>> train = [("VERB", "Tense=Aor")] * 6 + [("VERB", "Tense=Pres")] * 4
    >>> abandoned(train, [("VERB", "Tense=Pres")] * 10)
    {('VERB', 'Tense=Aor'): 'Tense=Pres'}
    """
    before, after = _count(train), _count(dev)
    rate = after.total() / max(1, before.total())
    found = {}
    for (upos, feature), n in sorted(before.items()):
        if n * rate < least or after[upos, feature] or feature == NONE:
            continue
        name = feature.partition("=")[0]
        gained = {
            other: after[upos, other] - rate * before[upos, other]
            for (tag, other) in after
            if tag == upos and other.partition("=")[0] == name
        }
        best = max(gained, key=gained.__getitem__, default=NONE)
        found[upos, feature] = best if gained.get(best, 0) > n * rate / 2 else NONE
    return found


def brought(upos: str, feats: str, changes: dict[tuple[str, str], str]) -> str:
    """Return a word's feature string in the dev file's convention."""
    parts = [changes.get((upos, part), part) for part in feats.split("|")]
    return NONE if NONE in parts else "|".join(sorted(set(parts), key=str.lower))


def otherwise(train: Iterable[tuple[_Word, _Label]], dev: Iterable[tuple[_Word, _Label]]) -> set[_Word]:
    """Return the words that a train file nearly always has as the same, and a dev file more often as something else.

    `train` and `dev` are each word with its label.

    Examples
    --------
    >>> train = [("ile", "CCONJ")] * 40 + [("bu", "DET")] * 20 + [("bu", "PRON")] * 20
    >>> sorted(otherwise(train, [("ile", "ADP")] * 6 + [("bu", "PRON")] * 6))
    ['ile']
    """
    before, after = _by_word(train), _by_word(dev)
    found = set()
    for word, labels in before.items():
        usual, often = labels.most_common(1)[0]
        total = labels.total()
        if total < OFTEN or often < AGREED * total:
            continue
        # half a word more: what 40 words of 40 are may still be otherwise once
        expected = (total - often + 0.5) / (total + 1) * after[word].total()
        if at_least(after[word].total() - after[word][usual], expected) < CHANCE:
            found.add(word)
    return found


def at_least(count: int, expected: float) -> float:
    """Return how likely so many or more are where so many are expected, by Poisson's law."""
    fewer = (math.exp(i * math.log(expected) - expected - math.lgamma(i + 1)) for i in range(count))
    return max(0.0, 1.0 - sum(fewer)) if expected > 0 else float(count == 0)


def _by_word(words: Iterable[tuple[_Word, _Label]]) -> defaultdict[_Word, Counter[_Label]]:
    found: defaultdict[_Word, Counter[_Label]] = defaultdict(Counter)
    for word, label in words:
        found[word][label] += 1
    return found


def _count(words: Iterable[tuple[str, str]]) -> Counter[tuple[str, str]]:
    return Counter((upos, part) for upos, feats in words for part in feats.split("|"))
