"""Which hand a sentence is labelled in under a style: one of those that the style follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from training.joint import hands
from training.joint.data import LONGEST

if TYPE_CHECKING:
    from training.joint.data import Texts, Vocabulary

NEAR = 1.5  # words by which sentences of like length differ
ENOUGH = 5  # so many of a treebank's sentences tell what those of a length are


class Followed:
    """The hands each style follows, and how likely each is for a sentence of so many words.

    That is the share that a collection has of the sentences of like length in the treebank's train file: whoever asks
    for Penn's style is answered as its collection of short sentences is for a short one.
    """

    def __init__(self, vocabulary: Vocabulary, treebanks: Texts) -> None:
        names, styles, device = vocabulary.hands, vocabulary.raw["styles"], treebanks.device
        if not names or treebanks.hand is None:
            raise ValueError("joint_syntax.npz knows no hands: prepare it anew (training.joint.prepare)")
        each = [hands.followed(style, names) or [hands.NONE] for style in styles]
        most = max(map(len, each))
        numbers = torch.tensor([[*own, *(most - len(own)) * [-1]] for own in each])
        counts = torch.zeros(len(styles), most, LONGEST + 1)
        train, last = treebanks.numbers("train"), hands.ends(names)
        hand = treebanks.hand.cpu().numpy()[train]
        for number, name in enumerate(names, 1):
            if not name.endswith(" dev"):
                own = treebanks.lengths[train][hand == number].clip(max=LONGEST)
                column = numbers == last[hands.collection_in(name)]
                counts[column] += torch.from_numpy(np.bincount(own, minlength=LONGEST + 1))
        ramp = torch.arange(LONGEST + 1)
        near = torch.exp(-(((ramp - ramp[:, None]) / NEAR) ** 2) / 2)
        chances = counts @ near + (numbers >= 0)[..., None]
        self.numbers, self.chances = numbers.to(device), chances.transpose(1, 2).to(device)
        # longer sentences are as the longest ones that there are enough of
        self.longest = torch.where(counts.sum(1) >= ENOUGH, ramp, 0).amax(1).to(device)

    def drawn(self, texts: Texts, style: Tensor) -> Tensor:
        """Return a hand for every sentence; the one it has, if it is a treebank's and in its own style."""
        length = texts.length_of.minimum(self.longest[style])
        column = torch.multinomial(self.chances[style, length], 1)
        found = self.numbers[style].gather(1, column)[:, 0]
        if texts.hand is None or texts.style is None:
            return found
        return torch.where((texts.style == style) & (texts.hand != hands.ANY), texts.hand, found)

    def alone(self, _: Texts, style: Tensor) -> Tensor:
        """Return the hand that each style follows, none where it follows several: for who does not know hands."""
        several = (self.numbers >= 0).sum(1) > 1
        return torch.where(several[style], hands.NONE, self.numbers[style, 0])

    def among(self, hand: Tensor, style: Tensor) -> Tensor:
        """Tell which sentences are in a hand that their style follows."""
        return (self.numbers[style] == hand[:, None]).any(1)
