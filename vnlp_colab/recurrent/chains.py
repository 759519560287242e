"""GRU cells, and chains of them: many rows, each reading its own list of vectors, advanced together.

A GRU with ``reset_after`` is, for a row ``h`` and an input ``x``::

    z, r = sigmoid(x Wzr + h Rzr + b)        c = tanh(x Wh + bx + r * (h Rh + bh))        h' = c + z (h - c)

The part that depends on ``x`` alone (the *projection*) is made once for each distinct vector and gathered by row; what
is left for a step is one product with the recurrent kernel. Rows are sorted by length and aligned at their ends, so the
rows at work are always the first ones and their number only grows: each joins with its own start state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vnlp_colab.recurrent.graph import Graph, Kind, Stack, Trip
from vnlp_colab.runtime import Device, SessionOptions, create_shared_session, in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from vnlp_colab.recurrent.gru import GRUWeights

# A table of up to this many rows is projected once for all; a larger one (piece embeddings) where its rows are read.
_SMALL_TABLE = 4096


class Projected(NamedTuple):
    """The two halves of a projection in a graph: for the gates z and r, and for the candidate."""

    gates: str
    candidate: str


class Cell:
    """One GRU layer inside a `Graph`."""

    def __init__(self, graph: Graph, weights: GRUWeights, name: str) -> None:
        two = 2 * weights.units
        self.units = weights.units
        self._weights = weights
        self._name = name
        self._recurrent_gates = graph.weight(weights.recurrent[:, :two], f"{name}/Rzr")
        self._recurrent_candidate = graph.weight(weights.recurrent[:, two:], f"{name}/Rh")
        self._recurrent_bias = graph.weight(weights.recurrent_bias[two:], f"{name}/bh")

    def project(self, graph: Graph, inputs: str) -> Projected:
        """Project rows of inputs."""
        two, kernel, bias = 2 * self.units, self._weights.kernel, self._weights.bias
        return Projected(
            graph.op(
                "Gemm",
                inputs,
                graph.weight(kernel[:, :two], f"{self._name}/Wzr"),
                graph.weight(bias[:two], f"{self._name}/bzr"),
            ),
            graph.op(
                "Gemm",
                inputs,
                graph.weight(kernel[:, two:], f"{self._name}/Wh"),
                graph.weight(bias[two:], f"{self._name}/bx"),
            ),
        )

    def table(self, graph: Graph, projected: np.ndarray, name: str) -> Projected:
        """Keep a projection that was made at load."""
        two = 2 * self.units
        return Projected(graph.weight(projected[:, :two], f"{name}/zr"), graph.weight(projected[:, two:], f"{name}/h"))

    def step(self, graph: Graph, states: str, projected: Projected) -> str:
        """Advance rows of states; a projection of one row serves them all."""
        gates = graph.op("Sigmoid", graph.op("Gemm", states, self._recurrent_gates, projected.gates))
        z, r = graph.ops("Split", 2, gates, axis=1)
        kept = graph.op("Gemm", states, self._recurrent_candidate, self._recurrent_bias)
        candidate = graph.op("Tanh", graph.op("Add", graph.op("Mul", r, kept), projected.candidate))
        return graph.op("Add", graph.op("Mul", graph.op("Sub", states, candidate), z), candidate)


def gather(graph: Graph, projected: Projected, rows: str) -> Projected:
    """Return the projections of `rows`, a vector of row numbers."""
    return Projected(*(graph.op("Gather", half, rows, axis=0) for half in projected))


class Schedule(NamedTuple):
    """Which rows work at which step, for chains sorted by falling length and aligned at their ends.

    Step ``s`` reads, for its first ``counts[s + 1]`` rows, the entries ``offsets[s]:offsets[s + 1]`` of a flat list.
    """

    counts: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, lengths: np.ndarray) -> Schedule:
        """Make the schedule of `lengths`, which fall; there is always at least one step, if only an empty one."""
        steps = max(int(lengths[0]) if len(lengths) else 0, 1)
        distances = np.arange(steps, 0, -1)
        counts = np.searchsorted(-lengths, -distances, side="right")
        return cls(
            np.concatenate([[0], counts]).astype(np.int64)[:, None],
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)[:, None],
        )

    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Return row and distance from the end (1 is the last entry) of every entry of the flat list."""
        counts = self.counts[1:, 0]
        distances = np.repeat(np.arange(len(counts), 0, -1), counts)
        rows = np.arange(int(self.offsets[-1, 0])) - np.repeat(self.offsets[:-1, 0], counts)
        return rows, distances


