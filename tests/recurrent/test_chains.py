"""Chains give the states an ONNX GRU node gives for the padded windows."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from vnlp_colab.recurrent import Chains, GRUWeights, pad_states, stack_from_onnx
from vnlp_colab.runtime import SessionOptions

# about 20 steps of float32 rounding in another order of sums
TOLERANCE = 1e-6
UNITS, WIDTH, STEPS = 8, 5, 12


def onnx_weights(layers: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(layers)
    arrays = {}
    for number in range(layers):
        for part, shape in (
            ("W", (1, 3 * UNITS, UNITS if number else WIDTH)),
            ("R", (1, 3 * UNITS, UNITS)),
            ("B", (1, 6 * UNITS)),
        ):
            arrays[f"b/gru_{number}/{part}"] = rng.normal(0, 0.5, shape).astype(np.float32)
    return arrays


def gru_nodes(arrays: dict[str, np.ndarray], layers: int, inputs: np.ndarray) -> np.ndarray:
    """The last state of (rows, steps, width) by onnxruntime's GRU."""
    nodes, value = [], "x"
    for number in range(layers):
        names = [f"b/gru_{number}/{part}" for part in "WRB"]
        nodes.append(
            helper.make_node(
                "GRU", [value, *names], [f"y{number}", f"h{number}"], hidden_size=UNITS, linear_before_reset=1
            )
        )
        nodes.append(helper.make_node("Squeeze", [f"y{number}", "axis"], [f"z{number}"]))
        value = f"z{number}"
    weights = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    weights.append(numpy_helper.from_array(np.array([1]), "axis"))
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info(f"h{layers - 1}", TensorProto.FLOAT, None)], weights,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": inputs.transpose(1, 0, 2)})[0][0]


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("rows", [30, 5000], ids=["small table", "large table"])
def test_padded_windows(layers, rows):
    arrays = onnx_weights(layers)
    stack = stack_from_onnx(arrays, "b")
    assert len(stack) == layers
    rng = np.random.default_rng(0)
    table = rng.normal(size=(rows, WIDTH)).astype(np.float32)
    ids = rng.integers(0, rows, (300, STEPS))
    lengths = rng.integers(0, STEPS + 1, 300)
    windows = np.where(np.arange(STEPS) >= STEPS - lengths[:, None], ids, 0)  # row 0 is the pad
    starts = [states[STEPS - lengths] for states in pad_states(stack, table[0], STEPS)]
    expected = gru_nodes(arrays, layers, table[windows])

    fixed = Chains(stack, table, device="cpu", options=SessionOptions(threads=2))
    np.testing.assert_allclose(fixed.run(ids, lengths, initial=starts), expected, atol=TOLERANCE, rtol=0)
    brought = Chains(stack, device="cpu")
    np.testing.assert_allclose(brought.run(windows, vectors=table), expected, atol=TOLERANCE, rtol=0)


def test_no_chains_and_chains_that_read_nothing():
    stack = stack_from_onnx(onnx_weights(1), "b")
    chains = Chains(stack, np.zeros((3, WIDTH)), device="cpu")
    assert chains.run(np.zeros((0, 4), int)).shape == (0, UNITS)
    start = np.full((2, UNITS), 0.25, np.float32)
    np.testing.assert_array_equal(chains.run(np.zeros((2, 4), int), np.zeros(2, int), initial=[start]), start)


def test_backward_half_of_a_bidirectional_node():
    both = {f"b/{part}": np.concatenate([value, value + 1]) for part, value in
            ((name[-1], array) for name, array in onnx_weights(1).items())}  # fmt: skip
    backward = GRUWeights.from_onnx(both, "b", direction=1)
    forward = GRUWeights.from_onnx(both, "b")
    np.testing.assert_array_equal(backward.kernel, forward.kernel + 1)
    np.testing.assert_array_equal(backward.recurrent_bias, forward.recurrent_bias + 1)
