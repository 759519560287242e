"""Full windows against incremental decoding on one device, for PoS, dependencies and entities.

    VNLP_COLAB_MODELS=FOLDER python -m benchmarks.gpu [--device cuda] [--batch 64 256 1024 4096] [--text FILE]

FOLDER holds converted models and their manifest. FILE has one sentence a line, tokens separated by spaces; without it
sentences are made up with the lengths of Turkish treebanks (4 to 40 words, 9 in the mean). Needs numpy, onnxruntime,
onnx and sentencepiece. Prints one JSON object: seconds are medians, "equal" counts labels equal to the full windows'.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import time
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

with contextlib.suppress(ImportError):
    import torch  # noqa: F401  (brings CUDA's libraries, where onnxruntime then finds them)

import onnxruntime

from vnlp_colab.decoding.incremental import IncrementalDecoder
from vnlp_colab.decoding.plan import DecodingBatch, context_feed
from vnlp_colab.decoding.stepwise import EncodedSentence, stepwise_scores
from vnlp_colab.pieces.pieces import PieceTokenizer
from vnlp_colab.recurrent.graph import Graph
from vnlp_colab.resources import find_model
from vnlp_colab.runtime import create_session
from vnlp_colab.spucontext.model import SIGNATURE
from vnlp_colab.spucontext.network import SPUContextNetwork
from vnlp_colab.spucontext.words import PieceWordVectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from vnlp_colab.decoding.network import DecoderNetwork

MODELS = {"PoS": ("PoS_SPUContext", [18]), "NER": ("NER_SPUContext", [5]), "DP": ("DP_SPUContext", [41, 49])}
# contexts by full windows and labels by written-out steps; both by written-out steps; both by loops
KINDS = ["windows", "unrolled", "loops"]
LETTERS = list("aeıioöuübcçdfgğhjklmnprsştvyz")


def _decoded(decoder: IncrementalDecoder, words: PieceWordVectors, batch: list[list[str]]) -> list[np.ndarray]:
    return decoder.scores(*words.lookup(batch))


def median_seconds(work: Callable[[], Any], repeats: int) -> float:
    """Return the median of some runs after two that do not count."""
    times = []
    for number in range(repeats + 2):
        started = time.perf_counter()
        work()
        if number > 1:
            times.append(time.perf_counter() - started)
    return statistics.median(times)


def made_up_sentences(count: int) -> list[list[str]]:
    """Sentences with treebank lengths and a vocabulary where some words are frequent."""
    rng = np.random.default_rng(7)
    words = ["".join(rng.choice(LETTERS, rng.integers(2, 11))) for _ in range(6000)]
    lengths = np.clip(rng.gamma(2.0, 3.2, count) + 2.5, 2, 40).astype(int)
    return [[words[int(6000 * rng.random() ** 3)] for _ in range(length - 1)] + ["."] for length in lengths]


def ceilings(device: str, repeats: int) -> dict[str, float]:
    """Measure what the device does in one large product (TFLOP/s) and in one large sum (GB/s) through onnxruntime."""
    measured = {}
    for kind, size in (("MatMul", 8192), ("Add", 16384)) if device == "cuda" else (("MatMul", 2048), ("Add", 4096)):
        graph = Graph()
        value = graph.input("x", "float", [size, size])
        for _ in range(10):
            value = graph.op(kind, value, "x")
        # one number comes back, so that the copy is not what is measured
        graph.output(graph.op("ReduceMax", value), "y")
        session = create_session(graph.model(), device)
        array = onnxruntime.OrtValue.ortvalue_from_numpy(np.full((size, size), 1e-6, np.float32), device, 0)
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", array)
        binding.bind_output("y")
        seconds = median_seconds(partial(session.run_with_iobinding, binding), repeats) / 10
        work = 2 * size**3 / 1e12 if kind == "MatMul" else 3 * 4 * size**2 / 1e9
        measured["matmul_tflops" if kind == "MatMul" else "add_gb_per_s"] = work / seconds
    return measured


def work(network: DecoderNetwork, numbers: list[np.ndarray]) -> tuple[int, int]:
    """Count the operations and bytes of incremental decoding by chains, words not counted.

    Operations are those of the matrix products. Bytes are what the nodes of a step read and write: about 40 values for
    each unit of a row (products, gates, candidate, the next state, and rows gathered), weights not counted.
    """
    batch = DecodingBatch.of(sorted(numbers, key=len, reverse=True))
    deep = len(network.right) > 1
    feed = context_feed(batch, slice(None), network.window, share_suffixes=deep)
    units = network.left[0].units
    cell = 6 * units * units
    left, right = (int(feed[f"{side}_offsets"][-1, 0]) for side in ("left", "right"))
    second = right + network.window * len(feed["right_pads"]) if deep else 0
    layers = 2 * len(network.left) - 1  # each layer's own product, and the projections between them
    operations = (2 * left * layers + right + second) * cell
    dense = sum(2 * layer.kernel.size for layer in network.dense)
    row_steps = 2 * left * len(network.left) + right + second
    return operations + len(batch) * dense, row_steps * 40 * 4 * units


def full_window_feed(session: Any, rows: int) -> dict[str, np.ndarray]:
    """Random full windows for `rows` words."""
    rng = np.random.default_rng(0)
    feed = {}
    for value in session.get_inputs():
        shape = (rows, *value.shape[1:])
        if "int" in value.type:
            feed[value.name] = rng.integers(0, 16000, shape).astype(np.int32)
        else:
            feed[value.name] = np.zeros(shape, np.float32)
    return feed


def measure(name: str, sentences: list[list[str]], args: argparse.Namespace) -> dict[str, Any]:
    """Measure one model at every batch size."""
    stem, fields = MODELS[name]
    files = find_model(stem)
    network = SPUContextNetwork.read(files.path)
    tokenizer = PieceTokenizer(files.resource("tokenizer"))
    words = PieceWordVectors(network, tokenizer, args.device)
    session = create_session(files.path, args.device)
    decoders: dict[str, IncrementalDecoder] = {}
    loads = {}
    for kind in args.kinds:
        started = time.perf_counter()
        decoders[kind] = IncrementalDecoder(
            network.decoder,
            fields,
            args.device,
            unrolled=kind != "loops",
            contexts="windows" if kind == "windows" else "chains",
        )
        loads[kind] = time.perf_counter() - started
    result: dict[str, Any] = {"load_s": loads, "batches": {}}

    checked = sentences[:256]
    vectors, numbers = words.lookup(checked)
    pieces = [EncodedSentence((tokenizer.word_pieces(sentence, network.pieces)[0],)) for sentence in checked]
    reference = np.concatenate(stepwise_scores(session, pieces, SIGNATURE, fields, rows=256))
    bounds = np.cumsum([0, *fields])

    def labels(scores: np.ndarray) -> np.ndarray:
        return np.stack([scores[:, low:high].argmax(1) for low, high in pairwise(bounds)], axis=1)

    for kind, decoder in decoders.items():
        ours = np.concatenate(decoder.scores(vectors, numbers))
        result[f"equal_{kind}"] = f"{int((labels(ours) == labels(reference)).all(axis=1).sum())}/{len(reference)}"
        result[f"largest_difference_{kind}"] = float(np.abs(ours - reference).max())

    for size in args.batch:
        batch = [sentences[number % len(sentences)] for number in range(size)]
        vectors, numbers = words.lookup(batch)
        tokens = sum(map(len, batch))
        gflop, gbyte = (count / 1e9 for count in work(network.decoder, numbers))
        row: dict[str, Any] = {"sentences": size, "tokens": tokens, "gflop": gflop, "gbyte": gbyte}
        feed = full_window_feed(session, size)
        seconds = median_seconds(partial(session.run, None, feed), args.repeats)
        row["full_window_tokens_per_s"] = size / seconds
        for kind, decoder in decoders.items():
            seconds = median_seconds(partial(decoder.scores, vectors, numbers), args.repeats)
            row[kind] = {
                "tokens_per_s": tokens / seconds,
                "ratio_to_full_window": tokens / seconds / row["full_window_tokens_per_s"],
                "tflops": gflop / 1e3 / seconds,
                "gb_per_s": gbyte / seconds,
            }
            # with the words' lookup, as predict_batch does it once its words are known
            whole = median_seconds(partial(_decoded, decoder, words, batch), args.repeats)
            row[kind]["tokens_per_s_from_tokens"] = tokens / whole
        result["batches"][str(size)] = row
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=["PoS", "DP"])
    parser.add_argument("--batch", nargs="+", type=int, default=[64, 256, 1024, 4096])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--text", type=Path, help="tokenized sentences, one a line")
    args = parser.parse_args()
    if args.text:
        lines = args.text.read_text(encoding="utf-8").splitlines()
        sentences = [line.split()[:40] for line in lines if line.strip()]
    else:
        sentences = made_up_sentences(max(args.batch))
    report: dict[str, Any] = {"onnxruntime": onnxruntime.__version__, "device": args.device}
    report["ceilings"] = ceilings(args.device, args.repeats)
    for name in args.models:
        report[name] = measure(name, sentences, args)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
