"""What a token costs the joint network: by how many come at once and by the length of sentences; what a table takes.

    python -m benchmarks.joint_cost [--json FILE] [--data FOLDER] [--rounds 3] [--most 1000000] [--rows 30000]

Tokens a call and lengths are measured inside the model, from tokens to columns, on one thread, in turns, by processor
time, medians of the rounds. The table is a tab-separated file of so many training sentences, all different if there are
enough, that ``vnlp-colab analyze`` makes parquet of. Table and first result are of fresh processes; what they cost is
everything from the start of Python to its end.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.comparison import columns
from benchmarks.growth import LENGTHS, cut
from benchmarks.joint import INSIDE
from benchmarks.text import ROOT, draw_sample, read_texts, running_text
from vnlp_colab.batches.preparation import clean_sentence, tokenize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vnlp_colab.joint.joint_colab import JointAnalyzer

SIZES = (1_000, 10_000, 100_000, 1_000_000)
_TOKENS = 8_000  # of each length
_FIRST = 'from vnlp_colab import VNLPipeline; VNLPipeline()("Ali eve gitti.")'
_ANALYZE = """
import sys
from benchmarks.workers import peak_memory
from vnlp_colab.cli import main
status = main(["analyze", sys.argv[1], "-o", sys.argv[2], "--quiet"])
print(peak_memory())
sys.exit(status)
"""


def microseconds(model: JointAnalyzer, works: Mapping[int, Sequence[Sequence[str]]], rounds: int) -> dict[int, float]:
    """Return what a token of each work costs in processor time; works take turns, after a first round for caches."""
    times: dict[int, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, sentences in works.items():
            used = time.process_time()
            model.analyze_batch(sentences, INSIDE)
            if number:
                times[name].append((time.process_time() - used) / sum(map(len, sentences)))
    return {name: 1e6 * statistics.median(found) for name, found in times.items()}


def at_once(sentences: Sequence[Sequence[str]], tokens: int) -> list[Sequence[str]]:
    """Return the sentences again and again, until there are so many tokens."""
    found: list[Sequence[str]] = []
    count = 0
    for sentence in cycle(sentences):
        if count >= tokens:
            break
        found.append(sentence)
        count += len(sentence)
    return found


def of_process(*arguments: str) -> tuple[float, str]:
    """Return the seconds a fresh process takes, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, cwd=ROOT)
    return time.perf_counter() - started, done.stdout


def of_table(data: Path | None, rows: int) -> dict[str, float]:
    """Return the seconds, the tokens a second and the peak of memory of a table's analysis."""
    _, texts = read_texts(data, "train")
    order = np.random.default_rng(0).permutation(len(texts))
    chosen = [texts[number] for number in islice(cycle(order), rows)]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.tsv"
        lines = (f"t\t1\t1\t{number}\t{text}" for number, text in enumerate(chosen, 1))
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        seconds, printed = of_process("-c", _ANALYZE, str(table), str(Path(folder) / "out.parquet"))
    tokens = sum(len(tokenize(clean_sentence(text))) for text in chosen)
    peak = int(printed.splitlines()[-1])
    return {
        "rows": rows, "tokens": tokens, "seconds": seconds, "tokens_per_second": tokens / seconds, "peak_bytes": peak,
    }  # fmt: skip


def measure(data: Path | None, rounds: int, most: int, rows: int) -> dict[str, Any]:
    """Return every figure."""
    from vnlp_colab.joint.joint_colab import JointAnalyzer
    from vnlp_colab.runtime import SessionOptions

    model = JointAnalyzer(device="cpu", options=SessionOptions(threads=1))
    sample, words = draw_sample(data, None), running_text(data)
    sizes = {size: at_once(sample.tokens, size) for size in SIZES if size <= most}
    lengths = {length: cut(words, length, max(1, _TOKENS // length)) for length in LENGTHS}
    return {
        "tokens_at_once": microseconds(model, sizes, rounds),
        "words_a_sentence": microseconds(model, lengths, rounds),
        "table": of_table(data, rows),
        "first_result_seconds": statistics.median(of_process("-c", _FIRST)[0] for _ in range(rounds)),
    }


def main() -> None:
    """Measure, print tables, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks (*-ud-test.conllu)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="tokens at once, at most")
    parser.add_argument("--rows", type=int, default=30_000, help="of the table")
    args = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    found = measure(args.data, args.rounds, args.most, args.rows)
    for name, title in (("tokens_at_once", "tokens at once"), ("words_a_sentence", "words a sentence")):
        lines = [(f"{key:,}", f"{value:.0f}") for key, value in found[name].items()]
        print(columns((title, "µs of a processor a token"), lines), end="\n\n")
    table = found["table"]
    lines = [
        (f"table of {table['rows']:,} rows, {table['tokens']:,} tokens", f"{table['seconds']:.1f} s"),
        ("... tokens a second", f"{table['tokens_per_second']:,.0f}"),
        ("... peak of memory", f"{table['peak_bytes'] / 1e6:,.0f} MB"),
        ("first result of a fresh process", f"{found['first_result_seconds']:.2f} s"),
    ]
    print(columns(("a fresh process", ""), lines))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
