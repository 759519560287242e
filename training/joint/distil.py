"""Stage 5: the student, taught by all teachers on raw sentences and by the labelled data.

python -m training.joint.distil --teachers 1 2 3 --work WORK [--minutes 14] [--steps N]
    [--start student_before.pt --rate 0.6] [--beside student_before.pt]

Students `beside` the teachers are asked with them: an earlier one has read more than they have and errs elsewhere.
Goes on from ``student_state.pt`` if it was cut off; leaves ``student.pt`` (the running mean of the weights), its arrays
``joint_student.npz`` and labels ``joint_labels.json`` under the package's names, ``record_student.json``, and
``student_PERCENT.pt`` wherever it was scored on its way (for `blend`).
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.joint.data import Batch, Texts, Vocabulary, load_sets
from training.joint.device import ready
from training.joint.f1 import best_shift
from training.joint.followed import Followed
from training.joint.kept import halved, keep_student, load_student, load_teacher, save
from training.joint.lessons import WITH_VECTORS, Lessons, judge
from training.joint.losses import LOSSES, review_scores, silver_loss
from training.joint.measure import evaluate, review_probabilities
from training.joint.network import Student, Teacher
from training.joint.optimisers import Muon, RunningMean
from training.joint.raw import load_silver, with_treebanks
from training.joint.record import note
from training.joint.together import Together, score_together
from training.schedule import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.joint.lessons import Lesson

SHARES = {"silver": 0.83, "syntax": 0.02, "entities": 0.07, "reviews": 0.08}  # of the steps
TOKENS = {"silver": 28_000, "syntax": 9000, "entities": 9000, "reviews": 12_000}
DROPOUT, NOISE = 0.05, 0.03
MUON_RATE, ADAM_RATE = 0.01, 2e-3
GOLD_REVIEWS = 0.4  # weight of the label beside the teachers' judgement
KEEP = 0.9993  # running mean of the weights
SCORE_EVERY = 0.3  # of the time
SAVE_EVERY = 100  # seconds


def likeness(guess: nn.Linear, x: Tensor, told: Lesson, mask: Tensor) -> Tensor:
    """Return how far the directions of the teachers' word vectors are from what is guessed of them."""
    near = F.cosine_similarity(guess(x).float().view(told.vectors.shape), told.vectors.float(), dim=-1).mean(-1)
    return ((1 - near) * mask).sum() / mask.sum()


def judged_reviews(student: Student, judged: Tensor, batch: Batch, vocabulary: Vocabulary) -> Tensor:
    """Return the loss on reviews: the teachers' judgement and the label together."""
    gold = F.one_hot(batch.labels["sentiment"], vocabulary.sizes.sentiments).float()
    own = review_scores(student, batch, vocabulary.sizes, NOISE, DROPOUT)
    return F.cross_entropy(own, torch.lerp(judged[batch.index], gold, GOLD_REVIEWS))


def optimisers(student: Student, guess: nn.Linear, device: str) -> tuple[Muon, torch.optim.AdamW, list[Tensor]]:
    """Return Muon for the matrices of the layers and AdamW for everything else."""
    named = dict(student.named_parameters())
    matrices = [w for name, w in named.items() if w.ndim == 2 and name.startswith("body.layers.")]
    chosen = {id(w) for w in matrices}
    rest = [w for w in named.values() if id(w) not in chosen] + list(guess.parameters())
    adam = torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.95), weight_decay=0.01, fused=device == "cuda")
    return Muon(matrices), adam, rest


@dataclass
class Manner:
    """How the student learns: share of the rates, over which last share of the time they fall, raw sentences, seed."""

    rate: float = 1.0
    falling: float = 0.75
    sentences: int = 2_000_000
    seed: int = 1


