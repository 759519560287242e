"""``vnlp-colab normalize``, ``split`` and ``tokenize``: the text tools over lines of UTF-8."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from vnlp_colab.errors import VNLPError, naming

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

# In the order they are applied: letters first, since later steps look at them.
_STEPS = (
    ("unicode", "normalize_unicode", "compose letters and marks (NFC)"),
    ("correct-apostrophes", "correct_apostrophes", "write ' for every apostrophe inside a word"),
    ("ascii-quotes", "ascii_quotes", "write \" and ' for typographic quotation marks"),
    ("typographic-quotes", "typographic_quotes", "write “ ” and ‘ ’ for straight quotation marks"),
    ("deasciify", "deasciify", "put the Turkish letters back (boyle: böyle)"),
    ("remove-accent-marks", "remove_accent_marks", "take circumflexes off (imkân: imkan)"),
    ("convert-numbers-to-words", "convert_numbers_to_words", "write numbers as words (3,5: üç virgül beş)"),
    ("remove-punctuations", "remove_punctuations", "take marks and symbols out"),
    ("drop-stop-words", "drop_stop_words", "take stop words out"),
    ("lower-case", "lower_case", "lower case by Turkish rules"),
)


class TextInputError(VNLPError):
    """A line of the input is not UTF-8."""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the three commands."""
    normalize = subparsers.add_parser("normalize", help="clean up text, line by line")
    for option, _, text in _STEPS:
        normalize.add_argument(f"--{option}", action="store_true", help=text)
    normalize.add_argument(
        "--informal", metavar="STEPS", default="", help="mend informal spellings first: auto, deasciify, chat, repeats"
    )
    normalize.set_defaults(run=_normalize, parser=normalize)

    split = subparsers.add_parser("split", help="split text into sentences, one a line")
    split.add_argument("--offsets", action="store_true", help="write JSON lines with start and end in the input line")
    split.set_defaults(run=_split)

    tokenize = subparsers.add_parser("tokenize", help="split lines into tokens")
    tokenize.add_argument(
        "--tokenizer",
        choices=("turkish", "treebank", "wordpunct"),
        default="turkish",
        help="turkish: as the UD treebanks cut (default); treebank, wordpunct: VNLP's",
    )
    tokenize.add_argument("--offsets", action="store_true", help="write JSON lines of [token, start, end]")
    tokenize.set_defaults(run=_tokenize)

    for parser in (normalize, split, tokenize):
        parser.add_argument("input", nargs="?", default="-", help="a UTF-8 text file; - is standard input (default)")
        parser.add_argument("-o", "--output", default="-", help="where to write; - is standard output (default)")


def _normalize(args: argparse.Namespace) -> int:
    from vnlp_colab.text import Normalizer, StopwordRemover, mend_text
    from vnlp_colab.text.informal import check_steps

    informal = check_steps(args.informal)
    chosen = [method for option, method, _ in _STEPS if getattr(args, option.replace("-", "_"))]
    if not chosen and not informal:
        args.parser.error("give at least one step, for example --deasciify; --help lists them")
    remover = StopwordRemover()
    steps: list[Callable[[str], str]] = [
        remover.drop_stop_words if method == "drop_stop_words" else getattr(Normalizer, method) for method in chosen
    ]

    def work(line: str) -> Iterator[str]:
        if informal:
            line = mend_text(line, informal)
        for step in steps:
            line = step(line)
        yield line

    return _stream(args, work)


def _split(args: argparse.Namespace) -> int:
    from vnlp_colab.text import SentenceSplitter

    splitter = SentenceSplitter()

    def work(line: str) -> Iterator[str]:
        if args.offsets:
            for sentence, start, end in splitter.split_sentences(line, offsets=True):
                yield json.dumps({"sentence": sentence, "start": start, "end": end}, ensure_ascii=False)
        else:
            yield from splitter.split_sentences(line)

    return _stream(args, work)


def _tokenize(args: argparse.Namespace) -> int:
    from vnlp_colab.text import TreebankWordTokenize, WordPunctTokenize, tokenize

    tokenizers = {"turkish": tokenize, "treebank": TreebankWordTokenize, "wordpunct": WordPunctTokenize}
    tokenizer = tokenizers[args.tokenizer]

    def work(line: str) -> Iterator[str]:
        if args.offsets:
            yield json.dumps(tokenizer(line, offsets=True), ensure_ascii=False)
        else:
            yield " ".join(tokenizer(line))

    return _stream(args, work)


def _stream(args: argparse.Namespace, work: Callable[[str], Iterator[str]]) -> int:
    """Run `work` over every line as it comes and write what it gives."""
    files = [Path(name) for name in (args.input, args.output) if name != "-"]
    if len(files) == 2 and all(file.exists() for file in files) and files[0].samefile(files[1]):
        raise VNLPError(f"{args.output}: the output would overwrite the input")
    with _opened(args.input, "rb") as source, _opened(args.output, "wb") as target:
        for number, data in enumerate(source, start=1):
            try:
                line = data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                target.flush()
                name = "standard input" if args.input == "-" else args.input
                raise TextInputError(
                    f"{name}, line {number}: byte {error.start + 1} ({data[error.start]:#04x}) is not UTF-8; "
                    "convert the file first, for example with iconv -f WINDOWS-1254 -t UTF-8"
                ) from error
            for result in work(line):
                target.write(result.encode() + b"\n")
        target.flush()
    return 0


@contextmanager
def _opened(name: str, mode: str) -> Iterator[BinaryIO]:
    """Open a file, or stand in for the standard stream, which stays open."""
    reads = mode == "rb"
    if name == "-":
        stream, told = (sys.stdin, "the standard input") if reads else (sys.stdout, "the standard output")
        if stream is None or stream.closed:
            raise TextInputError(f"{told} is closed; name a file")
        with naming(told):
            yield stream.buffer
    else:
        with naming(name), Path(name).open(mode) as file:
            yield file  # type: ignore[misc]
