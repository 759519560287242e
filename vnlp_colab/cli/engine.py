"""``vnlp-colab analyze --engine ray``: the same command on many machines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vnlp_colab.cli.options import names, positive
from vnlp_colab.registry import styles_in

if TYPE_CHECKING:
    import argparse

# What makes no sense for a folder of parquet parts.
_ONE_FILE_ONLY = ("output_format", "bom", "escape_formulas", "batch_size")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add ``--engine`` and what belongs to it."""
    group = parser.add_argument_group("many machines")
    group.add_argument(
        "--engine",
        choices=("plain", "ray"),
        default="plain",
        help="ray: on a Ray cluster (RAY_ADDRESS), or on a Ray of this machine: INPUT may also be a glob or an address "
        "(s3://...), OUTPUT is a folder of parquet parts",
    )
    group.add_argument("--workers", type=positive, default=1, metavar="N", help="actors, of one CPU each (default: 1)")
    group.add_argument(
        "--gpus-per-worker", type=float, default=0, metavar="N", help="GPUs of an actor, such as 1 or 0.5 (default: 0)"
    )


def run_on_ray(args: argparse.Namespace) -> int:
    """Analyse on Ray; 1 if an input could not be read."""
    if "-" in (args.input, args.output):
        args.parser.error("--engine ray reads files and writes a folder, no streams")
    for name in _ONE_FILE_ONLY:
        if getattr(args, name, None):
            option = name.replace("_", "-")
            args.parser.error(f"--{option} is not for --engine ray, which writes a folder of parquet parts")

    from vnlp_colab.ray import analyze_files

    try:
        summary = analyze_files(
            [args.input],
            args.output,
            names(args.models),
            workers=args.workers,
            num_cpus=args.threads or 1,
            num_gpus=args.gpus_per_worker,
            resume=args.resume,
            restart=args.restart,
            progress=False if args.quiet else None,
            text_column=args.text_column,
            input_format=args.input_format,
            encoding=args.encoding,
            header=args.header,
            device=args.device,
            columns=names(args.columns),
            split=args.split,
            normalize=args.normalize,
            multiword=args.multiword,
            **styles_in(vars(args)),
        )
    except ValueError as error:
        args.parser.error(str(error))
    except KeyboardInterrupt:
        print("vnlp-colab: finished inputs are kept; the same command with --resume goes on", file=sys.stderr)
        raise
    if not args.quiet or summary.failed:
        print(summary, file=sys.stderr)
    return 1 if summary.failed else 0
