"""Stage 6: train SPUContextPoS, SPUContextNER or SPUContextDP on gold data and what its teacher says of raw text.

    python -m training.train pos|ner|dp --work WORK [--minutes 8 | --steps N]

From a tenth of the way on, most batches see as history what the network itself would have predicted, as it will when
it is used; the targets stay the gold ones. Until `EXACT` of the way, contexts are chains (see networks.py).
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.arrays import ENTITIES, OUTSIDE, RELATIONS, UPOS, WINDOW, Store
from training.batches import Batch, Sentences
from training.networks import SPUContext
from training.schedule import cosine, progress


@dataclass(frozen=True)
class Task:
    """One network: its data, label groups (name, size) and size."""

    store: str
    groups: tuple[tuple[str, int], ...]
    units: int
    layers: int
    soft: str  # the file of the teacher's labels


EXACT = 0.8
OWN_HISTORY = 0.1
GOLD_ALONE = 0.92  # the treebanks have the last word

TASKS = {
    "pos": Task("syntax", (("upos", len(UPOS)),), 128, 1, "silver_syntax"),
    "ner": Task("entities", (("entity", len(ENTITIES)),), 256, 2, "silver_entities"),
    "dp": Task("syntax", (("head", WINDOW + 1), ("relation", len(RELATIONS))), 256, 2, "silver_syntax"),
}


def targets_of(batch: Batch, task: Task) -> Tensor:
    """Return the label numbers (rows, n, groups), -1 where there is nothing to learn."""
    hard = []
    for name, _ in task.groups:
        labels = batch.labels.get(name)
        if labels is None:
            labels = batch.labels[f"soft_{name}"].argmax(-1)
        elif name == "head":
            labels = torch.where(labels == OUTSIDE, -1, labels)
        hard.append(torch.where(batch.mask, labels, -1))
    return torch.stack(hard, -1)


def loss_of(scores: Tensor, batch: Batch, targets: Tensor, task: Task, smoothing: float) -> Tensor:
    """Return the mean loss of a word: cross-entropy to gold labels or to the teacher's distribution."""
    total = scores.new_zeros(())
    start = 0
    for group, (name, size) in enumerate(task.groups):
        part = scores[..., start : start + size][batch.mask]
        start += size
        target = targets[..., group][batch.mask]
        if f"soft_{name}" in batch.labels:
            soft = batch.labels[f"soft_{name}"][batch.mask].float()
            total = total + F.cross_entropy(part, soft / soft.sum(-1, keepdim=True))
        else:
            total = total + F.cross_entropy(part, target, ignore_index=-1, label_smoothing=smoothing)
        # The parser ends in sigmoids: scores far above 0 would all round to 1 and tie. This keeps them low.
        total = total + 2e-4 * part.logsumexp(-1).square().mean()
    return total


class Average:
    """A running mean of the weights; what is kept in the end."""

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.network, self.decay, self.steps = copy.deepcopy(network).eval(), decay, 0
        for module in self.network.modules():
            if isinstance(module, nn.GRU):
                module.flatten_parameters()

    @torch.no_grad()
    def update(self, network: nn.Module) -> None:
        """Move the mean a little towards the network."""
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        ours, theirs = list(self.network.parameters()), list(network.parameters())
        torch._foreach_lerp_(ours, theirs, 1 - decay)


@torch.no_grad()
def evaluate(network: SPUContext, data: Sentences, task: Task) -> dict[str, float]:
    """Return the accuracy of each label group and of all together, decoded greedily, over the validation sentences."""
    right = [0] * (len(task.groups) + 1)
    words = 0
    for numbers in data.batches(np.arange(data.train, len(data.lengths)), 20_000, longest=WINDOW):
        batch = data.batch(numbers)
        pieces, row = data.distinct(batch.words)
        vectors = network.encode_words(pieces)
        guess = network.decode(network.contexts(vectors[row], vectors[0]))
        targets = targets_of(batch, task)
        equal = (guess == targets)[batch.mask]
        for group in range(len(task.groups)):
            right[group] += int(equal[:, group].sum())
        right[-1] += int(equal.all(-1).sum())
        words += len(equal)
    names = [*(name for name, _ in task.groups), "all"]
    return {name: round(100 * r / words, 2) for name, r in zip(names, right, strict=True)}


def load_silver(task: Task, work: Path, device: str) -> Sentences:
    """Return the raw sentences with the teacher's labels."""
    if not (work / f"{task.soft}.done").exists():
        raise SystemExit(f"no {work / task.soft}.done: run `python -m training.teach` first, or give --silver-share 0")
    soft = {f"soft_{name}": np.load(work / f"{task.soft}_{name}.npy") for name, _ in task.groups}
    return Sentences(Store.load(work / "silver.npz"), device, soft)


