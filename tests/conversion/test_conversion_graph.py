"""The converted graphs: parity with Keras, GRU nodes, names, batch, float16, and that nothing wrong is written."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from vnlp_colab.conversion import catalog, graph, proof
from vnlp_colab.convert_to_onnx import ConversionError, WeightsError, convert_model

SMALL = ["SPUContextPoS", "SPUContextNER", "SPUContextDP", "CharNER", "StemmerAnalyzer", "SPUCBiGRUSentimentAnalyzer"]
# The 33 MB word matrix makes these two slow to convert.
ALL = [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in ("TreeStackPoS", "TreeStackDP"))]

GRUS = {
    "SPUContextPoS": {"word": 1, "left": 1, "right": 1, "history": 1},
    "SPUContextNER": {"word": 2, "left": 2, "right": 2, "history": 2},
    "SPUContextDP": {"word": 2, "left": 2, "right": 2, "history": 2},
    "TreeStackPoS": {"tag": 2, "left": 2, "right": 2},
    "TreeStackDP": {"tag": 2, "left": 2, "arc_label": 2, "right": 2},
    "StemmerAnalyzer": dict.fromkeys(("surface_left", "surface_right", "stem", "tag", "left", "right"), 1),
    "CharNER": 5,
    "SPUCBiGRUSentimentAnalyzer": 3,
}
EMBEDDINGS = {
    "StemmerAnalyzer": {"chars/embedding", "tags/embedding"},
    "TreeStackPoS": {"words/embedding", "tags/embedding"},
    "TreeStackDP": {"words/embedding", "tags/embedding", "pos/embedding"},
    "CharNER": {"chars/embedding"},
    "SPUCBiGRUSentimentAnalyzer": {"pieces/embedding"},
}


def _keras(name: str, weights: list[np.ndarray]):
    model = graph.build_keras_model(catalog.network(name))
    model.set_weights(weights)
    return model


def _run(path, arrays: list[np.ndarray]) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip([value.name for value in session.get_inputs()], arrays, strict=True)))[0]


@pytest.mark.parametrize("name", ALL)
def test_onnxruntime_gives_what_keras_gives(name: str, converted, weights_of) -> None:
    network = catalog.network(name)
    model = _keras(name, weights_of(name))
    for seed in (21, 22):  # other inputs than the converter's own proof
        for arrays in (proof.random_windows(network, seed=seed), proof.random_sentences(network, seed=seed)):
            expected, got = np.asarray(model(arrays)), _run(converted(name).path, arrays)
            np.testing.assert_allclose(got, expected, atol=1e-5)  # float32, two orders of adding
            for start, end in zip((0, *network.decisions), network.decisions, strict=False):
                assert (got[..., start:end].argmax(-1) == expected[..., start:end].argmax(-1)).all()


@pytest.mark.parametrize("name", ALL)
def test_every_gru_is_one_node_and_nothing_loops(name: str, converted) -> None:
    model = onnx.load(converted(name).path)
    onnx.checker.check_model(model, full_check=True)
    kinds = Counter(node.op_type for node in model.graph.node)
    grus = GRUS[name]
    assert kinds["GRU"] == (grus if isinstance(grus, int) else sum(grus.values()))
    assert not kinds.keys() & {"Loop", "Scan", "If"}
    assert [opset.version for opset in model.opset_import if opset.domain == ""] == [13]


@pytest.mark.parametrize("name", ALL)
def test_weights_have_stable_names(name: str, converted) -> None:
    model = onnx.load(converted(name).path)
    floats = {value.name for value in model.graph.initializer if value.data_type == onnx.TensorProto.FLOAT}
    grus = GRUS[name]
    blocks = (
        [f"gru_{index}" for index in range(grus)]
        if isinstance(grus, int)
        else [f"{block}/gru_{index}" for block, count in grus.items() for index in range(count)]
    )
    dense = 2 if name in ("StemmerAnalyzer", "CharNER", "SPUCBiGRUSentimentAnalyzer") else 3
    expected = EMBEDDINGS.get(name, {"word/embedding"})
    expected |= {f"{block}/{part}" for block in blocks for part in "WRB"}
    expected |= {f"dense_{index}/{part}" for index in range(dense) for part in ("kernel", "bias")}
    assert floats == expected


@pytest.mark.parametrize("name", ALL)
def test_inputs_have_the_signature_of_the_table_and_any_batch(name: str, converted) -> None:
    network = catalog.network(name)
    session = onnxruntime.InferenceSession(str(converted(name).path), providers=["CPUExecutionProvider"])
    assert [(value.name, value.shape, value.type) for value in session.get_inputs()] == [
        (spec.name, ["batch", *spec.shape], "tensor(float)" if spec.one_hot else "tensor(int32)")
        for spec in network.inputs
    ]
    arrays = proof.random_sentences(network, rows=5)
    together = _run(converted(name).path, arrays)
    # one row alone takes another path through the matrix products
    alone = _run(converted(name).path, [array[2:3] for array in arrays])
    np.testing.assert_allclose(together[2:3], alone, atol=1e-5)


def test_gru_weights_are_the_keras_ones_transposed(converted, weights_of) -> None:
    arrays = {
        value.name: numpy_helper.to_array(value)
        for value in onnx.load(converted("SPUContextPoS").path).graph.initializer
    }
    embedding, kernel, recurrent, bias = weights_of("SPUContextPoS")[:4]
    assert np.array_equal(arrays["word/embedding"], embedding)
    assert np.array_equal(arrays["word/gru_0/W"], kernel.T[None])
    assert np.array_equal(arrays["word/gru_0/R"], recurrent.T[None])
    assert np.array_equal(arrays["word/gru_0/B"], bias.reshape(1, -1))


def test_zero_and_equal_weights_keep_their_places(tmp_path, weights_of) -> None:
    # tf2onnx would drop a zero bias and merge equal ones; an untrained network has both
    weights = [np.zeros_like(array) if array.ndim == 1 else array for array in weights_of("CharNER")]
    weights[3] = np.zeros_like(weights[3])
    path = convert_model("CharNER", weights, tmp_path / "zero.onnx").path
    names = {value.name for value in onnx.load(path).graph.initializer}
    assert {"dense_0/bias", "dense_1/bias", "gru_0/B", "gru_4/B"} <= names


def test_float16_weights_are_the_model(tmp_path, weights_of) -> None:
    weights = weights_of("SPUContextPoS")
    path = convert_model("SPUContextPoS", weights, tmp_path / "half.onnx", float16=True).path
    stored = {value.name: value for value in onnx.load(path).graph.initializer}
    assert stored["left/gru_0/R"].data_type == onnx.TensorProto.FLOAT16
    assert path.stat().st_size < 0.55 * sum(array.nbytes for array in weights)
    rounded = [array.astype(np.float16).astype(np.float32) for array in weights]
    arrays = proof.random_sentences(catalog.network("SPUContextPoS"), seed=5)
    expected = np.asarray(_keras("SPUContextPoS", rounded)(arrays))
    np.testing.assert_allclose(_run(path, arrays), expected, atol=1e-5)


def test_converting_again_gives_the_same_bytes(tmp_path, converted, weights_of) -> None:
    again = convert_model("SPUContextPoS", weights_of("SPUContextPoS"), tmp_path / "again.onnx")
    assert again.path.read_bytes() == converted("SPUContextPoS").path.read_bytes()


def test_result_tells_what_was_measured(converted) -> None:
    result = converted("CharNER")
    assert 0 < result.max_difference <= 1e-5
    assert result.opset == 13
    assert {"tensorflow", "tf2onnx", "onnx", "onnxruntime"} <= result.versions.keys()


def test_file_stem_is_a_name_too() -> None:
    assert catalog.network("PoS_SPUContext") is catalog.network("SPUContextPoS")


def test_unknown_name_lists_the_valid_ones(tmp_path) -> None:
    with pytest.raises(ConversionError, match=r"'BERT'.*StemmerAnalyzer.*SPUCBiGRUSentimentAnalyzer"):
        convert_model("BERT", [], tmp_path / "x.onnx")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: weights[:-1], "has 35 weight arrays, but 34 were given"),
        (lambda weights: [*weights[:1], weights[1].T, *weights[2:]], r"weight 1 \(.*\) must have shape \(32, 384\)"),
        (lambda weights: [weights[0] * np.nan, *weights[1:]], "weight 0 .* not finite"),
    ],
)
def test_weights_that_do_not_fit_are_told_by_number(change, message: str, tmp_path, weights_of) -> None:
    with pytest.raises(WeightsError, match=message):
        convert_model("CharNER", change(weights_of("CharNER")), tmp_path / "x.onnx")
    assert not list(tmp_path.iterdir())


def test_too_large_for_float16_is_told(tmp_path, weights_of) -> None:
    weights = [weights_of("CharNER")[0] + np.float32(1e6), *weights_of("CharNER")[1:]]
    with pytest.raises(WeightsError, match="not finite"):
        convert_model("CharNER", weights, tmp_path / "x.onnx", float16=True)


def test_a_graph_that_differs_is_not_written(tmp_path, weights_of, monkeypatch: pytest.MonkeyPatch) -> None:
    fill = graph.fill

    def wrong_fill(template, model, *, float16=False):
        proto = fill(template, model, float16=float16)
        for value in proto.graph.initializer:
            if value.name == "dense_1/bias":
                array = numpy_helper.to_array(value) + np.array([0, 0, 0.01, 0, 0], np.float32)
                value.CopyFrom(numpy_helper.from_array(array, value.name))
        return proto

    monkeypatch.setattr(graph, "fill", wrong_fill)
    with pytest.raises(ConversionError, match=r"CharNER: Keras and onnxruntime differ by .* on random inputs, row \d+"):
        convert_model("CharNER", weights_of("CharNER"), tmp_path / "x.onnx")
    assert not list(tmp_path.iterdir())


def test_other_classes_are_told_even_within_the_tolerance() -> None:
    network = catalog.network("CharNER")
    expected = np.full((1, 1, 5), 0.2, np.float32)
    expected[0, 0, 2] += 1e-6
    got = np.full((1, 1, 5), 0.2, np.float32)
    got[0, 0, 3] += 1e-6
    with pytest.raises(ConversionError, match="different classes on real inputs, row 0, position 0"):
        proof._compare(network, "real", expected, got)
