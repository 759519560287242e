"""What is compared: each task with Keras, with a plain conversion, stepwise and incrementally.

The first three read full windows. They run the same code around the network (the package's own stepwise one), so that
the network is all that differs. A position costs them the same wherever it is, so where a run has to be short they
label the first words of each sentence only; ours always label all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.workers import SideError, Work
from vnlp_colab.registry import front_model
from vnlp_colab.resources import find_model
from vnlp_colab.runtime import SessionOptions, create_session, cuda_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.text import Sample
    from vnlp_colab import VNLPipeline
    from vnlp_colab.runtime import Device

# by sentence and position (and by task before them, where there are several)
Answers = dict[tuple[Any, ...], Any]


@dataclass(frozen=True)
class Plan:
    """How much the slow sides do.

    Attributes
    ----------
    positions
        Words of each sentence that full windows of the context models label in a timed run; ``None`` is all.
    check_all
        Whether Keras and the plain conversion label every word once, untimed, to compare.
    stepwise_step, stemmer_step
        Which sentences our stepwise decoding and the full windows of the stemmer get: every second, fourth, ...
    """

    positions: int | None
    check_all: bool
    stepwise_step: int
    stemmer_step: int


# stem of the model file, module and class of the model, builder of its Keras network
TASKS = {
    "pos": ("PoS_SPUContext", "vnlp_colab.pos.pos_colab", "SPUContextPoS", "create_spucontext_pos_model"),
    "ner": ("NER_SPUContext", "vnlp_colab.ner.ner_colab", "SPUContextNER", "create_spucontext_ner_model"),
    "dep": ("DP_SPUContext", "vnlp_colab.dep.dep_colab", "SPUContextDP", "create_spucontext_dp_model"),
    "stemmer": ("Stemmer_Shen", "vnlp_colab.stemmer.stemmer_colab", "StemmerAnalyzer", "create_stemmer_model"),
    "charner": ("NER_CharNER", "vnlp_colab.ner.charner", "CharNER", "create_charner_model"),
    "sentiment": (
        "Sentiment_SPUCBiGRU",
        "vnlp_colab.sentiment.sentiment_colab",
        "SPUCBiGRUSentimentAnalyzer",
        "create_spucbigru_sentiment_model",
    ),
}
CONTEXT_TASKS = {"pos": (18,), "ner": (5,), "dep": (41, 49)}
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
PIPELINE_TASKS = ("pos", "ner", "dep", "stemmer", "sentiment")
# VNLP's five networks by name: the pipeline's own default is another.
VNLP_MODELS = tuple(f"{task}:{front_model(task)}" for task in PIPELINE_TASKS)


class KerasSession:
    """A Keras network under ``tf.function``, in the clothes of an onnxruntime session."""

    def __init__(self, builder: str, stem: str, device: Device) -> None:
        import tensorflow as tf

        from benchmarks.weights import fill_network
        from vnlp_colab import keras_models
        from vnlp_colab.conversion.graph import hide_gpus

        self._device = device
        if device == "cpu":
            hide_gpus()
        else:
            _set_up_gpu(tf)

        model = getattr(keras_models, builder)()
        fill_network(model.layers, find_model(stem).path)
        specs = [tf.TensorSpec(value.shape, value.dtype, name=value.name) for value in model.inputs]
        self._inputs = specs
        # one trace for every batch size
        self._call = tf.function(lambda *arrays: model(list(arrays), training=False), input_signature=specs)

    def run(self, _: object, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Return the network's output, as a session does."""
        return [self._call(*feed.values()).numpy()]

    def get_inputs(self) -> list[Any]:
        """Return names and shapes of the inputs."""
        return self._inputs

    def get_outputs(self) -> list[Any]:
        """Return what stands for the output; its name is not used."""
        return self._inputs[:1]

    def get_providers(self) -> list[str]:
        """Return onnxruntime's name for where the network runs."""
        return [PROVIDERS[self._device]]


def _set_up_gpu(tf: Any) -> None:
    """Let TensorFlow compute in float32, as our sessions do, and take no more memory than it needs."""
    gpus = tf.config.list_physical_devices("GPU")
    if not gpus:
        raise SideError("TensorFlow finds no GPU (pip install 'tensorflow[and-cuda]')")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    tf.config.experimental.enable_tensor_float_32_execution(False)