def train(
    name: str,
    work: Path,
    *,
    minutes: float,
    steps: int | None,
    tokens: int,
    rate: float,
    seed: int,
    silver_share: float,
    start: Path | None = None,
) -> tuple[SPUContext, dict[str, object]]:
    """Return the averaged network and a record of the run."""
    task = TASKS[name]
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    gold = Sentences(Store.load(work / f"{task.store}.npz"), device)
    silver = load_silver(task, work, device) if silver_share else None
    network = SPUContext(tuple(size for _, size in task.groups), task.units, task.layers).to(device)
    vectors = torch.from_numpy(np.load(work / "vectors.npy")).to(device)
    network.embedding.weight.data.copy_(vectors / vectors.std() * 0.3)
    if start:
        load(network, start)
    average = Average(network, 0.9995)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
    own_chance = torch.Generator().manual_seed(seed)

    def forever(data: Sentences) -> object:
        while True:
            yield from data.batches(np.arange(data.train), tokens, chance, longest=60)

    streams = {"gold": forever(gold), "silver": forever(silver) if silver else None}
    begin, step, log, checks = time.time(), 0, [], 0
    while True:
        if (done := progress(step, steps, begin, minutes)) >= 1:
            break
        if done >= (checks + 1) / 6:
            checks += 1
            log.append({"step": step, **evaluate(average.network, gold, task)})
            print(log[-1], f"{time.time() - begin:.0f} s", flush=True)
            save(average.network, work / f"partial_{name}.npz", {"log": log})
        for group in optimiser.param_groups:
            group["lr"] = cosine(rate, step, done, warm=300)
        from_silver = silver is not None and done < GOLD_ALONE and chance.random() < silver_share
        data = silver if from_silver and silver else gold
        numbers = next(streams["silver" if from_silver else "gold"])  # type: ignore[call-overload]
        batch = data.batch(numbers, augment=True, drop_last="upos" if "upos" in data.labels else None)
        network.train()
        chains = done < EXACT
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            pieces, row = data.distinct(batch.words, noise=0.04)
            vectors = network.encode_words(pieces, 0.1)
            contexts = network.contexts(vectors[row], vectors[0], 0.2, chains=chains)
            targets = targets_of(batch, task)
            history = targets.clamp_min(0)
            n = batch.words.shape[1]
            if done > OWN_HISTORY and n <= WINDOW and torch.rand((), generator=own_chance) < 0.85:
                history = (network.decode_chain if chains else network.decode)(contexts.detach())
            else:
                noisy = torch.rand(history.shape[:2], device=device) < 0.1
                other = history[torch.randperm(len(history), device=device)]
                history = torch.where(noisy[..., None], other, history)
            histories = network.histories(network.one_hot(history), chains=chains)
            scores = network.score(contexts, histories, 0.2)
        loss = loss_of(scores.float(), batch, targets, task, 0.03)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        step += 1
        if not norm.isfinite():  # one bad step must not spoil the averaged weights for good
            print(f"step {step}: skipped, gradient {norm.item()}", flush=True)
            continue
        optimiser.step()
        average.update(network)
        if step % 500 == 0:
            print(f"{step} {done:.0%} loss {loss.item():.3f}", flush=True)
    log.append({"step": step, **evaluate(average.network, gold, task)})
    print(log[-1], flush=True)
    return average.network, {"steps": step, "seconds": round(time.time() - begin), "seed": seed, "log": log}


def save(network: nn.Module, path: Path, record: dict[str, object]) -> None:
    """Write the weights rounded to float16: that rounded set is the model."""
    arrays = {name: value.detach().cpu().numpy().astype(np.float16) for name, value in network.state_dict().items()}
    np.savez_compressed(path, **arrays)
    path.with_suffix(".json").write_text(json.dumps(record, indent=1))


def load(network: nn.Module, path: Path) -> None:
    """Read weights that `save` wrote."""
    arrays = np.load(path)
    network.load_state_dict({name: torch.from_numpy(arrays[name].astype(np.float32)) for name in arrays.files})


def main() -> None:
    """Train one task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--tokens", type=int, default=9000)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="weights of an earlier run to go on from")
    parser.add_argument("--silver-share", type=float, default=0.75)
    args = parser.parse_args()
    path = args.work / f"student_{args.task}.npz"
    if path.exists():
        return
    network, record = train(
        args.task,
        args.work,
        minutes=args.minutes,
        steps=args.steps,
        tokens=args.tokens,
        rate=args.rate,
        seed=args.seed,
        silver_share=args.silver_share,
        start=args.start,
    )
    save(network, path, record)
    print(f"wrote {path}", flush=True)


if __name__ == "__main__":
    main()
