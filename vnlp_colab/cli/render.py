"""``vnlp-colab render``: a sentence as a picture of its tree and entities."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.cli.options import add_device, add_models, add_styles, names
from vnlp_colab.errors import VNLPError, naming
from vnlp_colab.registry import check_styles, choose_models, styles_in

if TYPE_CHECKING:
    import argparse

_TASKS = ("pos", "ner", "dep")
# What a picture needs one of: a page also shows entities alone, with the text.
_DRAWN = {".svg": ("dep",), ".html": ("dep", "ner")}


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "render",
        help="draw a sentence's dependency tree and entities",
        description="Draw dependency trees, with their roots marked, and entities in colour.",
    )
    parser.add_argument("text", metavar="TEXT", help="a sentence or a short text; - reads the standard input")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="tree.svg or tree.html")
    add_models(parser, _TASKS)
    add_styles(parser)
    add_device(parser)
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Draw."""
    ending, models = Path(args.output).suffix.lower(), names(args.models)
    try:
        _check(args, ending, models)
    except ValueError as error:
        args.parser.error(str(error))
    text = _standard_input() if args.text == "-" else _checked(args.text)
    if not text.strip():
        args.parser.error("there is no text to draw")

    from vnlp_colab.document.drawing import draw_html, draw_svg
    from vnlp_colab.pipeline_colab import VNLPipeline

    document = VNLPipeline(models, device=args.device, **styles_in(vars(args)))(text)
    draw = draw_svg if ending == ".svg" else draw_html
    with naming(args.output):
        Path(args.output).write_text(draw(document), encoding="utf-8")
    print(f"{len(document)} tokens -> {args.output}", file=sys.stderr)
    return 0


def _check(args: argparse.Namespace, ending: str, models: list[str]) -> None:
    """Tell of options that do not go together, before any model is loaded."""
    if ending not in _DRAWN:
        raise ValueError(f"cannot tell the format of {args.output!r}; end it in .svg or .html")
    chosen = choose_models(models)
    check_styles(chosen, **styles_in(vars(args)))
    if not set(_DRAWN[ending]) & set(chosen):
        raise ValueError(f"--models {args.models} leaves nothing to draw: {ending} needs {' or '.join(_DRAWN[ending])}")


def _standard_input() -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise VNLPError("there is no standard input to read")
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise VNLPError(f"the standard input is no UTF-8 text: {error.reason} at byte {error.start}") from error


def _checked(text: str) -> str:
    """Return the argument; bytes that are no text come in it as lone surrogates."""
    bad = next((character for character in text if "\ud800" <= character <= "\udfff"), None)
    if bad is not None:
        told = f"byte 0x{ord(bad) - 0xDC00:02x}" if "\udc80" <= bad <= "\udcff" else f"U+{ord(bad):04X}"
        raise VNLPError(f"TEXT is no UTF-8 text: it holds {told}")
    return text
