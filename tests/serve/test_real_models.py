"""The server with the package's own models gives what the pipeline gives."""

from __future__ import annotations

import concurrent.futures
import os
import socket
import subprocess
import sys
import time

import pytest
import requests

from vnlp_colab.errors import VNLPError
from vnlp_colab.pipeline_colab import VNLPipeline
from vnlp_colab.serve.engine import PipelineEngine
from vnlp_colab.serve.requests import Wish
from vnlp_colab.serve.settings import ServeError, ServeSettings

MODELS = ["pos", "ner", "dep"]
TEXTS = [
    "Ayşe İstanbul'a gitti. Hava çok güzeldi!",
    "Mustafa Kemal 19 Mayıs 1919'da Samsun'a çıktı.",
    "",
    "Kâğıt   bitti 🙂",
]


@pytest.fixture(scope="module")
def nlp():
    return VNLPipeline(MODELS)


@pytest.fixture(scope="module")
def engine():
    return PipelineEngine(ServeSettings(models=tuple(MODELS)))


def test_the_command_serves_what_the_pipeline_gives(nlp, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    program = [sys.executable, "-m", "vnlp_colab", "serve", "--port", str(port), "--models", ",".join(MODELS)]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(program, stderr=log, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        for _ in range(600):
            try:
                if requests.get(url + "/readyz", timeout=5).ok:
                    break
            except requests.ConnectionError:
                pass
            time.sleep(0.1)

        def ask(text):
            return requests.post(url + "/v1/analyze", json={"text": text}, timeout=60).json()

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(ask, TEXTS * 4))
        many = requests.post(url + "/v1/conllu", json={"texts": TEXTS}, timeout=60).text
    finally:
        process.terminate()
        assert process.wait(30) == 0
    for text, answer in zip(TEXTS * 4, answers, strict=True):
        expected = nlp(text).to_dict()
        assert answer["sentences"] == expected["sentences"]
        assert answer["text"] == text
    assert many == "".join(nlp(text).to_conllu(str(number)) for number, text in enumerate(TEXTS, 1))


def test_a_wish_for_less_gives_the_same_of_it(nlp, engine):
    (document,) = engine.documents(Wish(("ner",), None, "sentences"), TEXTS[:1])
    assert document.ner == nlp(TEXTS[0]).ner
    assert document.columns == ("tokens", "ner")


def test_a_text_can_be_taken_as_one_sentence(engine):
    (document,) = engine.documents(Wish(engine.offer.columns, None, "none"), TEXTS[:1])
    assert len(document.sentences) == 1
    assert [relation for _, relation in document.dep].count("root") == 1


def test_every_column_on_offer_can_be_had(engine):
    for name in (*engine.offer.columns, *engine.offer.optional):
        (document,) = engine.documents(Wish((name,), None, "sentences"), TEXTS[:1])
        assert document.column(name)


def test_trees_are_drawn_for_each_sentence(engine):
    (document,) = engine.documents(Wish(engine.offer.columns, None, "sentences"), TEXTS[:1])
    assert [picture[:4] for picture in engine.trees(document)] == ["<svg", "<svg"]
    (document,) = engine.documents(Wish(engine.offer.columns, None, "sentences"), ["ve " * 400])
    assert engine.trees(document) == [""]


def test_a_style_that_no_model_knows_is_told():
    with pytest.raises(ServeError, match="unknown style 'nowhere'"):
        PipelineEngine(ServeSettings(models=("pos",), style="nowhere"))
    with pytest.raises(ServeError, match="entity_style 'wikiann_tr' is for the joint network"):
        PipelineEngine(ServeSettings(models=("pos",), entity_style="wikiann_tr"))


def test_each_style_of_the_joint_network_can_be_asked_for():
    try:
        engine = PipelineEngine(ServeSettings(models=("pos:JointAnalyzer",), style="boun"))
    except VNLPError as error:
        pytest.skip(f"the joint network is not here: {error}")
    assert "boun" in engine.offer.styles
    assert engine.offer.entity_styles == (), "nobody is asked for entities"
    for style in ("generic", "boun"):
        (document,) = engine.documents(Wish(("pos",), style, "sentences"), TEXTS[:1])
        assert document.pos == VNLPipeline(["pos:JointAnalyzer"], style=style)(TEXTS[0]).pos


def test_an_entity_style_is_that_of_the_request():
    engine = PipelineEngine(ServeSettings(models=("ner",)))
    assert "starlang_penn15_v2" in engine.offer.entity_styles
    text = "Ali Ayşe'yi gördü."
    found = {}
    for style in (None, *engine.offer.entity_styles):
        (document,) = engine.documents(Wish(("ner",), None, "sentences", style), [text])
        found[style] = [entity.name for entity in document.entities]
        assert found[style] == [entity.name for entity in VNLPipeline(["ner"], entity_style=style)(text).entities]
    assert found[None] == ["Ali", "Ayşe"]
    assert found["starlang_penn15_v2"] == ["Ali Ayşe"]
