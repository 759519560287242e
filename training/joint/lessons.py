"""What the teachers say of raw sentences and of reviews, asked once and kept on the device.

A student reads a sentence many times; asking the teachers each time would take most of its time. Of large
distributions the most likely classes are kept, of word vectors the direction, in eight bits: a word takes about 1.2 kB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional as F

from training.batches import grouped
from training.joint.constants import ANY_STYLE
from training.joint.data import Texts, random_styles
from training.joint.network import mean_of_words

if TYPE_CHECKING:
    from training.joint.data import Batch
    from training.joint.network import Sizes, Teacher

# Classes kept of each distribution; the others are kept whole.
KEPT = {"feats": 12, "lemma": 6, "head": 6, "relation": 5}
WHOLE = ("upos", "entity")
WITH_VECTORS = 2  # teachers whose word vectors are kept
GENERIC = 0.15  # share of generic style beside the seventh that is generic anyway
TOKENS = 40_000


@dataclass
class Lesson:
    """What is said of a batch: by task the classes (or none, if all are there) and probabilities, vectors, texts."""

    classes: dict[str, Tensor | None]
    probabilities: dict[str, Tensor]
    vectors: Tensor
    texts: Tensor
    style: Tensor
    entity_style: Tensor


def mean(each: list[Tensor]) -> Tensor:
    """Return the mean of the distributions of these scores."""
    return torch.stack([scores.softmax(-1) for scores in each]).mean(0)


class Lessons:
    """The teachers' averaged distributions of every word of a set, each sentence in one style drawn at random."""

    def __init__(self, texts: Texts, teachers: list[Teacher], sizes: Sizes) -> None:
        device, words, sentences = texts.device, len(texts.words), len(texts.lengths)
        counts = {"upos": sizes.upos, "entity": sizes.entities, **KEPT}
        self.probabilities = {
            name: torch.zeros(words, count, dtype=torch.half, device=device) for name, count in counts.items()
        }
        self.classes = {
            name: torch.zeros(words, count, dtype=torch.int16, device=device) for name, count in KEPT.items()
        }
        width = teachers[0].heads.mix.out_features
        kept = min(WITH_VECTORS, len(teachers))
        self.vectors = torch.zeros(words, kept, width, dtype=torch.int8, device=device)
        self.texts = torch.zeros(sentences, sizes.sentiments, device=device)
        any_style = torch.full((sentences,), ANY_STYLE, device=device)
        self.style = random_styles(any_style, sizes.styles, GENERIC)
        self.entity_style = torch.randint(0, sizes.entity_styles, (sentences,), device=device)
        for numbers in grouped(texts.lengths, texts.numbers("train"), TOKENS):
            self._ask(teachers, texts.batch(numbers))

    @torch.no_grad()
    def _ask(self, teachers: list[Teacher], batch: Batch) -> None:
        style, entity_style = self.style[batch.index], self.entity_style[batch.index]
        with torch.autocast(style.device.type, torch.bfloat16, enabled=style.is_cuda):
            vectors = [t.words(batch.words, style) for t in teachers]
            scores = [t.heads.syntax(x, batch.mask) for t, x in zip(teachers, vectors, strict=True)]
            found = {name: mean([s[name] for s in scores]) for name in ("upos", "feats", "lemma", "head")}
            heads = found["head"].argmax(-1)
            found["relation"] = mean([t.heads.relations(s, heads) for t, s in zip(teachers, scores, strict=True)])
            found["entity"] = mean([t.heads.entities(x, entity_style) for t, x in zip(teachers, vectors, strict=True)])
            texts = [t.heads.text(mean_of_words(x, batch.mask)) for t, x in zip(teachers, vectors, strict=True)]
        self.texts[batch.index] = mean(texts)
        place = batch.place[batch.mask]
        for name in WHOLE:
            self.probabilities[name][place] = found[name][batch.mask].half()
        for name, count in KEPT.items():
            best = found[name][batch.mask].topk(min(count, found[name].shape[-1]), -1)
            kept = best.values.shape[-1]
            # What cannot be (heads after the end of a short sentence) need not be a class in another batch.
            self.classes[name][place, :kept] = torch.where(best.values > 0, best.indices, 0).short()
            self.probabilities[name][place, :kept] = (best.values / best.values.sum(-1, keepdim=True)).half()
        directions = torch.stack([x[batch.mask].float() for x in vectors[:WITH_VECTORS]], 1)
        self.vectors[place] = (127 * F.normalize(directions, p=torch.inf, dim=-1)).round().to(torch.int8)

    def of(self, batch: Batch) -> Lesson:
        """Return what was said of these sentences."""
        # Places after a sentence have the first word's classes, which may be no classes there.
        kept = {name: values[batch.place].long() * batch.mask[..., None] for name, values in self.classes.items()}
        classes = {name: kept.get(name) for name in self.probabilities}
        probabilities = {name: values[batch.place].float() for name, values in self.probabilities.items()}
        index = batch.index
        return Lesson(
            classes,
            probabilities,
            self.vectors[batch.place],
            self.texts[index],
            self.style[index],
            self.entity_style[index],
        )


@torch.no_grad()
def judge(teachers: list[Teacher], reviews: Texts, sizes: Sizes) -> Tensor:
    """Return the teachers' mean judgement of every window of the reviews."""
    found = torch.zeros(len(reviews.lengths), sizes.sentiments, device=reviews.device)
    for numbers in grouped(reviews.lengths, reviews.numbers("train"), TOKENS):
        batch = reviews.batch(numbers)
        style = torch.zeros_like(batch.style)
        with torch.autocast(style.device.type, torch.bfloat16, enabled=style.is_cuda):
            scores = [t.heads.text(mean_of_words(t.words(batch.words, style), batch.mask)) for t in teachers]
        found[batch.index] = mean(scores)
    return found
