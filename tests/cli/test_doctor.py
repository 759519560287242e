"""``vnlp-colab doctor``: one line for every way in which a GPU is not used."""

from __future__ import annotations

import json

import pytest

from vnlp_colab import diagnosis
from vnlp_colab.cli import main
from vnlp_colab.diagnosis import Machine, advice

GPU = ("NVIDIA L4",)


@pytest.mark.parametrize(
    ("machine", "told", "command"),
    [
        (
            Machine({"onnxruntime-gpu": "1.31.1"}, GPU, "550.1", (12, 4), None),
            "the driver runs CUDA 12.4, and onnxruntime-gpu 1.31.1 is built for CUDA 13",
            "pip install 'vnlp-colab[cuda12]'",
        ),
        (
            Machine({"onnxruntime": "1.31.1"}, GPU, "580.1", (13, 0), "built without CUDA"),
            "this onnxruntime is built without CUDA",
            "pip uninstall -y onnxruntime && pip install 'vnlp-colab[cuda13]'",
        ),
        (
            Machine({"onnxruntime": "1.31.1", "onnxruntime-gpu": "1.31.1"}, GPU, "580.1", (13, 0), None),
            "onnxruntime and onnxruntime-gpu overwrite each other's files",
            "pip uninstall -y onnxruntime onnxruntime-gpu && pip install 'vnlp-colab[cuda13]'",
        ),
        (
            Machine({"onnxruntime-gpu": "1.31.1"}, GPU, "580.1", (13, 0), "the libraries are missing"),
            "CUDA is not used: the libraries are missing",
            "pip install 'vnlp-colab[cuda13]'",
        ),
        (Machine({"onnxruntime-gpu": "1.31.1"}, GPU, "580.1", (13, 0), None), "CUDA can be used", ""),
        (Machine({"onnxruntime-gpu": "1.26.0"}, GPU, "550.1", (12, 8), None), "CUDA can be used", ""),
    ],
)
def test_what_is_said_and_what_mends_it(machine, told, command):
    assert advice(machine) == (told, command)


def test_report(monkeypatch, capsys):
    machine = Machine({"vnlp-colab": "0.1.0", "onnxruntime-gpu": "1.31.1"}, GPU, "550.1", (12, 4), None)
    monkeypatch.setattr(diagnosis, "look", lambda: machine)
    assert main(["doctor"]) == 1, "there is something to mend"
    out = capsys.readouterr().out
    assert "GPU: NVIDIA L4; driver 550.1, which runs CUDA up to 12.4" in out
    assert "mend it with:  pip install 'vnlp-colab[cuda12]'" in out


def test_this_machine(capsys):
    code = main(["doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["packages"]["numpy"]
    assert code == (1 if found["command"] else 0)
