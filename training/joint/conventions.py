"""Bring a train file's features to the convention its dev file follows.

UD 2.9's BOUN has other rules for features in its train file than in its dev file: there the determiner *bir* is
``NumType=Card`` two thousand times, here never; an adverb has case and person there and nothing here. What a dev file
would have often at its train file's rates and never has is not the treebank's convention any more.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# So often a pair must be expected in the dev file for its absence to be no accident (chance: exp(-5), under 1 %).
LEAST = 5.0
NONE = "_"


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


def _count(words: Iterable[tuple[str, str]]) -> Counter[tuple[str, str]]:
    return Counter((upos, part) for upos, feats in words for part in feats.split("|"))
