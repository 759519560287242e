"""Stage 4: one teacher a seed, the encoder taught all tasks at once.

python -m training.joint.teach --seed 1 --work WORK [--minutes 8] [--steps N] [--dropout 0.1] [--noise 0.03]
    [--muon 0.002] [--predecessor student_before.pt]

With an earlier student as predecessor it also learns what that one says of raw sentences: it has seen more text than a
teacher has, and what it says is smoother than the treebanks' labels. Goes on from ``teacher_SEED_state.pt`` if it was
cut off; leaves ``teacher_SEED.pt`` and ``record_teacher_SEED.json``.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from training.joint.data import Texts, Vocabulary, load_sets
from training.joint.device import ready
from training.joint.followed import Followed
from training.joint.kept import halved, load_student, new_teacher, save
from training.joint.lessons import Lessons
from training.joint.losses import LOSSES, silver_loss
from training.joint.measure import evaluate
from training.joint.optimisers import Muon, RunningMean
from training.joint.raw import load_silver
from training.joint.record import note
from training.schedule import progress

if TYPE_CHECKING:
    from training.joint.network import Teacher

SHARES = {"syntax": 0.46, "entities": 0.28, "reviews": 0.26}  # of the steps, without a predecessor
SHARES_AFTER = {"silver": 0.25, "syntax": 0.46, "entities": 0.17, "reviews": 0.12}  # with one
TOKENS = {"silver": 6000, "syntax": 6000, "entities": 6000, "reviews": 8000}
SAVE_EVERY = 150  # seconds


@dataclass
class Manner:
    """How a teacher learns: rate of the encoder (its heads learn five times as fast), dropout, share of pieces lost.

    With a rate for Muon the matrices of the encoder's layers learn by that, the rest as without.
    """

    rate: float = 2e-4
    dropout: float = 0.1
    noise: float = 0.03
    muon: float = 0.0


def told_by(predecessor: Path, raw: Texts, vocabulary: Vocabulary, followed: Followed, device: str) -> Lessons:
    """Return what an earlier student says of raw sentences, in the hand that a style follows if it is one."""
    begin = time.time()
    student = load_student(predecessor, vocabulary).to(device)
    if device == "cuda":
        student.body.compile_layers()
    lessons = Lessons(raw, [student], vocabulary.sizes, followed.alone, vectors=0)
    print(f"{len(lessons.texts):,} sentences labelled in {time.time() - begin:.0f} s", flush=True)
    return lessons


def optimisers(network: Teacher, manner: Manner, device: str) -> tuple[torch.optim.AdamW, Muon]:
    """Return AdamW and, for the matrices it has where it has a rate, Muon."""
    named = dict(network.named_parameters())
    matrices = [name for name, w in named.items() if w.ndim == 2 and name.startswith("encoder.body.layers.")]
    own = set(matrices) if manner.muon else set()
    groups = [
        {"params": [w for n, w in named.items() if n.startswith("encoder.") == body and n not in own], "scale": scale}
        for body, scale in ((True, 1.0), (False, 5.0))
    ]
    adam = torch.optim.AdamW(groups, lr=manner.rate, weight_decay=0.01, fused=device == "cuda")
    return adam, Muon(named[name] for name in matrices if name in own)


def teach(
    work: Path,
    seed: int,
    manner: Manner,
    predecessor: Path | None = None,
    *,
    sentences: int = 1_200_000,
    minutes: float,
    steps: int | None,
    device: str,
) -> None:
    """Train one teacher; with a predecessor also by what that one says of so many raw sentences."""
    torch.manual_seed(seed)
    vocabulary = Vocabulary.load(work / "joint_vocab.json")
    sets = load_sets(work, device, train=True)
    shares = SHARES
    if predecessor:
        shares = SHARES_AFTER
        sets["silver"] = Texts(load_silver(work, sentences, seed), device)
        lessons = told_by(predecessor, sets["silver"], vocabulary, Followed(vocabulary, sets["syntax"]), device)
    network = new_teacher(work, vocabulary).to(device)
    if device == "cuda":
        network.body.compile_layers()
    optimiser, muon = optimisers(network, manner, device)
    mean = RunningMean(network, 0.998)
    step, before = 0, 0.0
    state_file = work / f"teacher_{seed}_state.pt"
    if state_file.exists():
        state = torch.load(state_file, map_location=device, weights_only=True)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        muon.load_state_dict(state["muon"])
        for name, values in state["mean"].items():
            mean.mean[name].copy_(values)
        step, before = state["step"], state["seconds"]
        print(f"goes on after step {step}", flush=True)
    # who goes on sees other sentences than at first
    chance, choice = np.random.default_rng([seed, step]), random.Random(f"{seed} {step}")
    streams = {name: sets[name].forever(TOKENS[name], chance) for name in shares}
    begin = saved = time.time()
    losses: dict[str, torch.Tensor] = {}
    network.train()
    while (done := progress(step, steps, begin - before, minutes)) < 1:
        name = choice.choices(list(shares), list(shares.values()))[0]
        falling = min(1.0, (step + 1) / 150, (1 - done) / 0.85)
        for group in optimiser.param_groups:
            group["lr"] = manner.rate * group["scale"] * falling
        batch = sets[name].batch(next(streams[name]), augment=name in ("syntax", "entities"))
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            if name == "silver":
                loss, _ = silver_loss(network, lessons.of(batch), batch, manner.noise, manner.dropout)
            else:
                loss = LOSSES[name](network, batch, vocabulary.sizes, manner.noise, manner.dropout)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        muon.step(manner.muon * falling)
        network.zero_grad(set_to_none=True)
        step += 1
        mean.update(step)
        losses[name] = loss.detach()
        if step in (20, 100) or step % 500 == 0:
            shown = {task: round(value.item(), 3) for task, value in losses.items()}
            print(f"teacher {seed} step {step} {shown} {before + time.time() - begin:.0f} s", flush=True)
        if time.time() - saved > SAVE_EVERY:
            saved = time.time()
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(), "mean": mean.mean}
            state |= {"muon": muon.state_dict(), "step": step, "seconds": before + saved - begin}
            save(state_file, state)
    mean.swap()
    settings = {**asdict(manner), "shares": shares, "tokens": TOKENS, "running mean": 0.998}
    if predecessor:
        settings["raw sentences"] = sentences
    record = work / f"record_teacher_{seed}.json"
    note(record, seed=seed, steps=step, seconds=round(before + time.time() - begin), settings=settings)
    print(f"teacher {seed}: {step} steps", flush=True)
    scores = evaluate(network, load_sets(work, device, train=False))
    note(record, dev=scores)
    save(work / f"teacher_{seed}.pt", halved(network))
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
    parser.add_argument("--predecessor", type=Path, default=None, help="an earlier student's student.pt")
    parser.add_argument("--sentences", type=int, default=1_200_000, help="raw ones, with a predecessor")
    for name, value in asdict(Manner()).items():
        parser.add_argument(f"--{name}", type=float, default=value)
    args = parser.parse_args()
    if (args.work / f"teacher_{args.seed}.pt").exists():
        return
    manner = Manner(args.rate, args.dropout, args.noise, args.muon)
    how = {"sentences": args.sentences, "minutes": args.minutes, "steps": args.steps}
    teach(args.work, args.seed, manner, args.predecessor, **how, device=ready())


if __name__ == "__main__":
    main()
