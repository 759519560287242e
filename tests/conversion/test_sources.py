"""Where weights come from, what is said when they are not there, and the convert command."""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import os
import pickle
import threading
import zipfile
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from vnlp_colab import convert_to_onnx
from vnlp_colab.cli import main
from vnlp_colab.conversion import catalog, sources, vocabularies, wheels
from vnlp_colab.convert_to_onnx import WeightsError, convert
from vnlp_colab.registry import MODELS
from vnlp_colab.resources.manifest import Manifest


@pytest.fixture
def charner_folder(tmp_path, weights_of):
    """A folder as a user would have it: upstream's file of the CharNER network."""
    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / "NER_CharNER_prod.weights").write_bytes(pickle.dumps(weights_of("CharNER")))
    return folder


@pytest.fixture
def server(charner_folder):
    """A store that serves that folder."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(charner_folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def test_every_network_of_vnlp_can_be_converted() -> None:
    assert {model.name for model in MODELS.values() if model.vnlp} == set(catalog.NETWORKS)


def test_folder_to_model_with_manifest_and_vocabulary(charner_folder, tmp_path, own_cache, weights_of) -> None:
    output = tmp_path / "output"
    path = convert("CharNER", output=output, source=str(charner_folder))
    manifest = Manifest.read(output)
    entry = manifest.models["NER_CharNER_prod"]
    assert path == output / "NER_CharNER_prod.onnx"
    assert (entry["model"], entry["file"], entry["weights"], entry["opset"]) == ("CharNER", path.name, "prod", 13)
    assert 0 < entry["max_difference"] <= 1e-5
    digest = hashlib.sha256((charner_folder / "NER_CharNER_prod.weights").read_bytes()).hexdigest()
    assert entry["source"] == f"NER_CharNER_prod.weights, sha256 {digest}"
    for name in (path.name, *entry["resources"].values()):
        assert manifest.files[name]["sha256"] == hashlib.sha256((output / name).read_bytes()).hexdigest()
        assert manifest.files[name]["size"] == (output / name).stat().st_size
    arrays = {value.name: numpy_helper.to_array(value) for value in onnx.load(path).graph.initializer}
    assert np.array_equal(arrays["chars/embedding"], weights_of("CharNER")[0])


def test_finished_work_is_not_done_again(charner_folder, tmp_path, own_cache, monkeypatch) -> None:
    output = tmp_path / "output"
    path = convert("CharNER", output=output, source=str(charner_folder))
    done: list[str] = []
    real = convert_to_onnx.convert_model

    def counted(name, *args, **kwargs):
        done.append(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(convert_to_onnx, "convert_model", counted)
    convert("CharNER", output=output, source=str(charner_folder))
    assert done == []
    path.write_bytes(path.read_bytes()[:-1])  # damaged
    convert("CharNER", output=output, source=str(charner_folder))
    assert done == ["CharNER"]


def test_other_weights_of_the_same_name_are_converted(charner_folder, tmp_path, own_cache, weights_of) -> None:
    output = tmp_path / "output"
    first = convert("CharNER", output=output, source=str(charner_folder)).read_bytes()
    changed = [weights_of("CharNER")[0] * np.float32(0.5), *weights_of("CharNER")[1:]]
    (charner_folder / "NER_CharNER_prod.weights").write_bytes(pickle.dumps(changed))
    assert convert("CharNER", output=output, source=str(charner_folder)).read_bytes() != first


def test_store_over_http(server, charner_folder, tmp_path, own_cache) -> None:
    path = convert("CharNER", output=tmp_path / "http", source=server)
    same = convert("CharNER", output=tmp_path / "folder", source=str(charner_folder))
    assert path.read_bytes() == same.read_bytes()
    assert Manifest.read(tmp_path / "http").models["NER_CharNER_prod"]["source"] == f"{server}/"


def test_store_without_the_file_names_it(server, tmp_path, own_cache) -> None:
    with pytest.raises(Exception, match=r"http://127\.0\.0\.1.*NER_CharNER_eval\.weights"):
        convert("CharNER", output=tmp_path / "out", weights="eval", source=server)
    assert not (tmp_path / "out").exists()


def test_default_output_is_the_cache(charner_folder, own_cache) -> None:
    assert convert("CharNER", source=str(charner_folder)) == own_cache / "NER_CharNER_prod.onnx"


@pytest.mark.parametrize(
    ("source", "options"),
    [("wheel", {"layout": "wheel"}), ("store", {"layout": "store"})],
)
def test_the_stemmers_layout_belongs_to_its_source(source: str, options: dict[str, str]) -> None:
    found = sources.find_weights(catalog.network("StemmerAnalyzer"), "prod", source)
    assert found.options == options


@pytest.mark.parametrize("name", ["SPUContextPoS", "SPUContextNER", "SPUContextDP", "SPUCBiGRUSentimentAnalyzer"])
def test_what_the_wheel_lacks_is_said_with_what_to_do(name: str) -> None:
    network = catalog.network(name)
    with pytest.raises(WeightsError) as error:
        sources.find_weights(network, "prod", "wheel")
    message = str(error.value)
    assert message.startswith(f"{name}: ")
    assert "--source store" in message
    assert f"{network.stem}_prod.weights" in message
    assert "SPUTokenized_word_embedding_16k.matrix" in message


def test_the_wheel_has_no_eval_weights() -> None:
    with pytest.raises(WeightsError, match=r"CharNER: .* no eval weights.*NER_CharNER_eval\.weights"):
        sources.find_weights(catalog.network("CharNER"), "eval", "wheel")


@pytest.mark.parametrize(
    ("name", "weights", "source"),
    [
        ("CharNER", "prod", "vngrs-nlp 0.1.4.4 wheel"),
        ("CharNER", "eval", catalog.STORE_URL),
        ("SPUContextPoS", "prod", catalog.STORE_URL),
    ],
)
def test_auto_takes_the_wheel_where_it_can(name: str, weights: str, source: str) -> None:
    assert sources.find_weights(catalog.network(name), weights, "auto").source == source


def test_what_a_folder_lacks_is_said_by_name(tmp_path) -> None:
    (tmp_path / "PoS_TreeStack_prod.weights").write_bytes(b"")
    with pytest.raises(WeightsError, match=r"TreeStackPoS: .* has no TBWTokenized_word_embedding\.matrix"):
        sources.find_weights(catalog.network("TreeStackPoS"), "prod", str(tmp_path))
    with pytest.raises(WeightsError, match="is not a folder"):
        sources.find_weights(catalog.network("TreeStackPoS"), "prod", str(tmp_path / "nowhere"))


def test_word_matrix_goes_where_it_belongs(tmp_path) -> None:
    np.save(tmp_path / "m.npy", np.full((2, 2), 7, np.float32))
    (tmp_path / "m.npy").rename(tmp_path / "TBWTokenized_word_embedding.matrix")
    arrays = [np.full(3, index, np.float32) for index in range(3)]
    (tmp_path / "PoS_TreeStack_prod.weights").write_bytes(pickle.dumps(arrays))
    found = sources.find_weights(catalog.network("TreeStackPoS"), "prod", str(tmp_path)).read()
    assert [float(array.flat[0]) for array in found] == [0, 7, 1, 2]
    (tmp_path / "TBWTokenized_word_embedding.matrix").rename(tmp_path / "SPUTokenized_word_embedding_16k.matrix")
    (tmp_path / "PoS_TreeStack_prod.weights").rename(tmp_path / "PoS_SPUContext_prod.weights")
    found = sources.find_weights(catalog.network("SPUContextPoS"), "prod", str(tmp_path)).read()
    assert [float(array.flat[0]) for array in found] == [7, 0, 1, 2]


def test_file_of_a_wheel_must_have_the_hash_of_the_table(tmp_path) -> None:
    member = catalog.network("CharNER").wheel_weights
    with zipfile.ZipFile(tmp_path / "vngrs_nlp-0.1.4.4-py3-none-any.whl", "w") as wheel:
        wheel.writestr(member.path, b"something else")
    with pytest.raises(WeightsError, match=r"has sha256 .* and should have 9d8e1035776fc114"):
        wheels.wheel_member(member, tmp_path)
    right = replace(member, sha256=hashlib.sha256(b"something else").hexdigest())
    assert wheels.wheel_member(right, tmp_path) == b"something else"
    with pytest.raises(WeightsError, match="is damaged"):
        wheels.wheel_member(replace(member, path="vnlp/nothing"), tmp_path)


def test_offline_says_how_to_do_without_pip(own_cache, monkeypatch) -> None:
    monkeypatch.setenv("VNLP_COLAB_OFFLINE", "1")
    with pytest.raises(WeightsError, match=r"vngrs-nlp==0\.1\.4\.4 is not in .* VNLP_COLAB_OFFLINE .* --source"):
        wheels.fetch_wheel("0.1.4.4")


def test_what_pip_says_is_passed_on(own_cache, monkeypatch) -> None:
    monkeypatch.delenv("VNLP_COLAB_OFFLINE", raising=False)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(WeightsError, match=r"pip could not fetch vngrs-nlp==9\.9: .*--source"):
        wheels.fetch_wheel("9.9")
    assert not list((own_cache / "downloads").iterdir())


def test_vocabularies_become_plain_json(tmp_path) -> None:
    index = {"<OOV>": 1, "b": 2, "a": 3, "rare": 4}
    tokenizer = {"class_name": "Tokenizer", "config": {"num_words": 4, "word_index": json.dumps(index)}}
    resource = replace(catalog.network("CharNER").resources["chars"], file="other.json")
    (tmp_path / resource.source.name).write_text(json.dumps(json.dumps(tokenizer)), encoding="utf-8")
    assert json.loads(vocabularies.resource_content(resource, tmp_path)) == {"<OOV>": 1, "b": 2, "a": 3}
    labels = replace(resource, kind="labels")
    assert json.loads(vocabularies.resource_content(labels, tmp_path)) == ["", "<OOV>", "b", "a"]
    (tmp_path / resource.source.name).write_text("[1]", encoding="utf-8")
    with pytest.raises(WeightsError, match="not a Keras tokenizer file"):
        vocabularies.resource_content(resource, tmp_path)


def test_upstream_and_own_models_never_share_a_vocabulary_file() -> None:
    for name in ("SPUContextPoS", "SPUContextNER", "SPUContextDP"):
        resources = catalog.network(name).resources
        assert "upstream" in resources["labels"].file
        assert resources["tokenizer"].file == "SPU_word_tokenizer_16k.model"


def test_command_converts_and_goes_on_after_a_failure(charner_folder, tmp_path, own_cache, capsys) -> None:
    output = tmp_path / "out"
    code = main(["convert", "TreeStackPoS", "CharNER", "--source", str(charner_folder), "--output", str(output)])
    out, err = capsys.readouterr()
    assert code == 1
    assert out.splitlines() == [str(output / "NER_CharNER_prod.onnx")]
    assert "vnlp-colab: TreeStackPoS: " in err
    assert "PoS_TreeStack_prod.weights" in err
    assert f"VNLP_COLAB_MODELS={output}" in err
    assert main(["convert", "CharNER", "--source", str(charner_folder), "--output", str(output)]) == 0


def test_command_wants_names_or_all(capsys) -> None:
    for arguments in (["convert"], ["convert", "CharNER", "--all"]):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert "StemmerAnalyzer" in capsys.readouterr().err


def test_command_with_an_unknown_name(capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["convert", "BERT"])
    assert "there is no model named 'BERT'; choose from StemmerAnalyzer" in capsys.readouterr().err


def test_weights_must_be_prod_or_eval() -> None:
    with pytest.raises(ValueError, match="'prod' or 'eval'"):
        convert("CharNER", weights="best")  # type: ignore[arg-type]
