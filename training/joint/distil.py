"""Stage 5: the student, taught by all teachers on raw sentences and by the labelled data.

python -m training.joint.distil --teachers 1 2 3 --work WORK [--minutes 14] [--steps N]

Goes on from ``student_state.pt`` if it was cut off; leaves ``student.pt`` (the running mean of the weights), the same
before the last part, its arrays ``joint_student.npz`` under the package's names, and ``record_student.json``.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.joint.constants import ANY_STYLE
from training.joint.data import Batch, Texts, Vocabulary, load_sets, random_styles
from training.joint.losses import LOSSES, review_scores
from training.joint.measure import evaluate
from training.joint.network import Student, Teacher, exported, mean_of_words
from training.joint.optimisers import Muon, RunningMean
from training.joint.raw import load_silver
from training.joint.record import note
from training.joint.teach import load_teacher, save
from training.schedule import progress

# Shares of the steps; at the end, the labelled data alone.
SHARES = {"silver": 0.60, "syntax": 0.17, "entities": 0.08, "reviews": 0.15}
LAST = {"syntax": 0.5, "entities": 0.22, "reviews": 0.28}
LAST_PART = 0.08
TOKENS = {"silver": 20_000, "syntax": 9000, "entities": 9000, "reviews": 12_000}
DROPOUT, NOISE = 0.05, 0.03
MUON_RATE, ADAM_RATE = 0.01, 2e-3
FALLING = 0.65  # the last share of the time, over which the rates fall
SILVER_GENERIC = 0.15  # beside the seventh that is generic anyway
SILVER_SENTIMENT = 0.2
GOLD_REVIEWS = 0.4  # weight of the label beside the teachers' judgement
SAVE_EVERY = 100  # seconds
# Running means of the weights at the beginning and at the end of the last part: `training.joint.finish` takes both.
BEFORE, AFTER = "student_before.pt", "student_last.pt"


@dataclass
class Lesson:
    """What the teachers say, averaged.

    Probabilities by task, the heads their relations are for, their word vectors side by side, the texts' sentiments.
    """

    probabilities: dict[str, Tensor]
    heads: Tensor
    vectors: Tensor
    texts: Tensor


@torch.no_grad()
def lesson(teachers: list[Teacher], batch: Batch, style: Tensor, entity_style: Tensor) -> Lesson:
    """Return the teachers' averaged distributions."""
    vectors = [t.words(batch.pieces, batch.affixes, batch.mask, style) for t in teachers]
    scores = [t.heads.syntax(x, batch.mask) for t, x in zip(teachers, vectors, strict=True)]

    def mean(each: list[Tensor]) -> Tensor:
        return sum(s.softmax(-1) for s in each) / len(each)  # type: ignore[return-value]

    found = {name: mean([s[name] for s in scores]) for name in ("upos", "feats", "lemma", "head")}
    heads = found["head"].argmax(-1)
    found["relation"] = mean([t.heads.relations(s, heads) for t, s in zip(teachers, scores, strict=True)])
    found["entity"] = mean([t.heads.entities(x, entity_style) for t, x in zip(teachers, vectors, strict=True)])
    texts = mean([t.heads.text(mean_of_words(x, batch.mask)) for t, x in zip(teachers, vectors, strict=True)])
    return Lesson(found, heads, torch.cat(vectors, -1), texts)


def divergence(scores: Tensor, probabilities: Tensor, mask: Tensor) -> Tensor:
    """Return how far the student's distributions are from the teachers', a word."""
    each = F.kl_div(scores.log_softmax(-1), probabilities, reduction="none").sum(-1)
    return (each * mask).sum() / mask.sum()


