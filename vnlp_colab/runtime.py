"""onnxruntime sessions: which device, how many threads, and what a session calls its inputs and outputs."""

from __future__ import annotations

import ctypes
import logging
import os
import re
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from vnlp_colab.errors import VNLPError
from vnlp_colab.forking import at_work, helping

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import onnxruntime

# "auto", "cpu", "cuda" or "cuda:N"; `check_device` says what is wrong with another one
Device = str
Item = TypeVar("Item")
Result = TypeVar("Result")

_LOG = logging.getLogger(__name__)
_CUDA = "CUDAExecutionProvider"
_CPU = "CPUExecutionProvider"
_DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?")
_said: set[str] = set()


class DeviceError(VNLPError):
    """The device that was asked for cannot be had; the message says why."""


@dataclass(frozen=True)
class SessionOptions:
    """How sessions are made.

    Attributes
    ----------
    threads
        CPU threads a model may use; ``None`` takes the cores this process may run on.
    memory_arena
        Keep freed memory for the next call. Off gives memory back sooner and is slower.
    log_level
        onnxruntime's severity: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal.
    """

    threads: int | None = None
    memory_arena: bool = True
    log_level: int = 3

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise ValueError(f"threads must be at least 1 or None, not {self.threads}")
        if self.log_level not in range(5):
            raise ValueError(f"log_level must be 0 to 4, not {self.log_level}")

    @property
    def thread_count(self) -> int:
        """The number of threads, with ``None`` resolved."""
        return self.threads or available_cores()


def available_cores() -> int:
    """Return how many cores this process may use (containers and ``taskset`` included)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_device(device: str) -> Device:
    """Return `device` if it is one, else raise `ValueError` with the possible ones.

    Examples
    --------
    >>> check_device("cuda:1")
    'cuda:1'
    """
    if not isinstance(device, str) or not _DEVICE.fullmatch(device):
        raise ValueError(f"device must be one of auto, cpu, cuda, cuda:0, cuda:1 and so on, not {device!r}")
    return device


def gpu_number(device: Device) -> int:
    """Return the number of the GPU a device names, counted as CUDA does (CUDA_VISIBLE_DEVICES); the first by default.

    Examples
    --------
    >>> gpu_number("cuda:1"), gpu_number("cuda")
    (1, 0)
    """
    return int(device.partition(":")[2] or 0)


def create_session(
    model: Path | bytes,
    device: Device = "auto",
    options: SessionOptions | None = None,
    *,
    intra_op_threads: int | None = None,
    plan_memory: bool = True,
    keep_plans: bool = True,
) -> onnxruntime.InferenceSession:
    """Return a session for `model` on `device`.

    Parameters
    ----------
    model
        The path of an ``.onnx`` file, or its bytes.
    device
        ``"auto"`` takes CUDA where its provider really loads and the CPU otherwise, and says which once at INFO.
        ``"cuda"``, or ``"cuda:1"`` for another GPU than the first, raises `DeviceError` where it cannot be had.
    options
        Threads, memory and logging.
    intra_op_threads
        Threads of one ``run``, where the caller does the sharing itself; by default all of ``options``.
    plan_memory
        Plan at load which values share memory; for graphs of thousands of nodes that takes seconds.
    keep_plans
        Keep for every shape of the inputs where values went, for the next run with that shape; many shapes take memory.

    Raises
    ------
    DeviceError
        A GPU was asked for and cannot be had.
    """
    ort = _onnxruntime()
    options = options or SessionOptions()
    wanted = resolve_device(device)
    session = ort.InferenceSession(
        model if isinstance(model, bytes) else str(model),
        sess_options=_session_options(options, intra_op_threads, plan_memory, keep_plans),
        providers=[(_CUDA, _cuda_options(options, gpu_number(device))), _CPU] if wanted == "cuda" else [_CPU],
    )
    reason = cuda_problem() if device == "auto" else None
    if device_of(session) != wanted:
        reason = (
            "the CUDA provider of onnxruntime did not load (its CUDA and cuDNN libraries do not match or are missing)"
        )
        if device != "auto":
            raise DeviceError(f"device={device!r} cannot be had: {reason}. `pip install vnlp-colab[gpu]` brings them.")
    if device == "auto":
        _say_once(f"running on the CPU: {reason}" if reason else "running on the GPU (CUDA)")
    return session


def create_shared_session(
    model: Path | bytes, device: Device = "auto", options: SessionOptions | None = None, *, plan_memory: bool = True
) -> tuple[onnxruntime.InferenceSession, int]:
    """Return a session for `in_threads`, and from how many threads at a time to run it.

    On the CPU a run takes one thread and several runs go side by side: onnxruntime's GRU loses half its speed when it
    shares a run out. A GPU takes one run at a time.
    """
    options = options or SessionOptions()
    threads = 1 if resolve_device(device) == "cpu" else None
    session = create_session(model, device, options, intra_op_threads=threads, plan_memory=plan_memory)
    return session, options.thread_count if device_of(session) == "cpu" else 1


def input_names(session: onnxruntime.InferenceSession) -> list[str]:
    """Return the names of the session's inputs, in the order of the graph's signature."""
    return [value.name for value in session.get_inputs()]


def output_names(session: onnxruntime.InferenceSession) -> list[str]:
    """Return the names of the session's outputs."""
    return [value.name for value in session.get_outputs()]


