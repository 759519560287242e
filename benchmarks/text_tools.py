"""Each text tool beside upstream's, on the same text, in one run, turn about.

python -m benchmarks.text_tools [--upstream DIR | --earlier DIR] [--text FILE] [--rounds 7] [--json FILE]

With --upstream DIR holds the `vnlp` package of vngrs-nlp (unpack its wheel); without it an installed one is looked for,
and without that only our side is timed. Upstream's files are loaded one by one, since its package imports TensorFlow.
Its Normalizer loads a model when it is made; only the methods are timed. With --earlier DIR holds the `vnlp_colab` of
an earlier commit, whose tools are then the other side; beside `tokenize` stands its `TreebankWordTokenize`. The best
of the rounds is shown.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
import types
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnlp_colab.text import (
    Normalizer,
    SentenceSplitter,
    StopwordRemover,
    TreebankWordTokenize,
    WordPunctTokenize,
    tokenize,
)
from vnlp_colab.text.deasciifier import MODEL_FILE, default_deasciifier, unpack

if TYPE_CHECKING:
    from collections.abc import Callable

FIXTURE = Path(__file__).parents[1] / "tests" / "data" / "treebank_tokens.jsonl"
STRIP = str.maketrans("çğıöşüÇĞİÖŞÜ", "cgiosuCGIOSU")


@dataclass
class Row:
    """One tool: words a second on both sides, and ours over theirs."""

    tool: str
    words: int
    ours: float
    upstream: float | None
    ratio: float | None


def main() -> None:
    """Time every tool and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.text_tools", description=__doc__)
    sides = parser.add_mutually_exclusive_group()
    sides.add_argument("--upstream", type=Path)
    sides.add_argument("--earlier", type=Path)
    parser.add_argument(
        "--text", type=Path, help="UTF-8 text, a sentence or paragraph a line (default: test sentences)"
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    lines = _lines(args.text)
    words = sum(len(line.split()) for line in lines)
    rows = []
    other_side = _earlier(args.earlier) if args.earlier else _upstream(args.upstream)
    for tool, ours, theirs in _pairs(lines, other_side):
        mine, other = _alternate(ours, theirs, args.rounds)
        rate, their_rate = words / mine, words / other if other else None
        rows.append(Row(tool, words, rate, their_rate, rate / their_rate if their_rate else None))
    print(f"{words:,} words, best of {args.rounds} rounds\n\n{'tool':32}{'words/s':>14}{'other side':>14}{'ratio':>8}")
    for row in rows:
        compared = f"{row.upstream:14,.0f}{row.ratio:8.2f}" if row.upstream else f"{'-':>14}{'-':>8}"
        print(f"{row.tool:32}{row.ours:14,.0f}{compared}")
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def _lines(path: Path | None) -> list[str]:
    if path:
        return [line for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [json.loads(line)["sentence"] for line in FIXTURE.read_text("utf-8").splitlines()] * 20


def _alternate(ours: Callable[[], Any], theirs: Callable[[], Any] | None, rounds: int) -> tuple[float, float | None]:
    mine, other = [], []
    for _ in range(rounds):
        mine.append(_seconds(ours))
        if theirs:
            other.append(_seconds(theirs))
    return min(mine), min(other) if other else None


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _pairs(
    lines: list[str], upstream: types.SimpleNamespace | None
) -> list[tuple[str, Callable[[], Any], Callable[[], Any] | None]]:
    token_lists = [line.split() for line in lines]
    ascii_lists = [line.translate(STRIP).split() for line in lines]
    all_tokens = [token for tokens in token_lists for token in tokens]
    number_lists = [[*tokens, "1,15", "2"] for tokens in token_lists]
    paragraph = [" ".join(lines[i : i + 20]) for i in range(0, len(lines), 20)]
    model = (Path(sys.modules[default_deasciifier.__module__].__file__ or "").parent / MODEL_FILE).read_bytes()
    default_deasciifier()

    def cold_deasciify() -> None:
        deasciifier = unpack(model)  # loading is part of it: a process that reads one text pays it
        for tokens in ascii_lists:
            deasciifier.deasciify(" ".join(tokens))

    splitter, remover = SentenceSplitter(), StopwordRemover()
    up: Any = upstream  # a namespace of functions, or None
    rows: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any] | None, list[Any]]] = [
        ("SentenceSplitter", splitter.split_sentences, up and up.splitter.split_sentences, paragraph),
        ("tokenize", tokenize, up and up.treebank, lines),
        ("TreebankWordTokenize", TreebankWordTokenize, up and up.treebank, lines),
        ("WordPunctTokenize", WordPunctTokenize, up and up.word_punct, lines),
        ("lower_case", Normalizer.lower_case, up and up.normalizer.lower_case, lines),
        ("remove_punctuations", Normalizer.remove_punctuations, up and up.normalizer.remove_punctuations, lines),
        ("remove_accent_marks", Normalizer.remove_accent_marks, up and up.normalizer.remove_accent_marks, lines),
        (
            "convert_numbers_to_words",
            Normalizer.convert_numbers_to_words,
            up and up.normalizer.convert_numbers_to_words,
            number_lists,
        ),
        ("deasciify, words seen before", Normalizer.deasciify, up and up.normalizer.deasciify, ascii_lists),
        ("drop_stop_words", remover.drop_stop_words, up and up.remover.drop_stop_words, token_lists),
        (
            "dynamically_detect_stop_words",
            remover.dynamically_detect_stop_words,
            up and up.remover.dynamically_detect_stop_words,
            [all_tokens],
        ),
        ("correct_apostrophes", Normalizer.correct_apostrophes, None, lines),
        ("ascii_quotes", Normalizer.ascii_quotes, None, lines),
        ("typographic_quotes", Normalizer.typographic_quotes, None, lines),
        ("normalize_unicode", Normalizer.normalize_unicode, None, lines),
    ]
    pairs = [(tool, _over(ours, data), _over(theirs, data) if theirs else None) for tool, ours, theirs, data in rows]
    # An earlier side is warm already; upstream's has nothing to load.
    cold_upstream = _over(up.normalizer.deasciify, ascii_lists) if up and not hasattr(up, "earlier") else None
    pairs.insert(9, ("deasciify, load and first sight", cold_deasciify, cold_upstream))
    return pairs


