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


@pytest.mark.parametrize("keep", [True, False])
def test_plans_of_memory_are_kept_by_shape_or_not(doubling, keep):
    assert create_session(doubling, "cpu", keep_plans=keep).get_session_options().enable_mem_pattern is keep


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


def test_a_gpu_may_be_named_by_its_number():
    assert runtime.check_device("cuda:1") == "cuda:1"
    assert runtime.gpu_number("cuda:11") == 11
    assert runtime.gpu_number("cuda") == runtime.gpu_number("auto") == 0


@pytest.mark.parametrize("wrong", ["gpu", "cuda:", "cuda:-1", "cuda:x", "CUDA", "", None, 0])
def test_what_is_no_device(wrong):
    with pytest.raises(ValueError, match=r"auto, cpu, cuda, cuda:0"):
        runtime.check_device(wrong)


@pytest.fixture
def two_gpus(monkeypatch):
    """A driver that shows two GPUs, whatever this machine has."""
    names = [bytes(range(16)), bytes(range(16, 32))]

    class Driver:
        def cuDeviceGetCount(self, count):  # noqa: N802
            count._obj.value = len(names)
            return 0

        def cuDeviceGet(self, gpu, number):  # noqa: N802
            gpu._obj.value = number
            return 0 if number < len(names) else 101

        def cuDeviceGetUuid(self, name, gpu):  # noqa: N802
            name[:] = names[gpu.value]
            return 0

    monkeypatch.setattr(runtime, "_driver", Driver)
    monkeypatch.setattr(runtime, "cuda_problem", lambda: None)
    return names


def test_a_gpu_that_is_not_there_is_told(doubling, two_gpus, monkeypatch):
    assert runtime.resolve_device("cuda:1") == "cuda"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,3")
    with pytest.raises(DeviceError, match=r"device='cuda:2'.*2 GPUs.*from 0.*CUDA_VISIBLE_DEVICES is '5,3'"):
        create_session(doubling, "cuda:2")


def test_the_session_is_asked_for_that_gpu(doubling, two_gpus, monkeypatch):
    import onnxruntime

    asked = []

    def session(model, sess_options, providers):
        asked.extend(providers)
        return types.SimpleNamespace(get_providers=lambda: ["CUDAExecutionProvider"])

    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    create_session(doubling, "cuda:1")
    assert asked[0][0] == "CUDAExecutionProvider"
    assert asked[0][1]["device_id"] == "1"


def test_free_memory_is_that_of_the_gpu_the_process_sees(two_gpus, monkeypatch):
    # nvidia-smi counts all GPUs of the machine, so it is asked by a name that no setting changes
    asked = []
    monkeypatch.setattr(runtime, "ask_nvidia_smi", lambda *query: asked.append(query) or [["1024"]])
    assert runtime.free_gpu_memory(1) == 1 << 30
    assert asked == [("--query-gpu=memory.free", "--id=GPU-10111213-1415-1617-1819-1a1b1c1d1e1f")]
    assert runtime.free_gpu_memory(2) is None


def test_no_driver_has_no_memory(monkeypatch):
    monkeypatch.setattr(runtime, "_driver", lambda: (_ for _ in ()).throw(OSError))
    assert runtime.gpu_count() == 0
    assert runtime.free_gpu_memory() is None


def test_shared_sessions_take_one_thread_a_run_and_all_of_them_together(doubling):
    session, threads = runtime.create_shared_session(doubling, "cpu", SessionOptions(threads=3))
    assert session.get_session_options().intra_op_num_threads == 1
    assert threads == 3
