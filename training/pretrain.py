"""Stage 4: piece vectors by skip-gram, and a masked language model over the raw text: the body of the teachers.

python -m training.pretrain --work WORK [--minutes 6.5] [--steps N]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from training.encoder import MASK, Encoder
from training.schedule import cosine, progress

LENGTH = 128
MASKED = 0.2
SEED = 5


def skip_gram(stream: Tensor, vocabulary: int, *, width: int = 128, window: int = 5, steps: int, batch: int) -> Tensor:
    """Return piece vectors learnt by predicting neighbours against sampled noise (word2vec's objective)."""
    device = stream.device
    counts = torch.bincount(stream, minlength=vocabulary).float()
    noise = counts**0.75
    keep = (1e-4 / (counts / counts.sum()).clamp_min(1e-9)).sqrt().clamp_max(1.0)  # frequent pieces are thinned out
    inner = (torch.rand(vocabulary, width, device=device) - 0.5).div_(width).requires_grad_()
    outer = torch.zeros(vocabulary, width, device=device, requires_grad=True)
    optimiser = torch.optim.Adam([inner, outer], lr=0.004)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = 0.004 * (1 - step / steps) + 1e-5
        place = torch.randint(window, len(stream) - window, (batch,), device=device)
        place = place[torch.rand(len(place), device=device) < keep[stream[place]]]
        distance = torch.randint(1, window + 1, place.shape, device=device)
        sign = torch.randint(0, 2, place.shape, device=device) * 2 - 1
        centre, near = stream[place], stream[place + sign * distance]
        # One pool of noise a step, shared by all pairs and weighed as 8 draws each: a matrix product, not a gather.
        far = torch.multinomial(noise, 512, replacement=True)
        vectors = F.embedding(centre, inner)
        good = F.logsigmoid((vectors * F.embedding(near, outer)).sum(-1))
        bad = 8 * F.logsigmoid(-vectors @ outer[far].T).mean(-1)
        loss = -(good + bad).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % max(1, steps // 5) == 0:
            print(f"skip-gram {step}/{steps} loss {loss.item():.3f}", flush=True)
    return inner.detach()


def mask_pieces(pieces: Tensor) -> tuple[Tensor, Tensor]:
    """Return the pieces with a fifth hidden (80 % mask, 10 % random, 10 % as they are), and which."""
    chosen = torch.rand(pieces.shape, device=pieces.device) < MASKED
    draw = torch.rand(pieces.shape, device=pieces.device)
    hidden = torch.where(chosen & (draw < 0.8), MASK, pieces)
    random = torch.randint(2, 16_000, pieces.shape, device=pieces.device)
    return torch.where(chosen & (draw > 0.9), random, hidden), chosen


def pretrain(stream: Tensor, encoder: Encoder, *, minutes: float, steps: int | None, batch: int, rate: float) -> None:
    """Train the masked language model, for so many steps or else so many minutes."""
    decay = [p for p in encoder.parameters() if p.ndim >= 2]
    rest = [p for p in encoder.parameters() if p.ndim < 2]
    device = stream.device.type
    cuda = device == "cuda"
    optimiser = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}],
        lr=rate,
        betas=(0.9, 0.98),
        fused=cuda,
    )
    if cuda:
        for block in encoder.blocks:
            block.compile()
    ramp = torch.arange(LENGTH, device=device)
    step, start = 0, time.time()
    masked = int(batch * LENGTH * MASKED * 1.1)
    while (done := progress(step, steps, start, minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = cosine(rate, step, done, warm=300, last=0.02)
        place = torch.randint(0, len(stream) - LENGTH, (batch, 1), device=device)
        pieces = stream[place + ramp]
        hidden, chosen = mask_pieces(pieces)
        where = chosen.view(-1).nonzero().squeeze(1)[:masked]
        with torch.autocast(device, torch.bfloat16, enabled=cuda):
            vectors = encoder(hidden, padded=False).view(-1, encoder.width)[where]
            loss = F.cross_entropy(encoder.predict(vectors).float(), pieces.view(-1)[where].long())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        step += 1
        if step % 500 == 0:
            print(f"mlm {step} loss {loss.item():.3f} {time.time() - start:.0f} s", flush=True)
    print(f"mlm: {step} steps", flush=True)


def main() -> None:
    """Write ``vectors.npy`` and ``encoder.pt``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--minutes", type=float, default=6.5)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--skip-gram-steps", type=int, default=2500)
    args = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    stream = torch.from_numpy(np.load(args.work / "stream.npy").astype(np.int32)).to(device)
    print(f"{len(stream):,} pieces on {device}", flush=True)
    if not (args.work / "vectors.npy").exists():
        batch = 1_000_000 if device == "cuda" else 10_000
        vectors = skip_gram(stream, 16_000, steps=args.skip_gram_steps, batch=batch)
        np.save(args.work / "vectors.npy", vectors.cpu().numpy())
        print("wrote vectors.npy", flush=True)
    if not (args.work / "encoder.pt").exists():
        encoder = Encoder(args.width, args.layers, args.width // 64).to(device)
        pretrain(stream, encoder, minutes=args.minutes, steps=args.steps, batch=args.batch, rate=args.rate)
        torch.save(
            {"width": args.width, "layers": args.layers, "state": encoder.state_dict()}, args.work / "encoder.pt"
        )
        print("wrote encoder.pt", flush=True)


if __name__ == "__main__":
    main()
