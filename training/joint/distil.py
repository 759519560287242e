"""Stage 5: the student, taught by all teachers on raw sentences and by the labelled data.

python -m training.joint.distil --teachers 1 2 3 --work WORK [--minutes 14] [--steps N]

Goes on from ``student_state.pt`` if it was cut off; leaves ``student.pt`` (the running mean of the weights), its arrays
``joint_student.npz`` under the package's names, its settings in ``joint_vocab.json``, and ``record_student.json``.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.joint.data import LONGEST, Batch, Texts, Vocabulary, load_sets
from training.joint.device import ready
from training.joint.lessons import Lessons, judge
from training.joint.losses import LOSSES, review_scores
from training.joint.measure import evaluate, review_probabilities, score_reviews
from training.joint.network import Student, exported, mean_of_words
from training.joint.optimisers import Muon, RunningMean
from training.joint.raw import load_silver
from training.joint.record import note
from training.joint.teach import load_teacher, save
from training.schedule import progress

if TYPE_CHECKING:
    from training.joint.lessons import Lesson

# What the package builds the student's graph from, beside the arrays.
SETTINGS = {
    "width": 384, "layers": 6, "heads": 6, "ff": 1024, "act": "relu", "head_act": "relu",
    "pieces": 256, "affixes": 96, "arc": 256, "relation": 192, "entity": 192,
}  # fmt: skip
SHARES = {"silver": 0.80, "syntax": 0.04, "entities": 0.07, "reviews": 0.09}  # of the steps
TOKENS = {"silver": 20_000, "syntax": 9000, "entities": 9000, "reviews": 12_000}
DROPOUT, NOISE = 0.05, 0.03
MUON_RATE, ADAM_RATE = 0.01, 2e-3
FALLING = 0.75  # the last share of the time, over which the rates fall
SILVER_SENTIMENT = 0.2
GOLD_REVIEWS = 0.4  # weight of the label beside the teachers' judgement
KEEP = 0.9993  # running mean of the weights
SCORE_EVERY = 0.24  # of the time
SAVE_EVERY = 100  # seconds


def divergence(scores: Tensor, classes: Tensor | None, probabilities: Tensor, mask: Tensor) -> Tensor:
    """Return the cross entropy of the student's distributions under the teachers', a word."""
    likely = scores.log_softmax(-1)
    if classes is not None:
        likely = likely.gather(-1, classes)
    return -((likely * probabilities).sum(-1) * mask).sum() / mask.sum()


def silver_loss(student: Student, guess: nn.Linear, told: Lesson, batch: Batch) -> Tensor:
    """Return the loss on raw sentences: every task's distribution, and the direction of the teachers' word vectors."""
    x = student.words(batch.altered or batch.words, told.style, NOISE, DROPOUT)
    scores = student.heads.syntax(x, batch.mask, DROPOUT)
    heads = told.classes["head"]
    assert heads is not None
    scores["relation"] = student.heads.relations(scores, heads[..., 0])
    scores["entity"] = student.heads.entities(x, told.entity_style)
    mask = batch.mask.float()
    loss = sum(divergence(scores[name], told.classes[name], p, mask) for name, p in told.probabilities.items())
    own = student.heads.text(mean_of_words(x, batch.mask), DROPOUT).log_softmax(-1)
    loss = loss - SILVER_SENTIMENT * (own * told.texts).sum(-1).mean()
    likeness = F.cosine_similarity(guess(x).float().view(told.vectors.shape), told.vectors.float(), dim=-1).mean(-1)
    return loss + ((1 - likeness) * mask).sum() / mask.sum()


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


def distil(work: Path, seeds: list[int], *, minutes: float, steps: int | None, seed: int, device: str) -> None:
    """Train the student."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    vocabulary = Vocabulary.load(work / "joint_vocab.json")
    sets = load_sets(work, device, train=True)
    sets["silver"] = Texts(load_silver(work), device)
    held = load_sets(work, device, train=False)
    lessons, judged = ask(work, seeds, sets, vocabulary, device)
    student = Student(vocabulary.sizes, vocabulary.feats).to(device)
    guess = nn.Linear(student.style.shape[1], lessons.vectors[0].numel()).to(device)
    if device == "cuda":
        student.body.compile_layers()
    print(f"{sum(w.numel() for w in student.parameters()) / 1e6:.1f} M parameters", flush=True)
    muon, adam, rest = optimisers(student, guess, device)
    mean = RunningMean(student, KEEP)
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
        name = str(chance.choice(list(SHARES), p=list(SHARES.values())))
        falling = min(1.0, (step + 1) / 250, (1 - done) / FALLING)
        batch = sets[name].batch(next(streams[name]), augment=name in ("syntax", "entities"))
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            if name == "silver":
                loss = silver_loss(student, guess, lessons.of(batch), batch)
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
    seconds = round(before + time.time() - begin)
    shift = balance(student.eval(), held["reviews"])
    finish(work, student)
    scores = evaluate(student, held)
    settings = {
        "shares": SHARES, "tokens": TOKENS, "dropout": DROPOUT, "noise": NOISE, "muon": MUON_RATE, "adam": ADAM_RATE,
        "falling": FALLING, "running mean": KEEP, "teachers": seeds, "seed": seed, "shift of sentiment": shift,
    }  # fmt: skip
    note(work / "record_student.json", steps=step, seconds=seconds, settings=settings, log=log, dev=scores)
    for part, values in scores.items():
        print(part, values, flush=True)


def ask(
    work: Path, seeds: list[int], sets: dict[str, Texts], vocabulary: Vocabulary, device: str
) -> tuple[Lessons, Tensor]:
    """Return what the teachers say of the raw sentences and of the reviews."""
    begin = time.time()
    teachers = [load_teacher(work, vocabulary, s).to(device) for s in seeds]
    if device == "cuda":
        for teacher in teachers:
            teacher.body.compile_layers()
    judged = judge(teachers, sets["reviews"], vocabulary.sizes)
    lessons = Lessons(sets["silver"], teachers, vocabulary.sizes)
    print(f"{len(lessons.texts):,} sentences labelled in {time.time() - begin:.0f} s", flush=True)
    return lessons, judged


@torch.no_grad()
def balance(student: Student, reviews: Texts) -> float:
    """Move the sentiment's threshold to where the held-out reviews are judged best, and return by how much."""
    gold, probabilities = review_probabilities(student, reviews, "dev winvoker")
    quality = {x: sum_of(score_reviews(gold, probabilities, x)) for x in np.linspace(-1, 1, 41).round(2).tolist()}
    shift = max(quality, key=quality.__getitem__)
    student.heads.sentiment.bias[0] -= shift / 2
    student.heads.sentiment.bias[2] += shift / 2
    return shift


def sum_of(scores: dict[str, float]) -> float:
    """Return accuracy and macro-F1 in one number."""
    return scores["accuracy"] / 100 + scores["macro_f1"]


def finish(work: Path, student: Student) -> None:
    """Write the student: its state, and its arrays as float16 under the package's names."""
    save(work / "student.pt", {name: values.half() for name, values in student.state_dict().items()})
    arrays = {name: values.half().cpu().numpy() for name, values in exported(student).items()}
    np.savez(work / "joint_student.npz", **arrays)
    path = work / "joint_vocab.json"
    content = json.loads(path.read_text(encoding="utf-8")) | {"longest": LONGEST, "settings": SETTINGS}
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


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
    distil(args.work, args.teachers, minutes=args.minutes, steps=args.steps, seed=args.seed, device=ready())


if __name__ == "__main__":
    main()
