"""Pads read to the end of a window: most units of the GRU soon stop changing, and the few others go on without them.

In the layout "wheel" the left context of a word ends in pads, 29 of them in the mean of treebank sentences: three
quarters of the network's steps. The same pad is read again and again, so a unit that has come to rest stays at its
value as long as those it hears of do; after three pads all but some 90 of the 256 units rest. A smaller GRU of the
units that still move, with what the resting ones add to them in its biases, reads the other pads.

Which units rest is found at load, on states that words leave behind. It is checked for every word that is read: before
the small GRU takes over, and by one step of the whole one at the end. Where a unit was not at rest after all, the whole
GRU reads all pads (`vnlp_colab.stemmer.contexts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.recurrent import Cell, ChainInputs, Projected, growing_chains
from vnlp_colab.recurrent.gru import GRUWeights

if TYPE_CHECKING:
    from vnlp_colab.recurrent.graph import Graph

# Pads the whole GRU reads before the small one takes over; one more is read by it at the end.
SETTLING = 3
# Rows with fewer pads than this gain nothing.
LEAST_PADS = 8
# How far apart a unit's values may be, over all states tried, where it is said to rest.
_SPREAD = 5e-7
# How far from its value a resting unit may be found; 3e-6 was the most in 27,000 words, and answers differed by 1e-6.
TOLERANCE = 1e-5


@dataclass(frozen=True)
class Resting:
    """What a GRU comes to when it reads one vector again and again.

    Attributes
    ----------
    moving
        The numbers of the units that go on changing.
    values
        (units,) where each of the others rests; 0 for those that move.
    """

    moving: np.ndarray
    values: np.ndarray

    @classmethod
    def found(cls, layer: GRUWeights, pad: np.ndarray, states: np.ndarray) -> Resting | None:
        """Return what rests after a few pads from any of `states` on; None where too little does to be of use.

        `pad` is the projection of a pad, (3 units,).
        """
        for _ in range(SETTLING):
            states = layer.step(states, pad[None])
        later = states
        for _ in range(SETTLING):
            later = layer.step(later, pad[None])
        both = np.concatenate([states, later])
        low, high = both.min(axis=0), both.max(axis=0)
        moves = high - low > _SPREAD
        if moves.sum() > layer.units // 2:
            return None
        return cls(np.flatnonzero(moves), np.where(moves, 0, (low + high) / 2).astype(np.float32))

    def write(self, graph: Graph, layer: GRUWeights, cell: Cell, pad: np.ndarray, starts: str) -> str:
        """Write the chains ``resting`` of pads and return their last states; ``unrest`` says how well that went."""
        pads = Projected(
            graph.weight(pad[None, : 2 * layer.units], "pad/zr"), graph.weight(pad[None, 2 * layer.units :], "pad/h")
        )
        values = graph.weight(self.values[None], "resting/values")
        rests = np.ones((1, layer.units), np.float32)
        rests[:, self.moving] = 0
        mask = graph.weight(rests, "resting/mask")

        def unrest(states: str) -> str:
            away = graph.op("Abs", graph.op("Mul", graph.op("Sub", states, values), mask))
            return graph.op("ReduceMax", away, axes=[1], keepdims=0)

        states = graph.op("Gather", starts, graph.input("resting_start", "int64", ["resting"]), axis=0)
        for _ in range(SETTLING):
            states = cell.step(graph, states, pads)
        before = unrest(states)
        small = self.small_layer(layer, pad)
        small_cell = Cell(graph, small, "moving")
        table = small_cell.table(graph, small.input_bias[None], "moving/pad")
        start = graph.op("Gather", states, graph.weight(self.moving), axis=1)
        (end,), _ = growing_chains(graph, [small_cell], ChainInputs.declare(graph, "resting"), table, [start])
        places = np.zeros((len(self.moving), layer.units), np.float32)
        places[np.arange(len(self.moving)), self.moving] = 1
        last = cell.step(graph, graph.op("Gemm", end, graph.weight(places, "moving/places"), values), pads)
        graph.output(graph.op("Max", before, unrest(last)), "unrest")
        return last

    def small_layer(self, layer: GRUWeights, pad: np.ndarray) -> GRUWeights:
        """Return the GRU of the moving units; its input bias is the whole projection of a pad."""
        units, moving = layer.units, self.moving
        gates = np.concatenate([moving, units + moving])
        candidate = 2 * units + moving
        heard = self.values @ layer.recurrent  # of the resting units
        columns = np.concatenate([gates, candidate])
        return GRUWeights(
            kernel=np.zeros((0, len(columns)), np.float32),
            recurrent=np.ascontiguousarray(layer.recurrent[moving][:, columns]),
            input_bias=np.concatenate([pad[gates] + heard[gates], pad[candidate]]),
            recurrent_bias=np.concatenate([np.zeros(len(gates)), layer.recurrent_bias[candidate] + heard[candidate]]),
        )
