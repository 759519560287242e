"""Before stage 6: the package's float32 graphs and the student in PyTorch say the same.

python -m training.joint.proof STUDENT.pt --work WORK

Asked are the held-out sentences, each treebank's in its style. Leaves ``record_proof.json``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from training.batches import grouped
from training.joint.data import Vocabulary, load_set
from training.joint.kept import load_student
from training.joint.network import exported, mean_of_words
from training.joint.record import note
from vnlp_colab.joint.graph import choices_graph, sentences_graph, words_graph
from vnlp_colab.joint.network import from_training
from vnlp_colab.runtime import create_session, output_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from training.joint.data import Batch, Texts
    from training.joint.network import Student

TOLERANCE = 1e-4  # of the greatest value of each output: float32 of two programs after some twenty products in a row
TOKENS = 2000
WORDS = ("upos", "entity", "down", "states")  # outputs with one row a word
Outputs = dict[str, np.ndarray]


class Graphs:
    """The three graphs of a student's weights, in float32."""

    def __init__(self, student: Student) -> None:
        network = from_training({name: values.cpu().numpy() for name, values in exported(student).items()})
        made = (words_graph, sentences_graph, choices_graph)
        self._words, self._sentences, self._choices = (_runner(graph(network, "float32")) for graph in made)

    def answers(self, batch: Batch) -> Outputs:
        """Return what they say of sentences; relations are those to each word's best head."""
        rows, n = batch.mask.shape
        pieces, affixes = (values.flatten(0, 1).cpu().numpy() for values in (batch.words.pieces, batch.words.affixes))
        style = batch.style.cpu().numpy()[:, None]
        feeds = {
            **self._words({"pieces": pieces, "affixes": affixes}),
            "places": np.arange(rows * n).reshape(rows, n),
            "lengths": batch.mask.sum(1).cpu().numpy().astype(np.int32),
            "styles": style,
            "entity_styles": np.zeros_like(style),
        }
        found = self._sentences(feeds)
        there = np.pad(batch.mask.cpu().numpy(), ((0, 0), (1, 0)), constant_values=True)
        heads = np.where(there[:, None], found["arcs"], -np.inf).argmax(-1)
        choices = {name: found[name] for name in ("up", "down", "means")}
        return found | self._choices({**choices, "heads": heads[..., None]}) | {"heads": heads}


def _runner(graph: bytes) -> Callable[[Outputs], Outputs]:
    session = create_session(graph, "cpu")
    names = output_names(session)
    return lambda feeds: dict(zip(names, session.run(names, feeds), strict=True))


@torch.no_grad()
def answers(student: Student, batch: Batch, heads: np.ndarray) -> Outputs:
    """Return what the student says, under the names of the graphs; relations are those to `heads`."""
    x = student.words(batch.words, batch.style)
    scores = student.heads.syntax(x, batch.mask)
    likely = student.heads.relations(scores, torch.from_numpy(heads).to(x.device)).log_softmax(-1)
    found = {
        "upos": scores["upos"],
        "arcs": scores["head"],
        "up": scores["up"],
        "down": scores["down"],
        "states": x,
        "entity": student.heads.entities(x, torch.zeros_like(batch.style)),
        "certainties": likely.amax(-1, keepdim=True),
        "sentiments": student.heads.text(mean_of_words(x, batch.mask)).softmax(-1),
    }
    return {name: values.cpu().numpy() for name, values in found.items()}


def difference(student: Student, texts: Texts) -> float:
    """Return the greatest difference of all outputs, as part of the greatest value of each."""
    graphs = Graphs(student)
    sizes: dict[str, float] = {}
    gaps: dict[str, float] = {}
    numbers = np.concatenate([texts.numbers(part) for part in texts.of_kind("dev")])
    for some in grouped(texts.lengths, numbers, TOKENS):
        batch = texts.batch(some)
        found = graphs.answers(batch)
        real = batch.mask.cpu().numpy()
        nodes = np.pad(real, ((0, 0), (1, 0)), constant_values=True)
        where = dict.fromkeys((*WORDS, "certainties"), real) | {"up": nodes, "arcs": real[..., None] & nodes[:, None]}
        for name, values in answers(student, batch, found["heads"]).items():
            own, other = (each[where[name]] if name in where else each for each in (values, found[name]))
            sizes[name] = max(sizes.get(name, 1.0), float(np.abs(own).max()))
            gaps[name] = max(gaps.get(name, 0.0), float(np.abs(own - other).max()))
    return max(gaps[name] / sizes[name] for name in gaps)


def main() -> None:
    """Prove it, or say how far apart they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    args = parser.parse_args()
    student = load_student(args.student, Vocabulary.load(args.work / "joint_vocab.json"))
    found = difference(student, load_set(args.work, "syntax", "cpu", train=False))
    note(args.work / "record_proof.json", student=args.student.name, difference=found)
    if found > TOLERANCE:
        raise SystemExit(f"the graphs are {found:.1e} away from the student in PyTorch (at most {TOLERANCE})")
    print(f"{found:.1e}", flush=True)


if __name__ == "__main__":
    main()
