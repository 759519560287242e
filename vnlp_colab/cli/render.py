"""``vnlp-colab render``: a sentence as a picture of its tree and entities."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "render",
        help="draw a sentence's dependency tree and entities",
        description="Draw dependency trees and entities, with spaCy's displaCy if it is installed.",
    )
    parser.add_argument("text", metavar="TEXT", help="a sentence or a short text; - reads the standard input")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="tree.svg or tree.html")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: auto")
    parser.add_argument("--plain", action="store_true", help="use our own drawing even where spaCy is installed")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Draw."""
    ending = Path(args.output).suffix.lower()
    if ending not in (".svg", ".html"):
        args.parser.error(f"cannot tell the format of {args.output!r}; end it in .svg or .html")
    text = sys.stdin.read() if args.text == "-" else args.text
    if not text.strip():
        args.parser.error("there is no text to draw")

    from vnlp_colab.document.drawing import draw_html, draw_svg
    from vnlp_colab.pipeline_colab import VNLPipeline

    document = VNLPipeline(["pos", "ner", "dep"], device=args.device)(text)
    draw = draw_svg if ending == ".svg" else draw_html
    Path(args.output).write_text(draw(document, use_displacy=False if args.plain else None), encoding="utf-8")
    print(f"{len(document)} tokens -> {args.output}", file=sys.stderr)
    return 0
