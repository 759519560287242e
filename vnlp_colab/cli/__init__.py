"""The ``vnlp-colab`` command: one module of this package per group of subcommands."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING

from vnlp_colab import __version__
from vnlp_colab.errors import VNLPError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Each module has `register(subparsers)`, which adds its parsers and sets `run` (args -> exit code) as their default.
COMMANDS: tuple[str, ...] = ("analyze", "render", "models", "convert", "publish", "evaluate", "doctor", "text")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command."""
    parser = argparse.ArgumentParser(prog="vnlp-colab", description="Turkish text analysis, fast and offline.")
    parser.add_argument("--version", action="version", version=f"vnlp-colab {__version__}")
    verbose = "show log messages and, on failure, the traceback"
    parser.add_argument("--verbose", action="store_true", help=verbose)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        import_module(f"vnlp_colab.cli.{name}").register(subparsers)
    for command in subparsers.choices.values():  # before or after the command's name, as people write it
        command.add_argument("--verbose", action="store_true", default=argparse.SUPPRESS, help=verbose)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 is done, 1 failed with one clear line, 2 wrong usage."""
    args = build_parser().parse_args(argv)
    level, who = (logging.INFO, "%(name)s") if args.verbose else (logging.WARNING, "vnlp-colab")
    logging.basicConfig(level=level, format=f"{who}: %(message)s")
    try:
        return int(args.run(args) or 0)
    except KeyboardInterrupt:
        print("vnlp-colab: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (VNLPError, OSError, MemoryError) as error:
        if args.verbose:
            traceback.print_exc()
        print(f"vnlp-colab: {_told(error)}", file=sys.stderr)
        return 1


def _told(error: BaseException) -> str:
    """Return an error as one line for a person: a file's trouble as ``name: trouble``, without the number."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__
