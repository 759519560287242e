"""Reading arrays from weight files without trusting them.

Upstream's ``.weights`` files are pickles, and a pickle can run any program: `pickles` reads them as data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vnlp_colab.conversion.errors import WeightsError
from vnlp_colab.conversion.pickles import PickledArray, load_arrays
from vnlp_colab.resources.download import MOST_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def read_pickle(path: Path) -> list[np.ndarray]:
    """Return the arrays of a pickled list (or of a single array); refuse everything else."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise WeightsError(f"it has more than {MOST_BYTES >> 30} GiB")
        content = load_arrays(path.read_bytes())
    except WeightsError as error:
        raise WeightsError(f"{path} is refused: {error}") from None
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        raise WeightsError(f"{path} is not a readable weight file: {_in_short(error)}") from error
    except MemoryError as error:
        raise WeightsError(f"{path} is refused: it asks for unreasonable resources") from error
    items = list(content) if isinstance(content, (list, tuple)) else [content]
    arrays = [item.values for item in items if isinstance(item, PickledArray) and item.values is not None]
    if len(arrays) != len(items):
        raise WeightsError(f"{path} is refused: a weight file is a list of numpy arrays and nothing else")
    return arrays


def _in_short(error: Exception) -> str:
    """Return the words of an error on one line; those about broken bytes may quote any number of them."""
    words = " ".join((str(error) or type(error).__name__).split())
    return words if len(words) <= 200 else f"{words[:200]}…"


def read_npy(path: Path) -> np.ndarray:
    """Return the array of a ``.npy`` file, which is what upstream's ``.matrix`` files are."""
    try:
        # A mapped file must have the bytes its header speaks of; read plainly, they would be asked for first.
        array = np.load(path, allow_pickle=False, mmap_mode="r")
    except (ValueError, EOFError, TypeError, OverflowError, SyntaxError, OSError, MemoryError) as error:
        raise WeightsError(f"{path} is not a readable array file: {_in_short(error)}") from error
    if not isinstance(array, np.ndarray):
        raise WeightsError(f"{path} is not a readable array file: it holds several arrays")
    if array.dtype.kind != "f":
        raise WeightsError(f"{path} is refused: it holds an array of type {array.dtype}, and weights are floats")
    return np.array(array)


def read_hdf5(path: Path, layers: Sequence[str]) -> list[np.ndarray]:
    """Return the arrays of the named layers, in that order, from a Keras hdf5 weight file."""
    import h5py

    arrays = []
    try:
        with h5py.File(path, "r") as file:
            for layer in layers:
                if layer not in file:
                    raise WeightsError(f"has no layer {layer!r}: it belongs to another network")
                group = file[layer]
                arrays += [_values(group[name]) for name in group.attrs["weight_names"]]
    except WeightsError as error:
        raise WeightsError(f"{path} {error}") from None
    except (OSError, LookupError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        raise WeightsError(f"{path} is not a readable Keras hdf5 file: {_in_short(error)}") from error
    return arrays


def _values(dataset: Any) -> np.ndarray:
    kind, size = dataset.dtype, dataset.size
    if kind.kind != "f":
        raise WeightsError(f"is refused: it holds an array of type {kind}, and weights are floats")
    # A dataset of a few bytes may speak of any number of equal values.
    if size is None or size * kind.itemsize > MOST_BYTES:
        raise WeightsError("is refused: it holds an array that is too large")
    return np.asarray(dataset)
