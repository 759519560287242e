"""The CoNLL 2018 measures, held to the official script as udtools has it."""

from __future__ import annotations

import io
import random

import pytest
from udtools.udeval import evaluate, load_conllu

from vnlp_colab.evaluation.conll18 import METRICS, AlignmentError, ConlluAnalysis, score

TAGS = ["NOUN", "VERB", "ADJ", "PUNCT"]
FEATS = ["_", "Case=Nom|Number=Sing", "Case=Loc|Number=Plur|Typo=Yes", "Evident=Fh|Tense=Past"]
RELATIONS = ["nsubj", "obj", "obl:tmod", "case", "aux", "punct", "conj", "compound:lvc"]


def official(gold, system):
    def load(text):
        return load_conllu(io.StringIO(text), "text", {"no_empty_nodes": True, **TREEBANK})

    scores = evaluate(load(gold), load(system))
    return {name: scores[name].f1 or 0.0 for name in METRICS}


# The kinds of enhanced dependencies the script may leave out; it asks for all of them, and none is there.
TREEBANK = dict.fromkeys(
    (
        "no_gapping",
        "no_shared_parents_in_coordination",
        "no_shared_dependents_in_coordination",
        "no_control",
        "no_external_arguments_of_relative_clauses",
        "no_case_info",
        "no_empty_nodes",
        "multiple_roots_okay",
    ),
    0,
)


def make(words, chance, cut):
    """Return CoNLL-U of `words` cut into sentences of at most `cut`, some as ranges, with random labels."""
    blocks = []
    while words:
        size = chance.randint(1, cut)
        some, words = words[:size], words[size:]
        rows, lines = [], []
        for word in some:
            if len(word) > 3 and chance.random() < 0.2:
                half = chance.randint(1, len(word) - 1)
                lines.append((len(rows) + 1, word))
                rows += [word[:half], word[half:]]
            else:
                rows.append(word)
        root = chance.randrange(len(rows))
        text = []
        ranges = dict(lines)
        for at, form in enumerate(rows):
            if at + 1 in ranges:
                text.append("\t".join([f"{at + 1}-{at + 2}", ranges[at + 1], *"________"]))
            # every other word hangs on a word before it or on the root: no cycle
            head = 0 if at == root else (root + 1 if at < root else chance.randint(root + 1, at))
            relation = "root" if at == root else chance.choice(RELATIONS)
            cells = [at + 1, form, chance.choice([form, form[:2]]), chance.choice(TAGS), "_", chance.choice(FEATS)]
            text.append("\t".join(map(str, [*cells, head, relation, "_", "_"])))
        blocks.append("\n".join(text) + "\n\n")
    return "".join(blocks)


@pytest.mark.parametrize("seed", range(25))
def test_equal_to_the_official_script(seed):
    chance = random.Random(seed)
    text = "".join(chance.choice("abcçdı") for _ in range(120))

    def cut(size):
        rest, words = text, []
        while rest:
            length = chance.randint(1, size)
            words.append(rest[:length])
            rest = rest[length:]
        return words

    words = cut(7)
    gold = make(words, chance, 9)
    for system in (gold, make(words, chance, 9), make(cut(5), chance, 6)):
        ours = score(ConlluAnalysis.read(gold.splitlines()), ConlluAnalysis.read(system.splitlines()))
        assert ours == pytest.approx(official(gold, system), abs=1e-12), system


def test_other_texts_are_told():
    one, two = make(["abc", "de"], random.Random(1), 2), make(["abd", "de"], random.Random(1), 2)
    with pytest.raises(AlignmentError, match="of different texts: 'cde' in the gold one, 'dde' in the other"):
        score(ConlluAnalysis.read(one.splitlines()), ConlluAnalysis.read(two.splitlines()))
