"""Networks converted from seeded random weights, each once a session."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from vnlp_colab.conversion import catalog, graph
from vnlp_colab.convert_to_onnx import ConversionResult, convert_model

if TYPE_CHECKING:
    from collections.abc import Callable


def random_weights(name: str, seed: int = 3) -> list[np.ndarray]:
    """Weights that keep states away from saturation, so that every part of a network shows in its output."""
    random = np.random.default_rng(seed)
    weights = []
    for weight in graph.build_keras_model(catalog.network(name)).weights:
        shape = tuple(weight.shape)
        scale = 1.0 if "embeddings" in weight.name else 1 / np.sqrt(shape[0])
        weights.append(random.normal(0, scale, shape).astype(np.float32))
    return weights


@pytest.fixture(scope="session")
def weights_of() -> Callable[[str], list[np.ndarray]]:
    return cache(random_weights)


@pytest.fixture(scope="session")
def converted(tmp_path_factory: pytest.TempPathFactory, weights_of) -> Callable[[str], ConversionResult]:
    folder = tmp_path_factory.mktemp("converted")

    @cache
    def convert(name: str) -> ConversionResult:
        return convert_model(name, weights_of(name), folder / f"{name}.onnx")

    return convert


@pytest.fixture
def own_cache(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """An empty user cache and no network."""
    monkeypatch.setenv("VNLP_COLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("VNLP_COLAB_MODELS", raising=False)
    return tmp_path / "cache"