class ChainInputs(NamedTuple):
    """The inputs of a graph that say what its chains read (see `Schedule`); `steps` is set where loops are unrolled."""

    entries: str
    counts: str
    offsets: str
    steps: int | None = None

    @classmethod
    def declare(cls, graph: Graph, name: str, steps: int | None = None) -> ChainInputs:
        """Declare them as ``<name>_entries``, ``<name>_counts`` and ``<name>_offsets``."""
        return cls(
            graph.input(f"{name}_entries", "int64", [f"{name}_reads"]),
            graph.step_input(f"{name}_counts", steps),
            graph.step_input(f"{name}_offsets", steps),
            steps,
        )

    def trips(self, graph: Graph) -> str | int:
        """Return the number of steps: a scalar of the graph, or a number where loops are unrolled."""
        if self.steps is not None:
            return self.steps
        size = graph.op("Gather", graph.op("Shape", self.counts), graph.weight(0, "zero"), axis=0)
        return graph.op("Sub", size, graph.weight(1, "one"))


def growing_chains(
    graph: Graph,
    cells: Sequence[Cell],
    read: ChainInputs,
    table: Projected | str,
    starts: Sequence[str],
    *,
    keep_outputs: bool = False,
) -> tuple[list[str], Stack | None]:
    """Advance the chains of `read` through a stack of layers.

    `table` is what the entries point into: projections for the first layer, or plain vectors it projects row by row.
    `starts` holds each layer's start states, a row a chain. Returned are each layer's last states and, if asked for,
    the last layer's outputs of all steps, (steps, chains, units), where rows not yet at work hold anything.
    """

    def body(inner: Graph, trip: Trip, states: list[str]) -> tuple[list[str], list[str]]:
        following = inner.later(trip)
        before, now = inner.step_value(read.counts, trip), inner.step_value(read.counts, following)
        first, last = inner.step_value(read.offsets, trip), inner.step_value(read.offsets, following)
        rows = inner.rows(read.entries, first, last)
        if isinstance(table, Projected):
            projected = gather(inner, table, rows)
        else:
            projected = cells[0].project(inner, inner.op("Gather", table, rows, axis=0))
        new: list[str] = []
        for cell, state, start in zip(cells, states, starts, strict=True):
            if new:
                projected = cell.project(inner, new[-1])
            state = inner.op("Concat", state, inner.rows(start, before, now), axis=0)
            new.append(cell.step(inner, state, projected))
        if not keep_outputs:
            return new, []
        # what a Loop stacks has to have one shape
        return new, [new[-1] if read.steps else inner.op("Concat", new[-1], inner.rows(starts[-1], now), axis=0)]

    none: list[tuple[str, Kind]] = [
        (graph.weight(np.zeros((0, cell.units), np.float32), f"no_rows_{cell.units}"), "float") for cell in cells
    ]
    trips = read.trips(graph)
    states, outputs = graph.loop(trips, none, body)
    final = graph.step_value(read.counts, trips)
    # chains of length 0 never join: their start is their end
    ends = [
        graph.op("Concat", state, graph.rows(start, final), axis=0) for state, start in zip(states, starts, strict=True)
    ]
    return ends, outputs[0] if keep_outputs else None


