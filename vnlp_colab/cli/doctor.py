"""``vnlp-colab doctor``: versions, device, driver, why CUDA is not used, and the line that mends it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "doctor",
        help="tell what this machine offers and what keeps a GPU from being used",
        description="Print versions, device and driver, say why CUDA is not used, and how to mend it.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the report; 1 if there is something to mend."""
    from vnlp_colab.diagnosis import advice, look, report

    machine = look()
    told, command = advice(machine)
    if args.json:
        print(json.dumps({**asdict(machine), "told": told, "command": command}, ensure_ascii=False, indent=1))
    else:
        print(report(machine))
    return 1 if command else 0
