"""Vocabularies of small random TreeStack models, sentences over them, and a stemmer that needs no model."""

from __future__ import annotations

import numpy as np

LETTERS = "abcçdefgğhıijklmnoöprsştuüvyz"
SIZES = {"vocabulary": 60, "dimension": 6, "tag_vocabulary": 12, "tag_dimension": 4, "tag_units": 5, "units": 7}
RESOURCES = {
    "words.json": {
        "<OOV>": 1,
        **{
            f"{first}{second}": 2 + 7 * i + j
            for i, first in enumerate("abcdefgh")
            for j, second in enumerate("aeıioöu")
        },
    },
    "tags.json": {
        "<OOV>": 1,
        **{
            tag: 2 + i
            for i, tag in enumerate(["Noun", "Verb", "A3sg", "Pnon", "Nom", "Past", "DB", "Adj", "Punc", "Pos"])
        },
    },
    "pos.json": ["", *(f"P{number}" for number in range(1, 18))],
    "relations.json": ["", "root", *(f"r{number}" for number in range(2, 49))],
}
ROLES = {
    "TreeStackPoS": {"words": "words.json", "tags": "tags.json", "labels": "pos.json"},
    "TreeStackDP": {"words": "words.json", "tags": "tags.json", "pos": "pos.json", "labels": "relations.json"},
}


class FakeStemmer:
    """Gives each word tags by its letters."""

    def predict_batch(self, sentences):
        tags = list(RESOURCES["tags.json"])[1:]
        return [
            [
                f"{word[:2].lower()}+{'+'.join(tags[(ord(char) + n) % len(tags)] for n, char in enumerate(word))}"
                for word in words
            ]
            for words in map(list, sentences)
        ]


def sentence(length: int, seed: int = 0) -> list[str]:
    """Return random words, half of them in the list."""
    random = np.random.default_rng(1000 * seed + length)
    known = list(RESOURCES["words.json"])[1:]
    unknown = ["".join(random.choice(list(LETTERS), 4)) for _ in range(length)]
    return [str(random.choice(known)) if random.random() < 0.5 else word for word in unknown]
