"""Each output format, read back by its own library."""

from __future__ import annotations

import csv
import json

import conllu
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_fakes import ALL_COLUMNS, FakeAnalyzer

from vnlp_colab.batches.chunk import Rows
from vnlp_colab.tables import read_frame
from vnlp_colab.tables.files import open_file
from vnlp_colab.tables.job import analyze_file

ENDINGS = ("pkl", "parquet", "csv", "tsv", "jsonl", "conllu")
SENTENCES = ["Ali, eve geldi.", "", "Kâmil “merhaba” dedi!", "a|b\tc", "Son."]


@pytest.fixture
def table(tmp_path):
    rows = [{"id": number, "text": text, "note": None} for number, text in enumerate(SENTENCES)]
    path = tmp_path / "input.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def expected():
    results = FakeAnalyzer(ALL_COLUMNS).stream([Rows(SENTENCES)], 1, lambda *_: None)
    return {"id": list(range(5)), "text": SENTENCES, "note": [None] * 5} | next(results).columns


@pytest.fixture
def run(analyze, table):
    def run(name, **options):
        return analyze(table, name, analyzer=FakeAnalyzer(ALL_COLUMNS, chunk=2), **options)

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
    assert list(df.columns) == list(expected)
    for name, values in expected.items():
        assert plain(df[name].tolist()) == plain(values), name
    assert df["dep"].tolist()[0][:2] == [(0, "root"), (1, "obj")]
    assert df["id"].dtype == "int64"
    assert type(df["tokens"].tolist()[0]) is list


def test_parquet(run, expected):
    table = pq.read_table(run("out.parquet"))
    assert table.column_names == list(expected)
    rows = table.to_pylist()
    assert rows[0]["dep"][:2] == [{"head": 0, "relation": "root"}, {"head": 1, "relation": "obj"}]
    assert rows[0]["offsets"][0] == {"start": 0, "end": 3}
    for name in ("id", "text", "no_accents", "tokens", "tokens_40", "sentiment", "morph", "lemma", "pos", "ner"):
        assert plain([row[name] for row in rows]) == plain(expected[name]), name
    assert table.schema.field("id").type == "int64"
    assert table.schema.field("tokens").type.value_type == "string"


