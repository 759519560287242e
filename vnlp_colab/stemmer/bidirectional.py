"""Short padded sequences (a word's characters, an analysis's tags) to one vector each, by a bidirectional GRU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.recurrent import Cell, ChainInputs, chain_feed, growing_chains, rows_in_threads, unroll_feed
from vnlp_colab.recurrent.graph import Graph
from vnlp_colab.recurrent.gru import GRUWeights, pad_states
from vnlp_colab.runtime import Device, SessionOptions, create_shared_session, resolve_device

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vnlp_colab.stemmer.inputs import Padding

_LEAST_ROWS = 32  # fewer are not worth a thread


class BidirectionalEncoder:
    """One bidirectional GRU layer of a model file, run without the steps whose outcome is known.

    One of the two directions meets the padding first; it starts from the state after so many pads, which a table made
    at load holds, and reads the sequence alone. The other one meets the padding last and has to read it.

    Parameters
    ----------
    weights
        The model file's weights by name.
    block
        Name of the layer's block, ``stem`` or ``surface_left``.
    embedding
        What the numbers of a sequence stand for; row 0 is the padding.
    length
        The length sequences are padded to.
    padding
        On which side.
    reader
        A GRU layer that reads the vectors; if given, they are returned as its projection of them.
    unrolled
        Whether the graph's loops are written out; by default on a GPU alone, where a loop waits at every step.
    """

    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        block: str,
        embedding: np.ndarray,
        *,
        length: int,
        padding: Padding,
        reader: GRUWeights | None = None,
        device: Device = "auto",
        options: SessionOptions | None = None,
        unrolled: bool | None = None,
    ) -> None:
        self._unrolled = resolve_device(device) == "cuda" if unrolled is None else unrolled
        steps = length if self._unrolled else None
        directions = [GRUWeights.from_onnx(weights, f"{block}/gru_0", direction) for direction in (0, 1)]
        self._length = length
        self._padding = padding
        # The forward direction meets pads first if they stand before the sequence, the backward one if after it.
        first = 0 if padding == "pre" else 1
        (self._starts,) = pad_states(directions[first : first + 1], embedding[0], length)
        graph = Graph()
        ends = {}
        for name, layer in (("pads_first", directions[first]), ("pads_last", directions[1 - first])):
            cell = Cell(graph, layer, name)
            start = graph.input(f"{name}_start", "float", ["rows", cell.units])
            table = cell.table(graph, layer.project(embedding), f"{name}/table")
            (ends[name],), _ = growing_chains(graph, [cell], ChainInputs.declare(graph, name, steps), table, [start])
        both = graph.op("Concat", *(ends.values() if padding == "pre" else reversed(ends.values())), axis=1)
        if reader is not None:
            both = graph.op("Gemm", both, graph.weight(reader.kernel), graph.weight(reader.bias))
        graph.output(both, "vectors")
        self._session, self._threads = create_shared_session(graph.model(), device, options)
        self.width = reader.kernel.shape[1] if reader is not None else 2 * directions[0].units

    def encode(self, sequences: Sequence[Sequence[int]]) -> np.ndarray:
        """Return a vector for each sequence of numbers, none longer than the padded length."""
        lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
        ids = np.zeros((len(sequences), self._length), np.int64)
        ids[np.arange(self._length) < lengths[:, None]] = [number for sequence in sequences for number in sequence]
        order = np.argsort(-lengths, kind="stable")
        parts = max(1, min(self._threads, len(order) // _LEAST_ROWS))
        # Every second, third, ... row of the sorted ones: parts of equal work that are sorted too.
        shares = [order[part::parts] for part in range(parts)]
        return rows_in_threads(lambda rows: self._run(ids[rows], lengths[rows]), shares, self._threads)

    def _run(self, ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Encode rows of post-padded `ids`, sorted by falling length."""
        size, pads_before = self._length, self._padding == "pre"

        def read(row: np.ndarray, distance: np.ndarray) -> np.ndarray:
            return np.asarray(ids[row, lengths[row] - distance if pads_before else distance - 1])

        def read_all(row: np.ndarray, distance: np.ndarray) -> np.ndarray:
            """Read in the other direction, every row to the end of its padding."""
            place = lengths[row] - 1 - size + distance if pads_before else size - distance
            return np.where(place >= 0, ids[row, place], 0)

        feed = {
            **chain_feed("pads_first", lengths, read),
            **chain_feed("pads_last", np.full(len(ids), size), read_all),
            "pads_first_start": self._starts[size - lengths],
            "pads_last_start": np.zeros((len(ids), self._starts.shape[1]), np.float32),
        }
        vectors: np.ndarray = self._session.run(None, unroll_feed(feed, self._length) if self._unrolled else feed)[0]
        return vectors
