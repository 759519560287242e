"""Universal Dependencies features from a morphological analysis, for the tags whose meaning there is sure.

An analysis such as ``araştır+Verb+Pos^DB+Noun+Inf2+A3sg+P3pl+Abl`` has one group a derivation. Inflection (number,
person, case, tense) is that of the last group, the one the word ends in; voice and polarity belong to the verb
wherever it stands.
"""

from __future__ import annotations

from functools import lru_cache

_NUMBERS = {"sg": "Sing", "pl": "Plur"}
_PERSONS = {f"A{person}{number}": (_NUMBERS[number], str(person)) for person in (1, 2, 3) for number in ("sg", "pl")}
_OWNERS = {f"P{person}{number}": (_NUMBERS[number], str(person)) for person in (1, 2, 3) for number in ("sg", "pl")}
_CASES = {tag: tag for tag in ("Nom", "Acc", "Dat", "Loc", "Abl", "Gen", "Ins", "Equ")}

# Tags of the last group.
_INFLECTION: dict[str, tuple[tuple[str, str], ...]] = {
    **{tag: (("Case", case),) for tag, case in _CASES.items()},
    **{tag: (("Number", number), ("Person", person)) for tag, (number, person) in _PERSONS.items()},
    **{tag: (("Number[psor]", number), ("Person[psor]", person)) for tag, (number, person) in _OWNERS.items()},
    "Past": (("Tense", "Past"), ("Evident", "Fh")),
    "Narr": (("Tense", "Past"), ("Evident", "Nfh")),
    "Fut": (("Tense", "Fut"),),
    "Prog1": (("Aspect", "Prog"), ("Tense", "Pres")),
    "Prog2": (("Aspect", "Prog"), ("Tense", "Pres")),
    "Pres": (("Tense", "Pres"),),
    "Imp": (("Mood", "Imp"),),
    "Opt": (("Mood", "Opt"),),
    "Desr": (("Mood", "Des"),),
    "Neces": (("Mood", "Nec"),),
    "Inf1": (("VerbForm", "Vnoun"),),
    "Inf2": (("VerbForm", "Vnoun"),),
    "Inf3": (("VerbForm", "Vnoun"),),
    "PastPart": (("VerbForm", "Part"), ("Tense", "Past")),
    "FutPart": (("VerbForm", "Part"), ("Tense", "Fut")),
    "PresPart": (("VerbForm", "Part"), ("Tense", "Pres")),
    "ByDoingSo": (("VerbForm", "Conv"),),
    "AfterDoingSo": (("VerbForm", "Conv"),),
    "While": (("VerbForm", "Conv"),),
    "When": (("VerbForm", "Conv"),),
    "WithoutHavingDoneSo": (("VerbForm", "Conv"),),
    "SinceDoingSo": (("VerbForm", "Conv"),),
    "Demons": (("PronType", "Dem"),),
    "Pers": (("PronType", "Prs"),),
    "Reflex": (("Reflex", "Yes"),),
    "Card": (("NumType", "Card"),),
    "Ord": (("NumType", "Ord"),),
    "Dist": (("NumType", "Dist"),),
}
# Tags of a verb, in whichever group it stands.
_VERB: dict[str, tuple[str, str]] = {
    "Pos": ("Polarity", "Pos"),
    "Neg": ("Polarity", "Neg"),
    "Caus": ("Voice", "Cau"),
    "Pass": ("Voice", "Pass"),
    "Recip": ("Voice", "Rcp"),
}
# Stacked moods ("gelebilirse") have values of their own in UD, which one tag alone cannot tell.
_STACKING = frozenset({"Able", "Cond", "Hastily", "EverSince", "Repeat", "Almost", "Stay"})


@lru_cache(maxsize=65_536)
def ud_features(analysis: str) -> str:
    """Return the FEATS column of an analysis, ``_`` if nothing in it is sure.

    Examples
    --------
    >>> ud_features("ev+Noun+A3pl+P1sg+Loc")
    'Case=Loc|Number=Plur|Number[psor]=Sing|Person=3|Person[psor]=1'
    >>> ud_features("gel+Verb+Neg+Past+A1pl")
    'Evident=Fh|Number=Plur|Person=1|Polarity=Neg|Tense=Past'
    >>> ud_features(".+Punc")
    '_'
    """
    root, _, tags = analysis.partition("+")
    if not root or not tags:
        return "_"
    groups = [group.split("+") for group in tags.replace("^DB+", "^DB").split("^DB")]
    features: dict[str, str] = {}
    for group in groups:
        if group[0] == "Verb":
            features.update(_VERB[tag] for tag in group if tag in _VERB)
    last = groups[-1]
    stacked = any(tag in _STACKING for group in groups for tag in group)
    for tag in last:
        for name, value in _INFLECTION.get(tag, ()):
            if features.get(name, value) != value:  # two tenses in one word: neither is the whole truth
                stacked = stacked or name in ("Tense", "Evident")
            if not (name == "Mood" and stacked):
                features[name] = value
    if stacked:
        for name in ("Tense", "Evident", "Aspect", "Mood"):
            features.pop(name, None)
    if not features:
        return "_"
    return "|".join(f"{name}={features[name]}" for name in sorted(features, key=str.lower))