def test_csv(run, expected):
    with run("out.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert list(rows[0]) == list(expected)
    for name in ("tokens", "tokens_40", "lemma", "pos", "dep", "offsets", "pos_confidence"):
        assert [json.loads(row[name]) for row in rows] == plain(expected[name]), name
    assert [row["text"] for row in rows] == SENTENCES
    assert rows[1]["sentiment"] == ""
    assert pd.read_csv(run("again.csv"))["sentiment"].isna().tolist() == [False, True, False, False, False]


def test_json_lines(run, expected):
    rows = [json.loads(line) for line in run("out.jsonl").read_text(encoding="utf-8").splitlines()]
    for name in expected:
        assert plain([row[name] for row in rows]) == plain(expected[name]), name
    assert "NaN" not in run("again.jsonl").read_text(encoding="utf-8")


def test_conllu(run):
    blocks = conllu.parse(run("out.conllu").read_text(encoding="utf-8"))
    assert [block.metadata["sent_id"] for block in blocks] == ["1", "3", "4", "5"], "row 2 has no token"
    assert blocks[1].metadata["text"] == "Kâmil “merhaba” dedi!"
    assert blocks[1].metadata["id"] == "2"
    assert [token["form"] for token in blocks[1]] == ["Kâmil", "“", "merhaba", "”", "dedi", "!"]


def test_a_folder_and_a_table_without_rows(analyze, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,text\n")
    (tmp_path / "in" / "b.csv").write_text("id,text\n1,Ali\n")
    for ending in ENDINGS:
        analyze(tmp_path / "in", f"out.{ending}")
        analyze(tmp_path / "in" / "a.csv", f"none.{ending}")
    assert list(pd.read_parquet(tmp_path / "none.parquet").columns)[:3] == ["id", "text", "no_accents"]
    assert (tmp_path / "none.csv").read_text().startswith("id,text,no_accents,tokens")
    assert pd.read_pickle(tmp_path / "none.pkl").columns.tolist()[:3] == ["id", "text", "no_accents"]
    assert pd.read_pickle(tmp_path / "out.pkl")["source_file"].tolist() == ["b.csv"]


def test_parquet_in_and_out_keeps_types_and_index(analyze, tmp_path):
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
    analyze(tmp_path / "in.parquet", "out.parquet")
    schemas = [pq.read_schema(tmp_path / name) for name in ("in.parquet", "out.parquet")]
    for field in schemas[0]:
        assert schemas[1].field(field.name).type == field.type
    out = pd.read_parquet(tmp_path / "out.parquet")
    assert out.index.tolist() == [10, 10, 30]
    assert out.index.name == "key"
    pd.testing.assert_frame_equal(out[list(df.columns)], pd.read_parquet(tmp_path / "in.parquet"))
    pickled = pd.read_pickle(analyze(tmp_path / "in.parquet", "out.pkl"))
    assert pickled.index.equals(out.index)
    pd.testing.assert_frame_equal(pickled[["text", "when", "count", "kind"]], out[["text", "when", "count", "kind"]])
    assert pd.read_csv(analyze(tmp_path / "in.parquet", "out.csv"))["key"].tolist() == [10, 10, 30]


def test_input_columns_named_like_results_are_kept(analyze, tmp_path, caplog):
    (tmp_path / "in.csv").write_text("pos,text\nilk,Ali geldi.\n")
    row = json.loads(analyze(tmp_path / "in.csv").read_text())
    assert row["input_pos"] == "ilk"
    assert row["pos"] == ["NOUN", "NOUN", "PUNCT"]
    assert "'pos' is kept as 'input_pos'" in caplog.text


def test_an_index_named_like_a_result_is_kept(analyze, tmp_path):
    pd.DataFrame({"text": ["Ali."]}, index=pd.Index(["x"], name="tokens")).to_parquet(tmp_path / "in.parquet")
    for ending in ("parquet", "pkl"):
        output = analyze(tmp_path / "in.parquet", f"out.{ending}")
        out = pd.read_parquet(output) if ending == "parquet" else pd.read_pickle(output)
        assert out.index.name == "input_tokens"
        assert out.index.tolist() == ["x"]
        assert list(out["tokens"].iloc[0]) == ["Ali", "."]


def test_the_text_may_be_the_index(analyze, tmp_path):
    pd.DataFrame({"id": [1]}, index=pd.Index(["Ali geldi."], name="text")).to_parquet(tmp_path / "in.parquet")
    assert json.loads(analyze(tmp_path / "in.parquet").read_text())["tokens"] == ["Ali", "geldi", "."]


def test_unknown_ending(table):
    with pytest.raises(ValueError, match=r"cannot tell the output format of 'out\.xyz'; end it in \.parquet, \.pkl"):
        analyze_file(FakeAnalyzer(), table, "out.xyz")


def test_columns_can_be_chosen(run, expected):
    rows = [json.loads(line) for line in run("out.jsonl", columns=["tokens", "entities"]).read_text().splitlines()]
    assert list(rows[0]) == ["id", "text", "note", "tokens", "entities"]
    assert rows[0]["entities"] == [{"text": "Ali", "name": "Ali", "type": "PER", "start": 0, "end": 3}]
    with pytest.raises(ValueError, match="no result column 'verbs'; there are no_accents, tokens"):
        run("more.jsonl", columns=["verbs"])


@pytest.mark.parametrize("packing", ["gz", "zst", "bz2", "xz", "lz4"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "conllu"])
def test_packed_outputs_are_the_plain_ones_packed(run, tmp_path, ending, packing):
    plain_bytes = run(f"out.{ending}").read_bytes()
    with open_file(run(f"out.{ending}.{packing}")).read() as stream:
        assert stream.read() == plain_bytes
    assert run(f"again.{ending}.{packing}").read_bytes() == (tmp_path / f"out.{ending}.{packing}").read_bytes()


def test_pandas_reads_packed_outputs(run):
    assert pd.read_csv(run("out.csv.gz"))["id"].tolist() == list(range(5))
    assert len(pd.read_json(run("out.jsonl.gz"), lines=True)) == 5


def test_tables_that_pack_themselves_are_not_packed_again(run):
    with pytest.raises(ValueError, match=r"parquet is not compressed from outside; leave \.gz off"):
        run("out.parquet.gz")


ODD = ["a\rb", "c\r\nd", "e\nf", "tab\there", 'quo"te', "=1+1", "", " x ", "a,b;c"]


@pytest.mark.parametrize(("ending", "separator"), [("csv", ","), ("tsv", "\t")])
def test_pandas_reads_every_cell_back(analyze, tmp_path, ending, separator):
    pq.write_table(pa.table({"text": ODD, "n": range(len(ODD))}), tmp_path / "in.parquet")
    output = analyze(tmp_path / "in.parquet", f"out.{ending}")
    df = pd.read_csv(output, sep=separator, keep_default_na=False)
    assert df["text"].tolist() == ODD
    with output.open(encoding="utf-8", newline="") as handle:
        assert [row["text"] for row in csv.DictReader(handle, delimiter=separator)] == ODD
    assert [json.loads(cell) for cell in df["tokens"]][3] == ["tab", "here"]
    assert read_frame(output, input_format="csv")["text"].tolist() == ODD, "and so does this package"


@pytest.mark.parametrize("packing", ["", ".gz"])
def test_line_ends_in_cells_survive_csv_to_csv(analyze, tmp_path, packing):
    pd.DataFrame({"text": ODD}).to_csv(tmp_path / f"in.csv{packing}", index=False, lineterminator="\r\n")
    assert read_frame(tmp_path / f"in.csv{packing}")["text"].tolist() == ODD
    output = analyze(tmp_path / f"in.csv{packing}", "out.csv")
    assert pd.read_csv(output, keep_default_na=False)["text"].tolist() == ODD


def test_csv_for_spreadsheets(analyze, tmp_path):
    (tmp_path / "in.csv").write_text("text,n\n=HYPERLINK(x),-5\n@a,-6\n-b,7\nc,8\n", encoding="utf-8")
    output = analyze(tmp_path / "in.csv", "out.csv", bom=True, escape_formulas=True)
    assert output.read_bytes().startswith(b"\xef\xbb\xbftext,")
    df = pd.read_csv(output)
    assert df["text"].tolist() == ["'=HYPERLINK(x)", "'@a", "'-b", "c"]
    assert df["n"].tolist() == [-5, -6, 7, 8], "numbers are no formulas"
    assert pd.read_csv(analyze(tmp_path / "in.csv", "plain.csv"))["text"].tolist()[0] == "=HYPERLINK(x)"


def test_json_is_always_json(analyze, tmp_path):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    values = {"x": [float("nan"), float("inf")], "deep": [[{"a": float("nan")}], [{"a": 1.0}]], "text": ["a", "b"]}
    pq.write_table(pa.table(values), tmp_path / "in.parquet")
    (tmp_path / "in.jsonl").write_text('{"text": "a", "x": [NaN, {"y": -Infinity}], "z": NaN}\n')
    for name in ("in.parquet", "in.jsonl"):
        lines = analyze(tmp_path / name, f"{name}.out.jsonl").read_text().splitlines()
        rows = [json.loads(line, parse_constant=refuse) for line in lines]
        assert rows[0]["x"] in (None, [None, {"y": None}])


def test_conllu_takes_results_and_not_the_users_columns(analyze, tmp_path):
    rows = {"text": ["Ali geldi."], "ner": ["x"], "pos": ["y"], "tokens": ["z"]}
    pq.write_table(pa.table(rows), tmp_path / "in.parquet")
    only_tokens = FakeAnalyzer(["no_accents", "tokens"])
    block = conllu.parse(analyze(tmp_path / "in.parquet", "out.conllu", analyzer=only_tokens).read_text())[0]
    assert [token["upos"] for token in block] == ["_"] * 3
    assert {block.metadata[name] for name in ("ner", "pos", "input_tokens")} == {"x", "y", "z"}


def test_a_paragraph_is_a_block_a_sentence(analyze, tmp_path):
    (tmp_path / "in.jsonl").write_text(json.dumps({"id": 7, "text": "Ali  geldi. Veli evden gitti!\nBitti."}))
    analyzer = FakeAnalyzer(ALL_COLUMNS, split=True)
    blocks = conllu.parse(analyze(tmp_path / "in.jsonl", "out.conllu", analyzer=analyzer).read_text())
    assert [block.metadata["sent_id"] for block in blocks] == ["1-1", "1-2", "1-3"]
    assert [block.metadata["id"] for block in blocks] == ["7"] * 3
    assert [block.metadata["text"] for block in blocks] == ["Ali geldi.", "Veli evden gitti!", "Bitti."]
    assert [[token["head"] for token in block] for block in blocks] == [[0, 1, 2], [0, 1, 2, 3], [0, 1]]
    row = json.loads(analyze(tmp_path / "in.jsonl", analyzer=FakeAnalyzer(split=True)).read_text())
    assert [head for head, _ in row["dep"]] == [0, 1, 2, 0, 4, 5, 6, 0, 8], "in the row heads count through it"
    assert "sentence_ends" not in row


def test_streams(table, capfdbinary):
    for name in ("csv", "tsv", "jsonl", "conllu"):
        summary = analyze_file(FakeAnalyzer(chunk=2), table, "-", output_format=name, progress=False)
        assert (summary.rows, summary.empty_rows, summary.output) == (5, 1, "standard output")
    told = capfdbinary.readouterr().out.decode()
    assert told.count("# sent_id") == 4
    assert told.count('"id": ') == 5
    with pytest.raises(ValueError, match="pkl cannot be written to a stream; choose csv, tsv, jsonl, conllu"):
        analyze_file(FakeAnalyzer(), table, "-", output_format="pkl")


def test_the_summary_says_what_was_read(tmp_path):
    (tmp_path / "in.csv").write_text("1,Ali geldi.\n2,Veli gitti.\n", encoding="utf-8")
    summary = analyze_file(FakeAnalyzer(), tmp_path / "in.csv", tmp_path / "out.csv")
    assert summary.rows == 2
    assert str(summary).endswith("(read as csv without a header, text in 'column_2')")
