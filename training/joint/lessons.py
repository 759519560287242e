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
from training.joint.together import Together

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from training.joint.data import Batch
    from training.joint.network import Sizes, Student, Teacher

# Classes kept of each distribution; the others are kept whole.
KEPT = {"feats": 12, "lemma": 6, "head": 6, "relation": 5}
WHOLE = ("upos", "entity")
WITH_VECTORS = 2  # teachers whose word vectors are kept
GENERIC = 0.15  # share of generic style beside the seventh that is generic anyway
TOKENS = 40_000


@dataclass
class Lesson:
    """What is said of a batch: by task the classes (or none, if all are there) and probabilities, vectors, texts.

    `hand` is the one it was said in, if teachers were told which.
    """

    classes: dict[str, Tensor | None]
    probabilities: dict[str, Tensor]
    vectors: Tensor
    texts: Tensor
    style: Tensor
    entity_style: Tensor
    hand: Tensor | None


class Lessons:
    """The teachers' averaged distributions of every word of a set, each sentence in one style drawn at random.

    `hand` says in which hand sentences are labelled in these styles.
    """

    def __init__(
        self,
        texts: Texts,
        teachers: Sequence[Teacher | Student],
        sizes: Sizes,
        hand: Callable[[Texts, Tensor], Tensor] | None = None,
        vectors: int = WITH_VECTORS,
    ) -> None:
        device, words, sentences = texts.device, len(texts.words), len(texts.lengths)
        counts = {"upos": sizes.upos, "entity": sizes.entities, **KEPT}
        self.probabilities = {
            name: torch.zeros(words, count, dtype=torch.half, device=device) for name, count in counts.items()
        }
        self.classes = {
            name: torch.zeros(words, count, dtype=torch.int16, device=device) for name, count in KEPT.items()
        }
        width = teachers[0].heads.mix.out_features
        self.vectors = torch.zeros(words, min(vectors, len(teachers)), width, dtype=torch.int8, device=device)
        self.texts = torch.zeros(sentences, sizes.sentiments, device=device)
        style = texts.style if texts.style is not None else torch.full((sentences,), ANY_STYLE, device=device)
        self.style = random_styles(style, sizes.styles, GENERIC)
        self.hand = hand(texts, self.style) if hand else None
        self.entity_style = torch.randint(0, sizes.entity_styles, (sentences,), device=device)
        together = Together(teachers)
        for numbers in grouped(texts.lengths, texts.numbers("train"), TOKENS):
            self._ask(together, texts.batch(numbers))

    @torch.no_grad()
    def _ask(self, together: Together, batch: Batch) -> None:
        style, entity_style = self.style[batch.index], self.entity_style[batch.index]
        hand = self._hand(batch)
        with torch.autocast(style.device.type, torch.bfloat16, enabled=style.is_cuda):
            vectors = together.words(batch.words, style, hand)
            found = together.syntax(vectors, batch.mask)
            found["relation"] = together.relations(found, found["head"].argmax(-1))
            found["entity"] = together.entities(vectors, entity_style)
            self.texts[batch.index] = together.text(vectors, batch.mask).exp()
        place = batch.place[batch.mask]
        for name in WHOLE:
            self.probabilities[name][place] = found[name][batch.mask].exp().half()
        for name, count in KEPT.items():
            best = found[name][batch.mask].topk(min(count, found[name].shape[-1]), -1)
            kept = best.values.shape[-1]
            likely = best.values.softmax(-1)
            # What cannot be (heads after the end of a short sentence) need not be a class in another batch.
            self.classes[name][place, :kept] = torch.where(likely > 0, best.indices, 0).short()
            self.probabilities[name][place, :kept] = likely.half()
        for i, x in enumerate(vectors[: self.vectors.shape[1]]):
            direction = F.normalize(x[batch.mask].float(), p=torch.inf, dim=-1)
            self.vectors[place, i] = (127 * direction).round().to(torch.int8)

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
            self._hand(batch),
        )

    def _hand(self, batch: Batch) -> Tensor | None:
        return None if self.hand is None else self.hand[batch.index]


@torch.no_grad()
def judge(teachers: Sequence[Teacher | Student], reviews: Texts, sizes: Sizes) -> Tensor:
    """Return the teachers' mean judgement of every window of the reviews."""
    found = torch.zeros(len(reviews.lengths), sizes.sentiments, device=reviews.device)
    together = Together(teachers)
    for numbers in grouped(reviews.lengths, reviews.numbers("train"), TOKENS):
        batch = reviews.batch(numbers)
        style = torch.zeros_like(batch.style)
        with torch.autocast(style.device.type, torch.bfloat16, enabled=style.is_cuda):
            found[batch.index] = together.text(together.words(batch.words, style), batch.mask).exp()
    return found
