"""The two graphs that decode a batch of sentences: contexts of all words first, then labels from left to right.

What enters are the vectors of the distinct words and lists of row numbers (`vnlp_colab.decoding.plan` makes them);
what comes out are the class scores of every word. No step returns to Python in between, and on a GPU no state leaves
the device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.recurrent import Cell, ChainInputs, Projected, gather, growing_chains
from vnlp_colab.recurrent.graph import Body, Graph, Kind, Stack, Trip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vnlp_colab.decoding.network import DecoderNetwork
    from vnlp_colab.recurrent import GRUWeights

_INT64 = 7  # onnx.TensorProto.INT64


def context_graph(network: DecoderNetwork, *, unrolled: bool = False) -> bytes:
    """Return the model that makes all of the first dense layer but the history's share, of words and contexts.

    `unrolled` writes the steps out, as many as the window has words: on a GPU no step then waits for the CPU; on the
    CPU it would cost a copy of packed weights for each step.
    """
    graph = Graph()
    vectors = graph.input("vectors", "float", ["words", network.width])
    steps = network.window if unrolled else None
    values = {"word": vectors}
    if network.left:
        values["left"] = _left_states(graph, network, vectors, steps)
    values["right"] = _right_states(graph, network, vectors, steps)
    # rows in the order words are labelled: all first words, all second words, ...
    _output_known(
        graph,
        network,
        [
            graph.op("Gather", value, graph.input(f"{name}_order", "int64", ["tokens"]), axis=0)
            for name, value in values.items()
        ],
    )
    return graph.model()


def window_context_graph(network: DecoderNetwork) -> bytes:
    """Return the model that makes what `context_graph` makes, by one ``GRU`` node a layer over all of each window.

    It reads every word some forty times and the pads too, but in few nodes: on a GPU, where the chains' many small
    steps wait for their launches, it is faster until there are thousands of words. Inputs: `plan.window_feed`.
    """
    graph = Graph()
    # a pad is a word like any other: row 0, before the words
    pad = graph.weight(network.pad[None], "pad_word")
    vectors = graph.op("Concat", pad, graph.input("vectors", "float", ["words", network.width]), axis=0)
    padded = graph.input("padded", "int64", ["padded_size"])
    places = graph.input("places", "int64", ["tokens"])
    far_end_first = np.arange(network.window, 0, -1)[:, None]
    parts = [graph.op("Gather", vectors, graph.op("Gather", padded, places, axis=0), axis=0)]
    for name, layers, distances in (
        ("left", network.left, -far_end_first),
        ("right", network.right, far_end_first),
    ):
        if layers:
            window = graph.op("Add", places, graph.weight(distances, f"{name}/distances"))
            values = graph.op("Gather", vectors, graph.op("Gather", padded, window, axis=0), axis=0)
            parts.append(_over_windows(graph, layers, name, values, network.window, turned=name == "right"))
    _output_known(graph, network, parts)
    return graph.model()


def _over_windows(
    graph: Graph, layers: Sequence[GRUWeights], name: str, values: str, window: int, *, turned: bool
) -> str:
    """Return a stack's last states over `values` (window, rows, units).

    Of a `turned` stack each layer after the first reads the outputs of the one before from the last to the first.
    """
    state = values
    for number, layer in enumerate(layers):
        weights = [
            graph.weight(array[None], f"{name}/{number}/{part}")
            for part, array in (
                ("W", layer.kernel.T),
                ("R", layer.recurrent.T),
                ("B", np.concatenate([layer.input_bias, layer.recurrent_bias])),
            )
        ]
        if number:
            values = graph.op("Squeeze", values, graph.weight([1], "directions"))
        if number and turned:
            values = graph.op("Gather", values, graph.weight(np.arange(window)[::-1], "backwards"), axis=0)
        values, state = graph.ops("GRU", 2, values, *weights, hidden_size=layer.units, linear_before_reset=1)
    return graph.op("Squeeze", state, graph.weight([0], "first_row"))


def _output_known(graph: Graph, network: DecoderNetwork, parts: Sequence[str]) -> None:
    """Make the first dense layer's sums, but for the history, of the words and both their contexts."""
    first = network.dense[0]
    kernel = graph.weight(first.kernel[: network.history_row], "dense_0/known")
    known = graph.op("Gemm", graph.op("Concat", *parts, axis=1), kernel, graph.weight(first.bias, "dense_0/bias"))
    graph.output(known, "known")


