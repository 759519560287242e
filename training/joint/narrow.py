"""Stage 5, after it: a student with fewer hidden numbers a layer, quicker and about as good.

python -m training.joint.narrow student_before.pt --hidden 704 --work WORK [--minutes 12]

Hidden numbers are ranked by how much all answers would change without them, over sentences that train, and the least
useful of all layers are left out: the first layers can spare many, the last one few. What reads the others is fitted,
layer by layer, so that the layers give what they gave before; then, for some minutes, the layers are taught to answer
as they did. Leaves ``narrow.pt``, to ship (`blend`) or to go on from (`distil --start`), and ``record_narrow.json``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from training.batches import grouped
from training.joint.data import Texts, Vocabulary, load_sets, random_styles
from training.joint.device import ready
from training.joint.kept import halved, load_student, save, student_of
from training.joint.losses import GENERIC
from training.joint.measure import evaluate
from training.joint.network import mean_of_words
from training.joint.onward import Pace, means_of, teach_on
from training.joint.record import note

if TYPE_CHECKING:
    from collections.abc import Callable

    from training.joint.data import Batch
    from training.joint.network import Student
    from training.joint.onward import Lesson

SENTENCES = {"syntax": 3000, "entities": 1500, "reviews": 150}  # of the sets, to see what hidden numbers give
TOKENS = 4000
STEP = 32  # so many hidden numbers are left out at once
RIDGE = 0.3  # how firmly fitted weights stay where they were, by the mean square of a hidden number
SEED = 5
POLISHED, PACE = 1500, Pace(rate=1e-4, warm=20, falling=0.7, keep=0.97, seed=SEED)  # words a step, when it is taught


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


def usefulness(student: Student, sample: Sample) -> list[Tensor]:
    """Return of every hidden number of every layer how far the answers would move without it.

    That is the divergence of the answers to second order: half of the mean square of what the number adds to the
    logarithm of the probability of answers drawn from the student's own distributions.
    """
    useful = [torch.zeros(count, device=student.style.device) for count in student.body.hidden]
    seen: list[Tensor] = []

    def watch(_: object, inputs: tuple[Tensor, ...]) -> None:
        inputs[0].retain_grad()
        seen.append(inputs[0])

    hooks = [layer.down.register_forward_pre_hook(watch) for layer in student.body.layers]
    for batch, style in sample.batches:
        seen.clear()
        student.zero_grad(set_to_none=True)
        surprise(student, batch, style).backward()
        for total, hidden in zip(useful, seen, strict=True):
            assert hidden.grad is not None
            total += (hidden.detach() * hidden.grad)[batch.mask].square().sum(0) / 2
    student.zero_grad(set_to_none=True)
    for hook in hooks:
        hook.remove()
    words = sum(int(batch.mask.sum()) for batch, _ in sample.batches)
    return [total / words for total in useful]


def surprise(student: Student, batch: Batch, style: Tensor) -> Tensor:
    """Return how unlikely answers are, of every task, that are drawn from the student's own distributions."""
    found, _ = answers(student, batch, style)
    drawn = [torch.distributions.Categorical(logits=each.detach()).sample() for each in found]
    losses = [F.cross_entropy(each, answer, reduction="sum") for each, answer in zip(found, drawn, strict=True)]
    return torch.stack(losses).sum()


def answers(
    student: Student, batch: Batch, style: Tensor, heads: Tensor | None = None, entity_style: Tensor | None = None
) -> tuple[list[Tensor], Tensor]:
    """Return the scores of every task, and the heads whose relations are scored: the best ones unless given.

    Entities are those of the generic style unless another one is given.
    """
    x = student.words(batch.words, style)
    scores = student.heads.syntax(x, batch.mask)
    heads = scores["head"].argmax(-1) if heads is None else heads
    found = [scores[name][batch.mask] for name in ("upos", "feats", "lemma", "head")]
    found.append(student.heads.relations(scores, heads)[batch.mask])
    entity_style = torch.zeros_like(style) if entity_style is None else entity_style
    found.append(student.heads.entities(x, entity_style)[batch.mask])
    found.append(student.heads.text(mean_of_words(x, batch.mask)))
    return found, heads


