"""Each output format, read back by its own library."""

from __future__ import annotations

import csv
import json

import conllu
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from pipeline_fakes import fake_models

from vnlp_colab import pipeline_colab
from vnlp_colab.pipeline_colab import VNLPipeline

SENTENCES = ["Ali, eve geldi.", "", "Kâmil “merhaba” dedi!", "a|b\tc", "Son."]


@pytest.fixture(autouse=True)
def several_chunks(monkeypatch):
    monkeypatch.setattr(pipeline_colab, "_CHUNK_ROWS", 2)
    monkeypatch.setattr(pipeline_colab, "_BATCHES_A_CHUNK", 1)


@pytest.fixture
def table(tmp_path):
    rows = [{"id": number, "text": text, "note": None} for number, text in enumerate(SENTENCES)]
    path = tmp_path / "input.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def expected(nlp_all_columns):
    nlp = VNLPipeline(fake_models(), text_column="text", columns=nlp_all_columns.optional_columns)
    df = pd.DataFrame({"id": range(5), "text": SENTENCES, "note": [None] * 5})
    return nlp.process_dataframe(df, batch_size=2)


@pytest.fixture
def run(nlp_all_columns, table, tmp_path):
    def run(name, **options):
        output = tmp_path / name
        summary = nlp_all_columns.run(table, output, batch_size=2, **options)
        assert summary.rows == 5
        assert summary.empty_rows == 1
        assert not (tmp_path / f"{name}.parts").exists(), "parts are removed when the result is whole"
        return output

    return run


def plain(value):
    """Tuples as lists and NaN as None, for comparing across formats."""
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return None if np.isnan(value) else round(value, 6)
    return value.item() if isinstance(value, np.generic) else value


def test_pickle(run, expected):
    df = pd.read_pickle(run("out.pkl"))
    pd.testing.assert_frame_equal(df, expected, check_dtype=False)
    assert df["dep"].tolist()[0][0] == (0, "obj")


def test_parquet(run, expected):
    table = pq.read_table(run("out.parquet"))
    assert table.column_names == list(expected.columns)
    rows = table.to_pylist()
    assert rows[0]["dep"][:2] == [{"head": 0, "relation": "obj"}, {"head": 1, "relation": "obj"}]
    assert rows[0]["offsets"][0] == {"start": 0, "end": 3}
    for name in ("id", "text", "no_accents", "tokens", "tokens_40", "sentiment", "morph", "lemma", "pos", "ner"):
        assert plain([row[name] for row in rows]) == plain(expected[name].tolist()), name
    assert table.schema.field("id").type == "int64"
    assert table.schema.field("tokens").type.value_type == "string"


def test_csv(run, expected):
    with run("out.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert list(rows[0]) == list(expected.columns)
    for name in ("tokens", "tokens_40", "lemma", "pos", "dep", "offsets", "pos_confidence"):
        assert [json.loads(row[name]) for row in rows] == plain(expected[name].tolist()), name
    assert [row["text"] for row in rows] == SENTENCES
    assert rows[1]["sentiment"] == ""
    assert pd.read_csv(run("again.csv"))["sentiment"].isna().tolist() == [False, True, False, False, False]


def test_json_lines(run, expected):
    rows = [json.loads(line) for line in run("out.jsonl").read_text(encoding="utf-8").splitlines()]
    for name in expected.columns:
        assert plain([row[name] for row in rows]) == plain(expected[name].tolist()), name
    assert "NaN" not in run("again.jsonl").read_text(encoding="utf-8")


def test_conllu(run):
    blocks = conllu.parse(run("out.conllu").read_text(encoding="utf-8"))
    assert [block.metadata["sent_id"] for block in blocks] == ["1", "3", "4", "5"], "row 2 has no token"
    assert blocks[1].metadata["text"] == "Kâmil “merhaba” dedi!"
    assert blocks[1].metadata["id"] == "2"
    assert [token["form"] for token in blocks[1]] == ["Kâmil", "“", "merhaba", "”", "dedi", "!"]


def test_a_folder_and_a_table_without_rows(nlp, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,text\n")
    (tmp_path / "in" / "b.csv").write_text("id,text\n1,Ali\n")
    for ending in ("pkl", "parquet", "csv", "jsonl", "conllu"):
        assert nlp.run(tmp_path / "in", tmp_path / f"out.{ending}").rows == 1
        assert nlp.run(tmp_path / "in" / "a.csv", tmp_path / f"none.{ending}").rows == 0
        assert (tmp_path / f"none.{ending}").exists()
    assert list(pd.read_parquet(tmp_path / "none.parquet").columns)[:3] == ["id", "text", "no_accents"]
    assert (tmp_path / "none.csv").read_text().startswith("id,text,no_accents,tokens")
    assert pd.read_pickle(tmp_path / "out.pkl")["source_file"].tolist() == ["b.csv"]


def test_parquet_in_and_out_keeps_types_and_index(nlp, tmp_path):
    df = pd.DataFrame(
        {
            "text": ["Ali geldi.", None, "Veli gitti."],
            "when": pd.date_range("2024-01-01", periods=3),
            "count": pd.array([1, None, 3], dtype="Int64"),
            "tags": [["a"], [], ["b", "c"]],
            "kind": pd.Categorical(["x", "y", "x"]),
        },
        index=pd.Index([10, 10, 30], name="key"),
    )
    df.to_parquet(tmp_path / "in.parquet")
    nlp.run(tmp_path / "in.parquet", tmp_path / "out.parquet")
    schemas = [pq.read_schema(tmp_path / name) for name in ("in.parquet", "out.parquet")]
    for field in schemas[0]:
        assert schemas[1].field(field.name).type == field.type
    out = pd.read_parquet(tmp_path / "out.parquet")
    assert out.index.tolist() == [10, 10, 30]
    assert out.index.name == "key"
    pd.testing.assert_frame_equal(out[list(df.columns)], pd.read_parquet(tmp_path / "in.parquet"))
    nlp.run(tmp_path / "in.parquet", tmp_path / "out.csv")
    assert pd.read_csv(tmp_path / "out.csv")["key"].tolist() == [10, 10, 30]


def test_input_columns_named_like_results_are_kept(nlp, tmp_path, caplog):
    (tmp_path / "in.csv").write_text("pos,text\nilk,Ali geldi.\n")
    nlp.run(tmp_path / "in.csv", tmp_path / "out.jsonl")
    row = json.loads((tmp_path / "out.jsonl").read_text())
    assert row["input_pos"] == "ilk"
    assert row["pos"] == ["VERB", "VERB", "PUNCT"]
    assert "'pos' is kept as 'input_pos'" in caplog.text


def test_unknown_ending(nlp, table):
    with pytest.raises(ValueError, match=r"cannot tell the output format of 'out\.xyz'; end it in \.parquet, \.pkl"):
        nlp.run(table, "out.xyz")
