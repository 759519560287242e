"""Small networks of the real shapes with seeded random weights, and a folder of them as `convert` writes it.

The graphs are written out the plain way (full windows, ONNX ``GRU`` nodes), so they are an independent reference for
what the runtime cuts out of their weights.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from pathlib import Path

WINDOW, PIECES, VOCABULARY, DIMENSION = 40, 8, 200, 12
POS = ["", *"NOUN PUNCT VERB ADJ PROPN ADV DET CCONJ PRON NUM ADP AUX SCONJ X INTJ SYM PART".split()]  # noqa: SIM905
NER = ["", "O", "ORG", "PER", "LOC"]
DP = ["", "punct", "root", "parataxis", "nsubj", *(f"relation{number}" for number in range(44))]
TEXT = "ali eve geldi okula gitti ve kitap okudu ama çok yoruldu ankara güzel bir şehir , . : ; ! bugün yarın hava"
WORDS = TEXT.split()


class Writer:
    """Collects nodes and weights; half=True stores the weights as float16, as trained models are."""

    def __init__(self, seed: int, half: bool) -> None:
        self.rng = np.random.default_rng(seed)
        self.half = half
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, name: str, *shape: int) -> str:
        array = self.rng.normal(0, 1.5 / np.sqrt(shape[-1]), shape).astype(np.float16)
        if not self.half:
            self.weights.append(numpy_helper.from_array(array.astype(np.float32), name))
            return name
        self.weights.append(numpy_helper.from_array(array, name))
        self.nodes.append(helper.make_node("Cast", [name], [f"{name}/float32"], to=TensorProto.FLOAT))
        return f"{name}/float32"

    def constant(self, value: Any) -> str:
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, np.int64), name))
        return name

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"{kind}_{len(self.nodes)}_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def stack(self, block: str, value: str, width: int, units: int, layers: int, *, backwards: bool = False) -> str:
        """Keras layers over (time, rows, width); `backwards` reverses the input of each layer and nothing else."""
        state = ""
        for number in range(layers):
            if backwards:
                bounds = self.constant([-1]), self.constant([-(2**62)]), self.constant([0]), self.constant([-1])
                value = self.op("Slice", value, *bounds)
            name = f"{block}/gru_{number}"
            shapes = {"W": (1, 3 * units, width if number == 0 else units), "R": (1, 3 * units, units)}
            arrays = [self.weight(f"{name}/{part}", *shape) for part, shape in shapes.items()]
            arrays.append(self.weight(f"{name}/B", 1, 6 * units))
            value, state = self.op("GRU", value, *arrays, outputs=2, hidden_size=units, linear_before_reset=1)
            value = self.op("Squeeze", value, self.constant([1]))
        return str(self.op("Squeeze", state, self.constant([0])))

    def dense(self, number: int, value: str, width: int, units: int, activation: str) -> str:
        kernel, bias = self.weight(f"dense_{number}/kernel", width, units), self.weight(f"dense_{number}/bias", units)
        return str(self.op(activation, self.op("Add", self.op("MatMul", value, kernel), bias)))

    def model(self, inputs: list[tuple[str, int, list[int]]], output: str) -> bytes:
        self.nodes.append(helper.make_node("Identity", [output], ["output"]))
        values = [helper.make_tensor_value_info(name, kind, ["batch", *shape]) for name, kind, shape in inputs]
        out = helper.make_tensor_value_info("output", TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "small", values, [out], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        return bytes(model.SerializeToString())


def spucontext(history: str, classes: int, activation: str, *, units: int, layers: int, seed: int, half: bool) -> bytes:
    """A full-window SPUContext network."""
    w = Writer(seed, half)
    whole = 1 + 2 * WINDOW
    words = w.op("Concat", w.op("Unsqueeze", "word", w.constant([1])), "left", "right", axis=1)
    words = w.op("Reshape", words, w.constant([-1, PIECES]))
    vectors = w.op("Gather", w.weight("word/embedding", VOCABULARY, DIMENSION), words)
    encoded = w.stack("word", w.op("Transpose", vectors, perm=[1, 0, 2]), DIMENSION, units, layers)
    encoded = w.op("Transpose", w.op("Reshape", encoded, w.constant([-1, whole, units])), perm=[1, 0, 2])
    word, left, right = w.op("Split", encoded, w.constant([1, WINDOW, WINDOW]), outputs=3, axis=0)
    parts = [
        w.op("Squeeze", word, w.constant([0])),
        w.stack("left", left, units, units, layers),
        w.stack("right", right, units, units, layers, backwards=True),
        w.stack("history", w.op("Transpose", history, perm=[1, 0, 2]), classes, units, layers),
    ]
    value = w.dense(0, w.op("Concat", *parts, axis=1), 4 * units, 2 * units, "Relu")
    value = w.dense(1, value, 2 * units, units, "Relu")
    value = w.dense(2, value, units, classes, activation)
    ids = TensorProto.INT32
    inputs = [("word", ids, [PIECES]), ("left", ids, [WINDOW, PIECES]), ("right", ids, [WINDOW, PIECES])]
    return w.model([*inputs, (history, TensorProto.FLOAT, [WINDOW, classes])], value)


def sentiment(*, seed: int) -> bytes:
    """A small classifier of 256 pieces."""
    w = Writer(seed, half=False)
    vectors = w.op("Gather", w.weight("pieces/embedding", VOCABULARY, DIMENSION), "pieces")
    state = w.stack("text", w.op("Transpose", vectors, perm=[1, 0, 2]), DIMENSION, 8, 1)
    return w.model([("pieces", TensorProto.INT32, [256])], w.dense(0, state, 8, 1, "Sigmoid"))


def train_tokenizer(path: Path) -> None:
    """Train a SentencePiece model with the ids of the real one: 0 is the pad, 1 is unknown."""
    import io

    import sentencepiece

    rng = np.random.default_rng(0)
    letters = list("abcçdefgğhıijklmnoöprsştuüvyz")
    made = ["".join(rng.choice(letters, rng.integers(2, 12))) for _ in range(800)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(WORDS * 50 + made),
        model_writer=model,
        vocab_size=VOCABULARY,
        model_type="unigram",
        pad_id=0,
        unk_id=1,
        bos_id=-1,
        eos_id=-1,
        minloglevel=2,
    )
    path.write_bytes(model.getvalue())


def write_folder(folder: Path) -> Path:
    """Write PoS (1 layer), NER (2 layers, float16), DP (2 layers) and sentiment, with their manifest."""
    train_tokenizer(folder / "tokenizer.model")
    networks = {
        "PoS_SPUContext": (spucontext("lc_pos", 18, "Softmax", units=16, layers=1, seed=1, half=False), POS),
        "NER_SPUContext": (spucontext("lc_entity", 5, "Softmax", units=12, layers=2, seed=2, half=True), NER),
        "DP_SPUContext": (spucontext("lc_arc_label", 90, "Sigmoid", units=12, layers=2, seed=3, half=False), DP),
        "Sentiment_SPUCBiGRU": (sentiment(seed=4), []),
    }
    models = {}
    for stem, (content, labels) in networks.items():
        (folder / f"{stem}_prod.onnx").write_bytes(content)
        (folder / f"{stem}_labels.json").write_text(json.dumps(labels), encoding="utf-8")
        resources = {"tokenizer": "tokenizer.model", "labels": f"{stem}_labels.json"}
        entry = {"model": stem, "file": f"{stem}_prod.onnx", "weights": "prod", "resources": resources}
        models[f"{stem}_prod"] = {**entry, "opset": 13, "options": {"eval_is_prod": True}}
    files = {
        path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "size": path.stat().st_size}
        for path in sorted(folder.iterdir())
    }
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "models": models, "files": files}), encoding="utf-8")
    return folder


def random_sentences(lengths: list[int], seed: int = 0) -> list[list[str]]:
    """Sentences of the given lengths: known words, made-up ones, some of many pieces."""
    rng = np.random.default_rng(seed)
    letters = list("abcçdefgğhıijklmnoöprsştuüvyz")

    def word() -> str:
        return str(rng.choice(WORDS)) if rng.random() < 0.6 else "".join(rng.choice(letters, rng.integers(1, 20)))

    return [[word() for _ in range(length)] for length in lengths]
