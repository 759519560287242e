"""What a worker does with its rows: all of them come back, and a bad one does not take the others with it."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest
from engine_toys import BrokenTagger, ToyTagger

from vnlp_colab import VNLPipeline
from vnlp_colab.engines.worker import EngineError, analyze_table, load_once, result_schema, settings_key
from vnlp_colab.errors import VNLPError
from vnlp_colab.ray import analyze as analyze_on_ray


@pytest.fixture(scope="module")
def nlp():
    return VNLPipeline({"pos": ToyTagger()})


def test_result_columns_and_a_column_of_errors_are_added(nlp, odd_table):
    result = analyze_table(nlp, odd_table)
    assert result.column_names == ["id", "metin", "input_pos", *nlp.columns, "analysis_error"]
    assert result.slice(0, 1)["pos"].to_pylist() == [["VERB", "VERB", "VERB", "VERB"]]
    assert result["analysis_error"].null_count == odd_table.num_rows


def test_own_columns_stay_as_they_are(nlp, odd_table):
    result = analyze_table(nlp, odd_table)
    assert result["id"].equals(odd_table["id"])
    assert result["metin"].equals(odd_table["metin"])
    assert result["input_pos"].equals(odd_table["pos"])


def test_a_bad_row_keeps_its_place_and_says_why(nlp):
    table = pa.table({"text": [*(f"{n} kişi geldi." for n in range(7)), "PATLA dedi.", "Sonra gitti."]})
    result = analyze_table(nlp, table)
    assert result["text"].to_pylist() == table["text"].to_pylist()
    assert result["analysis_error"].to_pylist() == [None] * 7 + ["RuntimeError: patladı", None]
    assert result["tokens"].to_pylist()[7:] == [[], ["Sonra", "gitti", "."]]


def test_a_bad_row_alone_is_no_reason_to_stop(nlp):
    result = analyze_table(nlp, pa.table({"text": ["PATLA"]}))
    assert result["analysis_error"].to_pylist() == ["RuntimeError: patladı"]


def test_if_no_row_can_be_analysed_it_is_not_the_rows():
    nlp = VNLPipeline({"pos": BrokenTagger()})
    with pytest.raises(EngineError, match=r"no row of a batch of 2 could be analysed.*bozuk"):
        analyze_table(nlp, pa.table({"text": ["Ali geldi.", "Veli gitti."]}))


def test_the_text_column_must_be_known_before_anything_is_done(nlp):
    with pytest.raises(ValueError, match="cannot tell which column holds the text"):
        analyze_table(nlp, pa.table({"a": ["Ali"], "b": ["Veli"]}))


def test_no_rows_have_the_columns_too(nlp):
    result = analyze_table(nlp, pa.table({"text": pa.array([], pa.string())}))
    assert result.num_rows == 0
    assert result.schema.field("tokens").type == pa.list_(pa.string())


def test_the_schema_is_known_without_models(nlp):
    names = [*nlp.columns, "analysis_error"]
    assert result_schema({"models_to_load": ["pos"]}).names == names
    wanted = result_schema({"models_to_load": ["pos"], "columns": ["offsets"]})
    assert wanted.names == [*names[:-1], "offsets", "analysis_error"]
    with pytest.raises(ValueError, match="unknown task"):
        result_schema({"models_to_load": ["nothing"]})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"models_to_load": ["pos:SPUContextPoS"], "style": "boun"}, "style 'boun' is for the joint network"),
        ({"models_to_load": ["pos"], "style": "BOUN"}, "unknown style 'BOUN'"),
        ({"models_to_load": ["ner"], "entity_style": "ner"}, "unknown entity_style 'ner'"),
        (
            {"models_to_load": ["pos"], "entity_style": "nakbatr_aa"},
            "entity_style 'nakbatr_aa' is for the joint network",
        ),
        ({"models_to_load": {"pos": ToyTagger()}, "style": "boun"}, "style 'boun' is for models loaded by name"),
        ({"models_to_load": ["pos"], "split": "words"}, "unknown split 'words'"),
        ({"models_to_load": ["pos"], "normalize": "all"}, "unknown step 'all' of normalisation"),
    ],
)
def test_wrong_settings_are_told_before_an_engine_has_anything_to_do(settings, message):
    with pytest.raises((ValueError, VNLPError), match=message):
        result_schema(settings)
    with pytest.raises((ValueError, VNLPError), match=message):
        analyze_on_ray(None, **settings)


def test_a_process_loads_the_same_settings_once():
    settings = {"models_to_load": {"pos": ToyTagger()}}
    key = settings_key(settings)
    assert load_once(key, settings) is load_once(key, settings)


@pytest.mark.parametrize("name", ["ray", "spark"])
def test_importing_never_imports_an_engine(name):
    code = (
        f"import sys, vnlp_colab, vnlp_colab.{name}\n"
        "loaded = {'ray', 'pyspark', 'spacy', 'tensorflow'} & set(sys.modules)\n"
        "sys.exit(f'imported {loaded}' if loaded else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
