"""The joint network's graphs against the network itself, and the operators they are made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from random_network import random_labels, random_sentences, random_weights

from training.joint import conversion
from training.joint.balance import balanced, ranged
from training.joint.reference import Reference
from vnlp_colab.joint.graph import CANDIDATES, HIGH, LOW, SCORES, choices_graph, sentences_graph, words_graph
from vnlp_colab.joint.network import LARGEST_WEIGHT, Network, NetworkError, from_training, read_network, rounded
from vnlp_colab.joint.passes import Passes
from vnlp_colab.trees.tree import is_tree

RNG = np.random.default_rng(5)
LENGTHS = np.array([7, 1, 4], np.int32)
# float32 of two programs after some twenty products in a row, outputs of a size of about ten
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def words() -> tuple[np.ndarray, np.ndarray]:
    pieces = RNG.integers(1, 16_000, (30, 8))
    pieces[:, :5] *= RNG.integers(0, 2, (30, 5))
    return pieces, RNG.integers(0, 60_000, (30, 7))


@pytest.fixture(scope="module", params=["relu", "gelu"])
def network(request: pytest.FixtureRequest, words) -> Network:
    network = from_training(random_weights(random_labels(), seed=3), request.param)
    return balanced(network, ranges(network, words))


def ranges(network: Network, words) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The ranges of all inputs of products over some sentences."""
    outputs = run(words_graph(network, "float32", measured=True), {"pieces": words[0], "affixes": words[1]})
    vectors = outputs["vectors"]
    for style in range(7):
        given = feeds(vectors) | {"styles": np.full((3, 1), style), "places": RNG.integers(0, 30, (3, 7))}
        for name, value in run(sentences_graph(network, "float32", measured=True), given).items():
            choose = np.minimum if name.endswith(LOW) else np.maximum
            outputs[name] = choose(outputs.get(name, value), value) if name.endswith((LOW, HIGH)) else value
    places = [name.removesuffix(LOW) for name in outputs if name.endswith(LOW)]
    return {place: (outputs[place + LOW], outputs[place + HIGH]) for place in places}


def run(model: bytes, feeds: dict[str, np.ndarray], outputs: list[str] | None = None) -> dict[str, np.ndarray]:
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = outputs or [value.name for value in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def feeds(vectors: np.ndarray) -> dict[str, np.ndarray]:
    places = np.zeros((3, 7), np.int64)
    for row, length in enumerate(LENGTHS):
        places[row, :length] = np.arange(length) + 3 * row
    return {
        "vectors": vectors,
        "places": places,
        "lengths": LENGTHS,
        "styles": np.array([[0], [4], [2]]),
        "entity_styles": np.array([[1], [0], [3]]),
    }


def test_float_graphs_say_what_the_network_says_and_pads_change_nothing(network: Network, words) -> None:
    reference = Reference(network)
    vectors = run(words_graph(network, "float32"), {"pieces": words[0], "affixes": words[1]})["vectors"]
    np.testing.assert_allclose(vectors, reference.words(*words), atol=TOLERANCE)
    given = feeds(vectors)
    found = run(sentences_graph(network, "float32"), given)
    for row, length in enumerate(LENGTHS.tolist()):
        rows = given["places"][row, :length]
        style, entity_style = int(given["styles"][row, 0]), int(given["entity_styles"][row, 0])
        expected = reference.sentence(vectors[rows], style, entity_style)
        for name in ("upos", "entity", "down", "states"):
            np.testing.assert_allclose(found[name][row, :length], expected[name], atol=TOLERANCE)
        np.testing.assert_allclose(found["arcs"][row, :length, : length + 1], expected["arcs"], atol=TOLERANCE)
        np.testing.assert_allclose(found["up"][row, : length + 1], expected["up"], atol=TOLERANCE)
        np.testing.assert_allclose(found["means"][row], expected["means"], atol=TOLERANCE)
        for name in ("feats", "lemma"):
            order = np.argsort(-expected[name], axis=1)[:, :CANDIDATES]
            assert found[name][row, :length].tolist() == order.tolist()
            best = np.take_along_axis(expected[name], order, axis=1)
            np.testing.assert_allclose(found[name + SCORES][row, :length], best, atol=TOLERANCE)


def test_choices_are_scored_as_the_network_scores_them(network: Network) -> None:
    reference = Reference(network)
    up, down = RNG.standard_normal((2, 5, 16), np.float32), RNG.standard_normal((2, 4, 16), np.float32)
    heads, means = RNG.integers(0, 5, (2, 4, 2)), RNG.standard_normal((3, 64), np.float32)
    found = run(choices_graph(network, "float32"), {"up": up, "down": down, "heads": heads, "means": means})
    for candidate in range(2):
        chosen = np.take_along_axis(up, heads[..., candidate, None], axis=1)
        scores = reference.relations(chosen, down)
        assert found["relations"][..., candidate].tolist() == scores.argmax(axis=2).tolist()
        best = np.exp(scores).max(axis=2) / np.exp(scores).sum(axis=2)
        np.testing.assert_allclose(np.exp(found["certainties"][..., candidate]), best, atol=1e-5)
        whole = np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True)
        np.testing.assert_allclose(np.exp(found["likely"][..., candidate, :]), whole, atol=1e-5)
    np.testing.assert_allclose(found["sentiments"], reference.sentiments(means), atol=1e-5)


