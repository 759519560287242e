"""Muon for the matrices of a body, and running means of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable


def orthogonal(gradient: Tensor) -> Tensor:
    """Return about the nearest matrices with equal singular values, by five Newton–Schulz steps."""
    x = gradient.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.mT if tall else x


class Muon:
    """Momentum whose steps are made orthogonal; matrices of one shape go together."""

    def __init__(self, parameters: Iterable[Tensor], momentum: float = 0.95, decay: float = 0.02) -> None:
        self.groups: dict[tuple[int, ...], list[Tensor]] = {}
        for weight in parameters:
            self.groups.setdefault(tuple(weight.shape), []).append(weight)
        self.momentum, self.decay = momentum, decay
        self.mean = {
            shape: torch.zeros(len(group), *shape, device=group[0].device) for shape, group in self.groups.items()
        }

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Take one step."""
        for shape, group in self.groups.items():
            gradient = torch.stack([w.grad if w.grad is not None else torch.zeros_like(w) for w in group]).float()
            mean = self.mean[shape].lerp_(gradient, 1 - self.momentum)
            update = orthogonal(gradient.lerp(mean, self.momentum)).float() * max(1, shape[0] / shape[1]) ** 0.5
            torch._foreach_mul_(group, 1 - rate * self.decay)
            torch._foreach_add_(group, list(update.unbind()), alpha=-rate)

    def state_dict(self) -> dict[str, Tensor]:
        """Return the means by shape."""
        return {"x".join(map(str, shape)): mean for shape, mean in self.mean.items()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Go on with these means."""
        for shape, mean in self.mean.items():
            mean.copy_(state["x".join(map(str, shape))])


class RunningMean:
    """A running mean of a network's weights, short at first."""

    def __init__(self, network: torch.nn.Module, keep: float) -> None:
        self.weights = dict(network.named_parameters())
        self.mean = {name: weight.detach().clone() for name, weight in self.weights.items()}
        self.keep = keep

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take in the weights after this step."""
        keep = min(self.keep, (step + 1) / (step + 10))
        torch._foreach_lerp_(list(self.mean.values()), [w.detach() for w in self.weights.values()], 1 - keep)

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange weights and mean: to score or keep the mean, and back."""
        for name, weight in self.weights.items():
            own = weight.detach().clone()
            weight.copy_(self.mean[name])
            self.mean[name].copy_(own)
