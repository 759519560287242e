"""Texts that praise, blame or do neither, for the last layers of the sentiment (`training.joint.sentiment`).

Reviews, with their label; short clauses of reviews and everyday sentences with a word of praise or blame, written as
everyday sentences are; everyday sentences without any, stretches of an encyclopedia, laws and manuals, several of these
in a row, words alone (strong ones are praise or blame), signs and greetings. Some of all that is typed as carelessly as
reviews are, or who writes in small letters would always seem pleased. The package's older model of sentiment has
to agree about clauses, strong words and everyday praise and blame: it has seen no calm sentences, and so no difference
in writing. Praise that is denied is blame; blame that is denied, whatever is asked, and what the older model is not
sure of are neither.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from training import corpus
from training.joint import texts
from training.joint.chat import chat
from training.prepare import change_writing
from vnlp_colab.joint.affixes import fold
from vnlp_colab.text import SentenceSplitter
from vnlp_colab.text.case import capitalize, lower_case, upper_case
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vnlp_colab.joint.joint_colab import JointAnalyzer

LISTS = Path(__file__).parent / "lists"
NEGATIVE, NEUTRAL, POSITIVE = range(3)
SEED = 31
RETYPED = 0.4  # of the reviews, which are there a second time
CARELESS = 0.3  # of what is said every day, which is there so and not as it stands
CLAUSES = 25_000  # of either side
WORDS = 12  # of a clause at most
EVERYDAY, FACTS, SIGNS = 180_000, 16_000, 1_200
WORDS_ALONE, ADDRESSES = 10_000, 400  # single words and pairs of words, links and mentions
JOINED, LONGEST = 24_000, 15  # calm texts of several sentences, and how many of these at most
# The older model's probability of praise, from which it agrees: above for praise, below for blame. Everyday sentences
# are sure where a strong word is not denied.
AGREES = {"clause": (0.85, 0.15), "strong": (0.5, 0.5), "everyday": (0.9, 0.15), "sure": (0.7, 0.6)}
UNSURE = 0.3, 0.7  # probabilities of praise between which the older model is not sure
HURRIED = "everyday", "praise", "blame", "unsure", "joined", "fact"
AT_ONCE = 2000  # texts
OFTEN = 20  # so often a word is there that stands alone
BEGINNINGS = "https://", "https://www.", "www.", "@", "#"
_APART = re.compile(r"[,;]| ve | ama | fakat ")
_MARKS = ".,;:!?-*=/()[]#+<>~\"'"


class Example(NamedTuple):
    """A text, of which kind it is, its sentiment, and whether a strong word says so."""

    kind: str
    text: str
    label: int
    sure: bool = False


class Stems:
    """Beginnings of words of one side; the strong ones make a sentence praise or blame by themselves."""

    def __init__(self, side: str) -> None:
        lines = (LISTS / f"{side}_stems.txt").read_text(encoding="utf-8").splitlines()
        self._all = tuple(line.removesuffix(" *") for line in lines)
        self._strong = tuple(line.removesuffix(" *") for line in lines if line.endswith(" *"))

    def among(self, words: Iterable[str], *, strong: bool = False) -> bool:
        """Tell whether one of these words begins so."""
        return any(fold(word).startswith(self._strong if strong else self._all) for word in words)


def tidy(text: str) -> str:
    """Return a text as an everyday sentence is written.

    Examples
    --------
    >>> tidy("ürün  çok iyi"), tidy("Berbat!")
    ('Ürün çok iyi.', 'Berbat!')
    """
    whole = " ".join(text.split())
    whole = upper_case(whole[:1]) + whole[1:]
    return whole if whole.endswith((".", "!", "?", "…")) else f"{whole}."


def careless(text: str, chance: random.Random) -> str:
    """Return an everyday sentence as it is typed in a hurry: without its last mark, in other letters, or as chat.

    Examples
    --------
    >>> careless("Yarın gelir misin?", random.Random(3))
    'yarın gelir misin'
    """
    bare = text.rstrip(" .!?…")
    words = corpus.tokens(bare)
    draw = chance.random()
    if not words or draw < 0.12:
        return bare or text
    if draw < 0.7:
        return lower_case(bare) if draw < 0.4 else upper_case(text) if draw < 0.58 else change_writing(bare, chance)
    # its tags are of its own words: those of chat praise
    typed = [f"#{fold(chance.choice(words))}" if word[:1] == "#" else word for word in chat(words, chance)]
    return " ".join(typed)


def greeted(text: str) -> list[str]:
    """Return a greeting in the ways it is typed.

    Examples
    --------
    >>> greeted("İyi günler.")
    ['İyi günler.', 'İyi günler', 'iyi günler', 'iyi gunler', 'İYİ GÜNLER.', 'İYİ GÜNLER']
    """
    bare = text.rstrip(" .!?…")
    small = lower_case(bare)
    return [text, bare, small, texts.without_turkish_letters(small), upper_case(text), upper_case(bare)]


def some_careless(examples: Iterable[Example]) -> list[Example]:
    """Return the examples with a share of those that are `HURRIED` as they are typed so."""
    chance = random.Random(SEED)
    return [
        e._replace(text=careless(e.text, chance)) if e.kind in HURRIED and chance.random() < CARELESS else e
        for e in examples
    ]


def read_reviews(data: Path) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the reviews that train, none of them of the test file or held out, and those held out."""
    train, dev = corpus.read_sentiment(data)
    folder = data / "sentiment" / "winvoker"
    never = {texts.key(text) for _, text in [*corpus.read_reviews(folder / "test.tsv"), *dev]}
    found: dict[str, tuple[int, str]] = {}
    for label, text in [*train, *corpus.read_reviews(folder / "train.tsv")]:
        if (name := texts.key(text)) not in never:
            found.setdefault(name, (label, text))
    return list(found.values()), dev


