"""The joint network's graphs alone: words a second by shape, threads and precision; which operators take the time.

    python -m benchmarks.joint_graph [--device cpu] [--rounds 5] [--json FILE] [--quick]

The shipped graphs in 8 bits beside the same weights in float32 (on a GPU float16 beside float32): no cleaning, no
tokens, no trees, no relations, no columns. Pieces of words are drawn at random, since what a product takes does not
depend on its numbers. Sides take turns in one process; figures are medians of the rounds. The graph of the words has so
many distinct words a run as the analyzer gives it at most. Shares are those of onnxruntime's profile on one thread of
the CPU; it does not see what a GPU does. ``--quick`` runs everything once, to see that it works.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime as ort

from benchmarks.comparison import columns
from benchmarks.joint import INSIDE
from vnlp_colab.joint.affixes import AFFIXES
from vnlp_colab.joint.answers import NEEDS
from vnlp_colab.joint.graph import sentences_graph, words_graph
from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.joint.network import read_network
from vnlp_colab.joint.words import PIECES
from vnlp_colab.runtime import create_session, cuda_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from vnlp_colab.joint.graph import Precision
    from vnlp_colab.joint.network import Network

    Feeds = dict[str, np.ndarray]
    Graphs = dict[Precision, tuple[bytes, bytes]]

SHAPES = ((32, 14), (64, 8), (16, 40), (8, 80), (1, 14))  # sentences and words in each
_PROFILED = SHAPES[0]
_TIMES = {"cpu": 1, "cuda": 128}  # a GPU is not filled by so few sentences
_WORDS = {"cpu": 512, "cuda": 65_536}
_THREADS = {"cpu": (1, 2), "cuda": (1,)}
_TABLE = 1000  # words the sentences are made of
_FETCHES = list(dict.fromkeys(output for task in INSIDE for output in NEEDS[task]))
_SECONDS = 0.25  # of a turn, at least
# What operators are called together; all others are "others".
KINDS = {
    "MatMulIntegerToFloat": "8-bit products",
    "MatMul": "float products",
    "FusedMatMul": "float products",
    "Gemm": "float products",
    "MultiHeadAttention": "attention",
    "LayerNormalization": "norms",
    "SkipLayerNormalization": "norms",
    "RotaryEmbedding": "rotary positions",
    "QuantizeLinear": "quantising",
    "Add": "sums and gates",
    "Sum": "sums and gates",
    "Mul": "sums and gates",
    "Relu": "sums and gates",
    "TopK": "best candidates",
}
OTHERS = "others"


@dataclass
class Side:
    """A graph at a shape, in a precision, with so many threads; the run that is timed, and words a second."""

    work: str
    precision: Precision
    threads: int
    words: int
    run: Callable[[], object]
    rates: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What stands above its figures."""
        return f"{self.precision}, {self.threads} thread{'s' * (self.threads > 1)}"

    @property
    def figures(self) -> dict[str, Any]:
        """Return what is written down."""
        figures = {"work": self.work, "precision": self.precision, "threads": self.threads}
        return figures | {"words_per_second": round(statistics.median(self.rates)), "turns": self.rates}


def shipped_graphs(device: str) -> tuple[Network, Graphs]:
    """Return the network, and its graphs of sentences and of words in the precisions a device has."""
    model = JointAnalyzer(device="cpu")
    sentences, words, choices = (model.files.read(role) for role in (None, "words", "choices"))
    network = read_network([sentences, words, choices], model.vocabulary.activation)
    floats: tuple[Precision, ...] = ("float32",) if device == "cpu" else ("float16", "float32")
    made: Graphs = {kind: (sentences_graph(network, kind), words_graph(network, kind)) for kind in floats}
    return network, {"int8": (sentences, words), **made} if device == "cpu" else made


def word_feeds(network: Network, count: int) -> Feeds:
    """Return so many words of random pieces."""
    rng = np.random.default_rng(0)
    pieces, affixes = (network.arrays[f"pieces.{name}"].shape[0] for name in ("embedding", "affixes"))
    return {"pieces": rng.integers(1, pieces, (count, PIECES)), "affixes": rng.integers(1, affixes, (count, AFFIXES))}


def sentence_feeds(vectors: np.ndarray, sentences: int, length: int) -> Feeds:
    """Return sentences of words drawn from `vectors`, all of one length."""
    style = np.zeros((sentences, 1), np.int64)
    return {
        "vectors": vectors,
        "places": np.random.default_rng(0).integers(0, len(vectors), (sentences, length)),
        "lengths": np.full(sentences, length, np.int32),
        "styles": style,
        "entity_styles": style,
    }


