"""A model of a new family is one room, one row and one manifest entry; no other module knows of it."""

from __future__ import annotations

import hashlib
import json

import pandas as pd
import pytest

from vnlp_colab import registry
from vnlp_colab.cli import main
from vnlp_colab.evaluation import evaluate_files
from vnlp_colab.ner.ner_colab import NamedEntityRecognizer
from vnlp_colab.pipeline_colab import VNLPipeline
from vnlp_colab.pos.pos_colab import PoSTagger

WORDS = {"Ali": ["PROPN", "PER"], "geldi": ["VERB", "O"], ".": ["PUNCT", "O"], "İzmir'e": ["PROPN", "LOC"]}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The row and the manifest entry."""
    content = json.dumps(WORDS).encode()
    (tmp_path / "Toy_prod.onnx").write_bytes(content)
    record = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    entry = {"model": "ToyTagger", "file": "Toy_prod.onnx", "weights": "prod", "source": "a test", "resources": {}}
    manifest = {"format": 1, "models": {"Toy_prod": entry}, "files": {"Toy_prod.onnx": record}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(tmp_path))
    row = registry.Model("ToyTagger", "toy_room", "Toy", ("pos", "ner"))
    monkeypatch.setitem(registry.MODELS, "ToyTagger", row)
    return row


def test_in_the_pipeline_it_runs_once_a_batch_for_both_tasks(toy):
    nlp = VNLPipeline(["pos:ToyTagger", "ner:ToyTagger"])
    out = nlp.process_dataframe(pd.DataFrame({"sentence": ["Ali İzmir'e geldi.", ""]}))
    assert out["pos"].tolist() == [["PROPN", "PROPN", "VERB", "PUNCT"], []]
    assert out["ner"].tolist() == [["PER", "LOC", "O", "O"], []]
    assert nlp.models["pos"] is nlp.models["ner"]
    assert nlp.models["pos"].runs == 1
    assert nlp.model_keys == {"pos": "ToyTagger:1", "ner": "ToyTagger:1"}


def test_behind_both_fronts(toy):
    tokens = ["Ali", "geldi"]
    assert PoSTagger(model="ToyTagger").predict(tokens) == [("Ali", "PROPN"), ("geldi", "VERB")]
    assert NamedEntityRecognizer(model="ToyTagger").predict_batch([tokens]) == [[("Ali", "PER"), ("geldi", "O")]]


def test_it_can_be_scored_on_either_task(toy, tmp_path):
    tags = tmp_path / "tags.conllu"
    tags.write_text(
        "1\tAli\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_\n2\tgeldi\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8"
    )
    assert evaluate_files("pos", [tags], model="ToyTagger").pooled["accuracy"] == 0.5
    entities = tmp_path / "entities.conll"
    entities.write_text("Ali\tB-PER\ngeldi\tO\n", encoding="utf-8")
    assert evaluate_files("ner", [entities], model="ToyTagger").pooled["entity_f1"] == 1


def test_the_command_lists_it_and_names_it_in_its_messages(toy, capsys):
    assert main(["models"]) == 0
    assert "ToyTagger" in capsys.readouterr().out
    with pytest.raises(ValueError, match="choose from JointAnalyzer, SPUContextPoS, TreeStackPoS, ToyTagger"):
        VNLPipeline(["pos:Nobody"])