def silver_loss(
    student: Student, guess: nn.Linear, teachers: list[Teacher], batch: Batch, vocabulary: Vocabulary
) -> Tensor:
    """Return the loss on raw sentences: every task's distribution, and the direction of the teachers' word vectors."""
    sizes, rows, device = vocabulary.sizes, len(batch.mask), batch.mask.device
    style = random_styles(torch.full((rows,), ANY_STYLE, device=device), sizes.styles, SILVER_GENERIC)
    entity_style = torch.randint(0, sizes.entity_styles, (rows,), device=device)
    told = lesson(teachers, batch, style, entity_style)
    pieces, affixes = batch.altered or (batch.pieces, batch.affixes)
    x = student.words(pieces, affixes, batch.mask, style, NOISE, DROPOUT)
    scores = student.heads.syntax(x, batch.mask, DROPOUT)
    scores["relation"] = student.heads.relations(scores, told.heads)
    scores["entity"] = student.heads.entities(x, entity_style)
    mask = batch.mask.float()
    loss = sum(divergence(scores[name], target, mask) for name, target in told.probabilities.items())
    own = student.heads.text(mean_of_words(x, batch.mask), DROPOUT).log_softmax(-1)
    loss = loss + SILVER_SENTIMENT * F.kl_div(own, told.texts, reduction="batchmean")
    width = told.vectors.shape[-1] // len(teachers)
    likeness = F.cosine_similarity(
        guess(x).float().unflatten(-1, (-1, width)), told.vectors.float().unflatten(-1, (-1, width)), dim=-1
    ).mean(-1)
    return loss + ((1 - likeness) * mask).sum() / mask.sum()


def judged_reviews(student: Student, teachers: list[Teacher], batch: Batch, vocabulary: Vocabulary) -> Tensor:
    """Return the loss on reviews: the teachers' judgement and the label together."""
    with torch.no_grad():
        style = torch.zeros_like(batch.style)
        scores = [
            t.heads.text(mean_of_words(t.words(batch.pieces, batch.affixes, batch.mask, style), batch.mask))
            for t in teachers
        ]
        told = sum(s.softmax(-1) for s in scores) / len(teachers)
        gold = F.one_hot(batch.labels["sentiment"], vocabulary.sizes.sentiments).float()
        target = (1 - GOLD_REVIEWS) * told + GOLD_REVIEWS * gold
    own = review_scores(student, batch, vocabulary.sizes, NOISE, DROPOUT)
    return F.cross_entropy(own, target)


def optimisers(student: Student, guess: nn.Linear, device: str) -> tuple[Muon, torch.optim.AdamW, list[Tensor]]:
    """Return Muon for the matrices of the layers and AdamW for everything else."""
    named = dict(student.named_parameters())
    matrices = [w for name, w in named.items() if w.ndim == 2 and name.startswith("body.layers.")]
    chosen = {id(w) for w in matrices}
    rest = [w for w in named.values() if id(w) not in chosen] + list(guess.parameters())
    adam = torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.95), weight_decay=0.01, fused=device == "cuda")
    return Muon(matrices), adam, rest


def compile_layers(networks: list[Teacher | Student]) -> None:
    """Compile the layers for any shape: two teachers tell twice as much in the same time."""
    for network in networks:
        body = network.body if isinstance(network, Student) else network.encoder.body
        for layer in body.layers:
            layer.compile(dynamic=True)


