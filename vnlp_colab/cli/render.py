"""``vnlp-colab render``: a sentence as a picture of its tree and entities."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.cli.options import add_device
from vnlp_colab.errors import VNLPError, naming

if TYPE_CHECKING:
    import argparse


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "render",
        help="draw a sentence's dependency tree and entities",
        description="Draw dependency trees, with their roots marked, and entities in colour.",
    )
    parser.add_argument("text", metavar="TEXT", help="a sentence or a short text; - reads the standard input")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="tree.svg or tree.html")
    add_device(parser)
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Draw."""
    ending = Path(args.output).suffix.lower()
    if ending not in (".svg", ".html"):
        args.parser.error(f"cannot tell the format of {args.output!r}; end it in .svg or .html")
    text = _standard_input() if args.text == "-" else _checked(args.text)
    if not text.strip():
        args.parser.error("there is no text to draw")

    from vnlp_colab.document.drawing import draw_html, draw_svg
    from vnlp_colab.pipeline_colab import VNLPipeline

    document = VNLPipeline(["pos", "ner", "dep"], device=args.device)(text)
    draw = draw_svg if ending == ".svg" else draw_html
    with naming(args.output):
        Path(args.output).write_text(draw(document), encoding="utf-8")
    print(f"{len(document)} tokens -> {args.output}", file=sys.stderr)
    return 0


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
