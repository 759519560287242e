"""Which models a pipeline loads, and what it says when it cannot."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pipeline_fakes import fake_models

from vnlp_colab import pipeline_colab
from vnlp_colab.pipeline_colab import VNLPipeline


@pytest.fixture
def loaded(monkeypatch):
    calls = []

    def load(task, model, **settings):
        calls.append((task, model, settings))
        return fake_models(task)[task]

    monkeypatch.setattr(pipeline_colab, "load_model", load)
    return calls


def test_default_is_all_five(loaded):
    assert set(VNLPipeline().models) == {"pos", "ner", "dep", "stemmer", "sentiment"}


def test_only_what_is_asked_for_is_loaded(loaded):
    nlp = VNLPipeline(models_to_load=["stemmer"], device="cpu", evaluate=True)
    assert loaded == [("stemmer", "StemmerAnalyzer", {"device": "cpu", "evaluate": True})]
    assert nlp.columns == ("no_accents", "tokens", "tokens_40", "morph", "lemma")


def test_a_model_by_name(loaded):
    VNLPipeline(["pos:TreeStackPoS", "ner:CharNER", "dep"])
    assert [call[1] for call in loaded] == ["TreeStackPoS", "CharNER", "SPUContextDP"]


@pytest.mark.parametrize(
    ("selection", "error", "message"),
    [
        (["verbs"], ValueError, "unknown task 'verbs'; choose from pos, ner, dep, stemmer, sentiment"),
        (["pos:CharNER"], ValueError, "unknown model 'CharNER' for pos; choose from SPUContextPoS, TreeStackPoS"),
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
        (["colour"], ValueError, "unknown optional column 'colour'; choose from pos_confidence"),
        (["ner_confidence"], ValueError, "column 'ner_confidence' needs the task 'ner'"),
        ("offsets", TypeError, "columns takes a list"),
    ],
)
def test_wrong_columns(loaded, columns, error, message):
    with pytest.raises(error, match=message):
        VNLPipeline(["pos"], columns=columns)


def test_texts_need_no_tensorflow(tmp_path):
    code = (
        "import sys; from pipeline_fakes import fake_models; from vnlp_colab import VNLPipeline;"
        "doc = VNLPipeline(fake_models())('Ali geldi.'); assert len(doc) == 3; doc.to_dataframe(); doc.to_conllu();"
        "assert 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=_env())


def _env():
    import os
    from pathlib import Path

    here = Path(__file__).parent
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(here), str(here.parents[1])])}
