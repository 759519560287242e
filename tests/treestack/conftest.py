"""Small TreeStack models of random weights."""

from __future__ import annotations

import json

import numpy as np
import pytest
from treestack_sentences import RESOURCES, ROLES, SIZES

from vnlp_colab import keras_models
from vnlp_colab.conversion import catalog, graph
from vnlp_colab.convert_to_onnx import write_manifest_entry


def _random_weight(name: str, shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """Return weights for varied labels, but not scores of exactly 1, of which the first would win by chance."""
    scale = 1.0 if "embeddings" in name else 0.1 if "bias" in name else 1.7 / np.sqrt(shape[0])
    return random.normal(0, scale, shape).astype(np.float32)


@pytest.fixture(scope="session")
def keras_treestacks():
    """The small networks in Keras, by name."""
    models = {}
    random = np.random.default_rng(11)
    for name in ROLES:
        model = getattr(keras_models, catalog.network(name).builder)(**SIZES)
        model.set_weights([_random_weight(weight.name, tuple(weight.shape), random) for weight in model.weights])
        models[name] = model
    return models


@pytest.fixture(scope="session")
def treestack_folder(tmp_path_factory: pytest.TempPathFactory, keras_treestacks):
    folder = tmp_path_factory.mktemp("treestack")
    for name, content in RESOURCES.items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    for name, model in keras_treestacks.items():
        network = catalog.network(name)
        weights = model.get_weights()
        model.set_weights(graph.probe_weights(model))
        template = graph.make_template(network, model)
        model.set_weights(weights)
        file = f"{network.key('prod')}.onnx"
        (folder / file).write_bytes(graph.fill(template, model).SerializeToString())
        entry = {"model": name, "file": file, "weights": "prod", "source": "random", "resources": ROLES[name]}
        write_manifest_entry(folder, network.key("prod"), entry, [file, *ROLES[name].values()])
    return folder


@pytest.fixture
def treestack_models(treestack_folder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(treestack_folder))
    return treestack_folder
