"""Stage 5, after it: the mean of students that come from one another, which is better than the last of them.

python -m training.joint.blend student_before.pt=0.3 student_middle.pt=0.35 student_last.pt=0.35 --work WORK

Students trained on from an earlier one's weights lie in one valley with it. Sentiment's threshold is moved to where the
held-out reviews are judged best. Leaves ``student.pt``, ``joint_student.npz``, ``joint_labels.json`` and
``record_blend.json``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from training.joint.data import Vocabulary, load_sets
from training.joint.device import ready
from training.joint.distil import balance
from training.joint.kept import keep_student, student_of, whole
from training.joint.measure import evaluate
from training.joint.record import note


def blended(shares: dict[Path, float]) -> dict[str, torch.Tensor]:
    """Return the mean of kept weights, each by its share."""
    total = sum(shares.values())
    states = [(whole(path), share / total) for path, share in shares.items()]
    return {name: sum((share * state[name] for state, share in states), torch.zeros(())) for name in states[0][0]}


def main() -> None:
    """Blend them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("students", nargs="+", metavar="FILE=SHARE", help="kept students and their shares")
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    args = parser.parse_args()
    shares = {Path(name): float(share) for name, _, share in (each.rpartition("=") for each in args.students)}
    if (args.work / "student.pt").resolve() in map(Path.resolve, shares):
        parser.error("student.pt is written anew: blend a copy of it, or what is blended would go in a second time")
    device = ready()
    vocabulary = Vocabulary.load(args.work / "joint_vocab.json")
    student = student_of(blended(shares), vocabulary)
    held = load_sets(args.work, device, train=False)
    shift = balance(student.to(device), held["reviews"])
    scores = evaluate(student, held)
    named = {path.name: share for path, share in shares.items()}
    note(args.work / "record_blend.json", shares=named, shift=shift, dev=scores)
    keep_student(args.work, student)
    for part, values in scores.items():
        print(part, values, flush=True)


if __name__ == "__main__":
    main()