def device_of(session: onnxruntime.InferenceSession) -> Literal["cpu", "cuda"]:
    """Return where the session really runs."""
    return "cuda" if _CUDA in session.get_providers() else "cpu"


def resolve_device(device: Device) -> Literal["cpu", "cuda"]:
    """Return the kind of device `device` stands for here, without making a session."""
    reason = None if check_device(device) == "cpu" else _gpu_problem(device)
    if device.startswith("cuda") and reason:
        raise DeviceError(
            f"device={device!r} cannot be had: {reason}. Use device='cpu' or 'auto' to run without a GPU."
        )
    return "cpu" if device == "cpu" or reason else "cuda"


def _gpu_problem(device: Device) -> str | None:
    """Return why the GPU that `device` names cannot be used, or ``None``."""
    reason, number = cuda_problem(), gpu_number(device)
    if reason or not number or number < gpu_count():
        return reason
    seen = f", and CUDA_VISIBLE_DEVICES is {visible!r}" if (visible := os.environ.get("CUDA_VISIBLE_DEVICES")) else ""
    count = gpu_count()
    return f"this process sees {count} GPU{'s' * (count > 1)} (counted from 0{seen})"


def _driver() -> Any:
    """Return the NVIDIA driver's library, started; raise ``OSError`` where there is none."""
    driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    driver.cuInit(0)
    return driver


def gpu_count() -> int:
    """Return how many GPUs this process may use (CUDA_VISIBLE_DEVICES included)."""
    count = ctypes.c_int(0)
    try:
        _driver().cuDeviceGetCount(ctypes.byref(count))
    except OSError:
        return 0
    return count.value


@cache
def cuda_problem() -> str | None:
    """Return why CUDA cannot be used here, or ``None`` if nothing speaks against it.

    onnxruntime-gpu names its CUDA provider on machines without a GPU too, and then prints an error for every session;
    so the driver is asked first.
    """
    ort = _onnxruntime()
    if _CUDA not in ort.get_available_providers():
        return _why_no_provider()
    try:
        _driver()
    except OSError:
        return "there is no NVIDIA driver on this machine"
    if gpu_count() == 0:
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        return "the NVIDIA driver shows no GPU" + ("" if visible is None else f" (CUDA_VISIBLE_DEVICES is {visible!r})")
    if hasattr(ort, "preload_dlls"):  # finds CUDA libraries that were installed as packages or with PyTorch
        ort.preload_dlls()
    return None


