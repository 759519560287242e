"""Stage 5: fine-tune a teacher on gold data and let it label the raw sentences.

    python -m training.teach syntax|entities|reviews --work WORK [--epochs N]

The teachers are never shipped. `syntax` tags and parses (biaffine arcs), `entities` finds entities, `reviews` judges.
"""

from __future__ import annotations

import argparse
import math
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.arrays import ENTITIES, OUTSIDE, RELATIONS, UPOS, WINDOW, Store
from training.batches import Batch, Sentences
from training.encoder import Encoder

SEED = 3
DROPOUT = 0.1
LONGEST = 100  # words; longer sentences are left out of the teachers' training


def load_encoder(work: Path, device: str) -> Encoder:
    """Return the pre-trained encoder."""
    saved = torch.load(work / "encoder.pt", map_location=device, weights_only=True)
    encoder = Encoder(saved["width"], saved["layers"], saved["width"] // 64).to(device)
    encoder.load_state_dict({name.replace("_orig_mod.", ""): value for name, value in saved["state"].items()})
    return encoder


class WordTeacher(nn.Module):
    """Encoder, one vector a word from its first and last piece, and the heads of a task."""

    def __init__(self, encoder: Encoder, task: str) -> None:
        super().__init__()
        width = encoder.width
        self.encoder, self.task = encoder, task
        self.mix = nn.Linear(2 * width, width)
        if task == "entities":
            self.entity = nn.Linear(width, len(ENTITIES))
        else:
            self.upos = nn.Linear(width, len(UPOS))
            self.root = nn.Parameter(torch.zeros(width))
            self.arc_from, self.arc_to = nn.Linear(width, 400), nn.Linear(width, 400)
            self.arc = nn.Parameter(torch.zeros(401, 400))
            self.relation_from, self.relation_to = nn.Linear(width, 128), nn.Linear(width, 128)
            self.relation = nn.Parameter(torch.zeros(len(RELATIONS), 129, 129))

    def words(self, data: Sentences, batch: Batch, noise: float) -> Tensor:
        """Return the word vectors (rows, n, width)."""
        pieces = data.pieces[batch.words].long()  # (rows, n, 8), 0 in front
        real = pieces > 0
        if noise:
            pieces = torch.where(real & (torch.rand(pieces.shape, device=pieces.device) < noise), 1, pieces)
        rows, n, _ = pieces.shape
        counts = real.sum(-1)
        last = counts.cumsum(-1) - 1
        length = int(last.max()) + 1
        first = (last - counts + 1).clamp(0, length - 1)
        place = (real.view(rows, -1).cumsum(-1) - 1).clamp_min(0)
        flat = pieces.new_zeros(rows, length)
        flat.scatter_add_(1, place, torch.where(real, pieces, 0).view(rows, -1))
        vectors = self.encoder(flat, dropout=DROPOUT)
        ends = torch.cat([first, last.clamp_min(0)], 1)[..., None].expand(-1, -1, vectors.shape[-1])
        both = vectors.gather(1, ends)
        mixed = torch.cat([both[:, :n], both[:, n:]], -1)
        return F.dropout(F.gelu(self.mix(mixed)), 0.2, self.training)

    def forward(self, data: Sentences, batch: Batch, noise: float = 0.0) -> dict[str, Tensor]:
        """Return scores: entity or upos (rows, n, labels); head (rows, n, n + 1); relation (rows, n, n + 1, labels)."""
        words = self.words(data, batch, noise)
        if self.task == "entities":
            return {"entity": self.entity(words)}
        rows = len(words)
        nodes = torch.cat([self.root.expand(rows, 1, -1), words], 1)

        def project(layer: nn.Linear, x: Tensor) -> Tensor:
            return F.dropout(F.gelu(layer(x)), 0.2, self.training)

        heads, dependents = project(self.arc_from, nodes), project(self.arc_to, words)
        arcs = torch.cat([dependents, dependents.new_ones(*dependents.shape[:2], 1)], -1) @ self.arc @ heads.mT
        there = torch.cat([batch.mask.new_ones(rows, 1), batch.mask], 1)
        arcs = arcs.float().masked_fill(~there[:, None], -1e4)
        up, down = project(self.relation_from, nodes), project(self.relation_to, words)
        return {"upos": self.upos(words), "head": arcs, "up": up, "down": down}

    def relations(self, scores: dict[str, Tensor], heads: Tensor) -> Tensor:
        """Return the relation scores (rows, n, labels) given each word's head."""
        up, down = scores["up"], scores["down"]
        up = up.gather(1, heads[..., None].expand(-1, -1, up.shape[-1]))
        up = torch.cat([up, up.new_ones(*up.shape[:2], 1)], -1)
        down = torch.cat([down, down.new_ones(*down.shape[:2], 1)], -1)
        return torch.einsum("rni,lij,rnj->rnl", down, self.relation.to(down.dtype), up)


def word_loss(teacher: WordTeacher, data: Sentences, batch: Batch) -> Tensor:
    """Return the summed loss of the teacher's heads."""
    scores, mask = teacher(data, batch, 0.03), batch.mask
    if teacher.task == "entities":
        return F.cross_entropy(scores["entity"][mask].float(), batch.labels["entity"][mask], label_smoothing=0.03)
    heads = batch.labels["head"]
    known = mask & (heads != OUTSIDE) & (heads <= mask.shape[1])
    arcs = F.cross_entropy(scores["head"][known], heads[known])
    relations = teacher.relations(scores, torch.where(known, heads, 0))
    relation = F.cross_entropy(relations[known].float(), batch.labels["relation"][known], label_smoothing=0.03)
    tags = F.cross_entropy(scores["upos"][mask].float(), batch.labels["upos"][mask], label_smoothing=0.03)
    return arcs + relation + tags


@torch.no_grad()
def evaluate(teacher: WordTeacher, data: Sentences) -> dict[str, float]:
    """Return validation accuracies."""
    teacher.eval()
    right: dict[str, int] = {}
    words = 0
    for numbers in data.batches(np.arange(data.train, len(data.lengths)), 20_000, longest=WINDOW):
        batch = data.batch(numbers)
        scores, mask = teacher(data, batch), batch.mask
        guess = {name: scores[name].argmax(-1) for name in ("entity", "upos", "head") if name in scores}
        if "head" in guess:
            guess["relation"] = teacher.relations(scores, guess["head"]).argmax(-1)
        equal = {name: (values == batch.labels[name])[mask] for name, values in guess.items()}
        if "head" in equal:
            equal["las"] = equal["head"] & equal["relation"]
        for name, values in equal.items():
            right[name] = right.get(name, 0) + int(values.sum())
        words += int(mask.sum())
    return {name: round(100 * r / words, 2) for name, r in right.items()}


@torch.no_grad()
def label(teachers: list[WordTeacher], silver: Sentences, tokens: int = 60_000) -> dict[str, np.ndarray]:
    """Return the teachers' mean distributions over each word of the raw sentences, as float16."""
    names = (
        {"entity": len(ENTITIES)}
        if teachers[0].task == "entities"
        else {"upos": len(UPOS), "head": WINDOW + 1, "relation": len(RELATIONS)}
    )
    out = {name: torch.zeros(len(silver.words), size, dtype=torch.float16) for name, size in names.items()}
    out = {name: values.to(silver.device) for name, values in out.items()}
    for teacher in teachers:
        teacher.eval()
    for numbers in silver.batches(np.arange(len(silver.lengths)), tokens):
        batch = silver.batch(numbers)
        mask = batch.mask
        ramp = torch.arange(mask.shape[1], device=silver.device)
        place = (silver.offsets[torch.from_numpy(numbers).to(silver.device)][:, None] + ramp)[mask]
        with torch.autocast(silver.device, torch.bfloat16, enabled=silver.device == "cuda"):
            all_scores = [teacher(silver, batch) for teacher in teachers]
        for name in ("entity", "upos", "head"):
            if name in names:
                mean = torch.stack([s[name].float().softmax(-1) for s in all_scores]).mean(0)
                out[name][place, : mean.shape[-1]] = mean[mask].half()
                if name == "head":
                    heads = mean.argmax(-1)
        if "relation" in names:
            each = [t.relations(s, heads).float().softmax(-1) for t, s in zip(teachers, all_scores, strict=True)]
            out["relation"][place] = torch.stack(each).mean(0)[mask].half()
    return {name: values.cpu().numpy() for name, values in out.items()}


def fine_tune(model: nn.Module, batches: object, loss_of: object, total: int, rate: float, tune: str = "") -> None:
    """Run `total` steps of AdamW with warm-up and linear decay; heads learn five times faster than the encoder."""
    body = [p for n, p in model.named_parameters() if n.startswith("encoder")]
    head = [p for n, p in model.named_parameters() if not n.startswith("encoder")]
    optimiser = torch.optim.AdamW(
        [{"params": body, "scale": 1.0}, {"params": head, "scale": 5.0}], lr=rate, weight_decay=0.01
    )
    device = body[0].device.type
    start = time.time()
    for step in range(total):
        for group in optimiser.param_groups:
            group["lr"] = rate * group["scale"] * min(1.0, (step + 1) / 100, (total - step) / (0.9 * total))
        model.train()
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss = loss_of(next(batches))  # type: ignore[operator, call-overload]
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if step % 300 == 0:
            print(f"{tune} {step}/{total} loss {loss.item():.3f} {time.time() - start:.0f} s", flush=True)


def teach_words(task: str, work: Path, device: str, *, epochs: float, tokens: int, rate: float, seeds: int) -> None:
    """Fine-tune one teacher a seed and write what they say of the raw sentences together."""
    store = Store.load(work / f"{task}.npz")
    data = Sentences(store, device)
    teachers = []
    for seed in range(seeds):
        torch.manual_seed(SEED + seed)
        chance = np.random.default_rng(SEED + seed)
        teacher = WordTeacher(load_encoder(work, device), task).to(device)

        def forever(chance: np.random.Generator = chance) -> object:
            while True:
                for numbers in data.batches(np.arange(data.train), tokens, chance, longest=LONGEST):
                    yield data.batch(numbers, augment=True, drop_last="upos" if task == "syntax" else None)

        total = math.ceil(epochs * store.offsets[data.train] / tokens)
        fine_tune(teacher, forever(), partial(word_loss, teacher, data), total, rate, task)
        print(task, seed, evaluate(teacher, data), flush=True)
        teachers.append(teacher)
    silver = Sentences(Store.load(work / "silver.npz"), device)
    for name, values in label(teachers, silver).items():
        np.save(work / f"silver_{task}_{name}.npy", values)
    (work / f"silver_{task}.done").touch()
    print(f"{task}: labelled {len(silver.lengths):,} sentences", flush=True)


class ReviewTeacher(nn.Module):
    """Encoder, mean of the pieces, one score."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.dense, self.out = nn.Linear(encoder.width, encoder.width), nn.Linear(encoder.width, 1)

    def forward(self, pieces: Tensor) -> Tensor:
        """Return the score before the sigmoid."""
        vectors, real = self.encoder(pieces, dropout=DROPOUT), (pieces > 0)[..., None]
        mean = (vectors * real).sum(1) / real.sum(1).clamp_min(1)
        return self.out(F.dropout(F.gelu(self.dense(mean)), 0.2, self.training))[:, 0]


def main() -> None:
    """Teach one task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("syntax", "entities", "reviews"))
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--epochs", type=float, default=10)
    parser.add_argument("--tokens", type=int, default=6000)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if args.task == "reviews":
        from training.train_sentiment import teach_reviews

        if not (args.work / "teacher_reviews.done").exists():
            teach_reviews(args.work, device, epochs=args.epochs, rate=args.rate, seeds=args.seeds)
    elif not (args.work / f"silver_{args.task}.done").exists():
        teach_words(
            args.task, args.work, device, epochs=args.epochs, tokens=args.tokens, rate=args.rate, seeds=args.seeds
        )


if __name__ == "__main__":
    main()
