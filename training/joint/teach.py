"""Stage 4: one teacher a seed, the encoder taught all tasks at once.

python -m training.joint.teach --seed 1 --work WORK [--minutes 8] [--steps N] [--dropout 0.1] [--noise 0.03]

Goes on from ``teacher_SEED_state.pt`` if it was cut off; leaves ``teacher_SEED.pt`` and ``record_teacher_SEED.json``.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from training.joint.data import Vocabulary, load_sets
from training.joint.device import ready
from training.joint.losses import LOSSES
from training.joint.measure import evaluate
from training.joint.network import Teacher, load_encoder
from training.joint.optimisers import RunningMean
from training.joint.record import note
from training.schedule import progress

SHARES = {"syntax": 0.46, "entities": 0.28, "reviews": 0.26}
TOKENS = {"syntax": 6000, "entities": 6000, "reviews": 8000}
SAVE_EVERY = 150  # seconds


def build(work: Path, vocabulary: Vocabulary, encoder: Path | None = None) -> Teacher:
    """Return a teacher that has the encoder's weights."""
    with np.load(encoder or work / "encoder.npz") as file:
        arrays = {name: torch.from_numpy(file[name]) for name in file.files}
    return Teacher(load_encoder(arrays), vocabulary.sizes, vocabulary.feats)


def load_teacher(work: Path, vocabulary: Vocabulary, seed: int) -> Teacher:
    """Return a finished teacher."""
    teacher = build(work, vocabulary)
    state = torch.load(work / f"teacher_{seed}.pt", map_location="cpu", weights_only=True)
    teacher.load_state_dict({name: values.float() for name, values in state.items()})
    return teacher.eval()


def save(path: Path, values: object) -> None:
    """Write under another name first: a file is whole or not there."""
    temporary = path.with_suffix(".part")
    torch.save(values, temporary)
    temporary.replace(path)


@dataclass
class Manner:
    """How a teacher learns: rate of the encoder (its heads learn five times as fast), dropout, share of pieces lost."""

    rate: float = 2e-4
    dropout: float = 0.1
    noise: float = 0.03


def teach(work: Path, seed: int, manner: Manner, *, minutes: float, steps: int | None, device: str) -> None:
    """Train one teacher."""
    torch.manual_seed(seed)
    chance, choice = np.random.default_rng(seed), random.Random(seed)
    vocabulary = Vocabulary.load(work / "joint_vocab.json")
    sets = load_sets(work, device, train=True)
    network = build(work, vocabulary).to(device)
    if device == "cuda":
        network.body.compile_layers()
    groups = [
        {"params": [w for n, w in network.named_parameters() if n.startswith("encoder.") == body], "scale": scale}
        for body, scale in ((True, 1.0), (False, 5.0))
    ]
    optimiser = torch.optim.AdamW(groups, lr=manner.rate, weight_decay=0.01, fused=device == "cuda")
    mean = RunningMean(network, 0.998)
    step, before = 0, 0.0
    state_file = work / f"teacher_{seed}_state.pt"
    if state_file.exists():
        state = torch.load(state_file, map_location=device, weights_only=True)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        for name, values in state["mean"].items():
            mean.mean[name].copy_(values)
        step, before = state["step"], state["seconds"]
        print(f"goes on after step {step}", flush=True)
    streams = {name: sets[name].forever(TOKENS[name], chance) for name in SHARES}
    begin = saved = time.time()
    losses: dict[str, torch.Tensor] = {}
    network.train()
    while (done := progress(step, steps, begin - before, minutes)) < 1:
        name = choice.choices(list(SHARES), list(SHARES.values()))[0]
        for group in optimiser.param_groups:
            group["lr"] = manner.rate * group["scale"] * min(1.0, (step + 1) / 150, (1 - done) / 0.85)
        batch = sets[name].batch(next(streams[name]), augment=name != "reviews")
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss = LOSSES[name](network, batch, vocabulary.sizes, manner.noise, manner.dropout)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        step += 1
        mean.update(step)
        losses[name] = loss.detach()
        if step in (20, 100) or step % 500 == 0:
            shown = {task: round(value.item(), 3) for task, value in losses.items()}
            print(f"teacher {seed} step {step} {shown} {before + time.time() - begin:.0f} s", flush=True)
        if time.time() - saved > SAVE_EVERY:
            saved = time.time()
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(), "mean": mean.mean}
            save(state_file, {**state, "step": step, "seconds": before + saved - begin})
    mean.swap()
    save(work / f"teacher_{seed}.pt", {name: values.half() for name, values in network.state_dict().items()})
    print(f"teacher {seed}: {step} steps", flush=True)
    scores = evaluate(network, load_sets(work, device, train=False))
    settings = {**asdict(manner), "shares": SHARES, "tokens": TOKENS, "running mean": 0.998}
    seconds = round(before + time.time() - begin)
    note(work / f"record_teacher_{seed}.json", seed=seed, steps=step, seconds=seconds, settings=settings, dev=scores)
    for part, values in scores.items():
        print(part, values, flush=True)
    state_file.unlink(missing_ok=True)


def main() -> None:
    """Train it unless it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--steps", type=int, default=None)
    for name, value in asdict(Manner()).items():
        parser.add_argument(f"--{name}", type=float, default=value)
    args = parser.parse_args()
    if (args.work / f"teacher_{args.seed}.pt").exists():
        return
    manner = Manner(args.rate, args.dropout, args.noise)
    teach(args.work, args.seed, manner, minutes=args.minutes, steps=args.steps, device=ready())


if __name__ == "__main__":
    main()
