"""The two contexts of words as chains of word vectors, and the choice they make among the candidates.

Left rows read forward, right rows read backward. Where the pad words come first (right context, and left context of
the layout "store") a row starts from the state after so many pads, kept in a table, and reads its words. Where they
come last (left context of the layout "wheel") all rows of a sentence share their beginning: it is read once, and each
row goes on from its place with the pads that are left (`vnlp_colab.stemmer.resting`). Either way, words more than 40
away are outside the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.recurrent import Cell, ChainInputs, Projected, growing_chains, rows_in_threads, unroll_feed
from vnlp_colab.recurrent.graph import Graph
from vnlp_colab.recurrent.gru import states_after_pads
from vnlp_colab.runtime import Device, SessionOptions, create_shared_session, resolve_device
from vnlp_colab.stemmer.inputs import CANDIDATES, WINDOW, PaddingLayout
from vnlp_colab.stemmer.plan import Choices, context_feed
from vnlp_colab.stemmer.resting import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vnlp_colab.recurrent.gru import GRUWeights
    from vnlp_colab.stemmer.plan import NumberedSentences
    from vnlp_colab.stemmer.resting import Resting

_LEAST_ROWS = 32  # fewer are not worth a thread


class ContextReader:
    """The part of the network after the words and the analyses are vectors.

    Parameters
    ----------
    weights
        The model file's weights by name.
    layout
        Where the pad words of the left context stand.
    left, right
        The two context GRUs.
    pads
        The pad word's row of the table of words.
    resting
        What of the left GRU comes to rest on pads, if it is known; for graphs with loops and pads that come last.
    unrolled
        Whether the graph's loops are written out; by default on a GPU alone, where a loop waits at every step.
    """

    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        layout: PaddingLayout,
        left: GRUWeights,
        right: GRUWeights,
        pads: np.ndarray,
        *,
        resting: Resting | None = None,
        device: Device = "auto",
        options: SessionOptions | None = None,
        unrolled: bool | None = None,
    ) -> None:
        self._unrolled = resolve_device(device) == "cuda" if unrolled is None else unrolled
        self._steps = WINDOW if self._unrolled else None
        self._shares_beginnings = layout.left_rows == "post"
        self._units = left.units
        self._rests = resting is not None
        graph = Graph()
        words = graph.input("words", "float", ["words", 2 * 3 * left.units])
        halves = [2 * left.units, left.units, 2 * right.units, right.units]
        projections = graph.ops("Split", 4, words, graph.weight(np.array(halves)), axis=1)
        sides = []
        for name, layer, projection, pad in (
            ("left", left, Projected(*projections[:2]), pads[: 3 * left.units]),
            ("right", right, Projected(*projections[2:]), pads[3 * left.units :]),
        ):
            cell = Cell(graph, layer, name)
            starts = graph.weight(states_after_pads(layer, pad, WINDOW), f"{name}/pad_states")
            if name == "left" and self._shares_beginnings:
                starts = graph.op("Concat", starts, self._beginnings(graph, cell, projection), axis=0)
            start = graph.op("Gather", starts, graph.input(f"{name}_start", "int64", ["rows"]), axis=0)
            read = ChainInputs.declare(graph, name, self._steps)
            (end,), _ = growing_chains(graph, [cell], read, projection, [start])
            if name == "left" and resting is not None:
                end = graph.op("Concat", end, resting.write(graph, layer, cell, pad, starts), axis=0)
            sides.append(graph.op("Gather", end, graph.input(f"{name}_place", "int64", ["rows"]), axis=0))
        self._decide(graph, weights, graph.op("Tanh", graph.op("Add", *sides)))
        self._session, self._threads = create_shared_session(
            graph.model(), device, options, plan_memory=not self._unrolled
        )

    def _beginnings(self, graph: Graph, cell: Cell, projection: Projected) -> str:
        """Read the beginnings of sentences and return the states after each step, a row each."""
        zeros = graph.weight(np.zeros((1, cell.units), np.float32))
        start = graph.op("Gather", zeros, graph.input("beginning_start", "int64", ["sentences"]), axis=0)
        read = ChainInputs.declare(graph, "beginning", self._steps)
        _, outputs = growing_chains(graph, [cell], read, projection, [start], keep_outputs=True)
        if isinstance(outputs, list):  # written out: the rows at work at each step
            return graph.op("Concat", *outputs, axis=0)
        return graph.op("Reshape", str(outputs), graph.weight(np.array([-1, cell.units])))

    def _decide(self, graph: Graph, weights: Mapping[str, np.ndarray], context: str) -> None:
        """Score the candidates against the context."""
        analyses = graph.input("analyses", "float", ["analyses", self._units])
        rows = graph.op("Gather", analyses, graph.input("candidates", "int64", ["rows", CANDIDATES]), axis=0)
        axis = graph.weight(np.array([2]))
        scores = graph.op("Squeeze", graph.op("MatMul", rows, graph.op("Unsqueeze", context, axis)), axis)
        for number, activation in enumerate(("Tanh", "Softmax")):
            kernel, bias = (graph.weight(weights[f"dense_{number}/{part}"]) for part in ("kernel", "bias"))
            scores = graph.op(activation, graph.op("Gemm", scores, kernel, bias))
        graph.output(scores, "probabilities")

    def probabilities(
        self, words: np.ndarray, analyses: np.ndarray, sentences: NumberedSentences, rows: Choices
    ) -> np.ndarray:
        """Return the network's output for every row, (rows, 10).

        Parameters
        ----------
        words
            Table of words: projections for the left and the right GRU side by side; row 0 is the pad word.
        analyses
            Table of analyses; row 0 is that of no candidate.
        """
        count = len(rows.sentence)
        parts = max(1, min(self._threads, count // _LEAST_ROWS))
        number = np.arange(len(sentences.first)) % parts
        shares = [rows.of_sentences(number == part) for part in range(parts)]
        shares = [share for share in shares if len(share)]

        def run(share: np.ndarray) -> np.ndarray:
            part = Choices(*(column[share] for column in rows))
            shared = {"words": words, "analyses": analyses, "candidates": part.candidates}
            made, holds = self._run(shared, sentences, part, resting=True if self._rests else None)
            return made if holds else self._run(shared, sentences, part, resting=False)[0]

        return rows_in_threads(run, shares, self._threads)

    def _run(
        self, shared: dict[str, np.ndarray], sentences: NumberedSentences, rows: Choices, *, resting: bool | None
    ) -> tuple[np.ndarray, bool]:
        """Return the output for rows, and whether what was taken to rest did (`context_feed` has `resting`)."""
        planned = context_feed(sentences, rows, self._shares_beginnings, unrolled=self._unrolled, resting=resting)
        feed = shared | (unroll_feed(planned, WINDOW) if self._unrolled else planned)
        *unrest, probabilities = self._session.run(None, feed)
        return probabilities, not resting or bool((unrest[0] <= TOLERANCE).all())