def _over(function: Callable[[Any], Any], data: list[Any]) -> Callable[[], None]:
    def work() -> None:
        for item in data:
            function(item)

    return work


def _earlier(path: Path) -> types.SimpleNamespace:
    """Return the tools of another checkout of this package, loaded beside ours."""
    ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "vnlp_colab"}
    for name in ours:
        del sys.modules[name]
    sys.path.insert(0, str(path.resolve()))
    try:
        text = importlib.import_module("vnlp_colab.text")
        if not Path(text.__file__ or "").is_relative_to(path.resolve()):
            raise SystemExit(f"{path}: no vnlp_colab in it")
        side = types.SimpleNamespace(
            normalizer=text.Normalizer,
            treebank=text.TreebankWordTokenize,
            word_punct=text.WordPunctTokenize,
            splitter=text.SentenceSplitter(),
            remover=text.StopwordRemover(),
            earlier=True,
        )
        side.normalizer.deasciify("isinma")  # what is imported late is imported from there
        side.normalizer.convert_numbers_to_words("1")
    finally:
        sys.path.pop(0)
        for name in [name for name in sys.modules if name.partition(".")[0] == "vnlp_colab"]:
            del sys.modules[name]
        sys.modules.update(ours)
    return side


def _upstream(path: Path | None) -> types.SimpleNamespace | None:
    if path is None:
        spec = importlib.util.find_spec("vnlp")
        if spec is None or not spec.submodule_search_locations:
            return None
        root = Path(spec.submodule_search_locations[0])
    else:
        root = path / "vnlp"
    # normalizer.py imports the stemmer, and with it TensorFlow; a stand-in keeps that out.
    for name in ("vnlp", "vnlp.normalizer", "vnlp.stemmer_morph_analyzer"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(root.joinpath(*name.split(".")[1:]))]
    sys.modules["vnlp.stemmer_morph_analyzer"].StemmerAnalyzer = None  # type: ignore[attr-defined]
    normalizer = importlib.import_module("vnlp.normalizer.normalizer").Normalizer
    tokenizer = _load(root / "tokenizer" / "tokenizer.py")
    return types.SimpleNamespace(
        normalizer=normalizer.__new__(normalizer),
        treebank=tokenizer.TreebankWordTokenize,
        word_punct=tokenizer.WordPunctTokenize,
        splitter=_load(root / "sentence_splitter" / "sentence_splitter.py").SentenceSplitter(),
        remover=_load(root / "stopword_remover" / "stopword_remover.py").StopwordRemover(),
    )


def _load(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"upstream_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
