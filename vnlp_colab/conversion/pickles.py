"""Reading pickled lists of arrays as data.

A pickle is a small program for a machine with a stack and a memo. Python's machine imports and calls what the program
names. This one, over the instructions `pickletools` finds, knows numbers, texts, bytes, lists, tuples, and the few
names by which numpy writes an array; it calls nothing, sets no attribute, and refuses every other instruction. Nothing
in it grows beyond the size of the file: its memo is a dict, and shapes must fit the bytes that are there.
"""

from __future__ import annotations

import math
import pickletools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.conversion.errors import WeightsError

if TYPE_CHECKING:
    from collections.abc import Callable

_FLOATS = frozenset({"f2", "f4", "f8"})
_MOST_DIMENSIONS = 16
# numpy 2 renamed numpy.core to numpy._core; files of either kind are around.
_CORES = ("numpy.core", "numpy._core")


@dataclass
class PickledArray:
    """An array of a pickle; without values until the instruction that brings them."""

    values: np.ndarray | None = None


@dataclass(frozen=True)
class _Name:
    """A function or class the pickle names; it is never looked up."""

    module: str
    name: str


@dataclass
class _Type:
    """The type of an array's values."""

    code: str
    order: str = "="


def load_arrays(content: bytes) -> Any:
    """Return what a pickle holds: lists and tuples of `PickledArray` and plain values.

    Raises
    ------
    WeightsError
        It holds anything else; the message goes on after "is refused: ".
    ValueError, IndexError, KeyError, TypeError
        The bytes are no pickle, or a broken one.
    """
    machine = _Machine()
    for instruction, argument, _ in pickletools.genops(content):
        if instruction.name == "STOP":
            return machine.stack.pop()
        machine.step(instruction.name, argument)
    raise ValueError("it has no end")


class _Machine:
    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marked: list[list[Any]] = []  # the stacks below each mark
        self.memo: dict[int, Any] = {}

    def step(self, name: str, argument: Any) -> None:
        if name in _VALUES:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name in _MEMO_WRITES:
            self.memo[len(self.memo) if argument is None else int(argument)] = self.stack[-1]
        elif name in _MEMO_READS:
            self.stack.append(self.memo[int(argument)])
        elif name == "GLOBAL":
            self.stack.append(_admitted(*argument.split(" ", 1)))
        elif name in _STEPS:
            _STEPS[name](self)
        elif name not in _NOTHING:
            raise WeightsError(f"it has the instruction {name}, and a weight file may hold numpy arrays alone")

    def since_mark(self) -> list[Any]:
        items, self.stack = self.stack, self.marked.pop()
        return items

    def mark(self) -> None:
        self.marked.append(self.stack)
        self.stack = []

    def take(self, count: int) -> tuple[Any, ...]:
        if len(self.stack) < count:
            raise IndexError("it takes more values than there are")
        taken = tuple(self.stack[-count:])
        del self.stack[-count:]
        return taken

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def append(self, values: list[Any]) -> None:
        if not isinstance(self.stack[-1], list):
            raise WeightsError("it adds values to something that is no list")
        self.stack[-1].extend(values)

    def reduce(self) -> None:
        name, arguments = self.take(2)
        if not isinstance(name, _Name) or not isinstance(arguments, tuple):
            raise WeightsError("it calls something that is no name")
        self.push(_MADE[name.module, name.name](arguments))

    def build(self) -> None:
        (state,) = self.take(1)
        target = self.stack[-1]
        if not isinstance(state, tuple):
            raise WeightsError("it sets attributes")
        if isinstance(target, _Type) and len(state) > 1:
            target.order = _byte_order(state[1])
        elif isinstance(target, PickledArray) and len(state) == 5:
            _version, shape, kind, by_columns, data = state
            target.values = _array(data, kind, shape, by_columns=bool(by_columns))
        else:
            raise WeightsError("it sets attributes of something that is no array")


def _admitted(module: Any, name: Any) -> _Name:
    if (module, name) not in _MADE:
        raise WeightsError(f"it names {module}.{name}, and a weight file may hold numpy arrays alone")
    return _Name(module, name)


