"""``vnlp-colab serve``: analysis over HTTP, with a page to try it."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import Any

from vnlp_colab.cli.options import add_device, names, positive
from vnlp_colab.errors import VNLPError
from vnlp_colab.registry import DEFAULT_TASKS, STYLES, styles_in

_LOCAL = ("127.0.0.1", "localhost", "::1")
_EXTRA = "the server needs packages that are not installed ({}): pip install 'vnlp-colab[serve]'"


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "serve",
        help="answer over HTTP, with a page to try it",
        description="Serve the analysis over HTTP (POST /v1/analyze, /v1/conllu; GET / is a page to try it).",
        epilog="A bearer token comes from --token-file or from $VNLP_COLAB_SERVE_TOKEN, never from the command line, "
        "which other users of the machine can read.",
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen (default: 127.0.0.1)")
    add("--port", type=_port, default=8000, metavar="N", help="default: 8000")
    add("--models", default=",".join(DEFAULT_TASKS), metavar="LIST", help="tasks, as in pos,ner:CharNER")
    for setting, style in STYLES.items():
        option = f"--{setting.replace('_', '-')}"
        add(option, metavar="NAME", help=f"the {style.of}'s style of requests that name none")
    add_device(parser)
    add("--threads", type=positive, metavar="N", help="CPU threads of a process; without it its share of the cores")
    add("--workers", type=positive, default=1, metavar="N", help="processes, each with models of its own (default: 1)")
    group = parser.add_argument_group("micro-batches")
    group.add_argument(
        "--batch-tokens", type=positive, default=4096, metavar="N", help="tokens analysed together (default: 4096)"
    )
    group.add_argument(
        "--batch-wait",
        type=float,
        default=3.0,
        metavar="MS",
        help="milliseconds a request waits for company (default: 3)",
    )
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--max-body", type=positive, default=1 << 20, metavar="BYTES", help="of a request (413; default: 1 MiB)"
    )
    group.add_argument(
        "--max-texts", type=positive, default=1000, metavar="N", help="texts of a request (422; default: 1000)"
    )
    group.add_argument(
        "--max-tokens", type=positive, default=20_000, metavar="N", help="tokens of a request (422; default: 20000)"
    )
    group.add_argument(
        "--max-word", type=positive, default=1000, metavar="N", help="characters of a word (422; default: 1000)"
    )
    group.add_argument(
        "--max-queue", type=positive, default=256, metavar="N", help="requests at once (503; default: 256)"
    )
    group.add_argument(
        "--time-limit", type=float, default=30.0, metavar="S", help="seconds until the answer (504; default: 30)"
    )
    group = parser.add_argument_group("who may ask, and what is logged")
    group.add_argument("--token-file", type=Path, metavar="FILE", help="a file with the bearer token requests need")
    group.add_argument("--cors", action="append", default=[], metavar="ORIGIN", help="a page's origin; may be repeated")
    group.add_argument("--log-texts", action="store_true", help="log failures in full, with the texts they quote")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Serve; wrong options are told before anything is loaded."""
    from vnlp_colab.serve.settings import TOKEN_ENVIRONMENT, ServeError, ServeSettings

    token = _token(args.token_file) if args.token_file else os.environ.get(TOKEN_ENVIRONMENT) or None
    try:
        settings = ServeSettings(
            models=tuple(names(args.models)),
            device=args.device,
            threads=args.threads,
            **styles_in(vars(args)),
            batch_tokens=args.batch_tokens,
            batch_wait=args.batch_wait / 1000,
            max_body=args.max_body,
            max_texts=args.max_texts,
            max_tokens=args.max_tokens,
            max_word=args.max_word,
            max_queue=args.max_queue,
            time_limit=args.time_limit,
            token=token,
            cors=tuple(args.cors),
            log_texts=args.log_texts,
        )
    except ServeError as error:
        args.parser.error(str(error))
    try:
        from vnlp_colab.serve.server import serve
    except ModuleNotFoundError as error:
        raise VNLPError(_EXTRA.format(error.name)) from None
    if args.host not in _LOCAL and token is None:
        print(f"vnlp-colab: {args.host} is reachable from other machines and no token is asked for", file=sys.stderr)
    logging.getLogger("vnlp_colab.serve").setLevel(logging.INFO)
    where = f"[{args.host}]" if ":" in args.host else args.host
    print(f"vnlp-colab: starting on http://{where}:{args.port} (Ctrl+C ends it)", file=sys.stderr)
    return serve(settings, args.host, args.port, args.workers)


def _token(file: Path) -> str:
    return file.read_text(encoding="utf-8").strip()


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text} is not a port (0 to 65535)")
    return int(text)
