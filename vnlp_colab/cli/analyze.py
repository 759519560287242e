"""``vnlp-colab analyze``: a table in, its analysis out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from vnlp_colab.cli.engine import add_engine, run_on_ray
from vnlp_colab.cli.options import add_device, add_models, add_multiword, add_styles, add_threads, names, positive
from vnlp_colab.columns import OPTIONAL, check_columns
from vnlp_colab.errors import VNLPError
from vnlp_colab.registry import DEFAULT_TASKS, check_styles, choose_models, styles_in
from vnlp_colab.tables.formats import INPUT_FORMATS, OUTPUT_FORMATS, OutputKind, check_stream, output_kind
from vnlp_colab.text.informal import STEPS, check_steps


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "analyze",
        help="analyse a table of sentences",
        description="Analyse a table of sentences: tokens, lemmas, morphology, PoS, entities, trees, sentiment.",
        epilog="Memory stays bounded however long the input is, except for .pkl, which is one object in memory.",
    )
    parser.add_argument(
        "input",
        metavar="INPUT",
        help="a table (five columns without header, CSV, TSV, parquet, JSON lines), a text with one document a line, "
        "a folder of such files, or - for the standard input",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUTPUT",
        help=f"the result, by its ending: .{', .'.join(OUTPUT_FORMATS)}; or - for the standard output (jsonl)",
    )
    add_models(parser, DEFAULT_TASKS)
    parser.add_argument(
        "--batch-size",
        type=positive,
        metavar="N",
        help="sentences a batch (default: 1024; on the CPU 512 with the stemmer, 32 a core with VNLP's other networks)",
    )
    add_device(parser)
    add_threads(parser)
    add_styles(parser)
    add_multiword(parser)
    parser.add_argument(
        "--text-column", metavar="NAME", help="the column with the sentences, by name or by number (1 is the first)"
    )
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether the first row of a CSV or TSV names the columns (default: told by the content)",
    )
    parser.add_argument(
        "--columns",
        default="",
        metavar="LIST",
        help=f"columns to add ({', '.join(OPTIONAL)}); a list that names other columns too is the whole list",
    )
    parser.add_argument(
        "--split",
        choices=("none", "sentences"),
        default="none",
        help="sentences: find the sentences of each cell, a tree for each (default: a cell is a sentence)",
    )
    parser.add_argument(
        "--normalize",
        default="",
        metavar="LIST",
        help="mend informal spelling before the models read it: " + "; ".join(f"{k}: {v}" for k, v in STEPS.items()),
    )
    after = parser.add_mutually_exclusive_group()
    after.add_argument("--resume", action="store_true", help="go on with an unfinished run")
    after.add_argument("--restart", action="store_true", help="throw the parts of an unfinished run away")
    parser.add_argument("--input-format", choices=INPUT_FORMATS, default="auto", help="default: told by the content")
    parser.add_argument("--output-format", choices=OUTPUT_FORMATS, help="default: told by the ending")
    parser.add_argument("--encoding", metavar="NAME", help="encoding of the input (default: utf-8)")
    parser.add_argument("--bom", action="store_true", help="begin CSV with the mark that tells Excel it is UTF-8")
    parser.add_argument(
        "--escape-formulas",
        action="store_true",
        help="put ' before CSV cells that a spreadsheet would take for a formula (they begin with = + - @)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary")
    add_engine(parser)
    parser.set_defaults(run=run, parser=parser)


def _one_file(args: argparse.Namespace) -> OutputKind:
    """Return what is written; options that do not go together are a `ValueError`."""
    if args.workers != 1 or args.gpus_per_worker:
        raise ValueError("--workers and --gpus-per-worker are for --engine ray")
    kind = output_kind(args.output, args.output_format or ("jsonl" if args.output == "-" else None))
    if args.output == "-":
        check_stream(kind.format)
    if args.resume and "-" in (args.input, args.output):
        raise ValueError("--resume needs files, not streams")
    return kind


def run(args: argparse.Namespace) -> int:
    """Analyse; wrong options are told before anything is read, a bad input before any model is loaded."""
    models, columns = names(args.models), names(args.columns)
    try:
        chosen = choose_models(models)
        check_styles(chosen, **styles_in(vars(args)))
        check_columns(columns, chosen)
        check_steps(args.normalize)
        kind = None if args.engine == "ray" else _one_file(args)
    except (ValueError, VNLPError) as error:
        args.parser.error(str(error))
    if kind is None:
        return run_on_ray(args)

    from vnlp_colab.tables.source import open_input

    table = open_input(
        args.input,
        text_column=args.text_column,
        input_format=args.input_format,
        encoding=args.encoding,
        header=args.header,
        leave_out=Path(args.output),
    )
    from vnlp_colab.pipeline_colab import VNLPipeline

    pipeline = VNLPipeline(
        models,
        device=args.device,
        columns=columns,
        split=args.split,
        normalize=args.normalize,
        multiword=args.multiword,
        threads=args.threads,
        **styles_in(vars(args)),
    )
    try:
        summary = pipeline.run(
            table,
            args.output,
            batch_size=args.batch_size,
            resume=args.resume,
            restart=args.restart,
            progress=False if args.quiet else None,
            output_format=args.output_format,
            bom=args.bom,
            escape_formulas=args.escape_formulas,
        )
    except KeyboardInterrupt:
        if args.output != "-":
            kept = "finished parts are kept, if there are any; the same command with --resume goes on"
            print(f"vnlp-colab: {kept}", file=sys.stderr)
        raise
    if not args.quiet:
        print(summary, file=sys.stderr)
    if args.verbose:
        spent = sum(summary.model_seconds.values())
        parts = ", ".join(f"{task} {seconds:.1f} s" for task, seconds in summary.model_seconds.items())
        print(f"in the models: {100 * spent / summary.seconds:.0f} % of the time ({parts})", file=sys.stderr)
    return 0
