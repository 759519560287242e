"""Stage 6: choose the student's last weights on the held-out sentences and write what the package is made from.

python -m training.joint.finish --work WORK [--share 0.3] [--shift -0.3]

The last part of the student's time, on labelled data alone, gains in entities and reviews and loses in trees; a mean of
the weights before and after it has nearly the better of both. `shift` moves the sentiment's threshold to where accuracy
and macro-F1 of the held-out reviews are best.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from training.joint.data import LONGEST, Vocabulary
from training.joint.distil import AFTER, BEFORE, finish
from training.joint.network import Student
from training.joint.record import note


def mixed(before: dict[str, torch.Tensor], last: dict[str, torch.Tensor], share: float) -> dict[str, torch.Tensor]:
    """Return the weights at this share of the way from `before` to `last`."""
    return {name: torch.lerp(before[name].float(), values.float(), share) for name, values in last.items()}


def main() -> None:
    """Write ``student.pt``, ``joint_student.npz`` and the vocabulary with the network's settings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--last", default=AFTER, help="weights at the end")
    parser.add_argument("--before", default=BEFORE, help="weights before the labelled data alone")
    parser.add_argument("--share", type=float, default=0.3, help="of the way from one to the other")
    parser.add_argument("--shift", type=float, default=-0.3, help="added to the log-odds of positive against negative")
    args = parser.parse_args()
    vocabulary = Vocabulary.load(args.work / "joint_vocab.json")
    student = Student(vocabulary.sizes, vocabulary.feats)
    before, last = (
        torch.load(args.work / name, map_location="cpu", weights_only=True) for name in (args.before, args.last)
    )
    student.load_state_dict(mixed(before, last, args.share))
    with torch.no_grad():
        student.heads.sentiment.bias[0] -= args.shift / 2
        student.heads.sentiment.bias[2] += args.shift / 2
    finish(args.work, student)
    settings = {"width": 384, "layers": 6, "heads": 6, "ff": 1024, "act": "relu", "head_act": "relu"}
    sizes = {"pieces": 256, "affixes": 96, "arc": 256, "relation": 192, "entity": 192}
    content = vocabulary.raw | {"longest": LONGEST, "settings": settings | sizes}
    (args.work / "joint_vocab.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    note(args.work / "record_finish.json", share=args.share, shift=args.shift)


if __name__ == "__main__":
    main()
