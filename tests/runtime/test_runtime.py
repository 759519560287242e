from __future__ import annotations

import logging
import sys
import types

import pytest

from vnlp_colab import runtime
from vnlp_colab.recurrent.graph import Graph
from vnlp_colab.runtime import DeviceError, SessionOptions, create_session, device_of, input_names, output_names


@pytest.fixture
def doubling() -> bytes:
    graph = Graph()
    value = graph.input("some/odd:name", "float", ["rows", 2])
    graph.output(graph.op("Add", value, value), "twice")
    return graph.model()


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(runtime, "cuda_problem", lambda: "there is no NVIDIA driver on this machine")
    monkeypatch.setattr(runtime, "_said", set())


def test_names_are_read_off_the_session(doubling):
    session = create_session(doubling, "cpu")
    assert input_names(session) == ["some/odd:name"]
    assert output_names(session) == ["twice"]
    assert device_of(session) == "cpu"


def test_a_file_serves_as_well_as_bytes(doubling, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(doubling)
    assert output_names(create_session(path, "cpu")) == ["twice"]


def test_auto_falls_back_to_the_cpu_and_says_so_once(doubling, no_gpu, caplog):
    with caplog.at_level(logging.INFO, logger="vnlp_colab.runtime"):
        for _ in range(3):
            assert device_of(create_session(doubling, "auto")) == "cpu"
    assert [record.message for record in caplog.records] == [
        "running on the CPU: there is no NVIDIA driver on this machine"
    ]


def test_cuda_that_cannot_be_had_is_an_error_with_the_reason(doubling, no_gpu):
    with pytest.raises(DeviceError, match=r"no NVIDIA driver.*device='cpu'"):
        create_session(doubling, "cuda")


def test_cuda_whose_libraries_do_not_load_is_an_error(doubling, monkeypatch):
    if runtime.cuda_problem() is None:
        pytest.skip("this machine has a working GPU")
    monkeypatch.setattr(runtime, "cuda_problem", lambda: None)
    with pytest.raises(DeviceError, match="did not load"):
        create_session(doubling, "cuda")


def test_unknown_device(doubling):
    with pytest.raises(ValueError, match="auto, cpu, cuda"):
        create_session(doubling, "gpu")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"log_level": 9}])
def test_wrong_options(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SessionOptions(**wrong)


def test_options_reach_the_session(doubling):
    made = create_session(doubling, "cpu", SessionOptions(threads=3, memory_arena=False)).get_session_options()
    assert made.intra_op_num_threads == 3
    assert not made.enable_cpu_mem_arena


def test_work_in_threads_keeps_its_order():
    assert runtime.in_threads(lambda number: number * 2, list(range(20)), 4) == list(range(0, 40, 2))


def test_an_onnxruntime_that_is_not_whole_is_told(doubling, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", types.ModuleType("onnxruntime"))
    with pytest.raises(DeviceError, match="--force-reinstall onnxruntime-gpu"):
        create_session(doubling, "cpu")


def test_two_onnxruntimes_that_overwrite_each_other_are_named(doubling, monkeypatch):
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    monkeypatch.setattr(runtime, "_is_installed", lambda package: True)
    runtime.cuda_problem.cache_clear()
    try:
        with pytest.raises(DeviceError, match=r"both installed.*pip uninstall onnxruntime onnxruntime-gpu"):
            create_session(doubling, "cuda")
    finally:
        runtime.cuda_problem.cache_clear()
