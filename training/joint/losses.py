"""What the teachers and the student are taught by the labelled data, and by others' answers on raw sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional as F

from training.joint.data import IGNORED, Batch, random_hands, random_styles
from training.joint.network import Student, Teacher, mean_of_words

if TYPE_CHECKING:
    from training.joint.lessons import Lesson
    from training.joint.network import Sizes

GENERIC = 0.3  # share of the sentences whose style is not told
NO_HAND = 0.3  # share of the others whose hand is not told
WEIGHTS = {"upos": 1.5, "feats": 1.0, "lemma": 1.0}
SMOOTHING = {"upos": 0.03, "feats": 0.03, "lemma": 0.02}
SILVER_SENTIMENT = 0.2
NEGATIVE_WEIGHT = 1.25  # negative reviews are rarer, and macro-F1 asks for them


def cross_entropy(scores: Tensor, labels: Tensor, smoothing: float = 0.0, weight: Tensor | None = None) -> Tensor:
    """Return the mean loss over the labels that are known."""
    return F.cross_entropy(
        scores.flatten(0, -2), labels.flatten(), weight, ignore_index=IGNORED, label_smoothing=smoothing
    )


def syntax_loss(network: Teacher | Student, batch: Batch, sizes: Sizes, noise: float, dropout: float) -> Tensor:
    """Return the loss of tags, features, lemmas and trees."""
    style = random_styles(batch.style, sizes.styles, GENERIC)
    x = network.words(batch.words, style, noise, dropout, random_hands(batch.hand, style, NO_HAND))
    scores = network.heads.syntax(x, batch.mask, 2 * dropout)
    head = batch.labels["head"]
    # A head can be the mark that was left out.
    head = torch.where(head <= batch.mask.sum(1, keepdim=True), head, IGNORED)
    relation = torch.where(head >= 0, batch.labels["relation"], IGNORED)
    relations = network.heads.relations(scores, head.clamp_min(0))
    loss = cross_entropy(scores["head"], head) + cross_entropy(relations, relation, 0.03)
    for name, weight in WEIGHTS.items():
        loss = loss + weight * cross_entropy(scores[name], batch.labels[name], SMOOTHING[name])
    return loss


def entity_loss(network: Teacher | Student, batch: Batch, sizes: Sizes, noise: float, dropout: float) -> Tensor:
    """Return the loss of the entities; the treebank's style is drawn at random, it must not matter."""
    style = torch.randint(0, sizes.styles, batch.style.shape, device=batch.style.device)
    x = network.words(batch.words, style, noise, dropout)
    scores = network.heads.entities(x, random_styles(batch.style, sizes.entity_styles, GENERIC))
    return cross_entropy(scores, batch.labels["entity"], 0.02)


def review_scores(network: Teacher | Student, batch: Batch, sizes: Sizes, noise: float, dropout: float) -> Tensor:
    """Return the scores of the sentiments, under a style drawn at random."""
    style = torch.randint(0, sizes.styles, batch.style.shape, device=batch.style.device)
    x = network.words(batch.words, style, noise, dropout)
    return network.heads.text(mean_of_words(x, batch.mask), 2 * dropout)


def review_loss(network: Teacher | Student, batch: Batch, sizes: Sizes, noise: float, dropout: float) -> Tensor:
    """Return the loss of the sentiments."""
    scores = review_scores(network, batch, sizes, noise, dropout)
    weight = torch.ones(sizes.sentiments, device=scores.device)
    weight[0] = NEGATIVE_WEIGHT
    return cross_entropy(scores, batch.labels["sentiment"], 0.04, weight)


LOSSES = {"syntax": syntax_loss, "entities": entity_loss, "reviews": review_loss}


def divergence(scores: Tensor, classes: Tensor | None, probabilities: Tensor, mask: Tensor) -> Tensor:
    """Return the cross entropy of a network's distributions under others', a word."""
    likely = scores.log_softmax(-1)
    if classes is not None:
        likely = likely.gather(-1, classes)
    return -((likely * probabilities).sum(-1) * mask).sum() / mask.sum()


def silver_loss(
    network: Teacher | Student, told: Lesson, batch: Batch, noise: float, dropout: float
) -> tuple[Tensor, Tensor]:
    """Return the loss on raw sentences, over every task's distribution, and the vectors of the words."""
    x = network.words(batch.altered or batch.words, told.style, noise, dropout, told.hand)
    scores = network.heads.syntax(x, batch.mask, dropout)
    heads = told.classes["head"]
    assert heads is not None
    scores["relation"] = network.heads.relations(scores, heads[..., 0])
    scores["entity"] = network.heads.entities(x, told.entity_style)
    mask = batch.mask.float()
    loss = sum(divergence(scores[name], told.classes[name], p, mask) for name, p in told.probabilities.items())
    own = network.heads.text(mean_of_words(x, batch.mask), dropout).log_softmax(-1)
    return loss - SILVER_SENTIMENT * (own * told.texts).sum(-1).mean(), x
