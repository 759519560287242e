"""The joint network as three ONNX graphs, written operator by operator.

``words``
    pieces and affixes of distinct words → their vectors, which are kept.
``sentences``
    vectors, sentences as places in them, lengths and styles → scores of tags, features, lemmas, entities and arcs.
``choices``
    what is scored of few: the relations of likely arcs and how likely each is, and the sentiment of whole texts.

The eight-bit graphs are the files; for a GPU the same graphs are written in float16 or float32 from their weights.
Products in eight bits have one scale and zero point for each input, measured beforehand on text: what a sentence gets
does not depend on the sentences beside it, as it would with scales taken from every batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vnlp_colab.joint.network import HEAD_WIDTH, is_product, is_table, quantize_columns, quantize_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vnlp_colab.joint.network import Network

Precision = Literal["int8", "float16", "float32"]
OPSET = 17
_FUSED = "com.microsoft"
LONGEST = 1024  # rows of the table of angles; windows are much shorter
_EPSILON = 1e-5
# Ends of the names of outputs that only a measured graph has: the range of each number of a product's input.
LOW, HIGH = " low", " high"
# So many of the best lemmas and features are told, with their scores: what goes together is chosen among them.
CANDIDATES = 4
SCORES = "_scores"
LIKELY = "likely"


class Operand(NamedTuple):
    """A value that goes into products: in float, and in eight bits where they are done so."""

    value: str
    numbers: str = ""
    scale: str = ""
    zero: str = ""


class GraphWriter:
    """Nodes and weights in the making; products are written in the precision asked for."""

    def __init__(self, network: Network, precision: Precision, *, measured: bool = False) -> None:
        self.network = network
        self._measured = measured
        self.precision = precision
        self._float = np.float16 if precision == "float16" else np.float32
        self._nodes: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._weights: dict[str, np.ndarray] = {}

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output and return that output's name."""
        from onnx import helper

        name = f"_{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], domain=domain, **attributes))
        return name

    def constant(self, array: Any, name: str = "") -> str:
        """Add a constant; floats take the graph's precision."""
        value = np.asarray(array)
        if value.dtype.kind == "f":
            value = value.astype(self._float)
        name = name or f"_constant_{len(self._weights)}"
        self._weights[name] = np.array(value, order="C")
        return name

    def weight(self, name: str) -> str:
        """Add an array of the network under its own name."""
        return self.constant(self.network.arrays[name], name)

    def has(self, name: str) -> bool:
        """Tell whether the network has an array."""
        return name in self.network.arrays

    def operand(self, value: str, place: str) -> Operand:
        """Return a value as products take it; `place` names its range."""
        if self._measured:
            flat = self.op("Flatten", value, axis=-1)
            self.output(self.op("ReduceMin", flat, axes=[0], keepdims=0), f"{place}{LOW}")
            self.output(self.op("ReduceMax", flat, axes=[0], keepdims=0), f"{place}{HIGH}")
        if self.precision != "int8":
            return Operand(value)
        low, high = self.network.ranges[place]
        low, high = min(low, 0.0), max(high, 0.0)
        step = max(high - low, 1e-6) / 255
        scale = self.constant(np.float32(step), f"{place}.scale")
        zero = self.constant(np.uint8(np.clip(round(-low / step), 0, 255)), f"{place}.zero")
        return Operand(value, self.op("QuantizeLinear", value, scale, zero), scale, zero)

    def linear(self, source: Operand, name: str) -> str:
        """Multiply by a matrix of the network and add its bias, if it has one."""
        weight, bias = f"{name}.weight", f"{name}.bias"
        matrix = self.network.arrays[weight].T
        if self.precision == "int8" and is_product(weight):
            numbers, scales = quantize_columns(matrix)
            added = [self.weight(bias)] if self.has(bias) else []
            inputs = [
                source.numbers,
                self.constant(numbers, weight),
                source.scale,
                self.constant(scales, f"{weight}.scale"),
                source.zero,
                "",
                *added,
            ]
            return self.op("MatMulIntegerToFloat", *inputs, domain=_FUSED)
        product = self.op("MatMul", source.value, self.constant(matrix, weight))
        return self.op("Add", product, self.weight(bias)) if self.has(bias) else product

    def activate(self, value: str) -> str:
        """Apply the network's non-linearity."""
        if self.network.activation == "relu":
            return self.op("Relu", value)
        return self.op("Gelu", value, domain=_FUSED)

    def normalize(self, value: str, name: str) -> str:
        """Apply a layer norm."""
        bias = [self.weight(f"{name}.bias")] if self.has(f"{name}.bias") else []
        return self.op("LayerNormalization", value, self.weight(f"{name}.weight"), *bias, epsilon=_EPSILON)

    def rows(self, table: str, places: str) -> str:
        """Look vectors of a table up."""
        if self.precision == "int8" and is_table(table):
            numbers, scales = quantize_rows(self.network.arrays[table])
            found = self.op("Gather", self.constant(numbers, table), places)
            scale = self.op("Gather", self.constant(scales, f"{table}.scale"), places)
            return self.op("Mul", self.op("Cast", found, to=1), scale)
        return self.op("Gather", self.weight(table), places)

    def input(self, name: str, kind: str, shape: Sequence[int | str]) -> str:
        """Declare an input; floats are float32 outside whatever the graph computes in."""
        self._inputs.append(_value(name, kind, shape))
        return self._converted(name) if kind == "float" else name

    def output(self, value: str, name: str, kind: str = "float") -> None:
        """Declare an output; floats are float32 outside."""
        from onnx import helper

        if kind == "float" and self.precision == "float16":
            self._nodes.append(helper.make_node("Cast", [value], [name], to=1))
        else:
            self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(_value(name, kind, None))

    def best(self, scores: str, name: str, count: int) -> None:
        """Declare the numbers of the best classes as an output, best first, and their scores as another."""
        from onnx import helper

        values, numbers = f"_{name}_values", f"_{name}_numbers"
        inputs = [scores, self.constant([count])]
        self._nodes.append(helper.make_node("TopK", inputs, [values, numbers], axis=-1))
        self.output(numbers, name, "int64")
        self.output(values, f"{name}{SCORES}")

    def model(self, name: str) -> bytes:
        """Return the finished model, serialized."""
        from onnx import helper, numpy_helper

        weights = [numpy_helper.from_array(array, key) for key, array in self._weights.items()]
        made = helper.make_graph(self._nodes, name, self._inputs, self._outputs, weights)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_FUSED, 1)]
        model = helper.make_model(made, opset_imports=opsets, ir_version=8)
        serialized: bytes = model.SerializeToString()
        return serialized

    def _converted(self, name: str) -> str:
        return self.op("Cast", name, to=10) if self.precision == "float16" else name