def _onnxruntime() -> Any:
    import onnxruntime

    if not hasattr(onnxruntime, "InferenceSession"):  # what is left when one of two that shared files is uninstalled
        raise DeviceError(
            "onnxruntime is not whole: onnxruntime and onnxruntime-gpu overwrite each other's files, and one of them "
            "was taken away. Run `pip install --force-reinstall onnxruntime-gpu` (or onnxruntime, without a GPU)."
        )
    return onnxruntime


def _why_no_provider() -> str:
    if all(map(_is_installed, ("onnxruntime", "onnxruntime-gpu"))):
        return (
            "onnxruntime and onnxruntime-gpu are both installed and overwrite each other's files (run `pip uninstall "
            "onnxruntime onnxruntime-gpu`, then `pip install onnxruntime-gpu`)"
        )
    return "this onnxruntime is built without CUDA (onnxruntime-gpu has it)"


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def free_gpu_memory(number: int = 0) -> int | None:
    """Return the free bytes of a GPU of this process, or ``None`` if they cannot be asked for."""
    name = _gpu_uuid(number)
    answer = ask_nvidia_smi("--query-gpu=memory.free", f"--id={name}") if name else []
    try:
        return int(answer[0][0]) << 20
    except (ValueError, IndexError):
        return None


def _gpu_uuid(number: int) -> str | None:
    """Return the name of a GPU that does not depend on who counts: nvidia-smi knows no CUDA_VISIBLE_DEVICES."""
    gpu, name = ctypes.c_int(0), (ctypes.c_ubyte * 16)()
    try:
        driver = _driver()
        found = driver.cuDeviceGet(ctypes.byref(gpu), number) == 0 and driver.cuDeviceGetUuid(name, gpu) == 0
    except (OSError, AttributeError):
        return None
    return f"GPU-{uuid.UUID(bytes=bytes(name))}" if found else None


def ask_nvidia_smi(query: str, *options: str) -> list[list[str]]:
    """Return the rows of an answer of ``nvidia-smi``, whose numbers come without units; none where it cannot be run."""
    import subprocess

    command = ["nvidia-smi", query, "--format=csv,noheader,nounits", *options]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return []
    return [[cell.strip() for cell in line.split(",")] for line in answer.splitlines()]


def _session_options(options: SessionOptions, intra_op_threads: int | None, plan_memory: bool, keep_plans: bool) -> Any:
    import onnxruntime as ort

    made = ort.SessionOptions()
    made.intra_op_num_threads = intra_op_threads or options.thread_count
    made.inter_op_num_threads = 1
    made.enable_cpu_mem_arena = options.memory_arena
    made.enable_mem_reuse = plan_memory
    made.enable_mem_pattern = keep_plans
    made.log_severity_level = options.log_level
    # Several models share the cores: a pool that spins while another one works takes those cores away.
    made.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return made


def _cuda_options(options: SessionOptions, gpu: int) -> dict[str, str]:
    return {
        "device_id": str(gpu),
        # TF32 keeps 10 bits of the mantissa: labels would no longer be those of the float32 network.
        "use_tf32": "0",
        "arena_extend_strategy": "kNextPowerOfTwo" if options.memory_arena else "kSameAsRequested",
    }


def _say_once(message: str) -> None:
    if message not in _said:
        _said.add(message)
        _LOG.info(message)


def in_threads(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """Return ``work(item)`` for every item, in order, from up to `threads` threads at a time.

    One session of one intra-op thread (`create_shared_session`), run from several threads on parts of a batch, needs no
    meeting point between two operators, so it uses the cores better than one run that shares each operator out.
    """
    with at_work():
        if threads == 1 or len(items) < 2:
            return [work(item) for item in items]

        def part(item: Item) -> Result:
            with helping():
                return work(item)

        with ThreadPoolExecutor(min(threads, len(items))) as pool:
            return list(pool.map(part, items))
