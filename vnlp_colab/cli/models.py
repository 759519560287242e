"""`vnlp-colab models`: what models there are, and where."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from vnlp_colab.errors import naming

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from vnlp_colab.resources import ModelRow


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parser of `models`."""
    parser = subparsers.add_parser(
        "models",
        help="list the models, their size, source and place",
        description="List the models of this machine and of the remote store, and how to get those in neither.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with full paths and sha256")
    parser.add_argument("--check", action="store_true", help="read every file and compare its sha256; 1 if one differs")
    parser.set_defaults(run=models)


def models(args: argparse.Namespace) -> int:
    """Print the list."""
    from vnlp_colab.resources import list_models

    rows = list_models(check=args.check)
    with naming("the standard output"):
        if args.json:
            print(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1))
        else:
            _print_table(rows, check=args.check)
    return 1 if args.check and any(row.problem for row in rows) else 0


def _print_table(rows: Sequence[ModelRow], *, check: bool) -> None:
    from vnlp_colab.resources.places import local_places

    head = ("name", "model", "where", "MB", "sha256", "source")
    here = [row for row in rows if row.origin != "missing" and not row.problem]
    lines = [head, *((r.key, r.model, r.origin, f"{r.size / 1e6:.1f}", r.sha256[:12], r.source) for r in here)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    print()
    for place in local_places():
        print(f"{place.origin}: {place.folder}")
    damaged = [row for row in rows if row.problem]
    for row in damaged:
        print(f"not usable: {row.key} ({row.origin}): {row.problem}. To get a whole one: {row.get}")
    if check and not damaged:
        print(f"checked: all files of {sum(row.checked for row in rows)} models are as their manifests say")
    missing = [row for row in rows if row.origin == "missing"]
    width = max((len(row.key) for row in missing), default=0)
    if missing:
        print("\nnot here, and the command that makes them (or set VNLP_COLAB_MODEL_URL to a store that has them):")
        for row in missing:
            print(f"  {row.key.ljust(width)}  {row.get}")
