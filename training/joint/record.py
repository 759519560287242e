"""What a stage was given and what came out, kept beside the weights and gathered in the record.

python -m training.joint.record --work WORK
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from vnlp_colab.atomic import write_atomically

RECORD = Path("training/training_record.json")


def note(path: Path, **values: Any) -> None:
    """Add values to a stage's own record, a JSON file."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    write_atomically(path, json.dumps(known | values, indent=1, default=str, ensure_ascii=False).encode())


def read_places(description: str | None) -> argparse.Namespace:
    """Return the options of a stage that adds to the package's files (data, work, models), and have these asked."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--models", type=Path, default=Path("vnlp_colab/models"))
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    os.environ["VNLP_COLAB_MODELS"] = str(args.models.resolve())
    return args


def gather(work: Path, record: Path = RECORD) -> None:
    """Write the records of the joint network's stages into the project's record."""
    everything = json.loads(record.read_text(encoding="utf-8"))
    stages = {
        p.stem.removeprefix("record_"): json.loads(p.read_text("utf-8")) for p in sorted(work.glob("record_*.json"))
    }
    everything["Joint"] = everything.get("Joint", {}) | stages
    record.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Gather the stages' records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--record", type=Path, default=RECORD)
    args = parser.parse_args()
    gather(args.work, args.record)


if __name__ == "__main__":
    main()
