"""GRUs outside Keras: their weights, the ONNX graphs written by hand from them, and chains of cells advanced together.

`gru` lays weights out, `graph` writes ONNX nodes, `chains` puts both together; the decoders are built of these.
"""

from vnlp_colab.recurrent.chains import Cell, ChainInputs, Chains, Projected, Schedule, gather, growing_chains
from vnlp_colab.recurrent.graph import Graph, read_weights
from vnlp_colab.recurrent.gru import GRUWeights, pad_states, stack_from_onnx

__all__ = [
    "Cell",
    "ChainInputs",
    "Chains",
    "GRUWeights",
    "Graph",
    "Projected",
    "Schedule",
    "gather",
    "growing_chains",
    "pad_states",
    "read_weights",
    "stack_from_onnx",
]
