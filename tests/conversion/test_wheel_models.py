"""The four networks whose real weights are in the wheel, fetched with pip once a session."""

from __future__ import annotations

import json
import pickle

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from vnlp_colab.cli import main
from vnlp_colab.conversion import catalog, graph, proof, samples, sources
from vnlp_colab.convert_to_onnx import convert
from vnlp_colab.resources import EMBEDDED_FOLDER
from vnlp_colab.resources.manifest import Manifest

NAMES = ("StemmerAnalyzer", "CharNER", "TreeStackPoS", "TreeStackDP")

pytestmark = [pytest.mark.network, pytest.mark.slow]


@pytest.fixture(scope="module")
def wheel_folder(tmp_path_factory: pytest.TempPathFactory):
    """A folder of all four, made by the command from the package index."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VNLP_COLAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("VNLP_COLAB_OFFLINE", raising=False)
        folder = tmp_path_factory.mktemp("wheel")
        assert main(["convert", *NAMES, "--source", "wheel", "--output", str(folder)]) == 0
        yield folder


@pytest.mark.parametrize("name", NAMES)
def test_proven_within_the_tolerance(wheel_folder, name: str) -> None:
    entry = Manifest.read(wheel_folder).models[catalog.network(name).key("prod")]
    assert entry["source"] == "vngrs-nlp 0.1.4.4 wheel"
    assert 0 < entry["max_difference"] <= 1e-5


@pytest.mark.parametrize("name", NAMES)
def test_keras_and_onnxruntime_agree_on_real_sentences(wheel_folder, name: str) -> None:
    network = catalog.network(name)
    model = graph.build_keras_model(network)
    model.set_weights(sources.find_weights(network, "prod", "wheel").read())
    onnx_bytes = (wheel_folder / f"{network.key('prod')}.onnx").read_bytes()
    assert proof.prove(network, model, onnx_bytes, samples.real_inputs(network, wheel_folder)) <= 1e-5


@pytest.mark.parametrize("name", ["StemmerAnalyzer", "CharNER"])
def test_embedded_models_are_these(wheel_folder, name: str) -> None:
    # the weights, not the bytes: another version of tf2onnx may lay the graph out in another way
    file = f"{catalog.network(name).key('prod')}.onnx"
    made, embedded = (
        {value.name: numpy_helper.to_array(value) for value in onnx.load(folder / file).graph.initializer}
        for folder in (wheel_folder, EMBEDDED_FOLDER)
    )
    weights = [key for key in embedded if embedded[key].dtype == np.float32]
    assert len(weights) > 15
    assert all(np.array_equal(made[key], embedded[key]) for key in weights)


def test_vocabularies_fit_the_networks(wheel_folder) -> None:
    sizes = {
        "Stemmer_Shen_chars.json": 115,
        "Stemmer_Shen_tags.json": 126,
        "NER_CharNER_chars.json": 149,
        "TreeStack_words.json": 63_991,
    }
    for name, size in sizes.items():
        table = json.loads((wheel_folder / name).read_text(encoding="utf-8"))
        assert sorted(table.values()) == list(range(1, size + 1))
    labels = {"NER_CharNER_labels.json": 5, "PoS_TreeStack_labels.json": 18, "DP_TreeStack_labels.json": 49}
    for name, size in labels.items():
        table = json.loads((wheel_folder / name).read_text(encoding="utf-8"))
        assert len(table) == size
        assert table[0] == ""


def test_treestack_labels_of_a_plain_sentence(wheel_folder, monkeypatch: pytest.MonkeyPatch) -> None:
    from vnlp_colab.treestack.dep import TreeStackDP
    from vnlp_colab.treestack.pos import TreeStackPoS

    monkeypatch.setenv("VNLP_COLAB_MODELS", str(wheel_folder))
    tokens = ["Ali", "dün", "akşam", "Ankara'ya", "gitti", "."]
    tagger = TreeStackPoS(device="cpu")
    assert [tag for _, tag in tagger.predict(tokens)] == ["PROPN", "NOUN", "NOUN", "PROPN", "VERB", "PUNCT"]
    for decoding in ("incremental", "stepwise"):
        parser = TreeStackDP(device="cpu", decoding=decoding, pos_tagger=tagger)
        answer = parser.predict(tokens)
        assert [head for _, _, head, _ in answer] == [5, 5, 5, 5, 0, 5]
        assert [answer[0][3], answer[3][3], answer[4][3], answer[5][3]] == ["nsubj", "obl", "root", "punct"]


def test_the_command_finds_its_work_done(wheel_folder, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in wheel_folder.iterdir()}
    assert main(["convert", *NAMES, "--source", "wheel", "--output", str(wheel_folder)]) == 0
    assert {path.name: path.stat().st_mtime_ns for path in wheel_folder.iterdir()} == before


@pytest.mark.parametrize("name", ["SPUContextPoS", "SPUContextDP", "SPUCBiGRUSentimentAnalyzer"])
def test_store_files_get_upstreams_tokenizer_and_labels(wheel_folder, name: str, tmp_path, weights_of) -> None:
    network = catalog.network(name)
    embedding, *rest = weights_of(name)
    (tmp_path / f"{network.key('eval')}.weights").write_bytes(pickle.dumps(rest))
    with (tmp_path / "SPUTokenized_word_embedding_16k.matrix").open("wb") as file:
        np.save(file, embedding)
    output = tmp_path / "output"
    path = convert(name, output=output, weights="eval", source=str(tmp_path))
    entry = Manifest.read(output).models[network.key("eval")]
    assert path.name == f"{network.stem}_eval.onnx"
    assert entry["resources"]["tokenizer"] == "SPU_word_tokenizer_16k.model"
    arrays = {value.name: numpy_helper.to_array(value) for value in onnx.load(path).graph.initializer}
    assert np.array_equal(arrays[next(key for key in arrays if key.endswith("/embedding"))], embedding)
    if "labels" in entry["resources"]:
        labels = json.loads((output / entry["resources"]["labels"]).read_text(encoding="utf-8"))
        assert labels[:4] == (["", "NOUN", "PUNCT", "VERB"] if name.endswith("PoS") else ["", "punct", "root", "nmod"])
