"""The ``vnlp-colab`` command: one module of this package per group of subcommands."""

from __future__ import annotations

import argparse
import errno
import io
import logging
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from vnlp_colab import __version__
from vnlp_colab.errors import VNLPError, naming, told

if TYPE_CHECKING:
    from collections.abc import Sequence

# Each module has `register(subparsers)`, which adds its parsers and sets `run` (args -> exit code) as their default.
COMMANDS: tuple[str, ...] = ("analyze", "render", "models", "convert", "publish", "evaluate", "doctor", "text", "serve")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command."""
    parser = argparse.ArgumentParser(prog="vnlp-colab", description="Turkish text analysis, fast and offline.")
    parser.add_argument("--version", action="version", version=f"vnlp-colab {__version__}")
    verbose = "show log messages and, on failure, the traceback"
    parser.add_argument("--verbose", action="store_true", help=verbose)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        import_module(f"vnlp_colab.cli.{name}").register(subparsers)
    for command in (parser, *subparsers.choices.values()):
        command.allow_abbrev = False  # a mistyped option is told, not guessed
    for command in subparsers.choices.values():  # before or after the command's name, as people write it
        command.add_argument("--verbose", action="store_true", default=argparse.SUPPRESS, help=verbose)
    return parser


class _Closed(io.TextIOBase):
    """Stands for a standard output that was closed before the command began: writing fails and is told."""

    closed = True

    def write(self, _: str) -> int:
        raise OSError(errno.EBADF, "is closed", "the standard output")


def _standard_streams() -> None:
    """Take the places of closed standard streams, lest a file that is opened next gets one and what is printed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:  # None would make print() take the standard output
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 is done, 1 failed with one clear line, 2 wrong usage."""
    _standard_streams()
    # Arrow's own pool keeps what it had: 50 MB of a table of 30,000 rows.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        return _run(build_parser().parse_args(argv))
    except KeyboardInterrupt:
        print("vnlp-colab: interrupted", file=sys.stderr)
        return 1


def _run(args: argparse.Namespace) -> int:
    level, who = (logging.INFO, "%(name)s") if args.verbose else (logging.WARNING, "vnlp-colab")
    logging.basicConfig(level=level, format=f"{who}: %(message)s")
    try:
        code = int(args.run(args) or 0)
        if not sys.stdout.closed:
            with naming("the standard output"):
                sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (VNLPError, OSError, MemoryError) as error:
        if args.verbose:
            traceback.print_exc()
        print(f"vnlp-colab: {told(error)}", file=sys.stderr)
        return 1
