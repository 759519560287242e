"""Stage 3: the masked language model over pieces, the body of the teachers.

python -m training.joint.encoder --work WORK [--minutes 15.5] [--steps N]

Reads ``stream.npy`` (`training.raw`) and leaves ``encoder.npz``, float16; goes on from ``encoder_state.pt`` if it was
cut off. A published ``encoder.npz`` put there instead is taken as it is.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.joint.device import ready
from training.joint.network import MASK, Encoder, published
from training.joint.optimisers import Muon
from training.joint.record import note
from training.joint.teach import save
from training.schedule import progress

LENGTH = 128
HIDDEN = LENGTH // 4  # pieces hidden in a window
HELD = 2048  # windows that are never trained on
MUON_RATE, ADAM_RATE = 0.02, 2e-3
FALLING = 0.55
SAVE_EVERY = 120  # seconds
SEED = 5


def hide(pieces: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return windows with a quarter of their pieces hidden (one in ten by another piece), where, and what was there."""
    where = torch.rand(pieces.shape, device=pieces.device).topk(HIDDEN, -1).indices
    target = pieces.gather(1, where)
    wrong = torch.randint(2, MASK, target.shape, device=pieces.device)
    shown = torch.where(torch.rand(target.shape, device=pieces.device) < 0.1, wrong, MASK)
    return pieces.scatter(1, where, shown), where, target


def pretrain(
    work: Path, *, minutes: float, steps: int | None, batch: int, width: int, layers: int, device: str
) -> None:
    """Train the encoder."""
    torch.manual_seed(SEED)
    stream = torch.from_numpy(np.load(work / "stream.npy").astype(np.int32)).to(device)
    held = min(HELD, len(stream) // LENGTH // 10)
    kept, stream = stream[: held * LENGTH].view(-1, LENGTH), stream[held * LENGTH :]
    encoder = Encoder(width, layers).to(device)
    matrices = [w for w in encoder.body.parameters() if w.ndim == 2]
    chosen = {id(w) for w in matrices}
    rest = [w for w in encoder.parameters() if id(w) not in chosen]
    cuda = device == "cuda"
    muon = Muon(matrices)
    adam = torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.95), weight_decay=0.0, fused=cuda)
    step, before = 0, 0.0
    state_file = work / "encoder_state.pt"
    if state_file.exists():
        state = torch.load(state_file, map_location=device, weights_only=True)
        encoder.load_state_dict(state["encoder"])
        adam.load_state_dict(state["adam"])
        muon.load_state_dict(state["muon"])
        step, before = state["step"], state["seconds"]
        print(f"goes on after step {step}", flush=True)
    if cuda:
        for layer in encoder.body.layers:
            layer.compile()
    ramp = torch.arange(LENGTH, device=device)
    begin = saved = time.time()
    while (done := progress(step, steps, begin - before, minutes)) < 1:
        rate = min(1.0, (step + 1) / 150, (1 - done) / FALLING)
        place = torch.randint(0, len(stream) - LENGTH, (batch, 1), device=device)
        with torch.autocast(device, torch.bfloat16, enabled=cuda):
            loss = encoder.loss(*hide(stream[place + ramp].long()))
        loss.backward()
        for group in adam.param_groups:
            group["lr"] = ADAM_RATE * rate
        muon.step(MUON_RATE * rate)
        adam.step()
        encoder.zero_grad(set_to_none=True)
        step += 1
        if step % 500 == 0:
            print(f"encoder {step} loss {loss.item():.3f} {before + time.time() - begin:.0f} s", flush=True)
        if time.time() - saved > SAVE_EVERY:
            saved = time.time()
            state = {"encoder": encoder.state_dict(), "adam": adam.state_dict(), "muon": muon.state_dict()}
            save(state_file, {**state, "step": step, "seconds": before + saved - begin})
    with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=cuda):
        torch.manual_seed(SEED)
        losses = [encoder.loss(*hide(windows.long())).item() for windows in kept.split(256)]
    np.savez(work / "encoder.npz", **{name: values.half().cpu().numpy() for name, values in published(encoder).items()})
    seconds = round(before + time.time() - begin)
    note(work / "record_encoder.json", steps=step, batch=batch, seconds=seconds, held_out_loss=float(np.mean(losses)))
    print(f"encoder: {step} steps, held-out loss {np.mean(losses):.3f}", flush=True)
    state_file.unlink(missing_ok=True)


def main() -> None:
    """Train it unless it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--minutes", type=float, default=15.5)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=12)
    args = parser.parse_args()
    if (args.work / "encoder.npz").exists():
        return
    sizes = {"batch": args.batch, "width": args.width, "layers": args.layers}
    pretrain(args.work, minutes=args.minutes, steps=args.steps, device=ready(), **sizes)


if __name__ == "__main__":
    main()
