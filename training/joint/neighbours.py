"""Names side by side that are not one name: who does it and to whom, who plays against whom.

Treebanks and entity sets have next to none of these (`Ali Ayşe'yi gördü.`), so a network takes two names in a row for
one. Everyday sentences with two persons in a row, with a person and a pronoun, or with one person who can have a
subject before him, are told with other names, single and whole ones; each stands beside the same sentence with *babam*
for the first name, whose tree is no riddle. Persons of two names in such sentences, and clubs, places and firms beside
one another, show where a name goes on and where it does not.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from training import corpus
from training.joint import texts
from training.joint.constants import ENTITIES
from training.joint.f1 import spans
from training.joint.prepare import read_tagged
from training.joint.score import marked_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SEED = 37
SENTENCES = 60_000  # of which those whose trees are no riddle are kept
_FOLDER = Path(__file__).parent / "lists"
LISTS = [_FOLDER / f"{name}.txt" for name in ("neighbours", "names_in_a_row", "whole_names")]  # to score it by
ONE_NAME = "starlang_penn15_v2"  # no name of 3,913 in its train file begins right after another one of its kind
OTHER = -1  # entities of words that no name of ours is part of: as the network has it
INSIDE = -1  # words of the first name but its first, which have no place in the sentence beside it
FATHER = "babam"

# A given name is so often first of a person's two names, and so many times as often as last; surnames the other way.
LEAST, OFTENER = 12, 6
KNOWN = 0.4  # share of the whole names that the entity sets have
AT_HOME = 0.7  # share of the other names that are Turkish; of clubs, firms and places: that are listed
LEAST_OTHERS = 3  # so often at least is the name of a club, a firm or a place

# Names of every kind, and what stands around them: `{b.acc}` is the second name with that ending.
WORDS = json.loads((_FOLDER / "names.json").read_text(encoding="utf-8"))
PRONOUNS = {
    "onu": "acc", "ona": "dat", "ondan": "abl", "onunla": "ins", "onun": "gen", "beni": "acc", "bana": "dat",
    "benden": "abl", "benimle": "ins", "seni": "acc", "sana": "dat", "bizi": "acc", "bize": "dat", "onları": "acc",
    "onlara": "dat", "onlardan": "abl", "onlarla": "ins",
}  # fmt: skip
_ENDINGS = {
    "acc": "yi yı yu yü i ı u ü", "dat": "ye ya e a", "gen": "nin nın nun nün in ın un ün", "abl": "den dan ten tan",
    "loc": "de da te ta", "ins": "le la yle yla",
}  # fmt: skip
_CASE_OF = {ending: case for case, endings in _ENDINGS.items() for ending in endings.split()}
_BESIDE = ("ile", "kadar", "için", "gibi", "hakkında")  # after a second name without an ending


@dataclass(frozen=True)
class Side:
    """A sentence with names of ours.

    Attributes
    ----------
    words
        Its words.
    entities
        Their BIO labels, `OTHER` where no name of ours is.
    beside
        The sentence whose tree it has; the sentence itself where that is known well enough.
    places
        Where each word stands there, `INSIDE` the first name nowhere.
    """

    words: list[str]
    entities: list[int]
    beside: list[str]
    places: list[int]


def with_ending(name: str, case: str) -> str:
    """Return a name with the ending of a case after an apostrophe.

    Examples
    --------
    >>> [with_ending("Ayşe", case) for case in ("acc", "dat", "gen", "abl", "loc", "ins")]
    ["Ayşe'yi", "Ayşe'ye", "Ayşe'nin", "Ayşe'den", "Ayşe'de", "Ayşe'yle"]
    >>> [with_ending("Murat", case) for case in ("acc", "dat", "gen", "abl", "loc", "ins")]
    ["Murat'ı", "Murat'a", "Murat'ın", "Murat'tan", "Murat'ta", "Murat'la"]
    """
    letters = [c for c in name.replace("İ", "i").replace("I", "ı").lower() if c.isalpha()]
    vowels = [c for c in letters if c in "aeıioöuü"] or ["e"]
    back, round_ = vowels[-1] in "aıou", vowels[-1] in "oöuü"
    open_, close = "a" if back else "e", ("u" if round_ else "ı") if back else ("ü" if round_ else "i")
    after_vowel, hard = letters[-1] in "aeıioöuü", letters[-1] in "fstkçşhp"
    ending = {
        "acc": ("y" if after_vowel else "") + close,
        "dat": ("y" if after_vowel else "") + open_,
        "gen": ("n" if after_vowel else "") + close + "n",
        "abl": ("t" if hard else "d") + open_ + "n",
        "loc": ("t" if hard else "d") + open_,
        "ins": ("y" if after_vowel else "") + "l" + open_,
        "": "",
    }[case]
    return f"{name}'{ending}" if ending else name


class Names:
    """Names as the entity sets have them: given names, surnames, names of two given names; clubs, firms and places."""

    def __init__(self, named: Mapping[str, list[list[str]]], chance: random.Random) -> None:
        self._chance = chance
        persons = named["PER"]
        first, last = Counter(p[0] for p in persons if len(p) > 1), Counter(p[-1] for p in persons if len(p) > 1)
        self._given, self._surnames = _often(first, last), _often(last, first)
        usual = [p for p in persons if 1 < len(p) < 4 and all(w.isalpha() and w.istitle() for w in p)]
        self._known = sorted({tuple(p) for p in usual})
        doubles = [name.split() for name in WORDS["double"]]
        self._together = {pair for person in [*self._known, *doubles] for pair in pairwise(person)}
        self._single, self._several = {}, {"PER": [" ".join(person) for person in self._known]}
        for kind in ("ORG", "LOC"):
            # initials (*CHP*) are read letter by letter, and so are their endings
            usual = [
                name for name in named[kind] if all(w.isalpha() and w[0].isupper() and not w.isupper() for w in name)
            ]
            often = Counter(name[0] for name in usual if len(name) == 1)
            self._single[kind] = sorted(
                (name, n**0.5) for name, n in often.items() if n >= LEAST_OTHERS and len(name) > 2
            )
            self._several[kind] = sorted({" ".join(name) for name in usual if 1 < len(name) < 4})
            self._together |= {pair for name in usual for pair in pairwise(name)}

    def one_given(self) -> str:
        """Draw a given name."""
        return self._drawn(WORDS["given"], self._given)

    def one_surname(self) -> str:
        """Draw a surname."""
        return self._drawn(WORDS["surnames"], self._surnames)

    def whole(self) -> list[str]:
        """Draw a name of several words."""
        draw = self._chance.random()
        if draw < KNOWN and self._known:
            return list(self._chance.choice(self._known))
        if draw < KNOWN + 0.15:
            pair = self._chance.choice(WORDS["double"]).split()
            return [*pair, self.one_surname()] if self._chance.random() < 0.3 else pair
        if draw < KNOWN + 0.2:
            return [self.one_given(), self.one_given(), self.one_surname()]
        return [self.one_given(), self.one_surname()]

    def two(self) -> tuple[list[str], list[str]]:
        """Draw two persons who can stand side by side and be told apart."""
        draw = self._chance.random()
        if draw < 0.2:  # those whom everybody knows by their surnames
            one, other = [self.one_surname()], [self.one_surname()]
        else:
            one = self.whole() if draw < 0.42 else [self.one_given()]
            other = self.whole() if 0.3 < draw < 0.6 else [self.one_given()]
        return (one, other) if one != other and (one[-1], other[0]) not in self._together else self.two()

    def in_a_row(self, kind: str, listed: str, count: int) -> list[str]:
        """Draw so many names, no two of which in a row could be one."""
        others = {"given": self._given, "surnames": self._surnames}.get(listed) or self._single.get(kind, [])
        row = [self._drawn(WORDS[listed], others) for _ in range(count)]
        seams = [(a.split()[-1], b.split()[0]) for a, b in pairwise(row)]
        alike = len(set(row)) < count or self._together.intersection(seams)
        return self.in_a_row(kind, listed, count) if alike else row

    def of_several_words(self, kind: str, listed: str) -> str:
        """Draw one name of several words."""
        own = [name for name in WORDS[listed] if " " in name]
        if kind == "PER":
            return " ".join(self.whole())
        known = not own or (self._several[kind] and self._chance.random() > AT_HOME)
        return self._chance.choice(self._several[kind] if known else own)

    def _drawn(self, own: Sequence[str], names: list[tuple[str, float]]) -> str:
        if not names or self._chance.random() < AT_HOME:
            return self._chance.choice(own)
        words, weights = zip(*names, strict=True)
        return str(self._chance.choices(words, weights)[0])


def _often(here: Counter[str], there: Counter[str]) -> list[tuple[str, float]]:
    return sorted(
        (name, n**0.5)
        for name, n in here.items()
        if n >= LEAST
        and n > OFTENER * there[name]
        and name.isalpha()
        and name.istitle()
        and len(name) > 2
        and name not in WORDS["titles"]
    )


def names_of(data: Path) -> dict[str, list[list[str]]]:
    """Return the names of each kind in the entity sets' train files, their words without endings."""
    found: dict[str, list[list[str]]] = {"PER": [], "ORG": [], "LOC": []}
    for name in texts.ENTITY_SETS:
        for words, labels in read_tagged(data / "ner" / name / "train.conll"):
            for start, end, kind in sorted(spans(labels)):
                bare = [re.split("['’]", word)[0] for word in words[start:end]]
                if all(bare):
                    found[kind].append(bare)
    return found