def plain_session(stem: str, device: Device) -> Any:
    """Return a session of the plain conversion with onnxruntime's own settings (but float32 on a GPU, too)."""
    import onnxruntime

    from benchmarks.plain_conversion import plain_path

    path = plain_path(stem)
    if not path.exists():
        raise SideError(f"not converted yet: python -m benchmarks.plain_conversion {stem}")
    problem = cuda_problem() if device == "cuda" else None
    if problem:
        raise SideError(problem)
    providers = [(PROVIDERS["cuda"], {"use_tf32": "0"})] if device == "cuda" else []
    return onnxruntime.InferenceSession(str(path), providers=[*providers, PROVIDERS["cpu"]])


def full_window_works(task: str, network: str, samples: Sequence[Sample], plan: Plan, device: Device) -> list[Work]:
    """Return the works of full windows, a batch of rows at a time.

    `network` is "keras", "plain" (the plain conversion) or "stepwise" (our ``.onnx`` file).
    """
    stem, module, name, builder = TASKS[task]
    session: Any
    if network == "keras":
        session = KerasSession(builder, stem, device)
    elif network == "plain":
        session = plain_session(stem, device)
    else:
        session = create_session(find_model(stem).path, device)
    if task in CONTEXT_TASKS:
        return [_context_work(task, session, sample, plan) for sample in samples]
    # threads=1: one run at a time, of a batch of rows; TensorFlow and onnxruntime use all cores within it
    import vnlp_colab.annotator.model as interface

    interface.create_session = lambda *_, **__: session  # type: ignore[attr-defined]
    step = plan.stemmer_step if task == "stemmer" else 1
    model = load(task, stepwise=True, options=SessionOptions(threads=1), device=device)
    if model.inference_session is not session:
        raise SideError(f"{name} does not take its session from vnlp_colab.annotator.model any more")

    def with_rows(call: Callable[[], Any], rows: int) -> Callable[[], Any]:
        def run() -> Any:
            _set_rows(module, rows)
            return call()

        return run

    works = []
    for sample in samples:
        work = _numbered_from(_model_work(task, model, sample.part(slice(0, None, step))), step)
        run, answers = with_rows(work.run, sample.batch), with_rows(work.answers, sample.batch)
        works.append(replace(work, run=run, answers=answers))
    return works


def _set_rows(module: str, rows: int) -> None:
    """Set how many rows a model's module runs at a time."""
    loaded: Any = import_module(module)
    if hasattr(loaded, "_STEPWISE_ROWS"):
        loaded._STEPWISE_ROWS = rows
    else:
        loaded._ROWS = dict.fromkeys(loaded._ROWS, rows)


def load(task: str, *, stepwise: bool = False, options: SessionOptions | None = None, device: Device = "cpu") -> Any:
    """Return a new model of a task."""
    _, module, name, _ = TASKS[task]
    decoding = {} if task in ("charner", "sentiment") else {"decoding": "stepwise" if stepwise else "incremental"}
    return getattr(import_module(module), name)(device=device, options=options, **decoding)


def _context_work(task: str, session: Any, sample: Sample, plan: Plan) -> Work:
    from vnlp_colab.decoding.stepwise import EncodedSentence, full_windows
    from vnlp_colab.pieces.pieces import PieceTokenizer
    from vnlp_colab.runtime import input_names
    from vnlp_colab.spucontext.model import SIGNATURE

    fields = CONTEXT_TASKS[task]
    names = input_names(session)
    window, width = session.get_inputs()[1].shape[1:]
    tokenizer = PieceTokenizer(find_model(TASKS[task][0]).resource("tokenizer"))
    # made beforehand: a run that labels some of the words only must not pay for the pieces of all
    pieces_of = [EncodedSentence((tokenizer.word_pieces(tokens, width)[0],)) for tokens in sample.tokens]

    def label(limit: int | None) -> Answers:
        found: Answers = {}
        for place in sample.batches():
            # the longest first, so that those still running are always the first ones
            rows = list(range(place.start, place.stop))[::-1]
            pieces = [pieces_of[row] for row in rows]
            histories = [np.zeros((len(sentence), sum(fields)), np.float32) for sentence in pieces]
            for position in range(min(limit or len(pieces[0]), len(pieces[0]))):
                running = sum(len(sentence) > position for sentence in pieces)
                arrays = full_windows(pieces[:running], histories[:running], position, SIGNATURE, window)
                scores = session.run(None, dict(zip(names, arrays, strict=True)))[0]
                for row, history, classes in zip(rows, histories, _classes(scores, fields).tolist(), strict=False):
                    found[row, position] = tuple(classes)
                    history[position, np.add(classes, [0, *np.cumsum(fields)[:-1]])] = 1
        return found

    limit = plan.positions
    count = sum(min(len(tokens), limit or len(tokens)) for tokens in sample.tokens)
    return Work(lambda: label(limit), count, lambda: label(None if plan.check_all else limit))