def label_graph(
    network: DecoderNetwork, fields: Sequence[int], *, sliding: bool = False, steps: int | None = None
) -> bytes:
    """Return the model that labels the words whose ``known`` the context graph has made.

    Parameters
    ----------
    network
        The weights.
    fields
        The sizes of the label fields: ``[18]`` for PoS, ``[41, 49]`` for arcs and relations. Each field's best class
        is one 1 in the history vector of the next words.
    sliding
        Whether sentences may be longer than the window, so that history chains also begin while decoding.
    steps
        Write so many steps out (see `context_graph`), for sentences of at most so many words.
    """
    graph = Graph()
    known = graph.input("known", "float", ["tokens", network.dense[0].bias.shape[0]])
    _decode(graph, network, fields, known, sliding=sliding, steps=steps)
    return graph.model()


def _left_states(graph: Graph, network: DecoderNetwork, vectors: str, steps: int | None) -> str:
    read = ChainInputs.declare(graph, "left", steps)
    pads = graph.input("left_pads", "int64", ["left_chains"])
    cells = [Cell(graph, layer, f"left/{number}") for number, layer in enumerate(network.left)]
    starts = [
        graph.op("Gather", graph.weight(table, f"left/{number}/pads"), pads, axis=0)
        for number, table in enumerate(network.left_pads)
    ]
    ends, _ = growing_chains(graph, cells, read, cells[0].project(graph, vectors), starts)
    return ends[-1]


def _right_states(graph: Graph, network: DecoderNetwork, vectors: str, steps: int | None) -> str:
    """Run the right stack, each layer of which reads the outputs of the one before in reversed order.

    Layer 1 reads pads, then the window from its far end: a chain that starts at a pad state. Layer 2 reads the outputs
    for the words from the near end, then those for the pads, which are the same for all chains; so all its chains
    take ``window`` steps from zero and at step ``s`` those with fewer than ``s + 1`` words read one constant row. Any
    further layer reads a full sequence of its own.
    """
    read = ChainInputs.declare(graph, "right", steps)
    pads = graph.input("right_pads", "int64", ["right_chains"])
    cells = [Cell(graph, layer, f"right/{number}") for number, layer in enumerate(network.right)]
    pad_table = graph.weight(network.right_pads, "right/pads")
    start = graph.op("Gather", pad_table, pads, axis=0)
    deep = len(cells) > 1
    ends, outputs = growing_chains(graph, cells[:1], read, cells[0].project(graph, vectors), [start], keep_outputs=deep)
    states = ends[0]
    for number, cell in enumerate(cells[1:], start=1):
        deeper = number + 1 < len(cells)
        if number == 1 and outputs is not None:
            # step s reads the pad output number (window - s): rows in the order they are read
            pad_rows = network.right[1].project(network.right_pads[:0:-1])
            constant = cell.table(graph, pad_rows, "right/1/pad_inputs")
            states, outputs = _near_end_first(graph, cell, read, outputs, constant, network.window, start, deeper)
        elif outputs is not None:
            states, outputs = _reversed_again(graph, cell, read, outputs, network.window, start, deeper)
    return states


