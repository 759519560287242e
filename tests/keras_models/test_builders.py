"""The networks: parameter counts, weight shapes and order, inputs, and what they compute."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy_networks import spucontext_output, treestack_dp_output

from vnlp_colab import keras_models
from vnlp_colab.conversion.catalog import NETWORKS

PARAMETERS = {
    "StemmerAnalyzer": 2_330_638,
    "SPUContextPoS": 2_568_594,
    "TreeStackPoS": 10_181_234,
    "SPUContextNER": 5_572_357,
    "CharNER": 1_323_397,
    "SPUContextDP": 5_659_482,
    "TreeStackDP": 15_085_514,
    "SPUCBiGRUSentimentAnalyzer": 2_843_169,
}


def _gru(inputs: int, units: int) -> list[tuple[int, ...]]:
    return [(inputs, 3 * units), (units, 3 * units), (2, 3 * units)]


def _stack(inputs: int, units: int, layers: int) -> list[tuple[int, ...]]:
    return [shape for layer in range(layers) for shape in _gru(inputs if layer == 0 else units, units)]


def _bigru(inputs: int, units: int) -> list[tuple[int, ...]]:
    return 2 * _gru(inputs, units)


def _dense(*sizes: int) -> list[tuple[int, ...]]:
    return [shape for inputs, units in itertools.pairwise(sizes) for shape in ((inputs, units), (units,))]


def _spucontext(units: int, layers: int, labels: int) -> list[tuple[int, ...]]:
    return [
        (16_000, 128),
        *_stack(128, units, layers),
        *(2 * _stack(units, units, layers)),
        *_stack(labels, units, layers),
        *_dense(4 * units, 2 * units, units, labels),
    ]


# In the order of upstream's get_weights(), which its weight files have.
SHAPES = {
    "StemmerAnalyzer": [
        *((116, 32), (127, 32)),
        *(2 * _bigru(32, 256)),
        *(2 * _bigru(32, 128)),
        *(2 * _gru(512, 256)),
        *_dense(10, 20, 10),
    ],
    "SPUContextPoS": _spucontext(128, 1, 18),
    "SPUContextNER": _spucontext(256, 2, 5),
    "SPUContextDP": _spucontext(256, 2, 90),
    "TreeStackPoS": [
        *((127, 32), (63_992, 128)),
        *_stack(32, 128, 2),
        *_stack(128 + 128 + 18, 256, 2),
        *_stack(128 + 128, 256, 2),
        *_dense(768, 256, 128, 18),
    ],
    "TreeStackDP": [
        *((127, 32), (63_992, 128), (18, 8)),
        *_stack(32, 128, 2),
        *_stack(264, 384, 2),
        *_stack(90, 384, 2),
        *_stack(264, 384, 2),
        *_dense(1416, 1024, 512, 90),
    ],
    "CharNER": [(150, 32), *_bigru(32, 128), *(4 * _bigru(256, 128)), *_dense(256, 32, 5)],
    "SPUCBiGRUSentimentAnalyzer": [(16_000, 128), *_bigru(128, 128), *(2 * _bigru(256, 128)), *_dense(256, 16, 1)],
}


@pytest.fixture(scope="module", params=list(NETWORKS))
def built(request: pytest.FixtureRequest) -> tuple[str, object]:
    return request.param, getattr(keras_models, NETWORKS[request.param].builder)()


def test_every_network_has_a_builder() -> None:
    assert sorted(network.builder for network in NETWORKS.values()) == sorted(keras_models.__all__)


def test_sizes_and_inputs(built) -> None:
    name, model = built
    assert model.count_params() == PARAMETERS[name]
    assert [array.shape for array in model.get_weights()] == SHAPES[name]
    assert [(value.name, tuple(value.shape[1:]), value.dtype.name) for value in model.inputs] == [
        (spec.name, spec.shape, "float32" if spec.one_hot else "int32") for spec in NETWORKS[name].inputs
    ]


def test_weights_come_block_by_block(built) -> None:
    # Shapes alone do not tell parallel stacks apart: left and right have the same ones.
    name, model = built
    blocks = list(dict.fromkeys(weight.name.split("/")[0].split(":")[0] for weight in model.weights))
    expected = {
        "StemmerAnalyzer": ["chars", "tags", "surface_left", "surface_right", "stem", "tag", "left", "right"],
        "TreeStackPoS": ["tags", "words", "tag", "left", "right"],
        "TreeStackDP": ["tags", "words", "pos", "tag", "left", "arc_label", "right"],
        "CharNER": ["chars", *(f"gru_{index}" for index in range(5))],
        "SPUCBiGRUSentimentAnalyzer": ["pieces", *(f"gru_{index}" for index in range(3))],
    }.get(name, ["word", "left", "right", "history"])
    assert [block for block in blocks if not block.startswith("dense")] == expected
    layers = [weight.name.split("/")[1] for weight in model.weights if weight.name.startswith("right/")]
    assert layers == sorted(layers)


def test_set_weights_takes_what_get_weights_gives(built) -> None:
    _, model = built
    random = np.random.default_rng(1)
    weights = [random.standard_normal(array.shape, dtype=np.float32) for array in model.get_weights()]
    model.set_weights(weights)
    assert all(np.array_equal(*pair) for pair in zip(model.get_weights(), weights, strict=True))


def _random_weights(model, seed: int) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [random.normal(0, 0.5, array.shape).astype(np.float32) for array in model.get_weights()]


@pytest.mark.parametrize("stacks", [1, 2, 3])
def test_spucontext_computes_what_numpy_computes(stacks: int) -> None:
    """The right stack goes backwards on every layer; with two layers the second reads in reading order again."""
    model = keras_models.create_spucontext_ner_model(vocabulary=30, dimension=4, units=5, stacks=stacks, labels=6)
    weights = _random_weights(model, stacks)
    model.set_weights(weights)
    random = np.random.default_rng(9)
    word, left, right = (random.integers(0, 30, (3, *shape), dtype=np.int32) for shape in ((8,), (40, 8), (40, 8)))
    right[:, 25:] = 0
    history = np.eye(6, dtype=np.float32)[random.integers(0, 6, (3, 40))]
    got = np.asarray(model([word, left, right, history]))
    expected = spucontext_output(weights, stacks, word, left, right, history)
    np.testing.assert_allclose(got, expected, atol=1e-5)  # float32 against float64 over 40 steps


def test_treestack_dp_computes_what_numpy_computes() -> None:
    model = keras_models.create_treestack_dp_model(
        vocabulary=20, dimension=3, tag_vocabulary=9, tag_dimension=4, tag_units=5, units=6, labels=90
    )
    weights = _random_weights(model, 4)
    model.set_weights(weights)
    random = np.random.default_rng(5)
    sizes = {"word": 20, "left_words": 20, "right_words": 20, "pos": 18, "left_pos": 18, "right_pos": 18}
    inputs = []
    for spec in NETWORKS["TreeStackDP"].inputs:
        if spec.one_hot:
            inputs.append(np.eye(90, dtype=np.float32)[random.integers(0, 90, (2, 40))])
        else:
            inputs.append(random.integers(0, sizes.get(spec.name, 9), (2, *spec.shape), dtype=np.int32))
    np.testing.assert_allclose(np.asarray(model(inputs)), treestack_dp_output(weights, inputs), atol=1e-5)
