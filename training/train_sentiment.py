"""Stage 6 for SPUCBiGRU sentiment: reviews, their crops, and what the teacher says of both.

python -m training.train_sentiment --work WORK [--minutes 6 | --steps N]
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.networks import Sentiment
from training.schedule import cosine, progress
from training.teach import ReviewTeacher, fine_tune, load_encoder
from training.train import Average, load, save

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH = 256
NEGATIVE = 1.25  # weight of a negative review: 18 % of the training reviews are negative, 21 % of the held-out ones
MIXED = 0.3  # share of the rows that are parts of two reviews, which the teachers alone judge
SEED = 17


class Reviews:
    """Reviews on the device: for training (as they stand and re-written) and for validation."""

    def __init__(self, work: Path, device: str) -> None:
        file = np.load(work / "reviews.npz")
        self.pieces = torch.from_numpy(file["pieces"].astype(np.int32)).to(device)
        self.offsets = torch.from_numpy(file["offsets"]).to(device)
        self.labels = torch.from_numpy(file["label"].astype(np.float32)).to(device)
        self.lengths = np.diff(file["offsets"])
        train, validation = int(file["train"]), int(file["validation"])
        everything = np.arange(len(self.lengths))
        self.train = np.concatenate([everything[:train], everything[train + validation :]])
        self.validation = everything[train : train + validation]
        self.device = device

    def rows(self, numbers: np.ndarray, width: int, *, crop: bool = False, noise: float = 0.0) -> Tensor:
        """Return the pieces (rows, width), padding in front; with `crop`, a random part of some reviews."""
        index = torch.from_numpy(numbers).to(self.device)
        start, end = self.offsets[index], self.offsets[index + 1]
        if crop:
            length = end - start
            share = 0.25 + 0.75 * torch.rand(len(index), device=self.device)
            kept = torch.where(torch.rand(len(index), device=self.device) < 0.6, length, (length * share).ceil().long())
            start = start + (torch.rand(len(index), device=self.device) * (length - kept + 1)).long().clamp_max(
                length - kept
            )
            end = start + kept
        place = end[:, None] - width + torch.arange(width, device=self.device)
        pieces = torch.where(place >= start[:, None], self.pieces[place.clamp_min(0)], 0)
        if noise:
            lost = (torch.rand(pieces.shape, device=self.device) < noise) & (pieces > 0)
            pieces = torch.where(lost, 1, pieces)
        return pieces

    def mixed(self, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        """Return some rows of `first` with what fits before them of `second`, and which rows those are."""
        width = first.shape[1]
        lengths = (first > 0).sum(1, keepdim=True)
        place = torch.arange(width, device=self.device) + lengths
        before = torch.where(place < width, second.gather(1, place.clamp_max(width - 1)), 0)
        chosen = torch.rand(len(first), device=self.device) < MIXED
        return torch.where((first == 0) & chosen[:, None], before, first), chosen

    def forever(self, rows: int, chance: np.random.Generator) -> Iterator[np.ndarray]:
        """Yield groups of training reviews of like length without end, in random order."""
        while True:
            order = self.train[np.argsort(self.lengths[self.train] * (1 + 0.1 * chance.random(len(self.train))))]
            groups = [order[i : i + rows] for i in range(0, len(order), rows)]
            chance.shuffle(groups)
            yield from groups


def report(scores: Tensor, labels: Tensor) -> dict[str, float]:
    """Return accuracy and macro-F1 in per cent."""
    guess, gold = scores > 0, labels > 0.5
    f1 = []
    for g, t in ((guess, gold), (~guess, ~gold)):
        hit = (g & t).sum().item()
        f1.append(2 * hit / max(1, g.sum().item() + t.sum().item()))
    return {"accuracy": round(100 * (guess == gold).float().mean().item(), 2), "macro_f1": round(50 * sum(f1), 2)}


@torch.no_grad()
def predict(model: nn.Module, data: Reviews, numbers: np.ndarray, *, narrow: bool = False) -> Tensor:
    """Return the scores of these reviews, in their order, from rows of 256 or, `narrow`, as wide as they need."""
    model.eval()
    out = torch.zeros(len(numbers), device=data.device)
    order = np.argsort(data.lengths[numbers], kind="stable")
    for i in range(0, len(order), 512):
        part = order[i : i + 512]
        width = max(2, int(data.lengths[numbers[part]].max())) if narrow else LENGTH
        out[torch.from_numpy(part).to(data.device)] = model(data.rows(numbers[part], width)).float()
    return out


def loss_of(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the mean loss of a review, negative ones weighing more."""
    each = F.binary_cross_entropy_with_logits(scores, targets, reduction="none")
    return (each * (targets + NEGATIVE * (1 - targets))).mean()


def settle_bias(network: Sentiment, data: Reviews, gold: Tensor) -> dict[str, float]:
    """Shift the last bias to where accuracy and macro-F1 over the validation reviews are best together; return them."""
    scores = predict(network, data, data.validation)
    shifts = [round(0.05 * i, 2) for i in range(-30, 31)]
    sums = np.array([sum(report(scores + shift, gold).values()) for shift in shifts])
    smooth = np.convolve(np.pad(sums, 3, mode="edge"), np.ones(7) / 7, mode="valid")  # a broad top, not a lucky point
    shift = shifts[int(smooth.argmax())]
    network.dense[1].bias.data += shift
    return {**report(scores + shift, gold), "shift": shift}


