"""Scores of a network on the arrays: labels of words, trees by the best head of each word, entities, reviews."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from training.batches import grouped
from training.joint.f1 import f1_of_spans, score_reviews

if TYPE_CHECKING:
    from training.joint.data import Texts
    from training.joint.network import Student, Teacher, Words
    from training.joint.together import Together

TOKENS = 16_000


@torch.no_grad()
def score_syntax(network: Teacher | Student | Together, texts: Texts, part: str, *, styled: bool) -> dict[str, float]:
    """Return the shares of right tags, features, lemmas, heads and relations of a part, and its words."""
    counts: Counter[str] = Counter()
    for numbers in grouped(texts.lengths, texts.numbers(part), TOKENS):
        batch = texts.batch(numbers)
        style, hand = (batch.style, batch.hand) if styled else (torch.zeros_like(batch.style), None)
        scores, heads, relations = analyse(network, batch.words, style, hand)
        right = heads == batch.labels["head"]
        hits = {name: scores[name].argmax(-1) == batch.labels[name] for name in ("upos", "feats", "lemma")}
        hits |= {"uas": right, "las": right & (relations == batch.labels["relation"])}
        for name, hit in hits.items():
            counts[name] += int((hit & batch.mask).sum())
        counts["words"] += int(batch.mask.sum())
    words = counts.pop("words")
    return {name: 100 * n / words for name, n in counts.items()} | {"words": words}


def analyse(
    network: Teacher | Student | Together, words: Words, style: torch.Tensor, hand: torch.Tensor | None = None
) -> tuple[Any, torch.Tensor, torch.Tensor]:
    """Return all scores, the best heads and their relations."""
    with torch.autocast(style.device.type, torch.bfloat16, enabled=style.is_cuda):
        x = network.words(words, style, hand=hand)
        scores = network.heads.syntax(x, words.mask)
        scores["upos"][..., 0] = -1e4
        heads = scores["head"].argmax(-1)
        relations = network.heads.relations(scores, heads)
        relations[..., 0] = -1e4
        scores["x"] = x
    return scores, heads, relations.argmax(-1)


@torch.no_grad()
def score_entities(network: Teacher | Student | Together, texts: Texts, part: str, *, styled: bool) -> float:
    """Return the F1 of the entities of a part."""
    gold: list[list[int]] = []
    predicted: list[list[int]] = []
    for numbers in grouped(texts.lengths, texts.numbers(part), TOKENS):
        batch = texts.batch(numbers)
        style = batch.style if styled else torch.zeros_like(batch.style)
        with torch.autocast(batch.mask.device.type, torch.bfloat16, enabled=batch.mask.is_cuda):
            x = network.words(batch.words, torch.zeros_like(style))
            best = network.heads.entities(x, style).argmax(-1)
        lengths = batch.mask.sum(1).tolist()
        for own, other, n in zip(batch.labels["entity"].tolist(), best.tolist(), lengths, strict=True):
            gold.append(own[:n])
            predicted.append(other[:n])
    return f1_of_spans(gold, predicted)


@torch.no_grad()
def review_probabilities(network: Teacher | Student, texts: Texts, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Return gold labels and probabilities of the sentiments of a part's texts, all windows of a text together."""
    sums: dict[int, torch.Tensor] = {}
    counts: Counter[int] = Counter()
    labels: dict[int, int] = {}
    for numbers in grouped(texts.lengths, texts.numbers(part), TOKENS):
        batch = texts.batch(numbers)
        with torch.autocast(batch.mask.device.type, torch.bfloat16, enabled=batch.mask.is_cuda):
            x = network.words(batch.words, torch.zeros_like(batch.style))
        total = (x.float() * batch.mask[..., None]).sum(1)
        for owner, row, n, label in zip(
            texts.owner[numbers].tolist(),
            total,
            batch.mask.sum(1).tolist(),
            batch.labels["sentiment"].tolist(),
            strict=True,
        ):
            sums[owner] = sums.get(owner, 0) + row
            counts[owner] += n
            labels[owner] = label
    order = sorted(sums)
    means = torch.stack([sums[i] / counts[i] for i in order])
    probabilities = network.heads.text(means).softmax(-1).cpu().numpy()
    return np.array([labels[i] for i in order]), probabilities


def pooled(each: list[dict[str, float]]) -> dict[str, float]:
    """Return the scores of several files together, weighed by words."""
    words = sum(scores["words"] for scores in each)
    names = [name for name in each[0] if name != "words"]
    return {n: sum(s[n] * s["words"] for s in each) / words for n in names} | {"words": words}


def evaluate(network: Teacher | Student, sets: dict[str, Texts], kind: str = "dev") -> dict[str, dict[str, float]]:
    """Return every score on the parts of a kind, ``dev`` or ``test``, rounded."""
    was = network.training
    network.eval()
    found: dict[str, dict[str, float]] = {}
    for styled in (True, False):
        name = "style given" if styled else "generic"
        each = {p: score_syntax(network, sets["syntax"], p, styled=styled) for p in sets["syntax"].of_kind(kind)}
        if styled:
            found |= each
        found[f"{kind} pooled, {name}"] = pooled(list(each.values()))
        for part in sets["entities"].of_kind(kind):
            found.setdefault(part, {})[f"f1, {name}"] = 100 * score_entities(
                network, sets["entities"], part, styled=styled
            )
    gold, probabilities = review_probabilities(network, sets["reviews"], f"{kind} winvoker")
    found[f"{kind} winvoker"] = score_reviews(gold, probabilities)
    if kind == "dev":
        _, calm = review_probabilities(network, sets["reviews"], "dev neutral")
        user = calm[:, 2] + 0.5 * calm[:, 1]
        found["dev neutral"] = {"confident": 100 * float(((user < 0.2) | (user > 0.8)).mean())}
    network.train(was)
    return {part: {name: round(value, 4) for name, value in scores.items()} for part, scores in found.items()}
