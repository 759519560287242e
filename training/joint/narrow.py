"""Fewer hidden numbers a layer: an earlier student cut to go on from, and what the narrow one learnt given back.

python -m training.joint.narrow student_before.pt --hidden 448 --work WORK
python -m training.joint.narrow student_before.pt --hidden 896 --work WORK --learnt student_60.pt [--share 0.5]

A layer's hidden numbers are ranked by how much they give to what it adds, over sentences that train. The least useful
are left out, and what reads the others is fitted, layer by layer, so that the layers give what they gave before.

The first leaves ``narrow.pt``, to go on from (`distil --start`) or to ship (`blend`). The second stands after `distil`:
it adds a share of what the narrow student has learnt since to the weights it was cut from, and cuts that network (the
numbers that were trained on stay). It leaves ``rejoined.pt``.
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
from training.joint.kept import halved, load_student, save, student_of, whole
from training.joint.measure import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

    from training.joint.data import Batch
    from training.joint.network import Student

State = dict[str, Tensor]
SENTENCES = {"syntax": 1500, "entities": 900, "reviews": 100}  # of the sets, to see what hidden numbers give
TOKENS = 4000
GENERIC = 0.3  # share of the sentences whose style is not told
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


def most_useful(student: Student, sample: Sample, count: int, sure: list[Tensor] | None = None) -> list[Tensor]:
    """Return by layer the numbers that give most (their size by the length of what reads them), `sure` ones first."""
    kept = []
    for i, (hidden, _) in enumerate(sample.inside(student)):
        useful = hidden.square().sum(0).sqrt() * student.body.layers[i].down.weight.detach().norm(dim=0)
        if sure is not None:
            useful[sure[i]] = torch.inf
        kept.append(useful.topk(count).indices.sort().values)
    return kept


def names(layer: int) -> tuple[str, str]:
    """Return the names of what makes a layer's hidden numbers and of what reads them."""
    return f"body.layers.{layer}.up.weight", f"body.layers.{layer}.down.weight"


def gates_and_values(kept: Tensor, hidden: int) -> Tensor:
    """Return the rows of ``up`` that make these of so many hidden numbers."""
    return torch.cat([kept, kept + hidden])


def cut(state: State, kept: list[Tensor]) -> State:
    """Return the weights with these hidden numbers alone."""
    state = dict(state)
    for i, numbers in enumerate(kept):
        up, down = names(i)
        state[up] = state[up][gates_and_values(numbers, state[down].shape[1])]
        state[down] = state[down][:, numbers]
    return state


def cut_from(wide: State, narrow: State) -> list[Tensor]:
    """Return by layer which hidden numbers of the wide weights the narrow ones have."""
    found = []
    for i in range(sum(name.endswith(".down.weight") and name.startswith("body.layers.") for name in wide)):
        up, _ = names(i)  # what makes them is as it was, what reads them was fitted
        gates, all_gates = narrow[up].chunk(2)[0], wide[up].chunk(2)[0]
        apart = torch.cdist(gates, all_gates, compute_mode="donot_use_mm_for_euclid_dist")
        if apart.min(1).values.max() > 0:
            raise ValueError(f"{up}: the narrow student was not cut from this one")
        found.append(apart.argmin(1))
    return found


def rejoined(wide: State, narrow: State, learnt: State, share: float) -> State:
    """Return the wide weights with a share of what the narrow ones have learnt since they were cut from them."""
    state = {name: values.clone() for name, values in wide.items()}
    kept = dict(enumerate(cut_from(wide, narrow)))
    inner = {name: i for i in kept for name in names(i)}
    for name, values in learnt.items():
        step = share * (values - narrow[name])
        if name not in inner:
            state[name] += step
            continue
        numbers = kept[inner[name]]
        if name.endswith(".up.weight"):
            state[name][gates_and_values(numbers, len(wide[name]) // 2)] += step
        else:
            state[name][:, numbers] += step
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
    """Cut, or give back and cut."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--hidden", type=int, required=True, help="numbers a layer keeps")
    parser.add_argument("--learnt", type=Path, default=None, help="what became of narrow.pt")
    parser.add_argument("--share", type=float, default=0.5, help="of what it learnt")
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    args = parser.parse_args()
    result = args.work / ("rejoined.pt" if args.learnt else "narrow.pt")
    if result.exists():
        return
    device = ready()
    vocabulary = Vocabulary.load(args.work / "joint_vocab.json")
    sets = load_sets(args.work, device, train=False)
    sample = Sample(sets)
    if args.learnt:
        before, narrow = whole(args.student), whole(args.work / "narrow.pt")
        wide = student_of(rejoined(before, narrow, whole(args.learnt), args.share), vocabulary).to(device)
        trained = [numbers.to(device) for numbers in cut_from(before, narrow)]
    else:
        wide, trained = load_student(args.student, vocabulary).to(device), None
    kept = most_useful(wide, sample, args.hidden, trained)
    student = student_of(cut(wide.state_dict(), kept), vocabulary).to(device)
    fit(student, wide, sample)
    save(result, halved(student))
    for part, values in evaluate(student, sets).items():
        print(part, values, flush=True)


if __name__ == "__main__":
    main()
