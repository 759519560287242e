"""Before stage 5: the package's own files as a student to go on from, where the weights of its training are gone.

python -m training.joint.shipped --work WORK [--models vnlp_colab/models] [--lemmas]

The weights are those of eight bits, turned back; the graphs were evened out before they were rounded, so a student's
numbers are not the trained one's, but its answers are. Leaves ``student_shipped.pt``, whose classes of features and
lemmas are those of ``Joint_labels.json`` (`prepare --earlier`). With ``--lemmas`` the files are told instead which
lemmas the training sentences of ``joint_vocab.json`` know.
"""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from training.joint.conversion import FILES, KEY, relearn_lemmas
from training.joint.kept import halved, save
from training.joint.network import Sizes, Student
from training.joint.record import note
from vnlp_colab.joint.network import read_network

if TYPE_CHECKING:
    from vnlp_colab.joint.network import Network

NEVER = -1e3  # biases below it stand for classes that no answer may be
# What the package calls the parameters of the heads, and what they are called here.
_HEADS = {
    "mix": "mix", "upos": "upos", "lemma": "lemma", "feats": "feats.own", "rel": "rel", "entity": "entity",
    "entity.hidden": "entity_hidden", "sentiment.hidden": "sentiment_hidden", "sentiment": "sentiment",
    "arc.head": "arc_head", "arc.dep": "arc_dep", "rel.head": "rel_head", "rel.dep": "rel_dep",
}  # fmt: skip


def shipped_student(folder: Path) -> Student:
    """Return the student whose answers the files in a folder give."""
    labels = json.loads((folder / FILES["labels"]).read_text(encoding="utf-8"))
    graphs = [(folder / name).read_bytes() for name in (f"{KEY}.onnx", FILES["words"], FILES["choices"])]
    network = read_network(graphs, labels["settings"]["act"])
    arrays = {name: torch.tensor(values) for name, values in network.arrays.items()}
    student = Student(sizes_of(labels), labels["feats"]["labels"], hidden_of(network))
    state = student.state_dict()
    state |= {name: values for name, values in arrays.items() if name in state}  # the composer's and the styles'
    state |= {f"body.{name}": values for name, values in layers_of(arrays, network.layers).items()}
    for name, own in _HEADS.items():
        state[f"heads.{own}.weight"] = arrays[f"{name}.weight"]
        state[f"heads.{own}.bias"] = possible(arrays[f"{name}.bias"])
    for part in ("weight", "bias"):
        state[f"heads.feats.parts.{part}"] = torch.zeros_like(state[f"heads.feats.parts.{part}"])
    state["heads.entity_style"] = arrays["entity.style"]
    state["heads.arc_matrix"] = torch.cat([arrays["arc.product.weight"].T, arrays["arc.product.bias"][None]])
    state["heads.root"] = root_of(arrays)
    student.load_state_dict(state)
    return student.eval()


def sizes_of(labels: dict[str, Any]) -> Sizes:
    """Return the numbers of classes."""
    return Sizes(
        styles=len(labels["styles"]),
        entity_styles=len(labels["entity_styles"]),
        upos=len(labels["upos"]),
        relations=len(labels["relations"]),
        feats=len(labels["feats"]["labels"]),
        scripts=len(labels["lemma"]["scripts"]),
    )


def hidden_of(network: Network) -> list[int]:
    """Return the hidden numbers of each layer."""
    return [len(network.arrays[f"layers.{i}.gate.weight"]) for i in range(network.layers)]


def layers_of(arrays: dict[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Return the parameters of the layers, packed again, and of the last norm."""
    found = {"norm.weight": arrays["norm.weight"]}
    for i in range(layers):
        own = {name: arrays[f"layers.{i}.{name}.weight"] for name in ("norm1", "norm2", "out", "down")}
        own["qkv"] = torch.cat([arrays[f"layers.{i}.{name}.weight"] for name in "qkv"])
        own["up"] = torch.cat([arrays[f"layers.{i}.{name}.weight"] for name in ("gate", "value")])
        found |= {f"layers.{i}.{name}.weight": values for name, values in own.items()}
    return found


def possible(bias: Tensor) -> Tensor:
    """Return a bias without what says that a class is never the answer: such a class is as unlikely as any other."""
    never = bias < NEVER
    return torch.where(never, bias[~never].min(), bias)


def root_of(arrays: dict[str, Tensor]) -> Tensor:
    """Return a vector of the root that gives what the files keep of it: its numbers after ReLU, for arcs and relations.

    Those above zero are linear equations, fewer than there are unknowns; the least solution may lift others above zero,
    so it is then moved until these are not.
    """
    weight = torch.cat([arrays["arc.head.weight"], arrays["rel.head.weight"]])
    bias = torch.cat([arrays["arc.head.bias"], arrays["rel.head.bias"]])
    wanted = torch.cat([arrays["arc.root"], arrays["rel.root"]])
    above = wanted > 0
    root = torch.linalg.lstsq(weight[above], (wanted - bias)[above, None], driver="gelsd").solution[:, 0]
    root = root.clone().requires_grad_()
    optimiser = torch.optim.LBFGS([root], max_iter=500, line_search_fn="strong_wolfe", tolerance_change=1e-12)

    def apart() -> Tensor:
        optimiser.zero_grad()
        loss = (torch.relu(weight @ root + bias) - wanted).square().sum()
        loss.backward()
        return loss

    optimiser.step(apart)  # type: ignore[arg-type]  # the stub wants a number, PyTorch takes the tensor
    return root.detach()


def main() -> None:
    """Write it unless it is there, or tell the files what is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=Path("vnlp_colab/models"))
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--lemmas", action="store_true", help="tell the files which lemmas are known")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    if args.lemmas:
        labels = json.loads((args.work / "joint_vocab.json").read_text(encoding="utf-8"))
        relearn_lemmas(args.models, labels["lemma"]["known"])
    elif not (args.work / "student_shipped.pt").exists():
        save(args.work / "student_shipped.pt", halved(shipped_student(args.models)))
        files = [f"{KEY}.onnx", *FILES.values()]
        digests = {name: sha256((args.models / name).read_bytes()).hexdigest() for name in files}
        note(args.work / "record_shipped.json", files=digests)


if __name__ == "__main__":
    main()
