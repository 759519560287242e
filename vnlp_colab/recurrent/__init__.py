"""GRUs outside Keras: their weights, the ONNX graphs written by hand from them, and chains of cells advanced together.

`gru` lays weights out, `graph` writes ONNX nodes, `chains` puts both together, `row_cache` keeps what was computed; the
decoders are built of these.
"""

from vnlp_colab.recurrent.chains import (
    Cell,
    ChainInputs,
    Chains,
    Projected,
    Schedule,
    chain_feed,
    gather,
    growing_chains,
    rows_in_threads,
    unroll_feed,
)
from vnlp_colab.recurrent.graph import Graph, read_weights
from vnlp_colab.recurrent.gru import GRUWeights, pad_states, stack_from_onnx
from vnlp_colab.recurrent.row_cache import RowCache

__all__ = [
    "Cell",
    "ChainInputs",
    "Chains",
    "GRUWeights",
    "Graph",
    "Projected",
    "RowCache",
    "Schedule",
    "chain_feed",
    "gather",
    "growing_chains",
    "pad_states",
    "read_weights",
    "rows_in_threads",
    "stack_from_onnx",
    "unroll_feed",
]
