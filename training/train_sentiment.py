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

from training import bag
from training.networks import Sentiment
from training.teach import ReviewTeacher, fine_tune, load_encoder
from training.train import Average, save

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH = 256
LONGEST = 96  # a training step reads at most so many pieces of a review; the decoder of the shipped model reads 256
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
            kept = kept.clamp_max(LONGEST)
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

    def forever(self, rows: int, chance: np.random.Generator) -> Iterator[np.ndarray]:
        """Yield groups of training reviews of like length without end, in random order."""
        while True:
            order = self.train[np.argsort(self.lengths[self.train] * (1 + 0.1 * chance.random(len(self.train))))]
            groups = [order[i : i + rows] for i in range(0, len(order), rows)]
            chance.shuffle(groups)  # type: ignore[arg-type]
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
def predict(model: nn.Module, data: Reviews, numbers: np.ndarray, *, full: bool = True, extra: int = 0) -> Tensor:
    """Return the scores of these reviews, in their order: whole rows of 256, or as wide as needed and `extra` pads."""
    model.eval()
    out = torch.zeros(len(numbers), device=data.device)
    order = np.argsort(data.lengths[numbers], kind="stable")
    for i in range(0, len(order), 512):
        part = order[i : i + 512]
        width = int(data.lengths[numbers[part]].max())
        width = LENGTH if full else min(LENGTH, width + extra)
        out[torch.from_numpy(part).to(data.device)] = model(data.rows(numbers[part], width)).float()
    return out


def teach_reviews(work: Path, device: str, *, epochs: float, rate: float) -> None:
    """Fine-tune the teacher on the reviews and keep it."""
    if (work / "teacher_reviews.pt").exists():
        return
    torch.manual_seed(SEED)
    data, chance = Reviews(work, device), np.random.default_rng(SEED)
    teacher = ReviewTeacher(load_encoder(work, device)).to(device)
    rows = 192

    def loss(numbers: np.ndarray) -> Tensor:
        width = max(2, int(data.lengths[numbers].max()))
        scores = teacher(data.rows(numbers, width, noise=0.05)).float()
        labels = data.labels[torch.from_numpy(numbers).to(device)]
        return F.binary_cross_entropy_with_logits(scores, labels * 0.96 + 0.02)

    total = math.ceil(epochs * len(data.train) / rows)
    fine_tune(teacher, data.forever(rows, chance), loss, total, rate, "reviews")
    scores = predict(teacher, data, data.validation, full=False, extra=2)
    print("reviews teacher", report(scores, data.labels[torch.from_numpy(data.validation).to(device)]), flush=True)
    torch.save(teacher.state_dict(), work / "teacher_reviews.pt")


def train(
    work: Path, *, minutes: float, steps: int | None, rows: int, rate: float, linear_start: bool = False
) -> tuple[Sentiment, dict[str, object]]:
    """Return the averaged network and a record of the run."""
    torch.manual_seed(SEED)
    chance = np.random.default_rng(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = Reviews(work, device)
    teacher = None
    if (work / "teacher_reviews.pt").exists():
        teacher = ReviewTeacher(load_encoder(work, device)).to(device).eval()
        teacher.load_state_dict(torch.load(work / "teacher_reviews.pt", map_location=device, weights_only=True))
    network = Sentiment().to(device)
    vectors = torch.from_numpy(np.load(work / "vectors.npy")).to(device)
    network.embedding.weight.data.copy_(vectors / vectors.std() * 0.3)
    if linear_start:
        weights, bias = bag.fit(data)
        bag.plant(network, weights.to(device), bias)
        print("bag of pieces planted", flush=True)
    average = Average(network, 0.998)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    stream = data.forever(rows, chance)
    gold = data.labels[torch.from_numpy(data.validation).to(device)]
    quick = data.validation[:1000]  # all of them are judged once, at the end
    quick_gold = gold[:1000]
    log: list[dict[str, float]] = []
    if linear_start:
        log.append({"step": 0, **report(predict(network, data, quick, full=False, extra=32), quick_gold)})
        print(log[-1], flush=True)
    begin, step, checks = time.time(), 0, 0
    while True:
        progress = (time.time() - begin) / (60 * minutes) if steps is None else step / steps if steps else 1.0
        if progress >= 1:
            break
        if progress >= (checks + 1) / 6:
            checks += 1
            log.append(
                {"step": step, **report(predict(average.network, data, quick, full=False, extra=32), quick_gold)}
            )
            print(log[-1], flush=True)
            save(average.network, work / "partial_sentiment.npz", {"log": log})
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 200) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * progress)))
        numbers = next(stream)
        longest = min(int(data.lengths[numbers].max()), LONGEST)
        pieces = data.rows(numbers, min(LENGTH, longest + Sentiment.SETTLED), crop=True, noise=0.05)
        labels = data.labels[torch.from_numpy(numbers).to(device)] * 0.96 + 0.02
        if teacher is not None:
            width = max(2, int((pieces > 0).sum(1).max()))
            with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                said = teacher(pieces[:, -width:]).float().sigmoid()
            # A crop may say something else than the whole review: there the teacher's word counts for more.
            labels = 0.3 * labels + 0.7 * said
        network.train()
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            # A planted start speaks through one unit a layer: dropping it would drown what there is to learn.
            scores = network(pieces, 0.0 if linear_start else 0.25).float()
        loss = F.binary_cross_entropy_with_logits(scores, labels)
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
            print(f"{step} {progress:.0%} loss {loss.item():.3f}", flush=True)
    log.append({"step": step, **report(predict(average.network, data, data.validation, full=False, extra=32), gold)})
    print(log[-1], flush=True)
    return average.network, {"steps": step, "seconds": round(time.time() - begin), "seed": SEED, "log": log}


def main() -> None:
    """Train the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--rows", type=int, default=256)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--linear-start", action="store_true", help="begin as a bag-of-pieces model (for short runs)")
    args = parser.parse_args()
    path = args.work / "student_sentiment.npz"
    if not path.exists():
        network, record = train(
            args.work,
            minutes=args.minutes,
            steps=args.steps,
            rows=args.rows,
            rate=args.rate,
            linear_start=args.linear_start,
        )
        save(network, path, record)
        print(f"wrote {path}", flush=True)


if __name__ == "__main__":
    main()
