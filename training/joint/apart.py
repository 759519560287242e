"""Beside stage 5: a student taught that names side by side can be two.

python -m training.joint.apart student_before.pt --data DATA --work WORK [--minutes 40]

What it learns are the sentences of `training.joint.neighbours`: entities as they are made (but in the style of the one
entity set that never tells neighbours apart), trees as the student itself gives them to the sentence beside each,
everything else as it says anyway. Three fifths of the steps are texts of every
other kind, raw ones too, about which it is taught to answer as before. Words are composed as before: the vectors of
words stay as they are. Goes on from ``apart_state.pt`` if it was cut off; leaves ``apart.pt``, to ship (`blend`), and
``record_apart.json``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sentencepiece
import torch
from torch import Tensor
from torch.nn import functional as F

from training.arrays import RELATIONS
from training.joint import neighbours
from training.joint.constants import TOKENIZER, UNKNOWN
from training.joint.data import Texts, Vocabulary, load_sets
from training.joint.device import ready
from training.joint.kept import halved, load_student, save
from training.joint.measure import evaluate
from training.joint.narrow import answers, divergence_of
from training.joint.optimisers import RunningMean
from training.joint.prepare import Collection
from training.joint.raw import load_silver
from training.joint.record import note
from training.schedule import progress

if TYPE_CHECKING:
    from training.joint.data import Batch
    from training.joint.network import Student

SILVER = 300_000  # raw sentences
# Of the steps; words a step.
SHARES = {"sides": 0.4, "syntax": 0.18, "entities": 0.14, "silver": 0.2, "reviews": 0.08}
TOKENS = 1500
RATE, KEEP, SMOOTHING = 1.5e-4, 0.99, 0.03
AS_BEFORE = 2.0  # weight of answering as before beside the new answers
SAVE_EVERY = 120  # seconds
SEED = 41


def write_sides(data: Path, work: Path) -> None:
    """Write the sentences and those beside them, one by one, as ``joint_sides.npz`` and ``joint_beside.npz``."""
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(TOKENIZER))
    made = neighbours.told_apart(neighbours.sides(data, neighbours.SENTENCES))
    sides, beside = Collection(["train"]), Collection(["train"])
    for side in made:
        entities = [UNKNOWN if label == neighbours.OTHER else label for label in side.entities]
        places = [UNKNOWN if place == neighbours.INSIDE else place for place in side.places]
        sides.add("train", side.words, 0, entity=entities, place=places)
        beside.add("train", side.beside, 0)
    beside.save(work / "joint_beside.npz", tokenizer, writings=False)
    sides.save(work / "joint_sides.npz", tokenizer, writings=False)


def read_texts(path: Path, device: str) -> Texts:
    """Return a set as it was written."""
    with np.load(path) as file:
        return Texts({name: file[name] for name in file.files}, device)


def side_loss(student: Student, before: Student, batch: Batch, beside: Batch, style: Tensor, together: int) -> Tensor:
    """Return how far the answers about names side by side are from what they are to be.

    The entity style `together` goes on taking them for one.
    """
    entity_style = torch.randint_like(style, len(student.heads.entity_style))
    with torch.no_grad():
        x = before.words(batch.words, style)
        own = before.heads.syntax(x, batch.mask)
        entity = before.heads.entities(x, entity_style).softmax(-1)
        arcs, relations = trees_beside(before, batch, beside, style)
    wanted = batch.labels["entity"]
    named = F.one_hot(wanted.clamp_min(0), entity.shape[-1]) * (1 - SMOOTHING) + SMOOTHING / entity.shape[-1]
    apart = (wanted >= 0) & (entity_style != together)[:, None]
    entity = torch.where(apart[..., None], named, entity)
    x = student.words(batch.words, style, 0.01, 0.02)
    found = student.heads.syntax(x, batch.mask)
    heads = arcs.argmax(-1)
    pairs = [
        (student.heads.entities(x, entity_style), entity),
        (found["head"], arcs),
        (student.heads.relations(found, heads), relations),
        *((found[name], own[name].softmax(-1)) for name in ("upos", "feats", "lemma")),
    ]
    mask = batch.mask.float()
    losses = [-((scores.log_softmax(-1) * likely).sum(-1) * mask).sum() / mask.sum() for scores, likely in pairs]
    return torch.stack(losses).sum()


def trees_beside(before: Student, batch: Batch, beside: Batch, style: Tensor) -> tuple[Tensor, Tensor]:
    """Return how likely each head is and each relation to the likeliest one, from the sentences beside.

    The words of a name hang on its first one where that has no place there.
    """
    scores = before.heads.syntax(before.words(beside.words, style), beside.mask)
    likely = scores["head"].softmax(-1)
    related = before.heads.relations(scores, likely.argmax(-1)).softmax(-1)
    place = batch.labels["place"]
    rows, n = place.shape
    there = place >= 0
    ramp = torch.arange(n, device=place.device).expand(rows, n)
    # Where each word of the sentence beside stands in this one; the root is the root.
    own = torch.zeros(rows, beside.mask.shape[1] + 1, dtype=torch.long, device=place.device)
    own.scatter_(1, torch.where(there, place + 1, 0), torch.where(there, ramp + 1, 0))
    own[:, 0] = 0
    row_of = place.clamp_min(0)[..., None]
    arcs = likely.gather(1, row_of.expand(-1, -1, likely.shape[-1]))
    moved = torch.zeros(rows, n, n + 1, device=arcs.device)
    moved.scatter_add_(2, own[:, None].expand(-1, n, -1), arcs)
    relations = related.gather(1, row_of.expand(-1, -1, related.shape[-1]))
    inside = ~there & batch.mask
    first = torch.where(there, ramp, -1).cummax(1).values  # the nearest word before that has a place
    moved = torch.where(inside[..., None], F.one_hot(first.clamp_min(0) + 1, n + 1).float(), moved)
    flat = F.one_hot(torch.tensor(RELATIONS.index("flat")), relations.shape[-1]).float()
    return moved, torch.where(inside[..., None], flat, relations)


def teach(
    student: Student,
    before: Student,
    sets: dict[str, Texts],
    together: int,
    *,
    minutes: float,
    steps: int | None,
    state_file: Path,
) -> dict[str, Any]:
    """Teach it, but for the entity style `together`; return the steps and the losses at the beginning and the end."""
    taught = [weight for name, weight in student.named_parameters() if not name.startswith("pieces.")]
    optimiser = torch.optim.AdamW(taught, lr=RATE, betas=(0.9, 0.99), weight_decay=0.0)
    mean = RunningMean(student, KEEP)
    step, seconds = 0, 0.0
    losses: list[tuple[str, float]] = []
    if state_file.exists():
        state = torch.load(state_file, map_location=student.style.device, weights_only=True)
        student.load_state_dict(state["student"])
        optimiser.load_state_dict(state["optimiser"])
        mean.mean.update(state["mean"])
        losses, seconds = state["losses"], state["seconds"]
        step = len(losses)
        print(f"goes on after step {step}", flush=True)
    chance = np.random.default_rng([SEED, step])
    streams = {name: sets[name].forever(TOKENS, chance) for name in SHARES}
    begin = saved = time.time()
    student.train()
    while (done := progress(step, steps, begin - seconds, minutes)) < 1:
        name = str(chance.choice(list(SHARES), p=list(SHARES.values())))
        numbers = next(streams[name])
        batch = sets[name].batch(numbers, augment=name in ("syntax", "entities"))
        style = torch.randint(0, len(student.style), batch.style.shape, device=batch.style.device)
        style = torch.where(torch.rand(style.shape, device=style.device) < 0.3, 0, style)
        with torch.autocast(style.device.type, torch.bfloat16):
            if name == "sides":
                loss = side_loss(student, before, batch, sets["beside"].batch(numbers), style, together)
            else:
                if batch.altered is not None:
                    batch.words = batch.altered
                loss = AS_BEFORE * kept_loss(student, before, batch, style)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(taught, 1.0)
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 50, (1 - done) / 0.8)
        optimiser.step()
        student.zero_grad(set_to_none=True)
        step += 1
        mean.update(step)
        losses.append((name, loss.item()))
        if step % 50 == 0:
            recent = {kind: [v for n, v in losses[-200:] if n == kind] for kind in SHARES}
            shown = {kind: round(float(np.mean(values)), 4) for kind, values in recent.items() if values}
            print(f"step {step} {done:.3f} {shown}", flush=True)
        if time.time() - saved > SAVE_EVERY:
            saved = time.time()
            state = {"student": student.state_dict(), "optimiser": optimiser.state_dict(), "mean": mean.mean}
            save(state_file, {**state, "losses": losses, "seconds": seconds + saved - begin})
    mean.swap()
    student.eval()
    ends = {"first": losses[: max(1, len(losses) // 20)], "last": losses[-max(1, len(losses) // 20) :]}
    means = {
        kind: {end: round(float(np.mean([v for n, v in some if n == kind] or [0.0])), 4) for end, some in ends.items()}
        for kind in SHARES
    }
    return {"steps": step, "seconds": round(seconds + time.time() - begin), "losses": means}


def kept_loss(student: Student, before: Student, batch: Batch, style: Tensor) -> Tensor:
    """Return how far its answers are from those of before."""
    entity_style = torch.randint_like(style, len(student.heads.entity_style))
    with torch.no_grad():
        wanted, heads = answers(before, batch, style, None, entity_style)
    found, _ = answers(student, batch, style, heads, entity_style)
    return torch.stack([divergence_of(*pair) for pair in zip(found, wanted, strict=True)]).sum()


def main() -> None:
    """Teach it unless that was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--steps", type=int, default=None)
    args = parser.parse_args()
    if (args.work / "apart.pt").exists():
        return
    device = ready()
    torch.manual_seed(SEED)
    vocabulary = Vocabulary.load(args.work / "joint_vocab.json")
    if not (args.work / "joint_sides.npz").exists():
        write_sides(args.data, args.work)
    sets = load_sets(args.work, device, train=True) | {"silver": Texts(load_silver(args.work, SILVER), device)}
    sets |= {name: read_texts(args.work / f"joint_{name}.npz", device) for name in ("sides", "beside")}
    before, student = (load_student(args.student, vocabulary).to(device) for _ in range(2))
    state_file = args.work / "apart_state.pt"
    together = vocabulary.raw["entity_styles"].index(neighbours.ONE_NAME)
    how = {"minutes": args.minutes, "steps": args.steps, "state_file": state_file}
    taught = teach(student, before, sets, together, **how)
    settings = {
        "student": args.student.name, "sentences": len(sets["sides"].lengths), "shares": SHARES, "tokens": TOKENS,
        "rate": RATE, "running mean": KEEP, "smoothing": SMOOTHING, "as before": AS_BEFORE, "seed": SEED,
    }  # fmt: skip
    held = load_sets(args.work, device, train=False)
    scores = evaluate(student, held)
    note(args.work / "record_apart.json", settings=settings, taught=taught, before=evaluate(before, held), dev=scores)
    save(args.work / "apart.pt", halved(student))
    state_file.unlink(missing_ok=True)
    for part, values in scores.items():
        print(part, values, flush=True)


if __name__ == "__main__":
    main()