def words_graph(network: Network, precision: Precision, *, measured: bool = False) -> bytes:
    """Return the graph of the words; a measured one gives the ranges of every product's input, too."""
    g = GraphWriter(network, precision, measured=measured)
    pieces = g.input("pieces", "int64", ["words", "pieces"])
    parts = [g.op("Flatten", g.rows("pieces.embedding", pieces), axis=1)]
    if g.has("pieces.affixes"):
        affixes = g.input("affixes", "int64", ["words", "affixes"])
        parts.append(g.op("Flatten", g.rows("pieces.affixes", affixes), axis=1))
    joined = g.op("Concat", *parts, axis=-1) if len(parts) > 1 else parts[0]
    x = g.linear(g.operand(joined, "pieces.compose.input"), "pieces.compose")
    for number in range(network.blocks):
        name = f"pieces.blocks.{number}"
        normed = g.operand(g.normalize(x, f"{name}.norm"), f"{name}.up.input")
        hidden = g.operand(g.activate(g.linear(normed, f"{name}.up")), f"{name}.down.input")
        x = g.op("Add", x, g.linear(hidden, f"{name}.down"))
    g.output(x, "vectors")
    return g.model("words")


def sentences_graph(network: Network, precision: Precision, *, measured: bool = False) -> bytes:
    """Return the graph of the sentences; a measured one gives the ranges of every product's input, too."""
    g = GraphWriter(network, precision, measured=measured)
    vectors = g.input("vectors", "float", ["words", network.width])
    places = g.input("places", "int64", ["sentences", "length"])
    lengths = g.input("lengths", "int32", ["sentences"])
    style = g.input("styles", "int64", ["sentences", 1])
    entity_style = g.input("entity_styles", "int64", ["sentences", 1])
    x = _layers(g, g.op("Add", g.op("Gather", vectors, places), g.rows("style", style)), lengths)
    x = g.activate(g.linear(g.operand(x, "mix.input"), "mix"))
    _heads(g, x, entity_style)
    g.output(_means(g, x, lengths), "means")
    g.output(x, "states")
    return g.model("sentences")


def choices_graph(network: Network, precision: Precision) -> bytes:
    """Return the graph of what is scored last: the relations of words to some heads, the sentiment of every text."""
    g = GraphWriter(network, precision)
    size = network.arrays["rel.head.weight"].shape[0]
    up = g.input("up", "float", ["sentences", "nodes", size])
    down = g.input("down", "float", ["sentences", "length", size])
    heads = g.input("heads", "int64", ["sentences", "length", "candidates"])
    means = g.input("means", "float", ["texts", network.width])
    chosen = g.op("GatherND", up, g.op("Unsqueeze", heads, g.constant([3])), batch_dims=1)
    each = g.op("Expand", g.op("Unsqueeze", down, g.constant([2])), g.op("Shape", chosen))
    pair = g.op("Concat", g.op("Mul", chosen, each), chosen, each, axis=-1)
    likely = g.op("LogSoftmax", g.linear(Operand(pair), "rel"), axis=-1)
    g.output(g.op("ArgMax", likely, axis=-1, keepdims=0), "relations", "int64")
    g.output(g.op("ReduceMax", likely, axes=[-1], keepdims=0), "certainties")
    g.output(likely, LIKELY)
    hidden = g.activate(g.linear(Operand(means), "sentiment.hidden"))
    g.output(g.op("Softmax", g.linear(Operand(hidden), "sentiment"), axis=-1), "sentiments")
    return g.model("choices")


