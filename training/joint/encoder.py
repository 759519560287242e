"""Stage 3: the masked language model over pieces, the body of the teachers.

python -m training.joint.encoder --work WORK [--minutes 15.5] [--steps N] [--start ENCODER.npz --rate 0.5 --falling 1]

Reads ``stream.npy`` (`training.raw`), or else the raw sentences and those of the labelled sets that train, and leaves
``encoder.npz``, float16; goes on from ``encoder_state.pt`` if it was cut off. A published ``encoder.npz`` put there
instead is taken as it is; as ``--start`` it is trained further.
"""

from __future__ import annotations

import argparse
import copy
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.arrays import sentences_that_train
from training.joint.device import ready
from training.joint.kept import read_encoder, save, write_encoder
from training.joint.network import MASK, VOCABULARY, Encoder
from training.joint.optimisers import Muon
from training.joint.raw import load_silver
from training.joint.record import note
from training.schedule import progress

LENGTH = 128
HIDDEN = 0.25  # of a window's pieces
HELD = 2048  # windows that are never trained on
MUON_RATE, ADAM_RATE = 0.02, 2e-3
# How often the sentences of the labelled sets are in the stream, where there is no other.
TIMES = {"syntax": 6, "entities": 3, "reviews": 1}
SAVE_EVERY = 120  # seconds
SEED = 5


@dataclass
class Manner:
    """How it is trained: windows a step, share of the rates, the last share of the time (they fall), pieces hidden.

    In a share `whole` of the windows whole words are hidden instead of single pieces.
    """

    batch: int = 1024
    rate: float = 1.0
    falling: float = 0.55
    hidden: float = HIDDEN
    whole: float = 0.0


def read_stream(work: Path) -> np.ndarray:
    """Return the pieces to learn from, one after the other."""
    if (work / "stream.npy").exists():
        stream: np.ndarray = np.load(work / "stream.npy")
        return stream
    found = [in_pieces(load_silver(work))]
    for name, times in TIMES.items():
        with np.load(work / f"joint_{name}.npz") as file:
            arrays = {key: file[key] for key in file.files}
        train = sentences_that_train(arrays)
        arrays["words"] = arrays["words"][np.repeat(train, np.diff(arrays["offsets"]))]
        found += times * [in_pieces(arrays)]
    return np.concatenate(found)