def teach_reviews(work: Path, device: str, *, epochs: float, rate: float, seeds: int) -> None:
    """Fine-tune one teacher a seed on the reviews and keep them."""
    data, rows = Reviews(work, device), 192
    gold = data.labels[torch.from_numpy(data.validation).to(device)]
    scores = torch.zeros_like(gold)
    for seed in range(seeds):
        path = work / f"teacher_reviews_{seed}.pt"
        torch.manual_seed(SEED + seed)
        chance = np.random.default_rng(SEED + seed)
        teacher = ReviewTeacher(load_encoder(work, device)).to(device)

        def loss(numbers: np.ndarray, teacher: ReviewTeacher = teacher) -> Tensor:
            width = max(2, int(data.lengths[numbers].max()))
            said = teacher(data.rows(numbers, width, noise=0.05)).float()
            return loss_of(said, data.labels[torch.from_numpy(numbers).to(device)] * 0.96 + 0.02)

        total = math.ceil(epochs * len(data.train) / rows)
        fine_tune(teacher, data.forever(rows, chance), loss, total, rate, "reviews")
        own = predict(teacher, data, data.validation, narrow=True)
        scores += own
        print("reviews", seed, report(own, gold), "so far together", report(scores, gold), flush=True)
        torch.save(teacher.state_dict(), path)
    (work / "teacher_reviews.done").write_text(str(seeds))


def load_teachers(work: Path, device: str) -> list[ReviewTeacher]:
    """Return the teachers, none where they have not all been taught."""
    teachers = []
    if (done := work / "teacher_reviews.done").exists():
        for seed in range(int(done.read_text())):
            path = work / f"teacher_reviews_{seed}.pt"
            teacher = ReviewTeacher(load_encoder(work, device)).to(device).eval()
            teacher.load_state_dict(torch.load(path, map_location=device, weights_only=True))
            teachers.append(teacher)
    return teachers


def train(
    work: Path,
    *,
    minutes: float,
    steps: int | None,
    rows: int,
    rate: float,
    start: Path | None = None,
) -> tuple[Sentiment, dict[str, object]]:
    """Return the averaged network and a record of the run."""
    torch.manual_seed(SEED)
    chance = np.random.default_rng(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = Reviews(work, device)
    teachers = load_teachers(work, device)
    print(f"{len(teachers)} teachers", flush=True)
    network = Sentiment().to(device)
    vectors = torch.from_numpy(np.load(work / "vectors.npy")).to(device)
    network.embedding.weight.data.copy_(vectors / vectors.std() * 0.3)
    if start:
        load(network, start)
    average = Average(network, 0.998)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    stream = data.forever(rows, chance)
    gold = data.labels[torch.from_numpy(data.validation).to(device)]
    # On a CPU all of them are judged once, at the end.
    quick = data.validation if device == "cuda" else data.validation[:1000]
    quick_gold = gold[: len(quick)]
    log: list[dict[str, float]] = []
    begin, step, checks = time.time(), 0, 0
    while True:
        if (done := progress(step, steps, begin, minutes)) >= 1:
            break
        if done >= (checks + 1) / 6:
            checks += 1
            log.append({"step": step, **report(predict(average.network, data, quick), quick_gold)})
            print(log[-1], flush=True)
            save(average.network, work / "partial_sentiment.npz", {"log": log})
        for group in optimiser.param_groups:
            group["lr"] = cosine(rate, step, done, warm=200)
        numbers = next(stream)
        width = min(LENGTH, int(data.lengths[numbers].max()) + Sentiment.SETTLED)
        pieces = data.rows(numbers, width, crop=True, noise=0.05)
        labels = data.labels[torch.from_numpy(numbers).to(device)] * 0.96 + 0.02
        if teachers:
            others = chance.permutation(numbers)
            room = max(0, LENGTH - width)
            pieces = F.pad(pieces, (min(room, width // 2), 0))
            pieces, mixed = data.mixed(pieces, data.rows(others, pieces.shape[1], crop=True, noise=0.05))
            widest = max(2, int((pieces > 0).sum(1).max()))
            pieces = F.pad(pieces, (Sentiment.SETTLED, 0))[:, -min(LENGTH, widest + Sentiment.SETTLED) :]
            with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                said = torch.stack([teacher(pieces[:, -widest:]).float() for teacher in teachers]).mean(0).sigmoid()
            # A part may say something else than the whole review, so the teachers' word counts for more.
            labels = torch.where(mixed, said, 0.3 * labels + 0.7 * said)
        network.train()
        # In bfloat16 this network's gradients overflow, so it learns in float32.
        scores = network(pieces, 0.25)
        loss = loss_of(scores, labels)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        if not norm.isfinite():  # one bad step must not spoil the averaged weights for good
            print(f"step {step}: skipped, gradient {norm.item()}", flush=True)
            step += 1
            continue
        optimiser.step()
        average.update(network)
        step += 1
        if step % 100 == 0:
            print(f"{step} {done:.0%} loss {loss.item():.3f}", flush=True)
    log.append({"step": step, **settle_bias(average.network, data, gold)})
    print(log[-1], flush=True)
    return average.network, {"steps": step, "seconds": round(time.time() - begin), "seed": SEED, "log": log}


def main() -> None:
    """Train the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--rows", type=int, default=384)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--start", type=Path, help="weights of an earlier run to go on from")
    args = parser.parse_args()
    path = args.work / "student_sentiment.npz"
    if not path.exists():
        network, record = train(
            args.work,
            minutes=args.minutes,
            steps=args.steps,
            rows=args.rows,
            rate=args.rate,
            start=args.start,
        )
        save(network, path, record)
        print(f"wrote {path}", flush=True)


if __name__ == "__main__":
    main()
