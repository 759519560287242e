"""Every row in is a row out, whatever is in it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline_fakes import fake_models

from vnlp_colab.batches import analyzer
from vnlp_colab.batches.preparation import cell_text
from vnlp_colab.errors import VNLPError
from vnlp_colab.pipeline_colab import VNLPipeline

LISTS = ["tokens", "tokens_40", "morph", "lemma", "pos", "ner", "dep"]
odd_values = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aâîİIıŞ’'\"…\u0302\u00a0\u200b\ud800\t\n🙂 .,!?1", max_size=40),
    st.sampled_from([None, float("nan"), pd.NA, pd.NaT, 5, 2.5, True, b"bytes", ["a", "list"], {"a": 1}, "", "   "]),
    st.integers(),
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(odd_values, max_size=12), st.integers(1, 5))
def test_rows_stay_in_place_whatever_is_in_them(nlp, values, batch_size):
    df = pd.DataFrame({"sentence": pd.Series(values, dtype=object), "n": range(len(values))})
    out = nlp.process_dataframe(df, batch_size=batch_size)
    pd.testing.assert_frame_equal(out[["sentence", "n"]], df)
    for place, value in enumerate(values):
        row = out.iloc[place]
        if not cell_text(value).strip():
            assert all(row[name] == [] for name in LISTS)
            assert math.isnan(row["sentiment"])
            assert row["no_accents"] == ""
        assert len({len(row[name]) for name in LISTS if name != "tokens_40"}) == 1
        assert [token for block in row["tokens_40"] for token in block] == row["tokens"]


def test_numbers_and_other_scalars_are_read_as_their_text(nlp):
    values = [2024, 2.5, True, pd.Timestamp("2024-05-01"), None, ["a"], b"bytes"]
    out = nlp.process_dataframe(pd.DataFrame({"sentence": pd.Series(values, dtype=object)}))
    assert out["no_accents"].tolist() == ["2024", "2.5", "True", "2024-05-01 00:00:00", "", "", ""]
    whole = nlp.process_dataframe(pd.DataFrame({"sentence": [7, 8]}))
    assert whole["tokens"].tolist() == [["7"], ["8"]]


def test_each_row_gets_its_own_result(nlp, monkeypatch):
    monkeypatch.setattr(analyzer, "_CHUNK_ROWS", 50)  # so that a small table already has several chunks
    monkeypatch.setattr(analyzer, "_BATCHES_A_CHUNK", 1)
    sentences = [" ".join(f"w{row}x{word}" for word in range(row % 17)) for row in range(333)]
    out = nlp.process_dataframe(pd.DataFrame({"sentence": sentences}), batch_size=8)
    assert out["tokens"].tolist() == [sentence.split() for sentence in sentences]
    assert out["lemma"].tolist() == out["tokens"].tolist()


@pytest.mark.parametrize("length", [1, 40, 41, 95, 400])
def test_sentence_lengths(nlp, length):
    sentence = " ".join(f"kelime{number}" for number in range(length))
    row = nlp.process_dataframe(pd.DataFrame({"sentence": [sentence]})).iloc[0]
    assert len(row["tokens"]) == len(row["pos"]) == len(row["dep"]) == length
    assert [len(block) for block in row["tokens_40"]] == [40] * (length // 40) + [length % 40] * (length % 40 > 0)
    assert [head for head, _ in row["dep"]] == list(range(length)), "heads count through the whole sentence"


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([7, 7, 3], name="id"),
        pd.Index(["x", None, "x"]),
        pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (0, "a")], names=["no", "part"]),
        pd.date_range("2024-01-01", periods=3, freq="D"),
        pd.RangeIndex(10, 16, 2),
    ],
    ids=["repeated", "missing label", "two levels", "dates", "range"],
)
def test_index_and_extra_columns_stay(nlp, index):
    df = pd.DataFrame(
        {
            "sentence": ["Bir.", "", "İki üç."],
            "kind": pd.Categorical(["a", "b", "a"]),
            "score": np.array([1, 2, 3], dtype=np.int16),
            "maybe": pd.array([1, None, 3], dtype="Int64"),
            5: ["x", "y", "z"],
        }
    )
    df.index = index
    out = nlp.process_dataframe(df)
    pd.testing.assert_frame_equal(out[list(df.columns)], df)
    assert out["tokens"].tolist() == [["Bir", "."], [], ["İki", "üç", "."]]


def test_repeated_index_labels_are_told(nlp, caplog):
    nlp.process_dataframe(pd.DataFrame({"sentence": ["a", "b"]}, index=[4, 4]))
    assert "1 rows repeat an index label" in caplog.text


def test_columns_come_in_the_promised_order(nlp):
    df = pd.DataFrame([["t", 1, 1, 1, "Ali geldi."]], columns=["t_code", "ch_no", "p_no", "s_no", "sentence"])
    promised = ["no_accents", "tokens", "tokens_40", "sentiment", "morph", "lemma", "pos", "ner", "dep"]
    assert list(nlp.process_dataframe(df).columns) == [*df.columns, *promised]


def test_empty_table_has_the_columns(nlp):
    out = nlp.process_dataframe(pd.DataFrame({"sentence": []}))
    assert len(out) == 0
    assert "dep" in out.columns
    assert out["sentiment"].dtype == np.float64


def test_preprocessing_is_used_when_it_is_there(nlp):
    df = pd.DataFrame({"sentence": [" Kâğıt   bitti. ", None, "Ali’nin evi"]})
    ready = nlp.run_preprocessing(df)
    assert list(ready.columns) == ["sentence", "no_accents", "tokens", "tokens_40"]
    assert ready["no_accents"].tolist() == ["Kağıt bitti.", "", "Ali’nin evi"]
    assert ready["tokens"].tolist() == [["Kağıt", "bitti", "."], [], ["Ali'nin", "evi"]]
    ready.at[0, "tokens"] = ["kendi", "sözcüklerim"]
    out = nlp.process_dataframe(ready)
    assert out["lemma"].tolist()[0] == ["kendi", "sözcüklerim"]
    assert nlp.process_dataframe(nlp.run_preprocessing(df)).equals(nlp.process_dataframe(df))


def test_results_of_an_earlier_run_are_replaced(nlp):
    once = nlp.process_dataframe(pd.DataFrame({"sentence": ["Ali geldi."]}))
    assert nlp.process_dataframe(once).equals(once)


def test_own_columns_of_a_result_name_are_kept(nlp, caplog):
    df = pd.DataFrame({"sentence": ["Ali geldi."], "pos": ["my own"], "tokens": [["mine"]]})
    out = nlp.process_dataframe(df)
    assert out["input_pos"].tolist() == ["my own"]
    assert out["input_tokens"].tolist() == [["mine"]]
    assert out["tokens"].tolist() == [["Ali", "geldi", "."]]
    assert "the input's column 'pos' is kept as 'input_pos'" in caplog.text


def test_tokens_of_another_sentence_are_not_used(nlp, caplog):
    ready = nlp.run_preprocessing(pd.DataFrame({"sentence": ["Ali geldi.", "Veli gitti."]}))
    ready.loc[1, "sentence"] = "Ayşe uyudu."
    out = nlp.process_dataframe(ready)
    assert out["tokens"].tolist() == [["Ali", "geldi", "."], ["Ayşe", "uyudu", "."]]
    assert "1 rows have tokens of another sentence (first at place 1)" in caplog.text


def test_entities_agree_with_the_labels():
    nlp = VNLPipeline(fake_models("ner"), columns=["entities", "ner_bio"])
    row = nlp.process_dataframe(pd.DataFrame({"sentence": ["  Tom'un Mary'nin evine @Ali gitti."]})).iloc[0]
    assert row["ner"] == ["PER", "PER", "O", "O", "O", "O"]
    assert row["ner_bio"] == ["B-PER", "B-PER", "O", "O", "O", "O"]
    assert row["entities"] == [
        {"text": "Tom'un", "name": "Tom", "type": "PER", "start": 2, "end": 8},
        {"text": "Mary'nin", "name": "Mary", "type": "PER", "start": 9, "end": 17},
    ]


def test_progress_is_shown_when_asked_for(nlp, capfd):
    nlp.process_dataframe(pd.DataFrame({"sentence": ["Ali geldi."]}), progress=True)
    assert "1/1" in capfd.readouterr().err


def test_optional_columns(nlp_all_columns):
    row = nlp_all_columns.process_dataframe(pd.DataFrame({"sentence": ["  Kâmil  geldi!", ""]})).iloc
    assert row[0]["offsets"] == [(2, 7), (9, 14), (14, 15)]
    assert row[0]["pos_confidence"] == row[0]["ner_confidence"] == [0.5, 0.5, 0.5]
    assert row[0]["sentiment_label"] == "negative"
    assert row[1]["offsets"] == row[1]["pos_confidence"] == []
    assert row[1]["sentiment_label"] is None


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="aâîûÎİIıŞ’'\u0302\u0307\u00a0\u200b 🙂.,!1", max_size=40))
def test_offsets_point_at_the_tokens_of_the_given_text(nlp_all_columns, text):
    row = nlp_all_columns.process_dataframe(pd.DataFrame({"sentence": [text]})).iloc[0]
    assert len(row["offsets"]) == len(row["tokens"])
    end = 0
    for start, stop in row["offsets"]:
        assert end <= start < stop <= len(text)
        end = stop


def test_another_text_column():
    nlp = VNLPipeline(fake_models("pos"), text_column="yorum")
    out = nlp.process_dataframe(pd.DataFrame({"yorum": ["Güzel."]}))
    assert out["pos"].tolist() == [["VERB", "PUNCT"]]
    with pytest.raises(ValueError, match=r"no column 'yorum' .*there are 'sentence'"):
        nlp.process_dataframe(pd.DataFrame({"sentence": ["Güzel."]}))
    other = pd.DataFrame({"no": [1], "metin": ["Güzel."], "yorum": ["Kötü bir film."]})
    assert nlp.process_dataframe(other, text_column="metin")["tokens"].tolist() == [["Güzel", "."]]
    assert nlp.process_dataframe(other, text_column=1)["tokens"].tolist() == [["Güzel", "."]]
    assert nlp.process_dataframe(other, text_column="2")["tokens"].tolist() == [["Güzel", "."]], "as for files"
    found = VNLPipeline(fake_models("pos")).process_dataframe(other)
    assert found["tokens"].tolist() == [["Güzel", "."]], "a column called metin holds the text unless told otherwise"


@pytest.mark.parametrize(
    ("device", "cores", "largest"), [("cpu", 1, 64), ("cpu", 8, 256), ("cpu", 96, 512), ("cuda", 2, 1024)]
)
def test_batch_size_follows_the_device(device, cores, largest, monkeypatch):
    monkeypatch.setattr(analyzer, "available_cores", lambda: cores)
    models = fake_models("pos", "ner")
    models["pos"].device = device
    sizes = []
    df = pd.DataFrame({"sentence": ["Ali geldi."] * 1500})
    VNLPipeline(models).process_dataframe(df, on_batch=lambda rows, _: sizes.append(rows))
    assert max(sizes) == largest
    assert sum(sizes) == 1500


@pytest.mark.parametrize("batch_size", [0, -1, 2.5, True, "8"])
def test_wrong_batch_size(nlp, batch_size):
    with pytest.raises(ValueError, match="batch_size is a whole number from 1 on"):
        nlp.process_dataframe(pd.DataFrame({"sentence": ["a"]}), batch_size=batch_size)


def test_wrong_table(nlp):
    with pytest.raises(TypeError, match="expected a pandas DataFrame, not list"):
        nlp.process_dataframe(["Ali geldi."])
    with pytest.raises(ValueError, match="2 columns named 'sentence'"):
        nlp.process_dataframe(pd.DataFrame([["a", "b"]], columns=["sentence", "sentence"]))


def test_a_model_that_fails_is_heard(nlp):
    models = fake_models("pos")
    models["pos"].annotate = lambda batch, wanted: 1 / 0
    with pytest.raises(ZeroDivisionError):
        VNLPipeline(models).process_dataframe(pd.DataFrame({"sentence": ["a"]}))


def test_informal_text_is_mended_for_the_models_alone():
    nlp = VNLPipeline(fake_models("stemmer"), normalize=["auto", "chat"], columns=["offsets"])
    row = nlp.process_dataframe(pd.DataFrame({"sentence": ["slm, bugun hava cok guzel olmus"]})).iloc[0]
    assert row["tokens"] == ["slm", ",", "bugun", "hava", "cok", "guzel", "olmus"]
    assert row["lemma"] == ["selam", ",", "bugün", "hava", "çok", "güzel", "olmuş"]
    assert [row["sentence"][start:end] for start, end in row["offsets"]] == row["tokens"]
    document = nlp("slm, bugun hava cok guzel olmus")
    assert document[2].text == "bugun"
    assert document[2].norm == "bugün"
    plain = VNLPipeline(fake_models("stemmer")).process_dataframe(pd.DataFrame({"sentence": ["slm bugun"]}))
    assert plain["lemma"][0] == ["slm", "bugun"], "nothing is mended unasked"
    with pytest.raises(VNLPError, match="unknown step 'shout' of normalisation; choose from repeats, auto"):
        VNLPipeline(fake_models("pos"), normalize="shout")
