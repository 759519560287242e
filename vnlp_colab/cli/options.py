"""Options that several commands take."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vnlp_colab.registry import STYLES
from vnlp_colab.runtime import check_device

if TYPE_CHECKING:
    from collections.abc import Sequence


def positive(text: str) -> int:
    """Return the number an argument is, if it is a whole one from 1 on."""
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 on")
    return int(text)


def names(text: str) -> list[str]:
    """Return the names of a list such as ``pos,ner``."""
    return [name.strip() for name in text.split(",") if name.strip()]


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add ``--device``."""
    parser.add_argument(
        "--device", type=_device, default="auto", metavar="NAME", help="auto, cpu, cuda or cuda:N (default: auto)"
    )


def add_models(parser: argparse.ArgumentParser, default: Sequence[str]) -> None:
    """Add ``--models``."""
    parser.add_argument(
        "--models",
        default=",".join(default),
        metavar="LIST",
        help="tasks, each with a model if not the default one, as in pos:TreeStackPoS,ner (default: %(default)s)",
    )


def add_multiword(parser: argparse.ArgumentParser) -> None:
    """Add ``--multiword``."""
    parser.add_argument(
        "--multiword",
        action=argparse.BooleanOptionalAction,
        help="CoNLL-U with the words of tokens that hold several (default: with --style boun, whose treebank has them)",
    )


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``."""
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="CPU threads the models may use (default: all cores there are)"
    )


def add_styles(parser: argparse.ArgumentParser) -> None:
    """Add ``--style`` and ``--entity-style``."""
    for setting, style in STYLES.items():
        parser.add_argument(
            f"--{setting.replace('_', '-')}",
            choices=style.names,
            help=f"the {style.of} whose way of annotating is wanted (joint network; default: {style.names[0]})",
        )


def _device(text: str) -> str:
    try:
        return check_device(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