def _near_end_first(
    graph: Graph, cell: Cell, read: ChainInputs, outputs: Stack, pads: Projected, window: int, like: str, deeper: bool
) -> tuple[str, Stack | None]:
    """Run the second right layer: words, nearest first, then pads."""
    first_row = graph.weight([0], "first_row")
    last_step = None if read.steps else graph.op("Sub", str(read.trips(graph)), graph.weight(1, "one"))

    def words(inner: Graph, trip: Trip) -> tuple[str, str]:
        """Return how many chains read a word at this step, and layer 1's outputs for it."""
        if isinstance(trip, int):
            return inner.step_value(read.counts, window - trip), outputs[window - 1 - trip]
        # layer 1 read this word at step (last_step - trip); before its first step there are only pads
        step, zero = inner.op("Sub", str(last_step), trip), graph.weight(0, "zero")
        inside = inner.op("Max", step, zero)
        count = inner.step_value(read.counts, inner.later(inside))
        is_word = inner.op("Cast", inner.op("GreaterOrEqual", step, zero), to=_INT64)
        count = inner.op("Mul", count, is_word)
        return count, inner.rows(inner.op("Gather", str(outputs), inside, axis=0), first_row, count)

    def body(inner: Graph, trip: Trip, states: list[str]) -> tuple[list[str], list[str]]:
        count, inputs = words(inner, trip)
        with_words = cell.step(inner, inner.rows(states[0], first_row, count), cell.project(inner, inputs))
        row = inner.weight([trip]) if isinstance(trip, int) else inner.op("Reshape", trip, inner.weight([1], "vector"))
        with_pads = cell.step(inner, inner.rows(states[0], count), gather(inner, pads, row))
        new = inner.op("Concat", with_words, with_pads, axis=0)
        return [new], [new] if deeper else []

    return _from_zero(graph, body, window, like, read, deeper)


def _reversed_again(
    graph: Graph, cell: Cell, read: ChainInputs, outputs: Stack, window: int, like: str, deeper: bool
) -> tuple[str, Stack | None]:
    """Run a third or later right layer over all outputs of the one before, last one first."""

    def body(inner: Graph, trip: Trip, states: list[str]) -> tuple[list[str], list[str]]:
        if isinstance(trip, int):
            inputs = outputs[window - 1 - trip]
        else:
            step = inner.op("Sub", graph.weight(window - 1, "last_step"), trip)
            inputs = inner.op("Gather", str(outputs), step, axis=0)
        new = cell.step(inner, states[0], cell.project(inner, inputs))
        return [new], [new] if deeper else []

    return _from_zero(graph, body, window, like, read, deeper)


def _from_zero(
    graph: Graph, body: Body, window: int, like: str, read: ChainInputs, deeper: bool
) -> tuple[str, Stack | None]:
    start = graph.op("Mul", like, graph.weight(np.zeros(1, np.float32), "zero_float"))
    states, outputs = graph.loop(read.steps or graph.weight(window, "window"), [(start, "float")], body)
    return states[0], outputs[0] if deeper else None


def _decode(
    graph: Graph, network: DecoderNetwork, fields: Sequence[int], known: str, *, sliding: bool, steps: int | None
) -> None:
    """Label the words: at trip ``i`` the history chains read the labels of word ``i``, then word ``i + 1`` is labelled.

    Chains are sorted by falling position of their word, then by sentence; those of one position are the sentences that
    reach it, which are the first ones. ``history_begins`` and ``history_ends`` bound the chains at work.
    """
    pads = graph.input("history_pads", "int64", ["history_chains"])
    sentence = graph.input("history_sentence", "int64", ["history_chains"])
    ends = graph.step_input("history_ends", steps)  # chains of words from this position on
    tokens = graph.step_input("token_offsets", steps)
    begins = graph.step_input("history_begins", steps) if sliding else None
    cells = [Cell(graph, layer, f"history/{number}") for number, layer in enumerate(network.history)]
    tables = _label_tables(graph, network, cells[0], fields)
    starts = [
        graph.op("Gather", graph.weight(table, f"history/{number}/pads"), pads, axis=0)
        for number, table in enumerate(network.history_pads)
    ]
    first_row = graph.weight([0], "first_row")
    zero: Trip = graph.weight(0, "zero") if steps is None else 0
    first_known = graph.rows(known, graph.step_value(tokens, zero), graph.step_value(tokens, graph.later(zero)))
    no_history = graph.weight(network.history_pads[-1][-1:], "history/none")
    first_scores = _scores(graph, network, no_history, first_known)

    def body(inner: Graph, trip: Trip, carried: list[str]) -> tuple[list[str], list[str]]:
        labels, states = carried[: len(fields)], carried[len(fields) :]
        position = inner.later(trip)
        following = inner.later(position)
        end, next_end = inner.step_value(ends, position), inner.step_value(ends, following)
        token, next_token = inner.step_value(tokens, position), inner.step_value(tokens, following)
        begin, keep_end = first_row, next_end
        if begins is not None:
            begin, fresh_end = inner.step_value(begins, position), inner.step_value(begins, trip)
            states = [
                inner.op("Concat", inner.rows(start, begin, fresh_end), state, axis=0)
                for start, state in zip(starts, states, strict=True)
            ]
            keep_end = inner.op("Sub", next_end, begin)
        of_row = inner.rows(sentence, begin, end)
        projected = _label_inputs(inner, tables, [inner.op("Gather", label, of_row, axis=0) for label in labels])
        new: list[str] = []
        for cell, state in zip(cells, states, strict=True):
            if new:
                projected = cell.project(inner, new[-1])
            new.append(cell.step(inner, state, projected))
        scores = _scores(inner, network, inner.rows(new[-1], keep_end), inner.rows(known, token, next_token))
        carried = [*_best(inner, fields, scores), *(inner.rows(state, first_row, keep_end) for state in new)]
        if steps is None:
            # what a Loop stacks has to have one shape: sentences that have ended have their first word's scores there
            ended = inner.rows(first_scores, inner.op("Sub", next_token, token))
            scores = inner.op("Concat", scores, ended, axis=0)
        return carried, [scores]

    if begins is not None:
        starts_now = [graph.rows(start, graph.step_value(begins, zero)) for start in starts]
    else:
        starts_now = starts
    carried: list[tuple[str, Kind]] = [(label, "int64") for label in _best(graph, fields, first_scores)]
    carried += [(start, "float") for start in starts_now]
    trips: str | int
    if steps is None:
        positions = graph.op("Gather", graph.op("Shape", ends), graph.weight(0, "zero"), axis=0)
        trips = graph.op("Sub", positions, graph.weight(2, "number_2"))
    else:
        trips = steps - 1
    _, (scores,) = graph.loop(trips, carried, body)
    graph.output(first_scores, "first_scores")
    graph.output(scores if isinstance(scores, str) else graph.op("Concat", *scores, axis=0), "scores")


