"""Pictures of trees and entities."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from pipeline_fakes import fake_models

from vnlp_colab import pipeline_colab
from vnlp_colab.cli import main
from vnlp_colab.document.drawing import draw_html, draw_svg

SVG = "{http://www.w3.org/2000/svg}"


def words(picture):
    return [element.text for element in ET.fromstring(picture).iter(f"{SVG}text")]


def test_own_picture_has_words_tags_relations_and_entities(nlp):
    shown = words(draw_svg(nlp("Ali <eve> & geldi."), use_displacy=False))
    assert {"Ali", "<", "eve", ">", "&", "geldi", "VERB", "obj", "PER"} <= set(shown)


def test_several_sentences_stand_one_below_the_other(nlp):
    picture = draw_svg(nlp("Ali geldi. Veli gitti."), use_displacy=False)
    assert next(group.get("transform") for group in ET.fromstring(picture).iter(f"{SVG}g")) == "translate(0,0)"
    assert {"Ali", "Veli"} <= set(words(picture))


def test_arcs_do_not_run_over_each_other(nlp):
    picture = ET.fromstring(draw_svg(nlp("bir iki üç dört beş"), use_displacy=False))
    arcs = [path.get("d") for path in picture.iter(f"{SVG}path") if path.get("fill") == "none"]
    assert len(arcs) == 4
    assert len(set(arcs)) == 4


def test_displacy_draws_where_spacy_is_installed(nlp):
    pytest.importorskip("spacy")
    assert "displacy-word" in draw_svg(nlp("Ali geldi."), use_displacy=True)
    page = draw_html(nlp("Ali geldi. Veli gitti."), use_displacy=True)
    assert page.count("PER") >= 2


def test_page_marks_entities(nlp):
    page = draw_html(nlp("<b>Ali</b> geldi."), use_displacy=False)
    assert "&lt;b&gt;" in page or "&lt;" in page
    assert "<mark" in page
    assert "<svg" in page


@pytest.mark.parametrize("name", ["tree.svg", "tree.html"])
@pytest.mark.parametrize("options", [[], ["--plain"]])
def test_command(tmp_path, monkeypatch, capsys, name, options):
    monkeypatch.setattr(pipeline_colab, "load_model", lambda task, model, **_: fake_models(task)[task])
    assert main(["render", "Ali eve geldi.", "-o", str(tmp_path / name), *options]) == 0
    assert "<svg" in (tmp_path / name).read_text(encoding="utf-8")
    assert "4 tokens ->" in capsys.readouterr().err


def test_command_usage(tmp_path, capsys):
    for arguments in (["Ali.", "-o", "tree.png"], ["  ", "-o", "tree.svg"]):
        with pytest.raises(SystemExit) as ended:
            main(["render", *arguments])
        assert ended.value.code == 2
    assert "there is no text to draw" in capsys.readouterr().err