def most_useful(useful: list[Tensor], count: int) -> list[Tensor]:
    """Return by layer the numbers to keep, `count` of all layers; a layer loses a multiple of `STEP`."""
    order = [values.sort() for values in useful]
    costs = [(cost, i) for i, each in enumerate(order) for cost in each.values.view(-1, STEP).sum(1).tolist()]
    lost = Counter(i for _, i in sorted(costs)[: (sum(map(len, useful)) - count) // STEP])
    return [each.indices[lost[i] * STEP :].sort().values for i, each in enumerate(order)]


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


def polish(
    student: Student, wide: Student, sets: dict[str, Texts], minutes: float, state_file: Path
) -> dict[str, float]:
    """Teach its layers to answer as the wide one's; return the steps and how far the answers were apart, and are.

    Goes on from `state_file` if it was cut off.
    """
    shares = np.array(list(SENTENCES.values())) / sum(SENTENCES.values())

    def lessons(chance: np.random.Generator) -> Lesson:
        streams = {name: sets[name].forever(POLISHED, chance) for name in SENTENCES}

        def lesson() -> tuple[str, Tensor]:
            name = str(chance.choice(list(SENTENCES), p=shares))
            batch = sets[name].batch(next(streams[name]), augment=name != "reviews")
            style = torch.randint(0, len(student.style), batch.style.shape, device=batch.style.device)
            with torch.no_grad():
                wanted, heads = answers(wide, batch, style)
            found, _ = answers(student, batch, style, heads)
            return "apart", torch.stack([divergence_of(*pair) for pair in zip(found, wanted, strict=True)]).sum()

        return lesson

    layers = list(student.body.parameters())
    losses, _ = teach_on(student.body, layers, lessons, PACE, minutes=minutes, state_file=state_file)
    student.zero_grad(set_to_none=True)  # the heads have gradients, too
    ends = {"apart first": means_of(losses[:20]), "apart last": means_of(losses[-20:])}
    return {"steps": len(losses), **{name: found["apart"] for name, found in ends.items()}}


def divergence_of(scores: Tensor, wanted: Tensor) -> Tensor:
    """Return how far distributions are from the wanted ones, a word or text."""
    return F.kl_div(scores.log_softmax(-1), wanted.log_softmax(-1), log_target=True, reduction="batchmean")


def main() -> None:
    """Narrow it unless that was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--hidden", type=int, default=704, help="numbers a layer keeps in the mean")
    parser.add_argument("--minutes", type=float, default=0.0, help="to teach it, afterwards, to answer as before")
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    args = parser.parse_args()
    if (args.work / "narrow.pt").exists():
        return
    device = ready()
    vocabulary = Vocabulary.load(args.work / "joint_vocab.json")
    sets = load_sets(args.work, device, train=False)
    sample = Sample(sets)
    wide = load_student(args.student, vocabulary).to(device)
    kept = most_useful(usefulness(wide, sample), args.hidden * len(wide.body.layers))
    student = student_of(cut(wide.state_dict(), kept), vocabulary).to(device)
    print("hidden numbers by layer", student.body.hidden, flush=True)
    fit(student, wide, sample)
    state_file = args.work / "narrow_state.pt"
    polished: dict[str, float] = {}
    if args.minutes:
        polished = polish(student, wide, load_sets(args.work, device, train=True), args.minutes, state_file)
    how = {"student": args.student.name, "hidden": student.body.hidden, "sentences": SENTENCES}
    how |= {"ridge": RIDGE, "seed": SEED}
    scores = evaluate(student, sets)
    note(args.work / "record_narrow.json", settings=how, polished=polished, dev=scores)
    save(args.work / "narrow.pt", halved(student))
    state_file.unlink(missing_ok=True)
    for part, values in scores.items():
        print(part, values, flush=True)


if __name__ == "__main__":
    main()