def in_pieces(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Return the pieces of a set's words, one after the other."""
    pieces = arrays["pieces"].astype(np.uint16)
    parts = np.array_split(arrays["words"], 1 + len(arrays["words"]) // 5_000_000)
    flat = [pieces[words].reshape(-1) for words in parts]
    return np.concatenate([part[part > 0] for part in flat])


def word_starts(work: Path) -> np.ndarray:
    """Return of each piece of the vocabulary whether words start with it."""
    first = every = np.zeros(VOCABULARY, np.int64)
    for name in TIMES:
        with np.load(work / f"joint_{name}.npz") as file:
            pieces = file["pieces"].astype(np.int64)
        pieces = pieces[pieces.any(axis=1)]
        at = (pieces > 0).argmax(axis=1)
        first = first + np.bincount(pieces[np.arange(len(pieces)), at], minlength=VOCABULARY)
        every = every + np.bincount(pieces[pieces > 0], minlength=VOCABULARY)
    return first > every / 2


def hide(
    pieces: Tensor, share: float, starts: Tensor | None = None, whole: float = 0.0
) -> tuple[Tensor, Tensor, Tensor]:
    """Return windows with a share of their pieces hidden (one in ten by another piece), where, and what was there.

    In a share `whole` of the windows the pieces of a word, which `starts` begin, are hidden together.
    """
    chance = torch.rand(pieces.shape, device=pieces.device)
    if whole and starts is not None:
        word = starts[pieces].cumsum(-1).clamp_max(LENGTH - 1)
        together = torch.rand(len(pieces), 1, device=pieces.device) < whole
        chance = torch.where(together, chance.gather(1, word), chance)
    where = chance.topk(round(share * LENGTH), -1).indices
    target = pieces.gather(1, where)
    wrong = torch.randint(2, MASK, target.shape, device=pieces.device)
    shown = torch.where(torch.rand(target.shape, device=pieces.device) < 0.1, wrong, MASK)
    return pieces.scatter(1, where, shown), where, target


@torch.no_grad()
def held_out_loss(encoder: Encoder, windows: Tensor) -> float:
    """Return the loss on windows that were not trained on, a quarter of their pieces hidden, always the same ones."""
    generator = torch.random.get_rng_state()
    torch.manual_seed(SEED)
    with torch.autocast(windows.device.type, torch.bfloat16, enabled=windows.is_cuda):
        losses = [encoder.loss(*hide(some.long(), HIDDEN)).item() for some in windows.split(256)]
    torch.random.set_rng_state(generator)
    return float(np.mean(losses))


def pretrain(work: Path, encoder: Encoder, manner: Manner, *, minutes: float, steps: int | None, device: str) -> None:
    """Train the encoder."""
    torch.manual_seed(SEED)
    stream = torch.from_numpy(read_stream(work).astype(np.int32)).to(device)
    print(f"{len(stream):,} pieces", flush=True)
    held = min(HELD, len(stream) // LENGTH // 10)
    kept, stream = stream[: held * LENGTH].view(-1, LENGTH), stream[held * LENGTH :]
    encoder = encoder.to(device)
    matrices = [w for w in encoder.body.parameters() if w.ndim == 2]
    chosen = {id(w) for w in matrices}
    rest = [w for w in encoder.parameters() if id(w) not in chosen]
    cuda = device == "cuda"
    muon = Muon(matrices)
    adam = torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.95), weight_decay=0.0, fused=cuda)
    step, before = 0, 0.0
    first = held_out_loss(encoder, kept)
    state_file = work / "encoder_state.pt"
    if state_file.exists():
        state = torch.load(state_file, map_location=device, weights_only=True)
        encoder.load_state_dict(state["encoder"])
        adam.load_state_dict(state["adam"])
        muon.load_state_dict(state["muon"])
        step, before, first = state["step"], state["seconds"], state["first"]
        torch.manual_seed(SEED + step)  # who goes on sees other windows than at first
        print(f"goes on after step {step}", flush=True)
    print(f"held-out loss {first:.3f}", flush=True)
    scored = copy.deepcopy(encoder)  # not compiled: to score it takes no new compilation
    if cuda:
        for layer in encoder.body.layers:
            layer.compile()
    ramp = torch.arange(LENGTH, device=device)
    starts = torch.from_numpy(word_starts(work)).to(device) if manner.whole else None
    begin = saved = time.time()
    while (done := progress(step, steps, begin - before, minutes)) < 1:
        rate = manner.rate * min(1.0, (step + 1) / 150, (1 - done) / manner.falling)
        place = torch.randint(0, len(stream) - LENGTH, (manner.batch, 1), device=device)
        with torch.autocast(device, torch.bfloat16, enabled=cuda):
            loss = encoder.loss(*hide(stream[place + ramp].long(), manner.hidden, starts, manner.whole))
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
            save(state_file, {**state, "step": step, "seconds": before + saved - begin, "first": first})
    scored.load_state_dict(encoder.state_dict())
    last = held_out_loss(scored, kept)
    seconds = round(before + time.time() - begin)
    losses = {"held_out_loss": last, "held_out_loss_before": first}
    note(work / "record_encoder.json", steps=step, seconds=seconds, pieces=len(stream), **asdict(manner), **losses)
    print(f"encoder: {step} steps, held-out loss {last:.3f}", flush=True)
    write_encoder(work / "encoder.npz", encoder)
    state_file.unlink(missing_ok=True)


def main() -> None:
    """Train it unless it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--start", type=Path, default=None, help="a published encoder to train further")
    parser.add_argument("--minutes", type=float, default=15.5)
    parser.add_argument("--steps", type=int, default=None)
    for name, value in asdict(Manner()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=12)
    args = parser.parse_args()
    if (args.work / "encoder.npz").exists():
        return
    device = ready()
    encoder = read_encoder(args.start) if args.start else Encoder(args.width, args.layers)
    manner = Manner(args.batch, args.rate, args.falling, args.hidden, args.whole)
    pretrain(args.work, encoder, manner, minutes=args.minutes, steps=args.steps, device=device)


if __name__ == "__main__":
    main()