@pytest.mark.parametrize("bound", [False, True])
def test_relations_are_those_to_the_heads_of_the_tree_likely_or_not(network: Network, words, bound: bool) -> None:
    reference = Reference(network)
    vectors = reference.words(*words)
    graphs = sentences_graph(network, "float32"), choices_graph(network, "float32")
    sessions = [ort.InferenceSession(graph, providers=["CPUExecutionProvider"]) for graph in graphs]
    passes = Passes(*sessions, style=2, entity_style=1, relations=random_labels()["relations"], spoken=True)
    passes._binds = bound  # as beside a GPU
    lengths = RNG.integers(1, 9, 40)
    rows, starts = RNG.integers(0, 30, lengths.sum()), np.cumsum(lengths) - lengths
    said = passes.whole(vectors, rows, starts, lengths, ("arcs", "up", "down")).words
    unlikely = 0
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        heads, relations = (said[name][start : start + length] for name in ("heads", "relations"))
        expected = reference.sentence(vectors[rows[start : start + length]], 2, 1)
        assert is_tree(heads.tolist())
        scores = reference.relations(expected["up"][heads], expected["down"])
        assert relations[heads != 0].tolist() == scores.argmax(axis=1)[heads != 0].tolist()
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(np.exp(said["likely"][start : start + length]), shares, atol=1e-5)
        order = np.argsort(-expected["arcs"] + 1e9 * np.eye(length, length + 1, 1), axis=1)
        unlikely += int((order[:, :2] != heads[:, None]).all(axis=1).sum())
    assert unlikely  # some words have a head that is not among their two likeliest


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_balancing_changes_no_answer_and_evens_the_inputs_of_products_out(activation, words) -> None:
    plain = from_training(random_weights(random_labels(), seed=9), activation)
    # some numbers of the vectors ten times as large as the others, as in trained networks
    plain.arrays["layers.0.value.weight"][:5] *= 10
    plain.arrays["mix.weight"][:5] *= 10
    before = ranges(plain, words)
    even = balanced(plain, before)
    vectors = Reference(plain).words(*words)
    np.testing.assert_allclose(Reference(even).words(*words), vectors, atol=TOLERANCE)
    one, other = (Reference(net).sentence(vectors[:7], 2, 1) for net in (plain, even))
    for name in ("upos", "feats", "lemma", "entity", "arcs", "up", "down"):
        np.testing.assert_allclose(other[name], one[name], atol=5 * TOLERANCE, rtol=1e-4)
    means = one["means"][None], other["means"][None]
    sentiments = [Reference(net).sentiments(mean) for net, mean in zip((plain, even), means, strict=True)]
    np.testing.assert_allclose(*sentiments, atol=1e-5)
    low, high = before["layers.0.down.input"]
    spread = np.maximum(-low, high)
    after = max(np.abs(even.ranges["layers.0.down.input"]))
    assert after / np.median(spread) < spread.max() / np.median(spread)


def test_conversion_balances_a_network_only_where_more_labels_stay_equal(joint_folder, tmp_path, monkeypatch) -> None:
    labels, tokenizer = random_labels(), joint_folder / conversion.TOKENIZER

    def least_equal() -> float:
        sentences = random_sentences(40, 12)
        entry = conversion.convert_joint(random_weights(labels), labels, sentences, tmp_path, tokenizer, least_equal=0)
        return min(entry["equal_labels_int8"].values())

    def coarse(made: Network) -> Network:
        return replace(made, ranges={place: (100 * low, 100 * high) for place, (low, high) in made.ranges.items()})

    both = least_equal()
    with monkeypatch.context() as patch:
        patch.setattr(conversion, "balanced", lambda *given: coarse(balanced(*given)))
        as_it_is = least_equal()
        patch.setattr(conversion, "ranged", lambda *given: coarse(ranged(*given)))
        neither = least_equal()
    monkeypatch.setattr(conversion, "ranged", lambda *given: coarse(ranged(*given)))
    evened = least_equal()
    assert both == max(as_it_is, evened)
    assert min(as_it_is, evened) > neither