def distil(
    work: Path,
    seeds: list[int],
    manner: Manner,
    start: Path | None = None,
    beside: Sequence[Path] = (),
    *,
    minutes: float,
    steps: int | None,
    device: str,
) -> None:
    """Train the student, from the weights of an earlier one if there is a `start`, by teachers and those `beside`."""
    torch.manual_seed(manner.seed)
    vocabulary = Vocabulary.load(work / "joint_vocab.json")
    sets = load_sets(work, device, train=True)
    followed = Followed(vocabulary, sets["syntax"])
    only_followed(sets["syntax"], followed)
    sets["silver"] = Texts(with_treebanks(load_silver(work, manner.sentences), work), device)
    held = load_sets(work, device, train=False)
    networks = [load_teacher(work, vocabulary, s) for s in seeds] + [load_student(path, vocabulary) for path in beside]
    teachers = [network.to(device) for network in networks]
    together = score_together(Together(teachers), held)
    print("together", together, flush=True)
    student = (load_student(start, vocabulary) if start else Student(vocabulary.sizes, vocabulary.feats)).to(device)
    lessons, judged = ask(teachers, sets, vocabulary, followed, device)
    guess = nn.Linear(student.style.shape[1], lessons.vectors[0].numel()).to(device)
    if device == "cuda":
        student.body.compile_layers()
    print(f"{sum(w.numel() for w in student.parameters()) / 1e6:.1f} M parameters", flush=True)
    muon, adam, rest = optimisers(student, guess, device)
    mean = RunningMean(student, KEEP)
    step, before, scored = 0, 0.0, 0.0
    log: list[dict[str, object]] = []
    state_file = work / "student_state.pt"
    if state_file.exists():
        state = torch.load(state_file, map_location=device, weights_only=True)
        student.load_state_dict(state["student"])
        guess.load_state_dict(state["guess"])
        adam.load_state_dict(state["adam"])
        muon.load_state_dict(state["muon"])
        for name, values in state["mean"].items():
            mean.mean[name].copy_(values)
        step, before, scored, log = state["step"], state["seconds"], state["scored"], state["log"]
        print(f"goes on after step {step}", flush=True)
    chance = np.random.default_rng([manner.seed, step])  # who goes on sees other sentences than at first
    streams = {name: sets[name].forever(TOKENS[name], chance) for name in SHARES}
    begin = saved = time.time()
    losses: dict[str, Tensor] = {}
    student.train()
    while (done := progress(step, steps, begin - before, minutes)) < 1:
        name = str(chance.choice(list(SHARES), p=list(SHARES.values())))
        falling = manner.rate * min(1.0, (step + 1) / 250, (1 - done) / manner.falling)
        batch = sets[name].batch(next(streams[name]), augment=name in ("syntax", "entities"))
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            if name == "silver":
                told = lessons.of(batch)
                loss, x = silver_loss(student, told, batch, NOISE, DROPOUT)
                loss = loss + likeness(guess, x, told, batch.mask)
            elif name == "reviews":
                loss = judged_reviews(student, judged, batch, vocabulary)
            else:
                loss = LOSSES[name](student, batch, vocabulary.sizes, NOISE, DROPOUT)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(rest, 1.0)
        for group in adam.param_groups:
            group["lr"] = ADAM_RATE * falling
        muon.step(MUON_RATE * falling)
        adam.step()
        student.zero_grad(set_to_none=True)
        guess.zero_grad(set_to_none=True)
        step += 1
        mean.update(step)
        losses[name] = loss.detach()
        if step in (20, 100) or step % 500 == 0:
            shown = {task: round(value.item(), 3) for task, value in losses.items()}
            print(f"student step {step} {done:.3f} {shown} {before + time.time() - begin:.0f} s", flush=True)
        if done > scored + SCORE_EVERY:
            scored = done
            mean.swap()
            scores = evaluate(student, held)
            save(work / f"student_{100 * done:.0f}.pt", halved(student))
            mean.swap()
            log.append({"step": step, "done": round(done, 3), "dev": scores})
            print({part: scores[part] for part in scores if "pooled" in part or "f1" in str(scores[part])}, flush=True)
        if time.time() - saved > SAVE_EVERY:
            saved = time.time()
            state = {"student": student.state_dict(), "guess": guess.state_dict(), "mean": mean.mean}
            state |= {"adam": adam.state_dict(), "muon": muon.state_dict()}
            state |= {"step": step, "seconds": before + saved - begin, "scored": scored, "log": log}
            save(state_file, state)
    mean.swap()
    print(f"student: {step} steps", flush=True)
    seconds = round(before + time.time() - begin)
    shift = balance(student.eval(), held["reviews"])
    settings = {
        "shares": SHARES, "tokens": TOKENS, "dropout": DROPOUT, "noise": NOISE, "muon": MUON_RATE, "adam": ADAM_RATE,
        "running mean": KEEP, "teachers": seeds, "students beside them": len(beside), "shift of sentiment": shift,
        "from an earlier student": bool(start), **asdict(manner),
    }  # fmt: skip
    record = work / "record_student.json"
    note(record, steps=step, seconds=seconds, settings=settings, together=together, log=log)
    scores = evaluate(student, held)
    note(record, dev=scores)
    keep_student(work, student)
    state_file.unlink(missing_ok=True)
    for part, values in scores.items():
        print(part, values, flush=True)


def only_followed(texts: Texts, followed: Followed) -> None:
    """Take their style from the sentences that are not in a hand it follows."""
    assert texts.style is not None
    assert texts.hand is not None
    texts.style = torch.where(followed.among(texts.hand, texts.style), texts.style, 0)


def ask(
    teachers: Sequence[Teacher | Student],
    sets: dict[str, Texts],
    vocabulary: Vocabulary,
    followed: Followed,
    device: str,
) -> tuple[Lessons, Tensor]:
    """Return what the teachers say of the raw sentences and of the reviews."""
    begin = time.time()
    if device == "cuda":
        for teacher in teachers:
            teacher.body.compile_layers()
    judged = judge(teachers, sets["reviews"], vocabulary.sizes)
    # of the teachers alone, which come first: a student's vectors are of another width
    vectors = min(WITH_VECTORS, sum(isinstance(network, Teacher) for network in teachers))
    lessons = Lessons(sets["silver"], teachers, vocabulary.sizes, followed.drawn, vectors)
    print(f"{len(lessons.texts):,} sentences labelled in {time.time() - begin:.0f} s", flush=True)
    return lessons, judged


@torch.no_grad()
def balance(student: Student, reviews: Texts) -> float:
    """Move the sentiment's threshold to where the held-out reviews are judged best, and return by how much."""
    gold, probabilities = review_probabilities(student, reviews, "dev winvoker")
    shift = best_shift(gold, probabilities)
    student.heads.sentiment.bias[0] -= shift / 2
    student.heads.sentiment.bias[2] += shift / 2
    return shift


def main() -> None:
    """Train it unless it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--teachers", type=int, nargs="+", default=[1, 2, 3], help="their seeds")
    parser.add_argument("--minutes", type=float, default=14.0)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--start", type=Path, default=None, help="an earlier student's student.pt, to go on from")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="earlier students, asked with the teachers")
    for name, value in asdict(Manner()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    args = parser.parse_args()
    if (args.work / "student.pt").exists():
        return
    manner = Manner(args.rate, args.falling, args.sentences, args.seed)
    how = {"minutes": args.minutes, "steps": args.steps}
    distil(args.work, args.teachers, manner, args.start, args.beside, **how, device=ready())


if __name__ == "__main__":
    main()