def _layers(g: GraphWriter, x: str, lengths: str) -> str:
    angles = np.outer(np.arange(LONGEST), 10_000 ** -np.linspace(0, 1, HEAD_WIDTH // 2))
    cos, sin = g.constant(np.cos(angles), "_cos"), g.constant(np.sin(angles), "_sin")
    first = g.constant(np.zeros(1, np.int64))
    heads = g.network.heads

    def turned(value: str) -> str:
        return g.op(
            "RotaryEmbedding",
            value,
            first,
            cos,
            sin,
            domain=_FUSED,
            num_heads=heads,
            rotary_embedding_dim=HEAD_WIDTH,
        )

    for number in range(g.network.layers):
        name = f"layers.{number}"
        normed = g.operand(g.normalize(x, f"{name}.norm1"), f"{name}.qkv.input")
        query, key, value = (g.linear(normed, f"{name}.{part}") for part in "qkv")
        mixed = g.op(
            "MultiHeadAttention",
            turned(query),
            turned(key),
            value,
            "",
            lengths,
            domain=_FUSED,
            num_heads=heads,
        )
        x = g.op("Add", x, g.linear(g.operand(mixed, f"{name}.out.input"), f"{name}.out"))
        normed = g.operand(g.normalize(x, f"{name}.norm2"), f"{name}.up.input")
        gated = g.op("Mul", g.activate(g.linear(normed, f"{name}.gate")), g.linear(normed, f"{name}.value"))
        # Sum, not Add, at the end: onnxruntime would fuse Add and the last norm into SkipLayerNormalization, whose
        # kernel takes eight times as long as the two.
        join = "Sum" if number == g.network.layers - 1 else "Add"
        x = g.op(join, x, g.linear(g.operand(gated, f"{name}.down.input"), f"{name}.down"))
    return g.normalize(x, "norm")


def _heads(g: GraphWriter, x: str, entity_style: str) -> None:
    states = g.operand(x, "heads.input")
    g.output(g.linear(states, "upos"), "upos")
    for name in ("lemma", "feats"):
        g.best(g.linear(states, name), name, min(CANDIDATES, g.network.arrays[f"{name}.bias"].shape[0]))
    hidden = g.activate(g.op("Add", g.linear(states, "entity.hidden"), g.rows("entity.style", entity_style)))
    g.output(g.linear(g.operand(hidden, "entity.input"), "entity"), "entity")
    deps = g.operand(g.activate(g.linear(states, "arc.dep")), "arc.product.input")
    nodes = _with_root(g, g.activate(g.linear(states, "arc.head")), "arc.root")
    arcs = g.op("MatMul", g.linear(deps, "arc.product"), g.op("Transpose", nodes, perm=[0, 2, 1]))
    g.output(arcs, "arcs")
    g.output(_with_root(g, g.activate(g.linear(states, "rel.head")), "rel.root"), "up")
    g.output(g.activate(g.linear(states, "rel.dep")), "down")


def _with_root(g: GraphWriter, nodes: str, name: str) -> str:
    """Put the root's vector before those of the words of every sentence."""
    size = g.network.arrays[name].shape[0]
    sentences = g.op("Slice", g.op("Shape", nodes), g.constant([0]), g.constant([1]))
    shape = g.op("Concat", sentences, g.constant([1, size]), axis=0)
    return g.op("Concat", g.op("Expand", g.weight(name), shape), nodes, axis=1)


def _means(g: GraphWriter, x: str, lengths: str) -> str:
    """Return the mean of the vectors of every sentence's words."""
    length = g.op("Gather", g.op("Shape", x), g.constant(np.int64(1)))
    numbers = g.op("Range", g.constant(np.int64(0)), length, g.constant(np.int64(1)))
    ends = g.op("Unsqueeze", g.op("Cast", lengths, to=7), g.constant([1]))
    kind = 10 if g.precision == "float16" else 1
    there = g.op("Cast", g.op("Less", numbers, ends), to=kind)
    share = g.op("Div", there, g.op("Cast", ends, to=kind))
    return g.op("Squeeze", g.op("MatMul", g.op("Unsqueeze", share, g.constant([1])), x), g.constant([1]))


def _value(name: str, kind: str, shape: Sequence[int | str] | None) -> Any:
    from onnx import TensorProto, helper

    kinds = {"float": TensorProto.FLOAT, "int64": TensorProto.INT64, "int32": TensorProto.INT32}
    return helper.make_tensor_value_info(name, kinds[kind], shape)
