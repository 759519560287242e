"""A small writer of ONNX graphs: what the decoders are cut out of a model file with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["float", "int64"]
# the number of a trip: a value of the graph where the loop is a node, a plain number where it is unrolled
Trip = str | int
# the values of all trips: one stacked tensor where the loop is a node, one value a trip where it is unrolled
Stack = str | list[str]
# what a loop repeats: its graph, the trip's number and the carried values in; carried values and values to stack out
Body = Callable[["Graph", Trip, list[str]], tuple[Sequence[str], Sequence[str]]]
OPSET = 13


class Graph:
    """Nodes and weights in the making; a value is known by its name.

    A loop body is a `Graph` of its own that shares names and weights with the graph around it, so a body may use any
    value that was made outside before.
    """

    def __init__(self, parent: Graph | None = None) -> None:
        self._root: Graph = parent._root if parent else self
        self._nodes: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        if parent is None:
            self._weights: dict[str, np.ndarray] = {}
            self._count = 0

    def name(self, hint: str) -> str:
        """Return a name nothing else has."""
        self._root._count += 1
        return f"{hint}_{self._root._count}"

    def weight(self, array: np.ndarray | int | float | Sequence[int], name: str | None = None) -> str:
        """Add a constant; the same `name` given again is the same constant."""
        if name is None or name not in self._root._weights:
            name = name or self.name("weight")
            value = np.asarray(array)
            if value.dtype.kind == "f":
                value = value.astype(np.float32)
            # not ascontiguousarray: that makes a vector of a scalar
            self._root._weights[name] = np.array(value, order="C")
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output and return that output's name."""
        return self.ops(kind, 1, *inputs, **attributes)[0]

    def ops(self, kind: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """Add a node and return the names of its outputs."""
        from onnx import helper

        names = [self.name(kind) for _ in range(outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def rows(self, value: str, start: str, end: str | None = None) -> str:
        """Return the rows ``start:end`` of a value; both are int64 tensors of shape (1,)."""
        end = end or self.weight([np.iinfo(np.int64).max], "last_row")
        return self.op("Slice", value, start, end)

    def input(self, name: str, kind: Kind, shape: Sequence[int | str]) -> str:
        """Declare an input."""
        self._inputs.append(_value(name, kind, shape))
        return name

    def output(self, value: str, name: str, kind: Kind = "float") -> None:
        """Declare `value` as the output `name`."""
        from onnx import helper

        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(_value(name, kind, None))

    def step_input(self, name: str, steps: int | None = None) -> str:
        """Declare an input that holds one row number for each step, and one more.

        It is one tensor (steps + 1, 1); with `steps` given, for a loop that is unrolled, it is one input of shape (1,)
        a step, ``<name>_0`` and so on: a row number that comes straight from an input is on the CPU, where slices want
        it, and one that is gathered on a GPU would have to be fetched from there at each step.
        """
        if steps is None:
            return self.input(name, "int64", [f"{name}_size", 1])
        for step in range(steps + 1):
            self.input(f"{name}_{step}", "int64", [1])
        return name

    def step_value(self, table: str, trip: Trip) -> str:
        """Return what an input made by `step_input` holds for a step."""
        return f"{table}_{trip}" if isinstance(trip, int) else self.op("Gather", table, trip, axis=0)

    def later(self, trip: Trip, steps: int = 1) -> Trip:
        """Return the number of the trip that many `steps` later."""
        if isinstance(trip, int):
            return trip + steps
        return self.op("Add", trip, self.weight(steps, f"number_{steps}"))

    def loop(self, trips: str | int, carried: Sequence[tuple[str, Kind]], body: Body) -> tuple[list[str], list[Stack]]:
        """Repeat `body` `trips` times: as a ``Loop`` if that is a value of the graph, else written out.

        `body` gets its graph, the number of the trip and the carried values, whose shapes may change from trip to trip;
        it returns the new carried values and the values to stack over the trips. Returned are the last carried values
        and the stacks.
        """
        if isinstance(trips, str):
            return self._loop(trips, carried, body)
        values: Sequence[str] = [value for value, _ in carried]
        stacks: list[list[str]] = []
        for trip in range(trips):
            values, stacked = body(self, trip, list(values))
            stacks = stacks or [[] for _ in stacked]
            for stack, value in zip(stacks, stacked, strict=True):
                stack.append(value)
        return list(values), [*stacks]

    def _loop(self, trips: str, carried: Sequence[tuple[str, Kind]], body: Body) -> tuple[list[str], list[Stack]]:
        from onnx import TensorProto, helper

        inner = Graph(self)
        index, condition = self.name("trip"), self.name("go_on")
        names = [self.name("carried") for _ in carried]
        new, stacked = body(inner, index, names)
        going = inner.op("Identity", condition)
        # Identity: a value may be carried on unchanged or come from outside, and an output must be made in the body
        new = [inner.op("Identity", value) for value in new]
        stacked = [inner.op("Identity", value) for value in stacked]
        kinds = [kind for _, kind in carried]
        inside = helper.make_graph(
            inner._nodes,
            self.name("body"),
            [
                helper.make_tensor_value_info(index, TensorProto.INT64, []),
                helper.make_tensor_value_info(condition, TensorProto.BOOL, []),
                *(_value(name, kind, None) for name, kind in zip(names, kinds, strict=True)),
            ],
            [
                helper.make_tensor_value_info(going, TensorProto.BOOL, []),
                *(_value(name, kind, None) for name, kind in zip(new, kinds, strict=True)),
                *(_value(name, "float", None) for name in stacked),
            ],
        )
        always = self.weight(np.array(True), "always")
        starts = [value for value, _ in carried]
        outputs = self.ops("Loop", len(new) + len(stacked), trips, always, *starts, body=inside)
        return outputs[: len(new)], [*outputs[len(new) :]]

    def model(self) -> bytes:
        """Return the finished model, serialized."""
        from onnx import helper, numpy_helper

        weights = [numpy_helper.from_array(array, name) for name, array in self._weights.items()]
        made = helper.make_graph(self._nodes, "vnlp_colab", self._inputs, self._outputs, weights)
        model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        serialized: bytes = model.SerializeToString()
        return serialized


def _value(name: str, kind: Kind, shape: Sequence[int | str] | None) -> Any:
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, {"float": TensorProto.FLOAT, "int64": TensorProto.INT64}[kind], shape)


def load_graph(model: Path | bytes) -> Any:
    """Return the graph of a model file, or of its content."""
    import onnx

    return (onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(str(model))).graph


def weights_of(graph: Any) -> dict[str, np.ndarray]:
    """Return the weights of a graph by name, as float32 (they may be stored as float16)."""
    from onnx import numpy_helper

    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    return {name: array.astype(np.float32) for name, array in arrays.items() if array.dtype.kind == "f"}


def read_weights(model: Path | bytes) -> dict[str, np.ndarray]:
    """Return the weights of a model file (or of its content) by name, as float32."""
    return weights_of(load_graph(model))
