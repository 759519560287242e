"""The joint network beside VNLP's five and beside UDPipe 1: whole tables in, whole tables out, all in one run.

    python -m benchmarks.joint [--json FILE] [--data FOLDER] [--sentences 512] [--rounds 5]
    python -m benchmarks.joint --device cuda [--tokens 1000000]     # inside the model, from tokens to columns
    python -m benchmarks.joint --device cuda --processes 1 2 4      # the same by several processes at once on one GPU
    python -m benchmarks.joint --processes 1 2                      # ... or on the CPU
    python -m benchmarks.joint --device cuda --agreement            # how many labels are those of the CPU

Every side runs in a process of its own and they take turns; figures are medians. A table goes through
`VNLPipeline.process_arrow`: cleaning, tokens, models, entities and Arrow columns are all in the time. UDPipe 1 tags and
parses the same words with a model trained on the spot (see `benchmarks.peers`), on 2,000 sentences and on a whole
treebank, and no more than that; it uses one core and so stands beside the joint network with one thread. Words not
cached: what models keep of them is forgotten before every turn.

Inside the model, on a GPU and on the CPU beside it: the sentences again and again until there are so many tokens. That
needs neither Keras nor TensorFlow, and without ``--data`` it reads examples/sentences.tsv. (Where platformdirs is not
installed, set ``VNLP_COLAB_CACHE`` to a folder.) The graphs alone are `benchmarks.joint_graph`'s.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.comparison import Row, columns
from benchmarks.comparison import measure as take_turns
from benchmarks.peers import training_text, udpipe_works
from benchmarks.sides import VNLP_MODELS
from benchmarks.sides import forget as forget_words
from benchmarks.text import UD_FOLDER, draw_sample
from benchmarks.workers import Work, Worker

if TYPE_CHECKING:
    from benchmarks.text import Sample
    from vnlp_colab import VNLPipeline
    from vnlp_colab.runtime import Device

INSIDE = ("pos", "feats", "lemma", "ner", "dep", "sentiment")
JOINT = tuple(f"{task}:JointAnalyzer" for task in INSIDE)
# Its dictionary slows UDPipe down: with 300 sentences it is more than twice as fast as with 2,000, and with the whole
# training file of a treebank, as one would train it, it takes another 1.3 times as long (and minutes to make).
_UDPIPE_SENTENCES = {"2,000 training sentences": 2000, "a whole treebank": 1_000_000}
# Tokens a turn: a GPU is filled by batches of a quarter of a million, a CPU by a thousand.
_TOKENS = {"cuda": 1_000_000, "cpu": 20_000}
_FIVE = "VNLP's five networks"
_BOTH = "joint network and StemmerAnalyzer"
_COLD = "words not cached"
_UDPIPE = "UDPipe 1, tags and trees, one core"


def works(models: tuple[str, ...], threads: int, sample: Sample, warm: bool) -> list[Work]:
    """Return the work of a pipeline over a table; `warm` keeps what it cached of the words."""
    import pyarrow as pa

    from vnlp_colab import VNLPipeline

    os.environ["OMP_NUM_THREADS"] = str(threads)
    nlp = VNLPipeline(list(models), device="cpu", threads=threads)
    table = pa.table({"sentence": sample.texts})
    before = (lambda: None) if warm else (lambda: _forget_all(nlp))
    return [Work(lambda: nlp.process_arrow(table), sample.token_count, dict, before)]


def inside_works(device: Device, sample: Sample, tokens: int) -> list[Work]:
    """Return the work of the model alone, from tokens to columns, on the sentences again and again."""
    from vnlp_colab.joint.joint_colab import JointAnalyzer

    model = JointAnalyzer(device=device)
    sentences = sample.tokens * -(-tokens // sample.token_count)
    count = sum(map(len, sentences))
    return [Work(lambda: model.analyze_batch(sentences, INSIDE), count, dict)]


def together(sample: Sample, tokens: int, processes: int, rounds: int, device: Device) -> dict[str, Any]:
    """Return the tokens a second of so many processes at work on one device at once, each on `tokens` of its own."""
    workers = [Worker(f"process {number}", inside_works, device, sample, tokens) for number in range(processes)]
    rates = []
    try:
        with ThreadPoolExecutor(processes) as pool:
            count = sum(pool.map(lambda worker: worker.ask("ready"), workers))
            for _ in range(rounds + 1):
                started = time.perf_counter()
                list(pool.map(lambda worker: worker.ask("turn"), workers))
                rates.append(count / (time.perf_counter() - started))
    finally:
        for worker in workers:
            worker.close()
    rate = round(statistics.median(rates[1:]))  # the first one is cold
    each = count // processes
    return {"device": device, "processes": processes, "tokens_per_process": each, "tokens_per_second": rate}


def agreement(sample: Sample) -> dict[str, float]:
    """Return of how many tokens, in percent, a GPU gives the labels that the CPU gives."""
    from vnlp_colab.joint.joint_colab import JointAnalyzer

    devices: tuple[Device, ...] = ("cuda", "cpu")
    said = []
    for device in devices:
        columns = JointAnalyzer(device=device).analyze_batch(sample.tokens, INSIDE[:-1])
        flat = {name: [label for sentence in values for label in sentence] for name, values in columns.items()}
        said.append({**flat, "head": [head for head, _ in flat["dep"]]})
    gpu, cpu = said
    shares = {name: sum(a == b for a, b in zip(gpu[name], cpu[name], strict=True)) / len(cpu[name]) for name in cpu}
    return {"tokens": sample.token_count} | {name: round(100 * share, 2) for name, share in shares.items()}


def forget(model: Any) -> None:
    """Empty what a model keeps of words."""
    from vnlp_colab.joint.joint_colab import JointAnalyzer
    from vnlp_colab.text.morphology import default_generator

    if not isinstance(model, JointAnalyzer):
        forget_words(model)
        return
    model._words.forget()
    model._answers._lemmatizer._remembered.forget()
    default_generator().forget()  # lemmas are looked up with it


def _forget_all(nlp: VNLPipeline) -> None:
    for model in {id(model): model for model in nlp.models.values()}.values():
        forget(model)


def inside_builders(sample: Sample, tokens: int) -> dict[str, tuple[Any, ...]]:
    """Return the sides of the model alone, the GPU first."""
    return {
        "inside the model, cuda": (inside_works, "cuda", sample, tokens),
        "inside the model, cpu": (inside_works, "cpu", sample, min(tokens, _TOKENS["cpu"])),
    }


def measure(
    data: Path | None, sentences: int, rounds: int, cores: int, device: str = "cpu", tokens: int = 1_000_000
) -> list[Row]:
    """Return the figures of all sides."""
    sample = draw_sample(data, sentences)
    builders: dict[str, tuple[Any, ...]] = (
        inside_builders(sample, tokens)
        if device == "cuda"
        else {
            f"{_FIVE}, {cores} threads": (works, VNLP_MODELS, cores, sample, True),
            f"joint network, {cores} threads": (works, JOINT, cores, sample, True),
            f"joint network, {cores} threads, {_COLD}": (works, JOINT, cores, sample, False),
            f"{_BOTH}, {cores} threads": (works, (*JOINT, "stemmer"), cores, sample, True),
            f"{_BOTH}, {cores} threads, {_COLD}": (works, (*JOINT, "stemmer"), cores, sample, False),
            "joint network, 1 thread": (works, JOINT, 1, sample, True),
            f"joint network, 1 thread, {_COLD}": (works, JOINT, 1, sample, False),
        }
        | {
            f"{_UDPIPE}, {size}": (udpipe_works, sample, training_text(data or UD_FOLDER, count))
            for size, count in _UDPIPE_SENTENCES.items()
        }
    )
    (outcome,) = take_turns("pipeline", builders, [sample], rounds)
    first = outcome.rows[0]
    for row in outcome.rows:
        if not row.skipped and not first.skipped:
            row.ratio = row.tokens_per_second / first.tokens_per_second
    return outcome.rows


def main() -> None:
    """Measure, print a table, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="UD treebanks (*-ud-test.conllu)")
    parser.add_argument("--sentences", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    told = "inside the model: tokens a turn and process, at least (default: 1,000,000 on a GPU, 20,000 on the CPU)"
    parser.add_argument("--tokens", type=int, help=told)
    parser.add_argument("--processes", type=int, nargs="+", metavar="N", help="inside the model: so many at once")
    parser.add_argument("--agreement", action="store_true", help="with --device cuda: compare labels with the CPU's")
    args = parser.parse_args()
    tokens = args.tokens or _TOKENS[args.device]
    if args.agreement:
        print(json.dumps(agreement(draw_sample(args.data, args.sentences))))
        return
    if args.processes:
        sample = draw_sample(args.data, args.sentences)
        for processes in args.processes:
            print(json.dumps(together(sample, tokens, processes, args.rounds, args.device)), flush=True)
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    rows = measure(args.data, args.sentences, args.rounds, cores, args.device, tokens)
    lines = []
    for row in rows:
        if row.skipped:
            lines.append((row.side, f"skipped: {row.skipped.splitlines()[-1]}", "", "", ""))
            continue
        ratio = f"{row.ratio:.1f}" if row.ratio else ""
        figures = (f"{row.tokens_per_second:,.0f}", f"{row.tokens_per_cpu_second:,.0f}", ratio)
        lines.append((row.side, *figures, f"{row.peak_memory >> 20:,}"))
    print(columns(("side", "tokens/s", "tokens/CPU s", "ratio", "peak MB"), lines))
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
