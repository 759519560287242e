"""Joint networks of any size with seeded random weights, as training would hand them over."""

from __future__ import annotations

from typing import Any

import numpy as np

from vnlp_colab.joint.affixes import AFFIXES, ROWS

UPOS = ["", *"NOUN PUNCT VERB ADJ PROPN ADV DET CCONJ PRON NUM ADP AUX SCONJ X INTJ SYM PART".split()]  # noqa: SIM905
RELATIONS = ["", "punct", "root", "parataxis", "nsubj", "obj", "obl", "nmod"]
ENTITIES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]


def random_labels(feats: int = 9, scripts: int = 6, longest: int = 12) -> dict[str, Any]:
    """Vocabularies with so many feature strings and scripts."""
    return {
        "styles": ["generic", "boun", "kenet", "penn", "tourism", "framenet", "atis"],
        "entity_styles": ["generic", "wikiann_tr", "turkish_wiki_ner", "starlang_penn15_v2", "nakbatr"],
        "upos": UPOS,
        "relations": RELATIONS,
        "entities": ENTITIES,
        "sentiment": ["negative", "neutral", "positive"],
        "feats": {"kind": "whole", "labels": ["?", "_", *(f"Case=C{number}" for number in range(feats - 2))]},
        "lemma": {"scripts": ["?", *(f"l{number}|" for number in range(scripts - 1))]},
        "longest": longest,
        "settings": {"act": "relu"},
    }


def random_weights(labels: dict[str, Any], *, seed: int = 0, **sizes: int) -> dict[str, np.ndarray]:
    """Weights that fit the labels; `sizes` are width, layers, hidden, pieces, affixes, arc, relation, entity."""
    get = {"width": 64, "layers": 2, "hidden": 96, "pieces": 8, "affixes": 4, "arc": 24, "relation": 16, "entity": 20}
    get |= sizes
    width = get["width"]
    rng = np.random.default_rng(seed)
    made: dict[str, np.ndarray] = {}

    def normal(name: str, *shape: int, scale: float = 1.0) -> None:
        made[name] = (rng.standard_normal(shape) * scale).astype(np.float32)

    def linear(name: str, outputs: int, inputs: int, *, bias: bool = True) -> None:
        normal(f"{name}.weight", outputs, inputs, scale=1.2 / np.sqrt(inputs))
        if bias:
            normal(f"{name}.bias", outputs, scale=0.1)

    normal("pieces.embedding", 16_064, get["pieces"])
    normal("pieces.affixes", ROWS, get["affixes"])
    linear("pieces.compose", width, 8 * get["pieces"] + AFFIXES * get["affixes"])
    for block in range(2):
        name = f"pieces.blocks.{block}"
        made[f"{name}.norm.weight"], made[f"{name}.norm.bias"] = np.ones(width, np.float32), np.zeros(width, np.float32)
        linear(f"{name}.up", 2 * width, width)
        linear(f"{name}.down", width, 2 * width)
    normal("style", len(labels["styles"]), width, scale=0.5)
    for layer in range(get["layers"]):
        name = f"layers.{layer}"
        for norm in ("norm1", "norm2"):
            made[f"{name}.{norm}.weight"] = rng.uniform(0.5, 1.5, width).astype(np.float32)
        linear(f"{name}.qkv", 3 * width, width, bias=False)
        linear(f"{name}.out", width, width, bias=False)
        hidden = get["hidden"] + 32 * layer  # layers need not be alike
        linear(f"{name}.up", 2 * hidden, width, bias=False)
        linear(f"{name}.down", width, hidden, bias=False)
    made["norm.weight"] = np.ones(width, np.float32)
    linear("mix", width, width)
    linear("upos", len(labels["upos"]), width)
    linear("feats", len(labels["feats"]["labels"]), width)
    linear("lemma", len(labels["lemma"]["scripts"]), width)
    linear("entity.hidden", get["entity"], width)
    normal("entity.style", len(labels["entity_styles"]), get["entity"])
    linear("entity", len(labels["entities"]), get["entity"])
    normal("root", width)
    linear("arc.head", get["arc"], width)
    linear("arc.dep", get["arc"], width)
    normal("arc.matrix", get["arc"] + 1, get["arc"], scale=1 / np.sqrt(get["arc"]))
    linear("rel.head", get["relation"], width)
    linear("rel.dep", get["relation"], width)
    linear("rel", len(labels["relations"]), 3 * get["relation"])
    linear("sentiment.hidden", width, width)
    linear("sentiment", len(labels["sentiment"]), width)
    return made


TEXT = "Ali Ankara'dan eve geldi , kitabı okudu ve İstanbul'a gitti ! 😀 bugün hava çok güzel . 3 kişi TBMM önünde"


def random_sentences(count: int, longest: int, seed: int = 0) -> list[list[str]]:
    """Sentences of random words of a small text."""
    rng = np.random.default_rng(seed)
    words = TEXT.split()
    return [[str(word) for word in rng.choice(words, rng.integers(1, longest + 1))] for _ in range(count)]
