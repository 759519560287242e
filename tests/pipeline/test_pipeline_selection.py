"""Which models a pipeline loads, and what it says when it cannot."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest
from pipeline_fakes import fake_models, load_fake

from vnlp_colab import JointAnalyzer, pipeline_colab, registry
from vnlp_colab.pipeline_colab import VNLPipeline


@pytest.fixture
def loaded(monkeypatch):
    calls = []

    def load(model, **settings):
        calls.append((model, settings))
        return load_fake(model)

    monkeypatch.setattr(pipeline_colab, "load_model", load)
    return calls


def test_default_is_the_joint_network_for_all_its_tasks(loaded):
    nlp = VNLPipeline()
    assert set(nlp.selection.values()) == {"JointAnalyzer"}
    assert set(nlp.models) == {"pos", "feats", "lemma", "ner", "dep", "sentiment"}
    assert nlp.columns[3:] == ("sentiment", "lemma", "pos", "feats", "ner", "dep")


def test_vnlps_own_list_has_their_analyses_and_roots(loaded):
    nlp = VNLPipeline(models_to_load=["pos", "ner", "dep", "stemmer", "sentiment"])
    assert nlp.selection["stemmer"] == "StemmerAnalyzer"
    assert nlp.columns[3:] == ("sentiment", "morph", "lemma", "pos", "ner", "dep")


def test_only_what_is_asked_for_is_loaded(loaded):
    nlp = VNLPipeline(models_to_load=["stemmer"], device="cpu", evaluate=True)
    assert loaded == [("StemmerAnalyzer", {"device": "cpu", "evaluate": True})]
    assert nlp.columns == ("no_accents", "tokens", "tokens_40", "morph", "lemma")


def test_a_model_by_name(loaded):
    VNLPipeline(["pos:TreeStackPoS", "ner:CharNER", "dep"])
    assert [call[0] for call in loaded] == ["TreeStackPoS", "CharNER", "JointAnalyzer"]


def test_threads_go_to_every_model(loaded):
    VNLPipeline(["pos:SPUContextPoS", "ner:SPUContextNER"], threads=1)
    assert [settings["options"].threads for _, settings in loaded] == [1, 1]
    with pytest.raises(ValueError, match="threads must be at least 1"):
        VNLPipeline(["pos"], threads=0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"style": "BOUN"}, "unknown style 'BOUN'; choose from generic, boun"),
        ({"style": "boun", "models_to_load": ["pos:SPUContextPoS"]}, "style 'boun' is for the joint network"),
        ({"entity_style": "wikiann"}, "unknown entity_style 'wikiann'; choose from generic, wikiann_tr, turkish_wiki"),
        ({"entity_style": "wikiann_tr", "models_to_load": ["pos"]}, "is for the joint network, .* of ner$"),
        ({"entity_style": "wikiann_tr", "models_to_load": ["pos", "ner:CharNER"]}, "among the models of ner$"),
        ({"split": "words"}, "unknown split 'words'; choose from none, sentences"),
    ],
)
def test_wrong_settings_are_told_before_a_model_is_loaded(loaded, settings, message):
    with pytest.raises(ValueError, match=message):
        VNLPipeline(**settings)
    assert loaded == []


def test_styles_go_to_the_models_that_have_them(loaded):
    VNLPipeline(["ner", "sentiment:SPUCBiGRUSentimentAnalyzer"], style="boun", entity_style="wikiann_tr")
    styles = [{name: value for name, value in settings.items() if "style" in name} for _, settings in loaded]
    assert styles == [{"style": "boun", "entity_style": "wikiann_tr"}, {}]


def test_the_styles_that_can_be_asked_for_are_those_the_joint_network_has():
    vocabulary = JointAnalyzer(device="cpu").vocabulary
    assert registry.STYLES["style"].names == vocabulary.styles
    assert registry.STYLES["entity_style"].names == vocabulary.entity_styles


def test_one_text_is_not_many(loaded):
    nlp = VNLPipeline(["pos"])
    with pytest.raises(TypeError, match=r"pipe takes many texts; nlp\(text\) analyses one"):
        nlp.pipe("Kedi uyudu.")
    with pytest.raises(ValueError, match="unknown split"):
        nlp.pipe(["Kedi uyudu."], split="words")


def test_a_pandas_table_is_no_arrow_table(loaded):
    with pytest.raises(TypeError, match="an Arrow table is wanted, not a DataFrame"):
        VNLPipeline(["pos"]).process_arrow(pd.DataFrame({"sentence": ["Ali geldi."]}))


def test_an_object_that_is_no_annotator_is_told():
    with pytest.raises(TypeError, match="the model for 'pos' is no annotator: str has no provides, needs, device"):
        VNLPipeline({"pos": "a string"})


def test_an_object_has_the_style_it_was_made_with():
    with pytest.raises(ValueError, match=r"style 'boun' is for models .* as in JointAnalyzer\(style='boun'\)"):
        VNLPipeline({"pos": JointAnalyzer(device="cpu")}, style="boun")
    with pytest.raises(ValueError, match=r"entity_style .* as in JointAnalyzer\(entity_style='wikiann_tr'\)"):
        VNLPipeline({"ner": JointAnalyzer(device="cpu")}, entity_style="wikiann_tr")
    with pytest.raises(ValueError, match=r"style 'boun' is for models loaded by name"):
        VNLPipeline(fake_models("pos"), style="boun")
    assert VNLPipeline({"pos": JointAnalyzer(device="cpu", style="boun")}).models["pos"].style == "boun"


def test_columns_can_be_chosen(loaded):
    assert VNLPipeline(["pos", "ner"], columns=["tokens", "pos"]).columns == ("tokens", "pos")
    with_entities = VNLPipeline(["pos", "ner"], columns=["entities"])
    assert with_entities.columns == ("no_accents", "tokens", "tokens_40", "pos", "ner", "entities")


@pytest.mark.parametrize(
    ("selection", "error", "message"),
    [
        (["verbs"], ValueError, "unknown task 'verbs'; choose from pos, feats, lemma, ner, dep, sentiment, stemmer"),
        (
            ["pos:CharNER"],
            ValueError,
            "unknown model 'CharNER' for pos; choose from JointAnalyzer, SPUContextPoS, TreeStackPoS",
        ),
        (["pos", "pos:TreeStackPoS"], ValueError, "pos is asked for twice"),
        ([], ValueError, "models_to_load is empty"),
        ("pos", TypeError, "models_to_load takes a list"),
        ([1], TypeError, "models_to_load takes names, not int"),
    ],
)
def test_wrong_selection(loaded, selection, error, message):
    with pytest.raises(error, match=message):
        VNLPipeline(selection)
    assert loaded == []


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (["colour"], ValueError, "unknown column 'colour'; choose from no_accents, tokens"),
        (["ner_confidence"], ValueError, "column 'ner_confidence' needs the task 'ner'"),
        ("offsets", TypeError, "columns takes a list"),
    ],
)
def test_wrong_columns(loaded, columns, error, message):
    with pytest.raises(error, match=message):
        VNLPipeline(["pos"], columns=columns)


def test_texts_tokens_and_arrow_tables_need_no_tensorflow(tmp_path):
    code = (
        "import sys; from pipeline_fakes import fake_models; from vnlp_colab import VNLPipeline; import pyarrow as pa;"
        "nlp = VNLPipeline(fake_models()); doc = nlp('Ali geldi.'); assert len(doc) == 3; doc.to_dataframe();"
        "doc.to_conllu(); nlp.annotate([['Ali', 'geldi', '.']]);"
        "nlp.process_arrow(pa.table({'sentence': ['Ali geldi.']}));"
        "assert 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=_env())


def _env():
    import os
    from pathlib import Path

    tests = Path(__file__).parents[1]
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)])}