def chain_feed(
    name: str, lengths: np.ndarray, read: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the inputs `ChainInputs` declares, for chains of falling `lengths`.

    `read` gives what chains (by row) read at a distance from their ends (1 is the last entry).
    """
    schedule = Schedule.of(lengths)
    return {
        f"{name}_entries": np.asarray(read(*schedule.entries()), np.int64),
        f"{name}_counts": schedule.counts,
        f"{name}_offsets": schedule.offsets,
    }


def unroll_feed(feed: dict[str, np.ndarray], steps: int, from_the_left: Collection[str] = ()) -> dict[str, np.ndarray]:
    """Return `feed` for graphs whose loops are written out: one input a step, and all `steps` of them.

    Chains are aligned at their ends, so the steps that are missing are empty ones at the start; of the inputs named in
    `from_the_left` they are at the end.
    """
    unrolled = {}
    for name, values in feed.items():
        if not name.endswith(("_counts", "_offsets", "_ends")):
            unrolled[name] = values
            continue
        left = name in from_the_left
        missing = np.repeat(values[-1:] if left else values[:1], steps + 1 - len(values), axis=0)
        rows = np.concatenate([values, missing] if left else [missing, values])
        unrolled.update({f"{name}_{step}": row for step, row in enumerate(rows)})
    return unrolled


class Chains:
    """A stack of forward GRU layers that runs many chains of different lengths at once.

    Parameters
    ----------
    layers
        The layers, first one first.
    table
        The vectors the chains read, if they are always the same (an embedding); else each `run` brings its own.
    device, options
        As for `vnlp_colab.runtime.create_session`.

    Examples
    --------
    >>> from vnlp_colab.recurrent import GRUWeights
    >>> rng = np.random.default_rng(0)
    >>> layer = GRUWeights(rng.normal(size=(4, 6)), rng.normal(size=(2, 6)), np.zeros(6), np.zeros(6))
    >>> chains = Chains([layer], table=rng.normal(size=(10, 4)), device="cpu")
    >>> chains.run(np.array([[0, 1, 2], [0, 0, 5]]), lengths=np.array([3, 1])).shape
    (2, 2)
    """

    def __init__(
        self,
        layers: Sequence[GRUWeights],
        table: np.ndarray | None = None,
        *,
        device: Device = "auto",
        options: SessionOptions | None = None,
    ) -> None:
        self.layers = list(layers)
        graph = Graph()
        cells = [Cell(graph, layer, f"gru_{number}") for number, layer in enumerate(self.layers)]
        read = ChainInputs.declare(graph, "chain")
        starts = [graph.input(f"start_{number}", "float", ["chains", cell.units]) for number, cell in enumerate(cells)]
        vectors: Projected | str
        if table is None:
            width = self.layers[0].kernel.shape[0]
            vectors = cells[0].project(graph, graph.input("vectors", "float", ["vectors", width]))
        elif len(table) <= _SMALL_TABLE:
            vectors = cells[0].table(graph, self.layers[0].project(table), "table")
        else:
            vectors = graph.weight(table, "table")
        ends, _ = growing_chains(graph, cells, read, vectors, starts)
        graph.output(ends[-1], "states")
        self._session, self._threads = create_shared_session(graph.model(), device, options)

    def run(
        self,
        ids: np.ndarray,
        lengths: np.ndarray | None = None,
        *,
        vectors: np.ndarray | None = None,
        initial: Sequence[np.ndarray] | None = None,
    ) -> np.ndarray:
        """Return the last layer's last state of every chain, (chains, units).

        Parameters
        ----------
        ids
            (chains, steps): the rows of the table each chain reads, from left to right.
        lengths
            How many of a chain's *last* ids it reads (the ids before them are ignored); by default all.
        vectors
            The table of this run, where the constructor got none.
        initial
            Start states of each layer, (chains, units); by default zeros. `pad_states` makes those of padded windows.
        """
        count, steps = ids.shape
        lengths = np.full(count, steps) if lengths is None else np.asarray(lengths)
        if count == 0:
            return np.zeros((0, self.layers[-1].units), np.float32)
        order = np.argsort(-lengths, kind="stable")
        starts = initial or [np.zeros((count, layer.units), np.float32) for layer in self.layers]
        shared = {} if vectors is None else {"vectors": np.asarray(vectors, np.float32)}

        def part(rows: np.ndarray) -> np.ndarray:
            feed = {
                **chain_feed("chain", lengths[rows], lambda chain, distance: ids[rows[chain], steps - distance]),
                **{f"start_{number}": start[rows] for number, start in enumerate(starts)},
                **shared,
            }
            states: np.ndarray = self._session.run(None, feed)[0]
            return states

        return rows_in_threads(part, _share(order, lengths[order], self._threads), self._threads)


def rows_in_threads(work: Callable[[np.ndarray], np.ndarray], parts: Sequence[np.ndarray], threads: int) -> np.ndarray:
    """Return what `work` makes of the rows of each part, put back in the order of their numbers."""
    made = np.concatenate(in_threads(work, parts, threads))
    ordered = np.empty_like(made)
    ordered[np.concatenate(parts)] = made
    return ordered


def _share(order: np.ndarray, lengths: np.ndarray, threads: int, least: int = 64, most: int = 2048) -> list[np.ndarray]:
    """Cut sorted rows into parts of about equal work for all threads, of at least `least` and about `most` rows."""
    pieces = max(1, min(threads, len(order) // least), len(order) // most)
    work = np.cumsum(lengths + 1)
    cuts = np.searchsorted(work, work[-1] * np.arange(1, pieces) / pieces)
    return [part for part in np.split(order, cuts) if len(part)]
