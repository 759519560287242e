"""A student taught further for some minutes, with small steps, from where it was cut off."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from training.joint.kept import save
from training.joint.optimisers import RunningMean
from training.schedule import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor, nn

    Lesson = Callable[[], tuple[str, Tensor]]

SAVE_EVERY = 120  # seconds
SHOW_EVERY = 50  # steps


@dataclass(frozen=True)
class Pace:
    """How it is taught: rate, steps until the rate is whole, over which last share it falls, running mean, seed."""

    rate: float
    warm: int
    falling: float
    keep: float
    seed: int


def teach_on(
    network: nn.Module,
    taught: Sequence[nn.Parameter],
    lessons: Callable[[np.random.Generator], Lesson],
    pace: Pace,
    *,
    minutes: float,
    steps: int | None = None,
    state_file: Path,
) -> tuple[list[tuple[str, float]], float]:
    """Teach a network, which ends as the running mean of its weights; return the losses and the seconds it took.

    Parameters
    ----------
    taught
        The weights that change.
    lessons
        Makes, from what sentences are drawn by, the function that gives the kind and the loss of the next step.
    state_file
        Where it is kept on the way, and goes on from.
    """
    optimiser = torch.optim.AdamW(taught, lr=pace.rate, betas=(0.9, 0.99), weight_decay=0.0)
    mean = RunningMean(network, pace.keep)
    seconds = 0.0
    losses: list[tuple[str, float]] = []
    if state_file.exists():
        state = torch.load(state_file, map_location=taught[0].device, weights_only=True)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        mean.mean.update(state["mean"])
        losses, seconds = state["losses"], state["seconds"]
        print(f"goes on after step {len(losses)}", flush=True)
    lesson = lessons(np.random.default_rng([pace.seed, len(losses)]))
    begin = saved = time.time()
    while (done := progress(len(losses), steps, begin - seconds, minutes)) < 1:
        name, loss = lesson()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(taught, 1.0)
        for group in optimiser.param_groups:
            group["lr"] = pace.rate * min(1.0, (len(losses) + 1) / pace.warm, (1 - done) / pace.falling)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        losses.append((name, loss.item()))
        mean.update(len(losses))
        if len(losses) % SHOW_EVERY == 0:
            print(f"step {len(losses)} {done:.3f} {means_of(losses[-4 * SHOW_EVERY :])}", flush=True)
        if time.time() - saved > SAVE_EVERY:
            saved = time.time()
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(), "mean": mean.mean}
            save(state_file, {**state, "losses": losses, "seconds": seconds + saved - begin})
    mean.swap()
    return losses, seconds + time.time() - begin


def means_of(losses: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Return the mean loss of each kind.

    Examples
    --------
    >>> means_of([("raw", 1.0), ("raw", 2.0), ("gold", 0.25)])
    {'raw': 1.5, 'gold': 0.25}
    """
    kinds = dict.fromkeys(name for name, _ in losses)
    return {kind: round(float(np.mean([value for name, value in losses if name == kind])), 4) for kind in kinds}