def clauses(reviews: list[tuple[int, str]], chance: random.Random) -> Iterator[tuple[int, str]]:
    """Yield short clauses of reviews with the review's label."""
    split = SentenceSplitter().split_sentences
    for label, text in reviews:
        for sentence in split(text):
            for clause in _APART.split(sentence) if chance.random() < 0.5 else [sentence]:
                if 2 <= len(corpus.tokens(clause)) <= WORDS:
                    yield label, tidy(clause)


def signs(count: int, chance: random.Random) -> list[str]:
    """Return marks, numbers, dates and times: nothing that anybody could be pleased with.

    Examples
    --------
    >>> len(signs(3, random.Random(1)))
    3
    """
    makers = (
        lambda: f"{chance.randint(1, 31):02d}.{chance.randint(1, 12):02d}.{chance.randint(1950, 2026)}",
        lambda: f"{chance.randint(0, 23):02d}:{chance.randint(0, 59):02d}",
        lambda: str(chance.randint(0, 10 ** chance.randint(1, 7))),
        lambda: f"%{chance.randint(1, 100)}",
        lambda: chance.choice(["", " "]).join(chance.choices(_MARKS, k=chance.randint(1, 6))),
        lambda: chance.choice(_MARKS) * chance.randint(1, 6),
        lambda: chance.choice("abcçdefgğhıijklmnoöprsştuüvyzABCDEFGHIKLMNOPRSTUVYZ") * chance.randint(1, 3),
    )
    return [chance.choice(makers)() for _ in range(count)]


def facts(data: Path, chance: random.Random) -> list[str]:
    """Return stretches of an encyclopedia, laws and manuals, and as many short sentences of these."""
    paragraphs = list(islice(texts.wikipedia(data, 0.02, SEED), FACTS))
    paragraphs += [p for p in texts.official_paragraphs(data) if chance.random() < 0.06]
    chance.shuffle(paragraphs)
    split = SentenceSplitter().split_sentences
    sentences = (sentence for paragraph in paragraphs for sentence in split(paragraph))
    short = [sentence for sentence in sentences if 3 <= len(corpus.tokens(sentence)) <= WORDS]
    chance.shuffle(short)
    stretches = [" ".join(corpus.tokens(p)[: chance.randint(5, 40)]) for p in paragraphs[:FACTS]]
    return stretches + short[:FACTS]


