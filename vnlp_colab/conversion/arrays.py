"""Reading arrays from weight files without trusting them.

Upstream's ``.weights`` files are pickles, and a pickle can run any program. Here nothing that a pickle names is ever
called: the few names that occur in a pickled array stand for small classes of our own, and every other name is refused.
"""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.conversion.errors import WeightsError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_FLOATS = frozenset({"f2", "f4", "f8"})


def read_pickle(path: Path) -> list[np.ndarray]:
    """Return the arrays of a pickled list (or of a single array); refuse everything else."""
    try:
        content = _ArrayUnpickler(io.BytesIO(path.read_bytes())).load()
    except WeightsError as error:
        raise WeightsError(f"{path} is refused: {error}") from None
    # What broken bytes raise in an unpickler is open-ended; none of it has run foreign code.
    except (pickle.UnpicklingError, EOFError, LookupError, AttributeError, TypeError, ValueError) as error:
        raise WeightsError(f"{path} is not a readable weight file: {error}") from error
    except (MemoryError, RecursionError, OverflowError) as error:
        raise WeightsError(f"{path} is refused: it asks for unreasonable resources") from error
    items = list(content) if isinstance(content, (list, tuple)) else [content]
    arrays = [item.array for item in items if isinstance(item, _Array) and item.array is not None]
    if len(arrays) != len(items):
        raise WeightsError(f"{path} is refused: a weight file is a list of numpy arrays and nothing else")
    return arrays


def read_npy(path: Path) -> np.ndarray:
    """Return the array of a ``.npy`` file, which is what upstream's ``.matrix`` files are."""
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise WeightsError(f"{path} is not a readable array file: {error}") from error
    if not isinstance(array, np.ndarray):
        raise WeightsError(f"{path} is not a readable array file: it holds several arrays")
    return array


def read_hdf5(path: Path, layers: Sequence[str]) -> list[np.ndarray]:
    """Return the arrays of the named layers, in that order, from a Keras hdf5 weight file."""
    import h5py

    arrays = []
    try:
        with h5py.File(path, "r") as file:
            for layer in layers:
                if layer not in file:
                    raise WeightsError(f"{path} has no layer {layer!r}: it belongs to another network")
                group = file[layer]
                arrays += [np.asarray(group[name]) for name in group.attrs["weight_names"]]
    except (OSError, KeyError) as error:
        raise WeightsError(f"{path} is not a readable Keras hdf5 file: {error}") from error
    return arrays


class _DType:
    """Stands for ``numpy.dtype`` in a pickle: float types of a known width and byte order."""

    def __init__(self, code: object, *_: object) -> None:
        if code not in _FLOATS:
            raise WeightsError(f"it holds an array of type {code!r}, and weights are floats")
        self.code = str(code)
        self.order = "="

    def __setstate__(self, state: Any) -> None:
        order = state[1]
        if order not in ("<", ">", "="):
            raise WeightsError(f"it holds an array with byte order {order!r}")
        self.order = order

    @property
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(self.order + self.code)


class _Array:
    """Stands for ``numpy.ndarray`` in a pickle; the array is made from plain bytes that must fit its shape."""

    def __init__(self) -> None:
        self.array: np.ndarray | None = None

    def __setstate__(self, state: Any) -> None:
        _version, shape, dtype, fortran, content = state
        self.fill(content, dtype, shape, "F" if fortran else "C")

    def fill(self, content: object, dtype: object, shape: object, order: str) -> None:
        if not isinstance(dtype, _DType) or not isinstance(content, (bytes, bytearray)):
            raise WeightsError("it holds an array that is not made of plain floats")
        if not isinstance(shape, tuple) or not all(isinstance(size, int) and size >= 0 for size in shape):
            raise WeightsError(f"it holds an array of shape {shape!r}")
        flat = np.frombuffer(content, dtype.numpy)
        if flat.size != int(np.prod(shape, dtype=object)):
            raise WeightsError(f"it holds an array of shape {shape} with {flat.size} values")
        self.array = flat.reshape(shape, order="F" if order == "F" else "C")


def _reconstruct(*_: object) -> _Array:
    """Stands for numpy's maker of an empty array, which a pickle then fills."""
    return _Array()


def _from_buffer(content: object, dtype: object, shape: object, order: object) -> _Array:
    """Stands for numpy's maker of an array from bytes (pickle protocol 5)."""
    array = _Array()
    array.fill(content, dtype, shape, str(order))
    return array


def _encode(text: object, encoding: object) -> bytes:
    """Stands for ``codecs.encode``, by which protocol 2 writes bytes."""
    if not isinstance(text, str) or encoding != "latin1":
        raise WeightsError("it encodes text in an unusual way")
    return text.encode("latin1")


def _no_bytes() -> bytes:
    """Stands for ``bytes``, by which protocol 2 writes an empty array."""
    return b""


_ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _DType,
    ("_codecs", "encode"): _encode,
    ("__builtin__", "bytes"): _no_bytes,
    # numpy 2 renamed numpy.core to numpy._core; files of either kind are around.
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _reconstruct for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _from_buffer for core in ("core", "_core")},
}


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ADMITTED[module, name]
        except KeyError:
            raise WeightsError(f"it names {module}.{name}, and a weight file may hold numpy arrays alone") from None

    def persistent_load(self, pid: Any) -> Any:  # noqa: ARG002
        raise WeightsError("it refers to objects outside the file")