def our_works(task: str, kind: str, samples: Sequence[Sample], plan: Plan, device: Device) -> list[Work]:
    """Return ours: "stepwise", "cold" (incremental with empty caches), "warm", or "ours" where there is one way."""
    step = plan.stepwise_step if kind == "stepwise" else 1
    model = load(task, stepwise=kind == "stepwise", device=device)
    works = [_model_work(task, model, sample.part(slice(0, None, step)), cold=kind == "cold") for sample in samples]
    return [_numbered_from(work, step) for work in works]


def _numbered_from(work: Work, step: int) -> Work:
    """Return work on every `step`th sentence with its answers under the sentences' own numbers."""
    answers = work.answers
    return replace(work, answers=lambda: {(row * step, at): label for (row, at), label in answers().items()})


def _model_work(task: str, model: Any, sample: Sample, *, cold: bool = False) -> Work:
    inputs: list[Any] = sample.texts if task == "sentiment" else sample.tokens

    def run() -> list[Any]:
        return [model.predict_batch(inputs[place]) for place in sample.batches()]

    def answers() -> Answers:
        if task in CONTEXT_TASKS:
            scores = [score for place in sample.batches() for score in model.scores(sample.tokens[place])]
            return {
                (row, at): tuple(classes)
                for row, score in enumerate(scores)
                for at, classes in enumerate(_classes(score, CONTEXT_TASKS[task]).tolist())
            }
        found = [answer for batch in run() for answer in batch]
        if task == "sentiment":
            return {(row, 0): answer for row, answer in enumerate(found)}
        return {(row, at): answer for row, answers in enumerate(found) for at, answer in enumerate(answers)}

    return Work(run, sample.token_count, answers, (lambda: forget(model)) if cold else lambda: None)


def _classes(scores: np.ndarray, fields: tuple[int, ...]) -> np.ndarray:
    parts = np.split(scores, np.cumsum(fields)[:-1], axis=1)
    return np.stack([part.argmax(axis=1) for part in parts], axis=1)


def pipeline_works(kind: str, samples: Sequence[Sample], device: Device) -> list[Work]:
    """Return the works of the whole pipeline, a table in and a table out, with "cold" or "warm" caches."""
    from vnlp_colab import VNLPipeline

    pipeline = VNLPipeline(list(VNLP_MODELS), device=device)
    return [_table_work(pipeline, kind, sample) for sample in samples]


def _table_work(pipeline: VNLPipeline, kind: str, sample: Sample) -> Work:
    import pandas as pd

    table = pd.DataFrame({"sentence": sample.texts})

    def answers() -> Answers:
        result = pipeline.process_dataframe(table, sample.batch)
        found: Answers = {}
        for task in ("pos", "ner"):
            tagger: Any = pipeline.models[task]
            number = {name: (place,) for place, name in enumerate(tagger.labels)}
            found |= {
                (task, row, at): number[name] for row, names in enumerate(result[task]) for at, name in enumerate(names)
            }
        found |= {
            ("stemmer", row, at): text for row, texts in enumerate(result["morph"]) for at, text in enumerate(texts)
        }
        return found | {("sentiment", row, 0): int(score > 0.5) for row, score in enumerate(result["sentiment"])}

    def run() -> None:
        pipeline.process_dataframe(table, sample.batch)

    def forget_all() -> None:
        for model in pipeline.models.values():
            forget(model)

    return Work(run, sample.token_count, answers, forget_all if kind == "cold" else lambda: None)


def forget(model: Any) -> None:
    """Empty a model's caches: words, stems, tags and candidate analyses are then met for the first time."""
    words = getattr(model, "_words", None)
    if words is not None:
        words._kept.clear()
    scorer = getattr(model, "_scorer", None)
    if scorer is not None:
        for cache in (scorer._words, scorer._stems, scorer._tags):
            cache.clear()
        model._generator.forget()
