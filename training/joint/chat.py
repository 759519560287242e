"""Chat: what people type to one another, made of short reviews, without any entity."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING

from training import corpus
from training.joint import texts
from vnlp_colab.joint.affixes import fold
from vnlp_colab.text.case import capitalize, lower_case, upper_case

if TYPE_CHECKING:
    from pathlib import Path

SEED = 29
INFORMAL = 14_000

_CHAT = {
    "merhaba": "mrb", "selam": "slm", "tamam": "tmm", "teşekkürler": "tşk", "evet": "ewet", "değil": "diil",
    "geliyor": "geliyo", "bir": "bi", "şey": "şy", "çok": "cok", "güzel": "gzl", "kanka": "knk", "ne": "nee",
    "kendine": "kndne", "iyi": "ii", "abi": "abii", "seviyorum": "sewiyom", "yapıyorsun": "napıyosun",
    "niye": "nie", "var": "war", "sonra": "sora",
}  # fmt: skip
_OPENINGS = (
    "slm", "nbr", "ya", "abi", "kanka", "knk", "lan", "off", "yaa", "valla", "aynen", "hocam", "hacı", "dostum",
)  # fmt: skip
_CLOSINGS = (
    ":)", ":(", ":D", "ahahaha", "haha", "sjsjsj", "asdfgh", "lol", "xd", "yaaa", "bence", "cidden", "<3", "!!!",
    "...",
)  # fmt: skip
_TAGS = (
    "#tavsiye", "#güzel", "#alışveriş", "#mutlu", "#keyif", "#kahve", "#gündem", "@arkadas", "@kullanici",
    "@dost34",
)  # fmt: skip


_ENGLISH = (
    "ok", "lol", "bro", "sorry", "pls", "thanks", "like", "story", "update", "call", "meeting", "mood", "best",
    "nice", "cool", "crush", "random", "full", "link", "wow",
)  # fmt: skip
_SHORT = (
    "slm", "nbr", "kib", "tmm", "aeo", "bb", "gg", "wp", "ss", "dm", "rt", "gt", "afk", "xd", "omg", "idk", "btw",
    "hg", "knk", "cnm",
)  # fmt: skip


def informal(data: Path, tagged: list[tuple[list[str], list[int], int]]) -> list[list[str]]:
    """Return short reviews rewritten as chat, without any word that is ever part of an entity."""
    inside: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for words, labels, _ in tagged:
        for word, label in zip(words, labels, strict=True):
            stem = re.split("['’]", fold(word))[0]
            whole[stem] += 1
            inside[stem] += label > 0
    names = {w for w, n in inside.items() if n > 0.2 * whole[w]}
    chance = random.Random(SEED)
    reviews, _ = corpus.read_sentiment(data)
    chance.shuffle(reviews)
    found: list[list[str]] = []
    for _, text in reviews:
        words = corpus.tokens(text)
        capitals = any(w[:1].isupper() for w in words[1:])
        if not 2 <= len(words) <= 25 or capitals or any(re.split("['’]", fold(w))[0] in names for w in words):
            continue
        found.append(chat(words, chance))
        if len(found) == INFORMAL:
            break
    return found


def chat(words: list[str], chance: random.Random) -> list[str]:
    """Return a sentence as it would be typed in a chat."""
    words = [lower_case(_CHAT.get(w, w) if chance.random() < 0.5 else w) for w in words]
    if chance.random() < 0.6:
        words = [w for w in words if w[:1].isalnum()] or words
    if chance.random() < 0.5:
        words = [texts.without_turkish_letters(w) for w in words]
    if chance.random() < 0.3:
        place = chance.randrange(len(words))
        words[place] += words[place][-1] * chance.randint(2, 5) if words[place][-1:].isalpha() else ""
    if chance.random() < 0.3:
        words = [chance.choice(_OPENINGS), *words]
    if chance.random() < 0.35:
        words = [*words, chance.choice(_CLOSINGS)]
    if chance.random() < 0.25:
        words.insert(chance.choice((0, len(words))), chance.choice(_TAGS))
    if chance.random() < 0.12:
        words = [w.capitalize() if i == 0 else w for i, w in enumerate(words)]
    if chance.random() < 0.06:
        words = [upper_case(w) for w in words]
    return words


def with_capitals(words: list[str], chance: random.Random) -> list[str]:
    """Return chat as a telephone writes it, its first letter large, or as it is shouted or given as a title.

    Examples
    --------
    >>> with_capitals(["iyi", "ya", ":)"], random.Random(1))
    ['İyi', 'ya', ':)']
    """
    draw = chance.random()
    if draw < 0.6:
        return [capitalize(words[0]), *words[1:]]
    return [capitalize(word) if draw < 0.8 else upper_case(word) for word in words]


def scraps(sentences: list[list[str]], count: int, chance: random.Random) -> list[list[str]]:
    """Return short pieces of chat: two to five words of a sentence, with a tag, a short form or a foreign word."""
    found: list[list[str]] = []
    while len(found) < count:
        words = chat(list(chance.choice(sentences)), chance)
        begin = chance.randrange(len(words))
        part = words[begin : begin + chance.randint(1, 5)]
        draw = chance.random()
        if draw < 0.15:
            part.insert(chance.choice((0, len(part))), f"#{fold(chance.choice(words)).strip('#@')}")
        elif draw < 0.3:
            part.insert(chance.choice((0, len(part))), chance.choice(_SHORT))
        elif draw < 0.42:
            part.insert(chance.choice((0, len(part))), chance.choice(_ENGLISH))
        elif draw < 0.5:
            part = [chance.choice(_SHORT), chance.choice(_SHORT)]
        elif draw < 0.56:
            part = [f"#{fold(chance.choice(words)).strip('#@')}{fold(chance.choice(words)).strip('#@')}"]
        found.append(part)
    return found
