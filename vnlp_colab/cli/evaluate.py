"""`vnlp-colab evaluate`: how good a model is on labelled files."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from vnlp_colab.cli.options import add_device, add_multiword, add_styles, names
from vnlp_colab.registry import check_model, check_styles, choose_models, models_of, styles_in, tasks

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from vnlp_colab.evaluation import Evaluated

UD_TASKS = ("pos", "feats", "lemma", "dep")
_COUNTS = ("sentences", "texts", "words", "tokens")


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parser of `evaluate`."""
    parser = subparsers.add_parser(
        "evaluate",
        help="score a model on labelled files",
        description="Score a model on labelled files, each and (but for ud) all together. pos, feats, lemma and dep "
        "read CoNLL-U (its syntactic words); ner reads lines of token TAB BIO tag, an empty line between sentences; "
        "sentiment reads lines of label TAB text, 1 positive and 0 negative; stemmer reads JSON lines with tokens, "
        "morph and lemma. ud scores a whole pipeline on CoNLL-U by the measures of the CoNLL 2018 shared task, on gold "
        "words and raw text.",
    )
    known = (*tasks(), "ud")
    parser.add_argument("task", choices=known, metavar="TASK", help=f"one of {', '.join(known)}")
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="a file with the right answers")
    parser.add_argument("--json", action="store_true", help="print JSON; all shares and F1 between 0 and 1")
    models = "; ".join(f"{task}: {', '.join(models_of(task))}" for task in tasks())
    parser.add_argument("--model", metavar="NAME", help=f"the model, if not the first of its task ({models})")
    add_device(parser)
    parser.add_argument(
        "--weights",
        choices=("prod", "eval"),
        default="prod",
        help="eval: those that have not seen the test data (default: prod)",
    )
    add_styles(parser)
    add_multiword(parser)
    parser.add_argument("--raw", action="store_true", help="ud: from raw text alone, not on gold words too")
    parser.add_argument("--models", metavar="LIST", help=f"ud: the pipeline's models (default: {','.join(UD_TASKS)})")
    parser.set_defaults(run=evaluate, parser=parser)


def evaluate(args: argparse.Namespace) -> int:
    """Print the scores; the standard output has nothing but them."""
    if args.task == "ud":
        return _treebanks(args)
    try:
        for name, given in (("raw", args.raw), ("models", args.models), ("multiword", args.multiword is not None)):
            if given:
                raise ValueError(f"--{name} is for ud, not for {args.task}")
        check_styles({args.task: check_model(args.task, args.model)}, **styles_in(vars(args)))
    except ValueError as error:
        args.parser.error(str(error))

    from vnlp_colab.evaluation import evaluate_files

    begin = time.perf_counter()
    options = {"model": args.model, "device": args.device, "weights": args.weights, **styles_in(vars(args))}
    result = evaluate_files(args.task, args.files, **options)
    sizes = ", ".join(f"{int(result.pooled[name]):,} {name}" for name in _COUNTS if name in result.pooled)
    seconds = time.perf_counter() - begin
    print(f"{result.model} ({result.weights}) on {result.device}: {sizes} in {seconds:.1f} s", file=sys.stderr)
    if args.json:
        print(json.dumps(as_json(result), ensure_ascii=False, indent=1))
    else:
        _print_table(result)
    return 0


def _treebanks(args: argparse.Namespace) -> int:
    from vnlp_colab.evaluation.ud import evaluate_treebank, tell_unknown_labels
    from vnlp_colab.pipeline_colab import VNLPipeline

    models = UD_TASKS if args.models is None else names(args.models)
    try:
        if args.model:
            raise ValueError("ud scores a pipeline: give its models with --models")
        chosen = choose_models(models)
        check_styles(chosen, **styles_in(vars(args)))
    except ValueError as error:
        args.parser.error(str(error))
    passes = {path: _passes(path, only_raw=args.raw, trees="dep" in chosen) for path in dict.fromkeys(args.files)}
    nlp = VNLPipeline(
        models,
        device=args.device,
        evaluate=args.weights == "eval",
        multiword=args.multiword,
        **styles_in(vars(args)),
    )
    tell_unknown_labels(nlp.models, passes)
    rows = [
        {"file": str(path), "words": "raw text" if raw else "gold", **evaluate_treebank(nlp, path, raw=raw)}
        for path in args.files
        for raw in passes[path]
    ]
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return 0
    lines = [list(rows[0])]
    lines += [[f"{100 * cell:.2f}" if isinstance(cell, float) else cell for cell in row.values()] for row in rows]
    _print_lines(lines)
    return 0


def _passes(path: Path, *, only_raw: bool, trees: bool) -> tuple[bool, ...]:
    """Return for each pass over a treebank whether it is from raw text; a bad file is told here, before any model."""
    from vnlp_colab.evaluation.ud import NoRawTextError, check_treebank

    try:
        check_treebank(path, trees=trees)
    except NoRawTextError as error:
        if only_raw:
            raise
        print(f"vnlp-colab: {error}; scored on gold words alone", file=sys.stderr)
        return (False,)
    return (True,) if only_raw else (False, True)


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
    _print_lines(lines)


def _print_lines(lines: Sequence[Sequence[str]]) -> None:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        cells = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        print("  ".join([line[0].ljust(widths[0]), *cells]))


def _cell(name: str, value: float) -> str:
    """Return a count as it is, an F1 as a fraction and a share in per cent, as they are usually given."""
    if name in _COUNTS:
        return f"{int(value):,}"
    return f"{value:.4f}" if name.endswith("f1") else f"{100 * value:.2f} %"
