"""A small joint network of random weights, converted as the trained one is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from random_network import random_labels, random_sentences, random_weights

import vnlp_colab
from training.joint.conversion import convert_joint
from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.runtime import SessionOptions

if TYPE_CHECKING:
    import numpy as np

TOKENIZER = Path(vnlp_colab.__file__).parent / "models" / "SPU_vnlp_colab_16k.model"


@pytest.fixture(scope="session")
def labels() -> dict[str, Any]:
    return random_labels()


@pytest.fixture(scope="session")
def weights(labels: dict[str, Any]) -> dict[str, np.ndarray]:
    return random_weights(labels)


@pytest.fixture(scope="session")
def joint_folder(
    labels: dict[str, Any], weights: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("joint")
    # random weights are not made to stand rounding, so their labels need not be equal
    convert_joint(weights, labels | {"hands": ["boun dev"]}, random_sentences(40, 12), folder, TOKENIZER, least_equal=0)
    return folder


@pytest.fixture
def analyzer(joint_folder: Path, monkeypatch: pytest.MonkeyPatch) -> JointAnalyzer:
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(joint_folder))
    return JointAnalyzer(device="cpu", options=SessionOptions(threads=1))