class Candidates:
    """What is to be learnt from if the older model agrees: no text twice, none of a test file or held out."""

    def __init__(self, data: Path) -> None:
        self.chance = random.Random(SEED)
        self.reviews, dev = read_reviews(data)
        self.held = [Example("review", text, 2 * label) for label, text in dev]
        self._seen = texts.test_keys(data) | {texts.key(text) for _, text in dev}
        for name in ("praise", "blame", "denied", "neutral", "informal"):  # by which it is scored
            self._seen |= {texts.key(line) for line in (LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()}
        self._praise, self._blame = Stems("praise"), Stems("blame")
        self.found = [Example("review", text, 2 * label) for label, text in self.reviews]
        again = [review for review in self.reviews if self.chance.random() < RETYPED]
        self.found += [Example("review", change_writing(text, self.chance), 2 * label) for label, text in again]
        greetings = (LISTS / "greetings.txt").read_text(encoding="utf-8").splitlines()
        own = [typed for text in greetings if self._new(text) for typed in greeted(text)]
        self.found += [Example("greeting", text, NEUTRAL) for text in own]
        self._add_clauses()
        self._add_everyday(data)
        self.found += [Example("fact", text, NEUTRAL) for text in facts(data, self.chance) if self._new(text)]
        self._add_words()
        self._add_joined()
        self.found += [Example("sign", text, NEUTRAL) for text in signs(SIGNS, self.chance)]

    def _new(self, text: str) -> bool:
        name = texts.key(text)
        if not name or name in self._seen:
            return False
        self._seen.add(name)
        return True

    def _add_clauses(self) -> None:
        sides: dict[int, list[str]] = {NEGATIVE: [], POSITIVE: []}
        for label, text in clauses(self.reviews, self.chance):
            words = corpus.tokens(text)
            if (self._praise.among(words) or self._blame.among(words)) and self._new(text):
                sides[2 * label].append(text)
        for label, each in sides.items():
            self.chance.shuffle(each)
            self.found += [Example("clause", text, label) for text in each[:CLAUSES]]

    def _add_everyday(self, data: Path) -> None:
        calm = []
        for text in corpus.raw_singles(data):
            words = corpus.tokens(text)
            pleased, displeased = self._praise.among(words), self._blame.among(words)
            if not pleased and not displeased:
                calm.append(text)
            elif pleased != displeased and self._new(text):
                kind, label = ("praise", POSITIVE) if pleased else ("blame", NEGATIVE)
                sure = (self._praise if pleased else self._blame).among(words, strong=True)
                self.found.append(Example(kind, text, label, sure))
        self.chance.shuffle(calm)
        self.found += [Example("everyday", text, NEUTRAL) for text in islice(filter(self._new, calm), EVERYDAY)]

    def _add_words(self) -> None:
        """Add words by themselves: strong ones, and those by which nobody says anything; addresses, too."""
        calm = [corpus.tokens(example.text) for example in self.found if example.kind in ("everyday", "fact")]
        times = Counter(word for words in calm for word in words if word.isalpha() and len(word) > 2)
        often = sorted(word for word, count in times.items() if count >= OFTEN)
        some = self.chance.sample(often, min(len(often), WORDS_ALONE * 2 // 3))
        for _ in range(WORDS_ALONE // 3):
            words = self.chance.choice(calm)
            at = self.chance.randrange(max(1, len(words) - 1))
            some.append(" ".join(words[at : at + 2]))
        for name in self.chance.sample(often, min(len(often), ADDRESSES)):
            some.append(self.chance.choice(BEGINNINGS) + fold(name) + self.chance.choice(("", ".com", ".org.tr")))
        ways: tuple[Callable[[str], str], ...] = (str, capitalize, str.lower, tidy, upper_case)
        said = Counter(word for _, text in self.reviews for word in corpus.tokens(text) if word.isalpha())
        for word in sorted(word for word, count in said.items() if count >= OFTEN):
            pleased, displeased = (stems.among([word], strong=True) for stems in (self._praise, self._blame))
            denied = any("Neg" in analysis.tags for analysis in default_generator().candidates(word))
            if pleased != displeased and not denied and self._new(word):
                label = POSITIVE if pleased else NEGATIVE
                self.found += [Example("strong", way(word), label) for way in (str.lower, capitalize, tidy, upper_case)]
        for text in some:
            words = corpus.tokens(text)
            if not self._praise.among(words) and not self._blame.among(words) and self._new(text):
                self.found.append(Example("word", self.chance.choice(ways)(text), NEUTRAL))

    def _add_joined(self) -> None:
        """Add calm sentences in a row, of one kind: without them whatever is long looks like a review."""
        for kind in ("everyday", "fact"):
            own = [example.text for example in self.found if example.kind == kind]
            for _ in range(JOINED // 2):
                several = self.chance.sample(own, min(len(own), self.chance.randint(2, LONGEST)))
                self.found.append(Example("joined", " ".join(map(tidy, several)), NEUTRAL))


def agreed(examples: list[Example], analyzer: JointAnalyzer) -> list[Example]:
    """Return the examples without clauses and everyday sentences of which the older model says otherwise.

    Everyday sentences that it is not sure of are neither praise nor blame, unless a strong word says so.
    """
    from vnlp_colab.sentiment.sentiment_colab import SPUCBiGRUSentimentAnalyzer

    sides = "praise", "blame"
    settled = [e for e in examples if e.kind not in ("clause", "strong", *sides)]
    asked = [e for e in examples if e.kind in ("clause", "strong")]
    for example in plain([e for e in examples if e.kind in sides], analyzer):
        (asked if example.kind in sides else settled).append(example)
    said = SPUCBiGRUSentimentAnalyzer(device="cpu").predict_proba_batch([e.text for e in asked])
    for example, likely in zip(asked, said, strict=True):
        if agrees(example, likely):
            settled.append(example)
        elif example.kind in sides and not example.sure and UNSURE[0] < likely < UNSURE[1]:
            settled.append(Example("unsure", example.text, NEUTRAL))
    return settled


def agrees(example: Example, likely: float) -> bool:
    """Tell whether a probability of praise agrees with an example's label."""
    good, bad = AGREES[example.kind if example.kind in AGREES else "sure" if example.sure else "everyday"]
    return likely > good if example.label == POSITIVE else likely < bad


def plain(examples: list[Example], analyzer: JointAnalyzer) -> list[Example]:
    """Return everyday sentences: denied praise as blame, what is asked and denied blame as neither."""
    found = []
    for start in range(0, len(examples), AT_ONCE):
        some = examples[start : start + AT_ONCE]
        words = [corpus.tokens(example.text) for example in some]
        feats = analyzer.analyze_batch(words, ("feats",))["feats"]
        for example, own, each in zip(some, words, feats, strict=True):
            denied = any(fold(w).startswith("degil") for w in own) or any("Polarity=Neg" in f for f in each)
            if "?" in own or (denied and example.kind == "blame"):
                found.append(Example("unsure", example.text, NEUTRAL))
            else:
                found.append(Example("blame", example.text, NEGATIVE) if denied else example)
    return found
