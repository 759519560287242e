"""Stage 5, after it: a student with fewer hidden numbers a layer, quicker and about as good.

python -m training.joint.narrow student_before.pt --hidden 896 --work WORK

A layer's hidden numbers are ranked by how much they give to what it adds, over sentences that train. The least useful
are left out, and what reads the others is fitted, layer by layer, so that the layers give what they gave before. Leaves
``narrow.pt``, to ship (`blend`) or to go on from (`distil --start`), and ``record_narrow.json``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from training.batches import grouped
from training.joint.data import Texts, Vocabulary, load_sets, random_styles
from training.joint.device import ready
from training.joint.kept import halved, load_student, save, student_of
from training.joint.losses import GENERIC
from training.joint.measure import evaluate
from training.joint.record import note

if TYPE_CHECKING:
    from collections.abc import Callable

    from training.joint.data import Batch
    from training.joint.network import Student

SENTENCES = {"syntax": 1500, "entities": 900, "reviews": 100}  # of the sets, to see what hidden numbers give
TOKENS = 4000
RIDGE = 0.3  # how firmly fitted weights stay where they were, by the mean square of a hidden number
SEED = 5


class Sample:
    """Sentences that train, of every task; those of treebanks in their style or in none."""

    def __init__(self, sets: dict[str, Texts]) -> None:
        torch.manual_seed(SEED)
        chance = np.random.default_rng(SEED)
        self.batches: list[tuple[Batch, Tensor]] = []
        for name, count in SENTENCES.items():
            texts = sets[name]
            for some in grouped(texts.lengths, chance.permutation(texts.numbers("train"))[:count], TOKENS):
                batch = texts.batch(some)
                style = batch.style if name == "syntax" else torch.zeros_like(batch.style)
                self.batches.append((batch, random_styles(style, int(style.max()) + 1, GENERIC)))

    @torch.no_grad()
    def inside(self, student: Student) -> list[tuple[Tensor, Tensor]]:
        """Return the hidden numbers of every layer and the states after it, a row for every word."""
        found: list[tuple[list[Tensor], list[Tensor]]] = [([], []) for _ in student.body.layers]
        real = torch.empty(0)

        def watch(layer: int, part: int) -> Callable[..., None]:
            # Before a module its inputs are shown, after it the output comes last.
            return lambda _, inputs, *output: found[layer][part].append((output or inputs)[0][real])

        hooks = []
        for i, layer in enumerate(student.body.layers):
            hooks.append(layer.down.register_forward_pre_hook(watch(i, 0)))
            hooks.append(layer.register_forward_hook(watch(i, 1)))
        for batch, style in self.batches:
            real = batch.mask
            student.words(batch.words, style)
        for hook in hooks:
            hook.remove()
        return [(torch.cat(hidden), torch.cat(states)) for hidden, states in found]


def most_useful(student: Student, sample: Sample, count: int) -> list[Tensor]:
    """Return by layer the numbers that give most: their size in the mean, by the length of what reads them."""
    kept = []
    for layer, (hidden, _) in zip(student.body.layers, sample.inside(student), strict=True):
        useful = hidden.square().sum(0).sqrt() * layer.down.weight.detach().norm(dim=0)
        kept.append(useful.topk(count).indices.sort().values)
    return kept


def cut(state: dict[str, Tensor], kept: list[Tensor]) -> dict[str, Tensor]:
    """Return the weights with these hidden numbers alone."""
    state = dict(state)
    for i, numbers in enumerate(kept):
        up, down = f"body.layers.{i}.up.weight", f"body.layers.{i}.down.weight"
        state[up] = state[up][torch.cat([numbers, numbers + state[down].shape[1]])]  # gates, then values
        state[down] = state[down][:, numbers]
    return state


@torch.no_grad()
def fit(student: Student, wide: Student, sample: Sample) -> None:
    """Change what reads the hidden numbers so that every layer gives about what the wide one's gives."""
    for i, (_, wanted) in enumerate(sample.inside(wide)):
        hidden, states = sample.inside(student)[i]
        square = hidden.T @ hidden
        square += RIDGE * square.diagonal().mean() * torch.eye(len(square), device=square.device)
        student.body.layers[i].down.weight += torch.linalg.solve(square, hidden.T @ (wanted - states)).T


def main() -> None:
    """Narrow it unless that was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--hidden", type=int, default=896, help="numbers a layer keeps")
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    args = parser.parse_args()
    if (args.work / "narrow.pt").exists():
        return
    device = ready()
    vocabulary = Vocabulary.load(args.work / "joint_vocab.json")
    sets = load_sets(args.work, device, train=False)
    sample = Sample(sets)
    wide = load_student(args.student, vocabulary).to(device)
    student = student_of(cut(wide.state_dict(), most_useful(wide, sample, args.hidden)), vocabulary).to(device)
    fit(student, wide, sample)
    save(args.work / "narrow.pt", halved(student))
    scores = evaluate(student, sets)
    how = {"student": args.student.name, "hidden": args.hidden, "sentences": SENTENCES, "ridge": RIDGE, "seed": SEED}
    note(args.work / "record_narrow.json", settings=how, dev=scores)
    for part, values in scores.items():
        print(part, values, flush=True)


if __name__ == "__main__":
    main()