def sides(data: Path, count: int, seed: int = SEED) -> list[Side]:
    """Return so many sentences, the same ones each time: none of a test file, none of the lists with other names."""
    chance = random.Random(seed)
    names = Names(names_of(data), chance)
    never = texts.test_keys(data)
    scored = {texts.key(around) for path in LISTS for around in _around_names(path)}
    everyday = [words for s in corpus.raw_singles(data) if len(words := corpus.tokens(s)) <= 30]
    everyday = [words for words in everyday if any(_person(w) for w in words) and texts.key(words) not in never]
    two = [found for words in everyday if (found := _two_in(words))]
    one = [found for words in everyday if (found := _one_in(words))]
    leading = [(words, 0, case) for words, at, case in one if at == 0 and case and not _two_in(words)]
    made: list[Side] = []
    while len(made) < count:
        draw = chance.random()
        if draw < 0.34:
            words, at, case = chance.choice(two)
            made.append(_side_by_side(words[:at], words[at + 2 :], case, names, chance))
        elif draw < 0.45:  # with whom a sentence begins may have a subject before: `Tom'u gördü` as `Ali Tom'u gördü`
            words, _, case = chance.choice(leading)
            made.append(_side_by_side([], words[1:], case, names, chance))
        elif draw < 0.69:  # a third of them somebody to whom something is done, by whom is not said
            words, at, case = chance.choice(leading if draw < 0.54 else one)
            made.append(_alone(words, at, case, names, chance))
        elif draw < 0.75:
            made.append(_with_another_kind(names, chance))
        else:
            made.append(_of_a_kind(names, chance))
        words, entities = made[-1].words, made[-1].entities
        around = [word for word, label in zip(words, entities, strict=True) if label == OTHER]
        if texts.key(words) in never or texts.key(around) in scored:
            made.pop()
    return made


