"""`vnlp-colab evaluate`: how good a model is on labelled files."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from vnlp_colab.registry import check_model, models_of, tasks

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from vnlp_colab.evaluation import Evaluated

_COUNTS = ("sentences", "texts", "words", "tokens")


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parser of `evaluate`."""
    parser = subparsers.add_parser(
        "evaluate",
        help="score a model on labelled files",
        description="Score a model on labelled files, each and all together. pos, feats, lemma and dep read CoNLL-U "
        "(its syntactic words); ner reads lines of token TAB BIO tag, an empty line between sentences; sentiment reads "
        "lines of label TAB text, 1 positive and 0 negative; stemmer reads JSON lines with tokens, morph and lemma.",
    )
    parser.add_argument("task", choices=tasks(), metavar="TASK", help=f"one of {', '.join(tasks())}")
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="a file with the right answers")
    parser.add_argument("--json", action="store_true", help="print JSON; all shares and F1 between 0 and 1")
    models = "; ".join(f"{task}: {', '.join(models_of(task))}" for task in tasks())
    parser.add_argument("--model", metavar="NAME", help=f"the model, if not the first of its task ({models})")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N (default: auto)")
    parser.add_argument(
        "--weights",
        choices=("prod", "eval"),
        default="prod",
        help="eval: those that have not seen the test data (default: prod)",
    )
    parser.set_defaults(run=evaluate, parser=parser)


def evaluate(args: argparse.Namespace) -> int:
    """Print the scores; the standard output has nothing but them."""
    try:
        check_model(args.task, args.model)
    except ValueError as error:
        args.parser.error(str(error))

    from vnlp_colab.evaluation import evaluate_files

    begin = time.perf_counter()
    result = evaluate_files(args.task, args.files, model=args.model, device=args.device, weights=args.weights)
    sizes = ", ".join(f"{int(result.pooled[name]):,} {name}" for name in _COUNTS if name in result.pooled)
    seconds = time.perf_counter() - begin
    print(f"{result.model} ({result.weights}) on {result.device}: {sizes} in {seconds:.1f} s", file=sys.stderr)
    if args.json:
        print(json.dumps(as_json(result), ensure_ascii=False, indent=1))
    else:
        _print_table(result)
    return 0


def as_json(result: Evaluated) -> dict[str, object]:
    """Return the result as plain values."""
    return {
        "task": result.task,
        "model": result.model,
        "weights": result.weights,
        "device": result.device,
        "files": [{"file": name, **scores} for name, scores in result.files],
        "pooled": result.pooled,
    }


def _print_table(result: Evaluated) -> None:
    lines: list[Sequence[str]] = [("file", *result.pooled)]
    for name, scores in [*result.files, ("pooled", result.pooled)]:
        lines.append((name, *(_cell(key, value) for key, value in scores.items())))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        cells = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        print("  ".join([line[0].ljust(widths[0]), *cells]))


def _cell(name: str, value: float) -> str:
    """Return a count as it is, an F1 as a fraction and a share in per cent, as they are usually given."""
    if name in _COUNTS:
        return f"{int(value):,}"
    return f"{value:.4f}" if name.endswith("f1") else f"{100 * value:.2f} %"
