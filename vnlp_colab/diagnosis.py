"""What this machine offers the package, why a GPU is not used, and the line that mends it."""

from __future__ import annotations

import platform
import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from vnlp_colab.runtime import ask_nvidia_smi, available_cores, cuda_problem

# onnxruntime-gpu is built for CUDA 12 up to this version, and from it on for CUDA 13.
CUDA_13_FROM = (1, 27)
_PACKAGES = (
    "vnlp-colab",
    "onnxruntime",
    "onnxruntime-gpu",
    "onnx",
    "tensorflow",
    "numpy",
    "pandas",
    "pyarrow",
    "sentencepiece",
)


@dataclass(frozen=True)
class Machine:
    """What was found.

    Attributes
    ----------
    packages
        Versions of what the package runs on; ``""`` where it is not installed.
    gpus, driver, driver_cuda
        Names of the GPUs, version of the NVIDIA driver, and the newest CUDA that driver runs; empty without one.
    problem
        Why onnxruntime cannot use CUDA here; ``None`` if nothing speaks against it.
    """

    packages: dict[str, str]
    gpus: tuple[str, ...]
    driver: str
    driver_cuda: tuple[int, int] | None
    problem: str | None

    @property
    def runtime(self) -> tuple[int, int] | None:
        """Major and minor version of onnxruntime-gpu, if that is installed."""
        found = re.match(r"(\d+)\.(\d+)", self.packages.get("onnxruntime-gpu", ""))
        return (int(found[1]), int(found[2])) if found else None


def look() -> Machine:
    """Look at this machine."""
    rows = ask_nvidia_smi("--query-gpu=name,driver_version")
    return Machine(
        {name: _version(name) for name in _PACKAGES},
        tuple(row[0] for row in rows if row),
        rows[0][1] if rows and len(rows[0]) > 1 else "",
        _driver_cuda() if rows else None,
        cuda_problem(),
    )


def advice(machine: Machine) -> tuple[str, str]:
    """Return what is to be said of the GPU, and the command that mends it (``""`` where there is nothing to mend).

    Examples
    --------
    >>> advice(Machine({"onnxruntime-gpu": "1.31.1"}, (), "", None, "there is no NVIDIA driver on this machine"))
    ('no GPU: there is no NVIDIA driver on this machine, so everything runs on the CPU', '')
    """
    if not machine.gpus:
        return f"no GPU: {machine.problem or 'nvidia-smi shows none'}, so everything runs on the CPU", ""
    packages = machine.packages
    extra = "cuda12" if machine.driver_cuda and machine.driver_cuda < (13, 0) else "cuda13"
    install = f"pip install 'vnlp-colab[{extra}]'"
    if packages.get("onnxruntime") and packages.get("onnxruntime-gpu"):
        both = "pip uninstall -y onnxruntime onnxruntime-gpu && "
        return "onnxruntime and onnxruntime-gpu overwrite each other's files", both + install
    if packages.get("onnxruntime"):
        return "this onnxruntime is built without CUDA", f"pip uninstall -y onnxruntime && {install}"
    if machine.runtime and machine.driver_cuda:
        if machine.driver_cuda < (13, 0) and machine.runtime >= CUDA_13_FROM:
            told = f"the driver runs CUDA {_dotted(machine.driver_cuda)}, and onnxruntime-gpu "
            told += f"{packages['onnxruntime-gpu']} is built for CUDA 13"
            return told, install
        if machine.driver_cuda >= (13, 0) and machine.runtime < CUDA_13_FROM:
            return "CUDA works with the CUDA 12 build of onnxruntime-gpu if its libraries are there", install
    if machine.problem:
        return f"CUDA is not used: {machine.problem}", install
    return "CUDA can be used", ""


def report(machine: Machine) -> str:
    """Return all of it as text for a person (or for a bug report)."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    lines = [f"Python {platform.python_version()} ({sys.executable}) on {system}, {available_cores()} cores"]
    width = max(map(len, machine.packages))
    lines += [f"  {name.ljust(width)}  {found or 'not installed'}" for name, found in machine.packages.items()]
    if machine.gpus:
        cuda = f", which runs CUDA up to {_dotted(machine.driver_cuda)}" if machine.driver_cuda else ""
        lines.append(f"GPU: {', '.join(machine.gpus)}; driver {machine.driver or 'unknown'}{cuda}")
    told, command = advice(machine)
    lines.append(told)
    if command:
        lines.append(f"mend it with:  {command}")
    return "\n".join(lines)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _driver_cuda() -> tuple[int, int] | None:
    """Return the newest CUDA the driver runs, which nvidia-smi tells in the head of its table alone."""
    import subprocess

    try:
        told = subprocess.run(["nvidia-smi"], capture_output=True, text=True, timeout=10, check=True).stdout  # noqa: S607
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"CUDA Version:\s*(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found else None


def _dotted(numbers: tuple[int, int]) -> str:
    return ".".join(map(str, numbers))
