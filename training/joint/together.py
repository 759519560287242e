"""Several networks as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from training.joint.measure import pooled, score_entities, score_syntax
from training.joint.network import mean_of_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from training.joint.data import Texts
    from training.joint.network import Student, Teacher, Words


class Together:
    """Networks that are asked together: every distribution is the mean of theirs, as the logarithm of it."""

    def __init__(self, networks: Sequence[Teacher | Student]) -> None:
        self.networks = networks

    @property
    def heads(self) -> Together:
        """Return what is asked about vectors of words."""
        return self

    def words(self, words: Words, style: Tensor, hand: Tensor | None = None) -> list[Tensor]:
        """Return each network's vectors of the words."""
        return [network.words(words, style, hand=hand) for network in self.networks]

    def syntax(self, vectors: list[Tensor], mask: Tensor) -> dict[str, Any]:
        """Return the logarithms for tags, features, lemmas and heads, and each network's own scores."""
        each = [network.heads.syntax(x, mask) for network, x in zip(self.networks, vectors, strict=True)]
        return {name: log_mean([s[name] for s in each]) for name in ("upos", "feats", "lemma", "head")} | {"each": each}

    def relations(self, scores: dict[str, Any], heads: Tensor) -> Tensor:
        """Return the logarithms for the relations to the given heads."""
        return log_mean([n.heads.relations(s, heads) for n, s in zip(self.networks, scores["each"], strict=True)])

    def entities(self, vectors: list[Tensor], style: Tensor) -> Tensor:
        """Return the logarithms for the BIO labels in the way of an entity set."""
        return log_mean([n.heads.entities(x, style) for n, x in zip(self.networks, vectors, strict=True)])

    def text(self, vectors: list[Tensor], mask: Tensor) -> Tensor:
        """Return the logarithms for the sentiments of the texts."""
        means = [mean_of_words(x, mask) for x in vectors]
        return log_mean([n.heads.text(mean) for n, mean in zip(self.networks, means, strict=True)])


def log_mean(each: list[Tensor]) -> Tensor:
    """Return the logarithm of the mean of the distributions of these scores."""
    if len(each) == 1:
        return each[0].log_softmax(-1)
    total = each[0].softmax(-1)
    for scores in each[1:]:
        total += scores.softmax(-1)
    return (total / len(each)).log()


@torch.no_grad()
def score_together(together: Together, sets: dict[str, Texts]) -> dict[str, dict[str, float]]:
    """Return what the networks score together on the held-out sentences, style given."""
    parts = [score_syntax(together, sets["syntax"], part, styled=True) for part in sets["syntax"].of_kind("dev")]
    found = {"dev pooled, style given": pooled(parts)}
    for part in sets["entities"].of_kind("dev"):
        found[part] = {"f1, style given": 100 * score_entities(together, sets["entities"], part, styled=True)}
    return {part: {name: round(value, 4) for name, value in scores.items()} for part, scores in found.items()}