def _scores(graph: Graph, network: DecoderNetwork, history: str, known: str) -> str:
    """Return the class scores of rows, from the history's state and what is known of the rest of the first layer."""
    kernel = graph.weight(network.dense[0].kernel[network.history_row :], "dense_0/history")
    hidden = graph.op("MatMul", history, kernel)
    hidden = graph.op("Relu", graph.op("Add", hidden, known))
    for number, dense in enumerate(network.dense[1:], start=1):
        kernel, bias = (
            graph.weight(dense.kernel, f"dense_{number}/kernel"),
            graph.weight(dense.bias, f"dense_{number}/bias"),
        )
        hidden = graph.op("Gemm", hidden, kernel, bias)
        if number + 1 < len(network.dense):
            hidden = graph.op("Relu", hidden)
    return graph.op("Softmax", hidden, axis=1) if network.activation == "Softmax" else graph.op("Sigmoid", hidden)


def _best(graph: Graph, fields: Sequence[int], scores: str) -> list[str]:
    """Return the best class of each field; of the scores, not the logits, so that ties fall as they do in Keras."""
    parts = [scores]
    if len(fields) > 1:
        sizes = graph.weight(list(fields), "fields")
        parts = graph.ops("Split", len(fields), scores, sizes, axis=1)
    return [graph.op("ArgMax", part, axis=1, keepdims=0) for part in parts]


def _label_tables(graph: Graph, network: DecoderNetwork, cell: Cell, fields: Sequence[int]) -> list[Projected]:
    """Return what each label adds to the first history layer: a row of its kernel, the bias with the first field."""
    layer = network.history[0]
    kernels = np.split(layer.kernel, np.cumsum(fields)[:-1])
    kernels[0] = kernels[0] + layer.bias
    return [cell.table(graph, kernel, f"history/labels_{number}") for number, kernel in enumerate(kernels)]


def _label_inputs(graph: Graph, tables: Sequence[Projected], labels: Sequence[str]) -> Projected:
    rows = [gather(graph, table, label) for table, label in zip(tables, labels, strict=True)]
    total = rows[0]
    for other in rows[1:]:
        total = Projected(*(graph.op("Add", *pair) for pair in zip(total, other, strict=True)))
    return total