def _byte_order(order: Any) -> str:
    if order not in ("<", ">", "="):
        raise WeightsError(f"it holds an array with byte order {order!r}")
    return str(order)


def _array(data: Any, kind: Any, shape: Any, *, by_columns: bool) -> np.ndarray:
    if not isinstance(kind, _Type) or not isinstance(data, (bytes, bytearray)):
        raise WeightsError("it holds an array that is not made of plain floats")
    if (
        not isinstance(shape, tuple)
        or len(shape) > _MOST_DIMENSIONS
        or not all(type(size) is int and 0 <= size < 1 << 48 for size in shape)
    ):
        raise WeightsError(f"it holds an array of shape {str(shape)[:80]}")
    flat = np.frombuffer(data, np.dtype(kind.order + kind.code))
    if flat.size != math.prod(shape):
        raise WeightsError(f"it holds an array of shape {shape} with {flat.size} values")
    return flat.reshape(shape, order="F" if by_columns else "C")


def _make_type(arguments: tuple[Any, ...]) -> _Type:
    code = arguments[0] if arguments else None
    if not isinstance(code, str) or code not in _FLOATS:
        raise WeightsError(f"it holds an array of type {str(code)[:80]!r}, and weights are floats")
    return _Type(code)


def _make_from_buffer(arguments: tuple[Any, ...]) -> PickledArray:
    data, kind, shape, order = arguments
    return PickledArray(_array(data, kind, shape, by_columns=order == "F"))


def _make_bytes(arguments: tuple[Any, ...]) -> bytes:
    """Return bytes as protocol 2 writes them: as text of their codes."""
    text, encoding = arguments
    if not isinstance(text, str) or encoding != "latin1":
        raise WeightsError("it encodes text in an unusual way")
    return text.encode("latin1")


def _make_no_bytes(arguments: tuple[Any, ...]) -> bytes:
    if arguments:
        raise WeightsError("it makes bytes out of nothing")
    return b""


def _refuse_call(_: tuple[Any, ...]) -> Any:
    raise WeightsError("it makes an array in an unusual way")


# What stands for the call of a name. numpy.ndarray is named, and handed to _reconstruct, but never called.
_MADE: dict[tuple[Any, Any], Callable[[tuple[Any, ...]], Any]] = {
    ("numpy", "ndarray"): _refuse_call,
    ("numpy", "dtype"): _make_type,
    ("_codecs", "encode"): _make_bytes,
    ("__builtin__", "bytes"): _make_no_bytes,
    **{(f"{core}.multiarray", "_reconstruct"): lambda _: PickledArray() for core in _CORES},
    **{(f"{core}.numeric", "_frombuffer"): _make_from_buffer for core in _CORES},
}

_NOTHING = frozenset({"PROTO", "FRAME"})
_VALUES = frozenset(
    {"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE"}
    | {"BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"}
)
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_MEMO_WRITES = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_MEMO_READS = frozenset({"GET", "BINGET", "LONG_BINGET"})
_STEPS: dict[str, Callable[[_Machine], object]] = {
    "MARK": _Machine.mark,
    "POP": lambda machine: machine.take(1) if machine.stack else machine.since_mark(),
    "POP_MARK": _Machine.since_mark,
    "DUP": lambda machine: machine.push(machine.stack[-1]),
    "EMPTY_LIST": lambda machine: machine.push([]),
    "LIST": lambda machine: machine.push(machine.since_mark()),
    "TUPLE": lambda machine: machine.push(tuple(machine.since_mark())),
    "TUPLE1": lambda machine: machine.push(machine.take(1)),
    "TUPLE2": lambda machine: machine.push(machine.take(2)),
    "TUPLE3": lambda machine: machine.push(machine.take(3)),
    "APPEND": lambda machine: machine.append(list(machine.take(1))),
    "APPENDS": lambda machine: machine.append(machine.since_mark()),
    "STACK_GLOBAL": lambda machine: machine.push(_admitted(*machine.take(2))),
    "REDUCE": _Machine.reduce,
    "BUILD": _Machine.build,
}
