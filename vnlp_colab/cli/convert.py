"""`vnlp-colab convert`: upstream's weights become checked ``.onnx`` files."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parser of `convert`."""
    parser = subparsers.add_parser(
        "convert",
        help="make .onnx files from upstream's weights",
        description="Convert VNLP's models to ONNX. Each file is written only when onnxruntime gives what Keras gives, "
        "and a model that is already there is not converted again.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="class name, such as TreeStackPoS")
    parser.add_argument("--all", action="store_true", help="convert every model")
    parser.add_argument("--output", metavar="DIR", help="folder to write to (default: the user cache)")
    parser.add_argument(
        "--weights",
        choices=("prod", "eval"),
        default="prod",
        help="prod: trained on all data; eval: trained without the test sets (default: prod)",
    )
    parser.add_argument(
        "--source",
        default="auto",
        metavar="auto|wheel|store|URL|DIR",
        help="where the weights are: the vngrs-nlp wheels, upstream's store, another address, or a folder of .weights "
        "and .matrix files; auto takes the wheel where it has them, else the store (default: auto)",
    )
    parser.set_defaults(run=convert_models, parser=parser)


def convert_models(args: argparse.Namespace) -> int:
    """Convert what was asked for; a model that fails does not keep the others from being converted."""
    from tqdm.auto import tqdm

    from vnlp_colab.convert_to_onnx import MODEL_NAMES, ConversionError, convert, model_name
    from vnlp_colab.errors import VNLPError, told

    if args.all == bool(args.names):
        args.parser.error(f"give model names or --all; the names are {', '.join(MODEL_NAMES)}")
    try:
        names = MODEL_NAMES if args.all else tuple(dict.fromkeys(model_name(name) for name in args.names))
    except ConversionError as error:
        args.parser.error(str(error))
    _start_tensorflow(names, args.output, args.weights)
    failures = []
    written: list[Path] = []
    for name in (bar := tqdm(names, unit="model", disable=None)):
        bar.set_description(name)
        try:
            written.append(convert(name, output=args.output, weights=args.weights, source=args.source))
        except (VNLPError, OSError) as error:
            message = told(error)
            failures.append(message if message.startswith(name) else f"{name}: {message}")
    for path in written:
        print(path)
    _say_what_is_used(written)
    for failure in failures:
        print(f"vnlp-colab: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _start_tensorflow(names: Sequence[str], output: str | None, weights: str) -> None:
    """Start TensorFlow before the progress bar, which its messages would tear; not where all files are there."""
    from vnlp_colab.conversion import catalog, graph
    from vnlp_colab.resources import cache_dir
    from vnlp_colab.start_up import quiet_tensorflow

    folder = cache_dir() if output is None else Path(output).expanduser()
    if all((folder / f"{catalog.network(name).key(weights)}.onnx").exists() for name in names):
        return
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with quiet_tensorflow():
        graph.hide_gpus()


def _say_what_is_used(written: list[Path]) -> None:
    """Point out that a model of the package goes before one in the cache, and any before one elsewhere."""
    from vnlp_colab.resources import cache_dir
    from vnlp_colab.resources.places import EMBEDDED_FOLDER

    if not written:
        return
    folder = written[0].parent
    hidden = [path.stem for path in written if (EMBEDDED_FOLDER / path.name).exists()]
    if folder.resolve() != cache_dir().resolve() or hidden:
        print(f"To use {'them' if len(written) > 1 else 'it'}: VNLP_COLAB_MODELS={folder.resolve()}", file=sys.stderr)
