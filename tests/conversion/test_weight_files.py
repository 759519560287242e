"""Weight files are read without trusting them."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import subprocess
import tracemalloc
from collections import OrderedDict

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.conversion import pickles
from vnlp_colab.conversion.arrays import read_hdf5, read_npy, read_pickle
from vnlp_colab.convert_to_onnx import WeightsError


def _arrays() -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [
        random.standard_normal((4, 3), dtype=np.float32),
        np.asfortranarray(random.standard_normal((3, 5), dtype=np.float32)),
        random.standard_normal(7),
        random.standard_normal((2, 2)).astype(np.float16),
        random.standard_normal((2, 2)).astype(">f4"),
        np.zeros((0, 3), np.float32),
    ]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", [list, tuple])
def test_arrays_of_every_protocol(tmp_path, protocol: int, kind) -> None:
    path = tmp_path / "x.weights"
    path.write_bytes(pickle.dumps(kind(_arrays()), protocol=protocol))
    found = read_pickle(path)
    assert all(np.array_equal(*pair) and pair[0].shape == pair[1].shape for pair in zip(found, _arrays(), strict=True))


@pytest.mark.parametrize(("old", "new"), [(b"numpy._core", b"numpy.core"), (b"numpy.core", b"numpy._core")])
def test_old_and_new_names_of_numpy(tmp_path, old: bytes, new: bytes) -> None:
    path = tmp_path / "x.weights"
    content = pickle.dumps(_arrays(), protocol=0)  # plain text: names can be exchanged without counting bytes
    path.write_bytes(content.replace(old, new))
    assert len(read_pickle(path)) == 6


def test_a_single_array_is_a_list_of_one(tmp_path) -> None:
    path = tmp_path / "x.weights"
    path.write_bytes(pickle.dumps(np.ones(3, np.float32)))
    assert [array.tolist() for array in read_pickle(path)] == [[1, 1, 1]]


class _Runs:
    def __init__(self, function, *arguments) -> None:
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    "harm",
    [
        lambda mark: _Runs(os.system, f"touch {mark}"),
        lambda mark: _Runs(subprocess.Popen, ["touch", str(mark)]),
        lambda mark: _Runs(eval, f"open({str(mark)!r}, 'w')"),
        lambda mark: _Runs(exec, f"open({str(mark)!r}, 'w')"),
        lambda mark: _Runs(io.open, str(mark), "w"),
        lambda mark: [np.ones(2, np.float32), _Runs(os.mkdir, str(mark))],
        lambda mark: np.array([_Runs(os.mkdir, str(mark))], dtype=object),
        lambda mark: _Runs(bytes, 10**9),
        lambda mark: _Runs(np.load, str(mark)),
    ],
)
def test_a_malicious_pickle_is_refused_before_it_does_anything(tmp_path, harm) -> None:
    mark = tmp_path / "mark"
    path = tmp_path / "x.weights"
    path.write_bytes(pickle.dumps(harm(mark)))
    with pytest.raises(WeightsError, match=r"x\.weights is refused"):
        read_pickle(path)
    assert not mark.exists()


@pytest.mark.parametrize(
    "content",
    [
        {"a": np.ones(2, np.float32)},
        OrderedDict(),
        [1, 2],
        "text",
        None,
        [np.array(["a"], dtype=object)],
        [np.array([1, 2])],
        [[np.ones(2, np.float32)]],
        [np.float32(1)],
        np.dtype("f4"),
        np.ndarray,
    ],
)
def test_anything_but_float_arrays_is_refused(tmp_path, content) -> None:
    path = tmp_path / "x.weights"
    path.write_bytes(pickle.dumps(content))
    with pytest.raises(WeightsError, match=r"x\.weights is refused"):
        read_pickle(path)


def test_shape_that_does_not_fit_the_bytes_is_refused(tmp_path) -> None:
    path = tmp_path / "x.weights"
    content = pickle.dumps(np.ones((2, 3), np.float32), protocol=2)
    path.write_bytes(content.replace(b"K\x02K\x03\x86", b"K\x02K\xff\x86"))
    with pytest.raises(WeightsError, match=r"refused.*shape \(2, 255\)"):
        read_pickle(path)


@pytest.mark.parametrize("content", [b"", b"\x80", b"not a pickle", b"\x80\x04.", b"\x80\x04]\x94(", b"P1\n."])
def test_broken_files_are_told(tmp_path, content: bytes) -> None:
    path = tmp_path / "x.weights"
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=r"x\.weights is"):
        read_pickle(path)


class TestReadAsData:
    """A pickle's instructions touch nothing of ours and ask for no more than the file holds."""

    @staticmethod
    def refused(tmp_path, content: bytes) -> str:
        path = tmp_path / "x.weights"
        path.write_bytes(content)
        with pytest.raises(WeightsError, match=r"x\.weights is") as caught:
            read_pickle(path)
        return str(caught.value)

    @pytest.mark.parametrize("name", [b"_codecs\nencode", b"numpy\nndarray", b"numpy\ndtype"])
    def test_no_attribute_can_be_set(self, tmp_path, name: bytes) -> None:
        before = {key: dict(vars(value)) for key, value in vars(pickles).items() if hasattr(value, "__dict__")}
        for state in (b"}X\x01\x00\x00\x00aK\x01s", b"N}X\x01\x00\x00\x00aK\x01s\x86", b"N}\x86", b"(t"):
            self.refused(tmp_path, b"\x80\x02c" + name + b"\n" + state + b"b.")
        after = {key: dict(vars(value)) for key, value in vars(pickles).items() if hasattr(value, "__dict__")}
        assert after == before

    def test_nor_of_an_array_or_a_type(self, tmp_path) -> None:
        content = pickle.dumps(np.ones(2, np.float32), protocol=2)
        for state in (b"}X\x06\x00\x00\x00valuesK\x01s", b"N", b"NN\x86", b"NNN\x87"):
            assert "refused" in self.refused(tmp_path, content[:-1] + state + b"b.")

    def test_eight_bytes_do_not_take_gigabytes(self, tmp_path) -> None:
        tracemalloc.start()
        self.refused(tmp_path, b"Nr\xff\xff\xff\x7f.")  # the memo's place 2,147,483,647
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
        tracemalloc.stop()

    @pytest.mark.parametrize(
        "content",
        [
            b"\x80\x04B\xff\xff\xff\x7f.",  # bytes that are not there
            b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.",
            b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f.",
            b"\x80\x05\x96\xff\xff\xff\xff\xff\xff\xff\x7f.",
            b"L" + b"9" * 100_000 + b"L\n.",  # a number that takes long to read
            b"(" * 100_000 + b".",
            b"]" * 100_000 + b"a" * 99_999 + b".",
            b"N0000.",
            b"\x94.",
            b"h\x05.",
            b"R.",
            b"b.",
            b"e.",
            b"\x93.",
            b"ccodecs\n.",
            b"\x82\x01.",  # an extension code
            b"Pid\n.",
            b"\x97.",
            b"(inumpy\nndarray\n.",
            b"(cnumpy\nndarray\no.",
        ],
    )
    def test_nonsense_is_told(self, tmp_path, content: bytes) -> None:
        self.refused(tmp_path, content)

    @given(st.integers(0, 5), st.data())
    def test_any_change_of_a_pickle_is_read_or_told(self, tmp_path_factory, protocol: int, data: st.DataObject) -> None:
        content = bytearray(pickle.dumps(_arrays(), protocol=protocol))
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path = tmp_path_factory.mktemp("x") / "x.weights"
        path.write_bytes(bytes(content))
        with contextlib.suppress(WeightsError):
            assert all(isinstance(array, np.ndarray) for array in read_pickle(path))


