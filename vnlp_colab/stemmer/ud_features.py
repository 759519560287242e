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
_POLARITY = {"Pos": "Pos", "Neg": "Neg"}
_VOICES = {"Caus": "Cau", "Pass": "Pass", "Recip": "Rcp"}
# "gidiyordum" and "gelebilirse" stack tenses and moods, and treebanks write such a stack in different ways.
_TENSES = frozenset({"Past", "Narr", "Fut", "Prog1", "Prog2", "Pres", "Aor"})
_STACKING = frozenset({"Able", "Cond", "Hastily", "EverSince", "Repeat", "Almost", "Stay"})
_UNSURE_IN_STACKS = frozenset({"Tense", "Evident", "Aspect", "Mood"})


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
    groups = [group.strip("+").split("+") for group in tags.split("^DB")]
    features = _of_the_verb(groups)
    last = groups[-1]
    for tag in last:
        features.update(_INFLECTION.get(tag, ()))
    if sum(tag in _TENSES for tag in last) > 1 or any(tag in _STACKING for group in groups for tag in group):
        features = {name: value for name, value in features.items() if name not in _UNSURE_IN_STACKS}
    return "|".join(f"{name}={features[name]}" for name in sorted(features, key=str.lower)) or "_"


def _of_the_verb(groups: list[list[str]]) -> dict[str, str]:
    """Return polarity and voice; a stack of voices is left open, since treebanks write it as Cau, Pass or CauPass."""
    tags = [tag for group in groups if group[0] == "Verb" for tag in group]
    features = {}
    for name, values in (("Polarity", _POLARITY), ("Voice", _VOICES)):
        found = [values[tag] for tag in tags if tag in values]
        if len(found) == 1:
            features[name] = found[0]
    return features