def run_of(session: Any, feeds: Feeds, fetches: list[str], device: str) -> Callable[[], object]:
    """Return a run of a session; on a GPU inputs are there and outputs stay there."""
    if device == "cpu":
        return lambda: session.run(fetches, feeds)
    binding = session.io_binding()
    for name, array in feeds.items():
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(array, "cuda", 0))
    for name in fetches:
        binding.bind_output(name, "cuda")

    def run() -> None:
        session.run_with_iobinding(binding)
        binding.synchronize_outputs()

    return run


def sides(graphs: Graphs, network: Network, vectors: np.ndarray, device: str) -> list[Side]:
    """Return every graph at every shape, in every precision, with all numbers of threads."""
    found = []
    many = _WORDS[device]
    for precision, (graph, of_words) in graphs.items():
        for threads in _THREADS[device]:
            create = partial(create_session, intra_op_threads=threads, keep_plans=device == "cuda")  # as the analyzer
            session, composer = create(graph, device), create(of_words, device)
            for size, length in SHAPES:
                count = size * _TIMES[device] if size > 1 else size
                run = run_of(session, sentence_feeds(vectors, count, length), _FETCHES, device)
                found.append(Side(f"{count} × {length} words", precision, threads, count * length, run))
            run = run_of(composer, word_feeds(network, many), ["vectors"], device)
            found.append(Side(f"{many:,} distinct words", precision, threads, many, run))
    return found


def measure(found: list[Side], rounds: int, seconds: float) -> None:
    """Give all sides their turns, after a first run of each."""
    for side in found:
        side.run()
    for _ in range(rounds):
        for side in found:
            side.rates.append(_rate(side, seconds))


def _rate(side: Side, seconds: float) -> float:
    words, started, taken = 0, time.perf_counter(), 0.0
    while not words or taken < seconds:
        side.run()
        words += side.words
        taken = time.perf_counter() - started
    return words / taken


def shares(graph: bytes, feeds: Feeds, runs: int) -> dict[str, float]:
    """Return of the sentences' graph, on one thread of the CPU, which share of the time each kind of operator has."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_profiling = True
    with tempfile.TemporaryDirectory() as folder:
        options.profile_file_prefix = str(Path(folder) / "profile")
        session = ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        for _ in range(runs + 1):
            session.run(_FETCHES, feeds)
        events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    nodes = [event for event in events if event["cat"] == "Node" and event["name"].endswith("_kernel_time")]
    times: Counter[str] = Counter()
    for node in nodes[len(nodes) // (runs + 1) :]:  # the first run is cold
        times[KINDS.get(node["args"]["op_name"], OTHERS)] += node["dur"]
    return {kind: time / times.total() for kind, time in times.most_common()}


def tables(found: list[Side], parts: Mapping[str, Mapping[str, float]]) -> str:
    """Return words a second, and shares of the time, as tables."""
    rates: dict[str, dict[str, str]] = {}
    for side in found:
        rates.setdefault(side.work, {})[side.name] = f"{side.figures['words_per_second']:,}"
    names = list(dict.fromkeys(side.name for side in found))
    made = columns(("words a second", *names), [(work, *(row[name] for name in names)) for work, row in rates.items()])
    if not parts:
        return made
    kinds = list(dict.fromkeys(kind for part in parts.values() for kind in part))
    lines = [(kind, *(f"{part.get(kind, 0):.1%}" for part in parts.values())) for kind in kinds]
    sentences, length = _PROFILED
    return f"{made}\n\n{columns((f'share of the time, {sentences} × {length} words, 1 thread', *parts), lines)}"


def main() -> None:
    """Measure, print tables, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="every run once")
    args = parser.parse_args()
    if args.device == "cuda" and (problem := cuda_problem()):
        parser.error(f"--device cuda: {problem} (--device cpu measures the CPU)")
    network, graphs = shipped_graphs(args.device)
    composer = create_session(words_graph(network, "float32"), "cpu")
    vectors = composer.run(["vectors"], word_feeds(network, _TABLE))[0]
    found = sides(graphs, network, vectors, args.device)
    measure(found, 1 if args.quick else args.rounds, 0 if args.quick else _SECONDS)
    parts: dict[str, dict[str, float]] = {}
    if args.device == "cpu":
        feeds = sentence_feeds(vectors, *_PROFILED)
        parts = {kind: shares(graph, feeds, 1 if args.quick else 100) for kind, (graph, _) in graphs.items()}
    print(tables(found, parts))
    if args.json:
        figures = {"device": args.device, "onnxruntime": ort.__version__}
        figures |= {"words_per_second": [side.figures for side in found], "shares": parts}
        args.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