def test_cut_off_file_is_told(tmp_path) -> None:
    path = tmp_path / "x.weights"
    path.write_bytes(pickle.dumps(_arrays())[:-40])
    with pytest.raises(WeightsError, match="not a readable weight file"):
        read_pickle(path)


def test_matrix_files(tmp_path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    assert read_npy(tmp_path / "x.npy").shape == (2, 3)
    np.save(tmp_path / "object.npy", np.array([_Runs(os.mkdir, str(tmp_path / "mark"))], dtype=object))
    with pytest.raises(WeightsError, match="not a readable array file"):
        read_npy(tmp_path / "object.npy")
    (tmp_path / "empty.npy").write_bytes(b"")
    with pytest.raises(WeightsError, match="not a readable array file"):
        read_npy(tmp_path / "empty.npy")
    assert not (tmp_path / "mark").exists()


def test_a_matrix_file_is_not_larger_than_it_is(tmp_path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000,), }\n"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8))
    with pytest.raises(WeightsError, match="not a readable array file"):
        read_npy(tmp_path / "x.npy")
    np.save(tmp_path / "text.npy", np.array(["a", "b"]))
    with pytest.raises(WeightsError, match="weights are floats"):
        read_npy(tmp_path / "text.npy")


def test_hdf5_that_is_no_weights_is_told(tmp_path) -> None:
    with h5py.File(tmp_path / "x.hdf5", "w") as file:
        file["flat"] = np.ones(2)
        for name, weights in {"text": ["x"], "folder": ["y"], "sparse": ["z"], "absent": ["w"], "number": 3}.items():
            file.create_group(name).attrs["weight_names"] = weights
        file["text"]["x"] = "a text"
        file["folder"].create_group("y")
        file["sparse"].create_dataset("z", (1 << 40,), "f4", chunks=(1 << 20,))
    for layer in ("flat", "text", "folder", "sparse", "absent", "number"):
        with pytest.raises(WeightsError, match=r"x\.hdf5 is"):
            read_hdf5(tmp_path / "x.hdf5", [layer])


def test_hdf5_is_read_by_layer_name(tmp_path) -> None:
    with h5py.File(tmp_path / "x.hdf5", "w") as file:
        for layer, value in (("dense", 1.0), ("gru", 2.0)):
            group = file.create_group(layer)
            group.attrs["weight_names"] = [f"{layer}/kernel:0".encode(), f"{layer}/bias:0".encode()]
            group[f"{layer}/kernel:0"] = np.full((2, 2), value, np.float32)
            group[f"{layer}/bias:0"] = np.full(2, -value, np.float32)
    arrays = read_hdf5(tmp_path / "x.hdf5", ["gru", "dense"])
    assert [float(array.flat[0]) for array in arrays] == [2, -2, 1, -1]
    with pytest.raises(WeightsError, match="no layer 'embedding'"):
        read_hdf5(tmp_path / "x.hdf5", ["embedding"])
    (tmp_path / "no.hdf5").write_bytes(b"nothing")
    with pytest.raises(WeightsError, match="not a readable Keras hdf5 file"):
        read_hdf5(tmp_path / "no.hdf5", ["gru"])