def test_graphs_are_proven_on_other_sentences_than_they_are_measured_on(joint_folder, tmp_path, monkeypatch) -> None:
    labels, tokenizer = random_labels(), joint_folder / conversion.TOKENIZER
    seen: dict[str, list[list[int]]] = {}

    def measure(network: Network, encoded):
        seen.update({part: [row.tolist() for row in getattr(encoded, part)] for part in ("measured", "proving")})
        return conversion_measure(network, encoded)

    conversion_measure = conversion.measure
    monkeypatch.setattr(conversion, "measure", measure)
    monkeypatch.setattr(conversion, "_MEASURED", 25)
    sentences = random_sentences(40, 12)
    conversion.convert_joint(random_weights(labels), labels, sentences, tmp_path, tokenizer, least_equal=0)
    assert len(seen["measured"]) == 25
    assert len(seen["proving"]) == 15


def test_eight_bit_graphs_are_near_the_network(network: Network, words) -> None:
    reference = Reference(network)
    vectors = run(words_graph(network, "int8"), {"pieces": words[0], "affixes": words[1]})["vectors"]
    exact = reference.words(*words)
    # 7 bits of weights and 8 of inputs: about 1 % of the size of the values
    assert np.abs(vectors - exact).mean() < 0.02 * np.abs(exact).mean() + 0.02
    found = run(sentences_graph(network, "int8"), feeds(exact))
    expected = reference.sentence(exact[:7], 0, 1)["states"]
    assert np.abs(found["states"][0] - expected).mean() < 0.1 * np.abs(expected).mean()


def test_eight_bit_answers_of_a_sentence_do_not_depend_on_its_batch(network: Network, words) -> None:
    model = sentences_graph(network, "int8")
    given = feeds(Reference(network).words(*words))
    together = run(model, given)
    alone = run(model, {name: values if name == "vectors" else values[2:3] for name, values in given.items()})
    for name in ("upos", "entity", "states"):
        assert np.array_equal(together[name][2, :4], alone[name][0, :4])


def test_no_eight_bit_product_can_overflow_where_two_are_added_in_16_bits(network: Network) -> None:
    assert np.iinfo(np.int16).max >= 2 * 255 * LARGEST_WEIGHT
    for graph in (words_graph(network, "int8"), sentences_graph(network, "int8")):
        model = onnx.load_from_string(graph).graph
        arrays = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.initializer}
        weights = [arrays[node.input[1]] for node in model.node if node.op_type == "MatMulIntegerToFloat"]
        assert weights
        assert all(weight.dtype == np.int8 and np.abs(weight.astype(int)).max() <= LARGEST_WEIGHT for weight in weights)


def test_attention_and_products_are_fused_operators(network: Network, tmp_path) -> None:
    """Counted in the graph that onnxruntime has optimised, which is what runs."""
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    options.log_severity_level = 3
    ort.InferenceSession(sentences_graph(network, "int8"), options, providers=["CPUExecutionProvider"])
    kinds = Counter(node.op_type for node in onnx.load(options.optimized_model_filepath).graph.node)
    layers = network.layers
    assert kinds["MultiHeadAttention"] == layers
    assert kinds["RotaryEmbedding"] == 2 * layers
    # queries, keys, values, the way out, gate, value and the way back; then mix and the nine of the heads
    assert kinds["MatMulIntegerToFloat"] == 7 * layers + 11
    assert kinds["LayerNormalization"] == 2 * layers + 1
    # its kernel takes eight times as long as Add and LayerNormalization
    assert kinds["SkipLayerNormalization"] == 0
    # only the arcs and the means are products of two inputs
    assert kinds["MatMul"] + kinds["FusedMatMul"] == 2
    assert not {"Loop", "Scan", "If"} & set(kinds)


def test_weights_come_back_from_the_files_as_they_were_rounded(network: Network) -> None:
    graphs = [words_graph(network, "int8"), sentences_graph(network, "int8"), choices_graph(network, "float32")]
    found = read_network(graphs, network.activation)
    expected = rounded(network)
    assert set(found.arrays) == set(expected.arrays)
    for name, array in expected.arrays.items():
        np.testing.assert_allclose(found.arrays[name], array, rtol=1e-6, err_msg=name)


def test_weights_that_lack_an_array_are_refused_with_its_name() -> None:
    weights = random_weights(random_labels())
    del weights["root"]
    with pytest.raises(NetworkError, match="root"):
        from_training(weights)
