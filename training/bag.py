"""A linear model over pieces, and how to plant it in the sentiment network as its starting point.

The network then begins as a sound bag-of-pieces model instead of at chance, and learns from there what order adds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

if TYPE_CHECKING:
    from training.networks import Sentiment
    from training.train_sentiment import Reviews

SCALE = 0.1  # small enough for tanh to pass the piece weights on nearly unchanged
GAIN = 16.0  # of each dense layer's share of 256 / SCALE


def fit(
    data: Reviews, *, epochs: int = 20, rows: int = 512, decay: float = 4e-6, seed: int = 1
) -> tuple[Tensor, float]:
    """Return a weight for each piece and a bias: logistic regression on which pieces a review has, and how often."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    weights = nn.EmbeddingBag(16_000, 1, mode="sum")
    nn.init.zeros_(weights.weight)
    bias = torch.zeros(1, requires_grad=True)
    steps = epochs * (len(data.train) // rows)
    optimiser = torch.optim.Adam([weights.weight, bias], lr=0.01)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = 0.01 * (1 - step / steps)
        numbers = torch.from_numpy(chance.choice(data.train, rows, replace=False))
        start, end = data.offsets[numbers].cpu(), data.offsets[numbers + 1].cpu()
        pieces = torch.cat([data.pieces[s:e] for s, e in zip(start.tolist(), end.tolist(), strict=True)]).cpu().long()
        offsets = torch.cat([torch.zeros(1, dtype=torch.long), (end - start).cumsum(0)[:-1]])
        scores = weights(pieces, offsets)[:, 0] + bias
        labels = data.labels[numbers].cpu()
        loss = F.binary_cross_entropy_with_logits(scores, labels * 0.98 + 0.01) + decay * weights.weight.square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return weights.weight.detach()[:, 0], bias.item()


@torch.no_grad()
def plant(network: Sentiment, weights: Tensor, bias: float) -> None:
    """Let the first unit of every layer pass the sum of the piece weights on to the output."""
    network.embedding.weight[:, 0] = SCALE * weights
    network.embedding.weight[0, 0] = 0.0  # padding says nothing
    for gru in network.stack:
        units = gru.hidden_size
        for gate in range(3):
            gru.weight_ih_l0[gate * units] = 0.0
            gru.weight_hh_l0[gate * units] = 0.0
            gru.bias_ih_l0[gate * units] = 0.0
            gru.bias_hh_l0[gate * units] = 0.0
        gru.bias_ih_l0[units] = -6.0  # the update gate stays shut: nothing of the state before is kept
        gru.weight_ih_l0[2 * units, 0] = 1.0
    first, last = network.dense
    first.weight[:2], first.bias[:2] = 0.0, 0.0
    first.weight[0, 0], first.weight[1, 0] = network.LENGTH / SCALE / GAIN, -network.LENGTH / SCALE / GAIN
    last.weight[0, 0], last.weight[0, 1] = GAIN, -GAIN
    last.weight[0, 2:] = 0.0  # what the other units say is learnt from here on
    last.bias[0] = bias