def distil(work: Path, seeds: list[int], *, minutes: float, steps: int | None, seed: int, device: str) -> None:
    """Train the student."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    vocabulary = Vocabulary.load(work / "joint_vocab.json")
    sets = load_sets(work, device, train=True)
    sets["silver"] = Texts(load_silver(work), device)
    held = load_sets(work, device, train=False)
    teachers = [load_teacher(work, vocabulary, s).to(device) for s in seeds]
    student = Student(vocabulary.sizes, vocabulary.feats).to(device)
    guess = nn.Linear(student.style.shape[1], len(teachers) * teachers[0].heads.mix.out_features).to(device)
    if device == "cuda":
        compile_layers([*teachers, student])
    print(f"{sum(w.numel() for w in student.parameters()) / 1e6:.1f} M parameters", flush=True)
    muon, adam, rest = optimisers(student, guess, device)
    mean = RunningMean(student, 0.999)
    step, before = 0, 0.0
    state_file = work / "student_state.pt"
    if state_file.exists():
        state = torch.load(state_file, map_location=device, weights_only=True)
        student.load_state_dict(state["student"])
        guess.load_state_dict(state["guess"])
        adam.load_state_dict(state["adam"])
        muon.load_state_dict(state["muon"])
        for name, values in state["mean"].items():
            mean.mean[name].copy_(values)
        step, before = state["step"], state["seconds"]
        print(f"goes on after step {step}", flush=True)
    streams = {name: sets[name].forever(TOKENS[name], chance) for name in SHARES}
    begin = saved = time.time()
    scored = 0.0
    log: list[dict[str, object]] = []
    losses: dict[str, Tensor] = {}
    student.train()
    while (done := progress(step, steps, begin - before, minutes)) < 1:
        shares = LAST if done > 1 - LAST_PART else SHARES
        if shares is LAST and not (work / BEFORE).exists():
            save(work / BEFORE, {name: values.half() for name, values in mean.mean.items()})
        name = str(chance.choice(list(shares), p=list(shares.values())))
        falling = min(1.0, (step + 1) / 250, (1 - done) / FALLING)
        batch = sets[name].batch(next(streams[name]), augment=name in ("syntax", "entities"))
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            if name == "silver":
                loss = silver_loss(student, guess, teachers, batch, vocabulary)
            elif name == "reviews":
                loss = judged_reviews(student, teachers, batch, vocabulary)
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
        if done > scored + 0.3:
            scored = done
            mean.swap()
            scores = evaluate(student, held)
            mean.swap()
            log.append({"step": step, "done": round(done, 3), "dev": scores})
            print({part: scores[part] for part in scores if "pooled" in part or "f1" in str(scores[part])}, flush=True)
        if time.time() - saved > SAVE_EVERY:
            saved = time.time()
            state = {"student": student.state_dict(), "guess": guess.state_dict(), "mean": mean.mean}
            state |= {"adam": adam.state_dict(), "muon": muon.state_dict()}
            save(state_file, {**state, "step": step, "seconds": before + saved - begin})
    mean.swap()
    print(f"student: {step} steps", flush=True)
    save(work / AFTER, {name: values.half() for name, values in student.state_dict().items()})
    finish(work, student)
    scores = evaluate(student, held)
    settings = {
        "shares": SHARES, "last": LAST, "last part": LAST_PART, "tokens": TOKENS, "dropout": DROPOUT, "noise": NOISE,
        "muon": MUON_RATE, "adam": ADAM_RATE, "falling": FALLING, "running mean": 0.999,
        "teachers": seeds, "seed": seed,
    }  # fmt: skip
    seconds = round(before + time.time() - begin)
    note(work / "record_student.json", steps=step, seconds=seconds, settings=settings, log=log, dev=scores)
    for part, values in scores.items():
        print(part, values, flush=True)


def finish(work: Path, student: Student) -> None:
    """Write the student: its state, and its arrays as float16 under the package's names."""
    save(work / "student.pt", {name: values.half() for name, values in student.state_dict().items()})
    arrays = {name: values.half().cpu().numpy() for name, values in exported(student).items()}
    np.savez(work / "joint_student.npz", **arrays)


def load_student(work: Path, vocabulary: Vocabulary) -> Student:
    """Return the finished student."""
    student = Student(vocabulary.sizes, vocabulary.feats)
    state = torch.load(work / "student.pt", map_location="cpu", weights_only=True)
    student.load_state_dict({name: values.float() for name, values in state.items()})
    return student.eval()


def main() -> None:
    """Train it unless it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--teachers", type=int, nargs="+", default=[1, 2, 3], help="their seeds")
    parser.add_argument("--minutes", type=float, default=14.0)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if (args.work / "student.pt").exists():
        return
    torch.set_float32_matmul_precision("high")
    # Its plans are made anew for every shape of a batch, and there are thousands: 150 ms a step.
    torch.backends.cuda.enable_cudnn_sdp(False)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    distil(args.work, args.teachers, minutes=args.minutes, steps=args.steps, seed=args.seed, device=device)


if __name__ == "__main__":
    main()
