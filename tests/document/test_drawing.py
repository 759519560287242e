"""Pictures of trees and entities."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest
from any_text import ANY_TEXT
from document_fakes import FakePipeline
from hypothesis import HealthCheck, example, given, settings

from vnlp_colab.cli import main
from vnlp_colab.document.document import Document
from vnlp_colab.document.drawing import COLOURS, draw_html, draw_svg, draw_tree

SVG = "{http://www.w3.org/2000/svg}"


def words(picture):
    return [element.text for element in ET.fromstring(picture).iter(f"{SVG}text")]


def test_words_tags_relations_and_entities(nlp):
    picture = draw_svg(nlp("Ali <eve> & geldi."))
    assert {"Ali", "<", "eve", ">", "&", "geldi", "VERB", "obj", "PER"} <= set(words(picture))
    assert COLOURS["PER"] in picture


def test_the_root_is_marked(nlp):
    picture = ET.fromstring(draw_svg(nlp("Ali eve geldi.")))
    assert [element.text for element in picture.iter(f"{SVG}text") if element.get("font-weight") == "bold"] == [
        "PER",
        "Ali",
    ]
    assert [element.text for element in picture.iter(f"{SVG}text")].count("root") == 1


def test_an_entity_of_several_words_is_one_box(nlp):
    picture = ET.fromstring(draw_svg(nlp("Ali Veli geldi. Tom'un Mary'nin evi.")))
    boxes = [box for box in picture.iter(f"{SVG}rect") if box.get("fill") == COLOURS["PER"]]
    assert len(boxes) == 3


def test_without_a_recogniser_there_are_no_boxes():
    assert COLOURS["PER"] not in draw_svg(FakePipeline("dep")("Ali geldi."))


def test_several_sentences_stand_one_below_the_other(nlp):
    picture = draw_svg(nlp("Ali geldi. Veli gitti."))
    assert next(group.get("transform") for group in ET.fromstring(picture).iter(f"{SVG}g")) == "translate(0,0)"
    assert {"Ali", "Veli"} <= set(words(picture))


def test_one_sentence_alone(nlp):
    doc = nlp("Ali geldi. Veli gitti.")
    assert "Ali" not in words(draw_tree(doc.sentences[1]))
    assert doc.sentences[1].to_svg() == draw_tree(doc.sentences[1])


def test_arcs_do_not_run_over_each_other(nlp):
    data = nlp("bir iki üç dört beş").to_dict()
    for token in data["sentences"][0]["tokens"]:
        token["head"] = 0 if token["number"] == 1 else 1
    picture = ET.fromstring(draw_svg(Document.from_dict(data)))
    arcs = [path.get("d") for path in picture.iter(f"{SVG}path") if " C" in path.get("d")]
    heights = {arc.split(" C")[1].split(",")[1].split()[0] for arc in arcs}
    assert len(arcs) == len(heights) == 4


def test_words_do_not_stand_in_each_other(nlp):
    picture = ET.fromstring(draw_svg(nlp("A Çekoslovakyalılaştıramadıklarımızdanmışsınızcasına " + "x" * 500 + " z")))
    shown = [element for element in picture.iter(f"{SVG}text") if element.get("font-size") is None]
    places = [float(element.get("x")) for element in shown]
    assert places == sorted(places)
    assert max(len(element.text) for element in shown) <= 40
    assert places[-1] < float(picture.get("width"))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXT)
@example("Ali\x00\x07\x1f \x7f\x9f \ufffe\uffff \ud800 geldi")
@example("<script>alert('Ali')</script> ]]> <!-- &amp;")
def test_any_text_gives_well_formed_pictures(nlp, text):
    doc = nlp(text)
    ET.fromstring(draw_svg(doc).encode("utf-8"))
    draw_html(doc).encode("utf-8")
    doc._repr_html_().encode("utf-8")
    assert "<script" not in draw_html(doc)


def test_control_characters_are_shown(nlp):
    assert "␇" in words(draw_svg(nlp("Ali \x07 geldi")))


def test_page_marks_entities(nlp):
    page = draw_html(nlp("<b>Ali</b> geldi."))
    assert "&lt;" in page
    assert "<mark" in page
    assert page.count("<svg") == 1


def test_a_notebook_shows_what_there_is(nlp):
    assert "<mark" in nlp("Ali geldi.")._repr_html_()
    assert nlp("Ali geldi. " * 30)._repr_html_().count("<svg") == 20
    assert "10 more sentences" in nlp("Ali geldi. " * 30)._repr_html_()
    assert "<td>geldi</td>" in FakePipeline("stemmer")("Ali geldi.")._repr_html_()


def test_a_flat_tree_of_a_thousand_words_is_drawn_soon(nlp):
    data = nlp("kelime " * 1000).to_dict()
    for token in data["sentences"][0]["tokens"]:
        token["head"] = 0 if token["number"] == 500 else 500
    started = time.perf_counter()
    picture = ET.fromstring(draw_svg(Document.from_dict(data)))
    assert time.perf_counter() - started < 5
    assert float(picture.get("height")) < 700


@pytest.mark.parametrize("name", ["tree.svg", "tree.html"])
def test_command(tmp_path, capsys, name):
    assert main(["render", "Ayşe Hanım bugün İzmir'e gidiyor.", "-o", str(tmp_path / name), "--device", "cpu"]) == 0
    page = (tmp_path / name).read_text(encoding="utf-8")
    assert "<svg" in page
    assert COLOURS["LOC"] in page
    assert "6 tokens ->" in capsys.readouterr().err


def test_command_usage(tmp_path, capsys):
    for arguments in (["Ali.", "-o", "tree.png"], ["  ", "-o", "tree.svg"]):
        with pytest.raises(SystemExit) as ended:
            main(["render", *arguments])
        assert ended.value.code == 2
    assert "there is no text to draw" in capsys.readouterr().err


def test_command_takes_models_and_a_style(tmp_path, monkeypatch):
    asked = {}

    def pipeline(models, **settings):
        asked.update(settings, models=models)
        return FakePipeline("ner", "dep")

    monkeypatch.setattr("vnlp_colab.pipeline_colab.VNLPipeline", pipeline)
    output = ["-o", str(tmp_path / "tree.svg")]
    assert main(["render", "Ali geldi.", *output]) == 0
    assert asked == {"models": ["pos", "ner", "dep"], "device": "auto"}
    assert main(["render", "Ali geldi.", *output, "--models", "ner:CharNER,dep", "--style", "boun"]) == 0
    assert asked == {"models": ["ner:CharNER", "dep"], "device": "auto", "style": "boun"}
    asked.clear()
    assert main(["render", "Ali geldi.", *output, "--entity-style", "nakbatr_aa"]) == 0
    assert asked["entity_style"] == "nakbatr_aa"


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("tree.svg", ["--models", "dep:Nobody"], "unknown model 'Nobody' for dep"),
        ("tree.svg", ["--models", "pos,ner"], ".svg needs dep"),
        ("tree.html", ["--models", "pos"], ".html needs dep or ner"),
        ("tree.svg", ["--models", "dep:SPUContextDP", "--style", "boun"], "for the joint network"),
        ("tree.svg", ["--style", "nobody"], "invalid choice"),
    ],
)
def test_command_refuses_what_cannot_be_drawn(tmp_path, capsys, name, options, told):
    with pytest.raises(SystemExit) as ended:
        main(["render", "Ali geldi.", "-o", str(tmp_path / name), *options])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "options"),
    [("page.html", ["--models", "ner:CharNER"]), ("tree.svg", ["--models", "dep:SPUContextDP"])],
)
def test_command_with_other_models(tmp_path, name, options):
    assert main(["render", "Ali geldi.", "-o", str(tmp_path / name), "--device", "cpu", *options]) == 0
    page = (tmp_path / name).read_text(encoding="utf-8")
    assert (COLOURS["PER"] in page, "<svg" in page) == (name == "page.html", name == "tree.svg")


def test_bytes_that_are_no_text(tmp_path, monkeypatch, capsys):
    output = str(tmp_path / "tree.svg")
    assert main(["render", os.fsdecode(b"Ali \xff"), "-o", output]) == 1
    assert capsys.readouterr().err == "vnlp-colab: TEXT is no UTF-8 text: it holds byte 0xff\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Ali \xff")))
    assert main(["render", "-", "-o", output]) == 1
    assert "the standard input is no UTF-8 text" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are text there")
def test_bytes_that_are_no_text_from_a_shell(tmp_path):
    command = [sys.executable, "-m", "vnlp_colab", "render", b"\xff", "-o", str(tmp_path / "tree.svg")]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.decode().count("\n") == 1
    assert "no UTF-8 text" in done.stderr.decode()