def _around_names(path: Path) -> list[list[str]]:
    """Return the words of a list's sentences but their names."""
    lines = [marked_names(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [[word for i, word in enumerate(words) if not any(i in name for name in names)] for words, names in lines]


def told_apart(made: list[Side]) -> list[Side]:
    """Return those whose tree is no riddle to the package's network.

    The father does something, in the third person, and the second name hangs on something else.
    """
    from vnlp_colab.joint.joint_colab import JointAnalyzer

    analyzer = JointAnalyzer(device="cpu")
    kept = []
    for start in range(0, len(made), 4096):
        some = made[start : start + 4096]
        found = analyzer.analyze_batch([side.beside for side in some], ("dep", "feats"))
        for side, arcs, feats in zip(some, found["dep"], found["feats"], strict=True):
            if side.beside == side.words:
                kept.append(side)
                continue
            at = next(i for i, word in enumerate(side.beside) if word in (FATHER, FATHER.capitalize()))
            head, relation = arcs[at]
            if relation == "nsubj" and arcs[at + 1][0] != at + 1 and "Person=3" in feats[head - 1]:
                kept.append(side)
    return kept


def _person(word: str) -> bool:
    return word.partition("'")[0] in WORDS["persons"]


def _case(word: str) -> str | None:
    """Return the case of a name, "" without an ending, or None if it has another one."""
    _, mark, ending = word.partition("'")
    return _CASE_OF.get(ending) if mark else ""


def _two_in(words: list[str]) -> tuple[list[str], int, str] | None:
    """Return the words, where a person stands before another one or a pronoun, and the latter's case."""
    for at, (word, after) in enumerate(pairwise(words)):
        if word not in WORDS["persons"]:
            continue
        if after in PRONOUNS:
            return words, at, PRONOUNS[after]
        if _person(after):
            case = _case(after)
            if case or (case == "" and at + 2 < len(words) and words[at + 2] in _BESIDE):
                return words, at, case
    return None


def _one_in(words: list[str]) -> tuple[list[str], int, str] | None:
    """Return the words, where a person stands without other names on either side, and his case."""
    for at, word in enumerate(words):
        if _person(word) and (case := _case(word)) is not None:
            around = [*words[max(1, at - 1) : at], *words[at + 1 : at + 2]]
            return None if any(w[:1].isupper() for w in around) else (words, at, case)
    return None


def _listed(names: Sequence[str]) -> list[str]:
    return [name for listed in names for name in WORDS[listed]]


def _named(person: Sequence[str], case: str) -> list[str]:
    return [*person[:-1], with_ending(person[-1], case)]


def _labels(kind: str, count: int) -> list[int]:
    return [ENTITIES.index(f"B-{kind}"), *(count - 1) * [ENTITIES.index(f"I-{kind}")]]


def _side_by_side(before: list[str], after: list[str], case: str, names: Names, chance: random.Random) -> Side:
    """Return two persons between these words, and the father and the second one."""
    one, other = names.two()
    return _beside_father(before, one, _named(other, case), "PER", after, chance)


def _with_another_kind(names: Names, chance: random.Random) -> Side:
    """Return a person and a place, a club or a firm, and the father and that."""
    around = chance.choice(WORDS["with another kind"])
    first, *after = chance.choice(around["frames"]).split()
    second = _named(chance.choice(_listed(around["names"])).split(), first.strip("{}").partition(".")[2])
    one = names.whole() if chance.random() < 0.3 else [names.one_given()]
    return _beside_father([], one, second, around["kind"], after, chance)


def _beside_father(
    before: list[str], one: list[str], second: list[str], kind: str, after: list[str], chance: random.Random
) -> Side:
    if not before and chance.random() < 0.35:
        before = chance.choice(WORDS["before"]).split()
    words = [*before, *one, *second, *after]
    entities = [*len(before) * [OTHER], *_labels("PER", len(one)), *_labels(kind, len(second)), *len(after) * [OTHER]]
    father = FATHER if before and before[-1] != ":" else FATHER.capitalize()
    at = len(before)
    places = [*range(at + 1), *(len(one) - 1) * [INSIDE], *range(at + 1, at + 1 + len(second) + len(after))]
    return Side(words, entities, [*before, father, *second, *after], places)


def _alone(words: list[str], at: int, case: str, names: Names, chance: random.Random) -> Side:
    """Return one person, mostly of several names, in the place of another."""
    person = _named(names.whole() if chance.random() < 0.75 else [names.one_given()], case)
    new = [*words[:at], *person, *words[at + 1 :]]
    entities = [*at * [OTHER], *_labels("PER", len(person)), *(len(words) - at - 1) * [OTHER]]
    return Side(new, entities, new, list(range(len(new))))


def _row(listed: str, chance: random.Random) -> str:
    """Return a frame for two or three names side by side: what they have together, or what three of them do."""
    rows = WORDS["rows"]
    before = chance.choice(WORDS["before"]) if chance.random() < 0.2 else ""
    if chance.random() < 0.35:
        return f"{before} {{a}} {{b}} {{c}} {chance.choice(rows['three'][listed])}"
    those = "{a} {b} {c}" if chance.random() < 0.4 else "{a} {b}"
    return f"{before} {those} {chance.choice(rows['nouns'][listed])} {chance.choice(rows['after'])}"


def _of_a_kind(names: Names, chance: random.Random) -> Side:
    """Return two or three clubs, firms, places or persons side by side, or one of them, of several words, alone."""
    kind = chance.choice(("ORG", "LOC", "PER", "PER"))
    around = chance.choice(WORDS["two of a kind"][kind])
    listed = around["names"][0]
    draw = chance.random()
    if draw < 0.36:
        template, row = chance.choice(WORDS["one alone"][kind]), [names.of_several_words(kind, listed)]
    else:
        template, row = (
            _row(listed, chance) if draw < 0.74 else chance.choice(around["frames"]),
            names.in_a_row(kind, listed, 3),
        )
    chosen = dict(zip("abc", row, strict=False))
    words: list[str] = []
    entities: list[int] = []
    for word in template.split():
        if word[0] != "{":
            words.append(word)
            entities.append(OTHER)
            continue
        which, _, case = word.strip("{}").partition(".")
        name = _named(chosen[which].split(), case)
        words += name
        entities += _labels(kind, len(name))
    return Side(words, entities, words, list(range(len(words))))
