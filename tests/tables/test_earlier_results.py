"""What lies in the input's folder where the output goes: an earlier result is replaced, a table of the user never."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest
from table_fakes import FakeAnalyzer

from vnlp_colab.tables import TableError, open_input
from vnlp_colab.tables.job import analyze_file

LINES = "id,text\n1,Ali geldi.\n2,Veli gitti.\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.csv", "id,text\n3,Ayşe.\n"),
        ("b.tsv", "t\t1\t1\t1\tAyşe geldi.\n"),
        ("b.jsonl", "not even JSON"),
        ("b.csv", "source_file,text\na.csv,Ayşe.\n"),
        ("b.csv", "tokens,text\n3,Ayşe.\n"),
        ("b.csv", "source_file,text,sentiment\na.csv,Ayşe.,0.5\n"),
        ("b.csv", "source_file,text,tokens,lemma,pos\na.csv,Ayşe.,Ayşe .,Ayşe .,PROPN PUNCT\n"),
        ("b.csv", "source_file,text,no_accents,tokens,tokens_40,pos\na.csv,Ayşe.,,,,\n"),
        ("b.jsonl", '{"source_file": "a.csv", "text": "Ayşe.", "sentiment": 0.5}\n'),
        ("b.csv.gz", "no gzip data at all"),
    ],
)
def test_a_table_of_the_input_folder_is_not_overwritten(tmp_path, caplog, name, content):
    (tmp_path / "a.csv").write_text(LINES)
    (tmp_path / name).write_text(content)
    told = rf"{re.escape(name)}: the output would overwrite the input; give it another name .* or delete this file"
    with pytest.raises(TableError, match=told):
        analyze_file(FakeAnalyzer(), tmp_path, tmp_path / name)
    assert not caplog.messages, "what is refused is not called the output"
    assert (tmp_path / name).read_text() == content
    assert len(list(tmp_path.iterdir())) == 2


def test_a_parquet_table_of_the_input_folder_is_not_overwritten(tmp_path):
    pd.DataFrame({"text": ["Ali"]}).to_parquet(tmp_path / "b.parquet")
    before = (tmp_path / "b.parquet").read_bytes()
    with pytest.raises(TableError, match="would overwrite the input"):
        analyze_file(FakeAnalyzer(), tmp_path, tmp_path / "b.parquet")
    assert (tmp_path / "b.parquet").read_bytes() == before


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.zst"])
def test_an_output_in_the_input_folder_is_no_input_of_the_next_run(tmp_path, caplog, ending):
    (tmp_path / "a.csv").write_text(LINES)
    output = tmp_path / f"out.{ending}"
    analyze_file(FakeAnalyzer(), tmp_path, output)
    first = output.read_bytes()
    analyze_file(FakeAnalyzer(), tmp_path, output)
    assert caplog.messages == [f"{output}: this is the output, left out of the input"]
    assert output.read_bytes() == first


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "csv.gz", "tsv.zst"])
@pytest.mark.parametrize(
    "column", ["two\nlines", "two\r\nlines", "|" * 60, "\t".join("abcdefghijklmnopqrst"), "{x", 'a"b,c']
)
@pytest.mark.parametrize("bom", [False, True])
def test_a_result_is_known_whatever_its_columns_are_called(tmp_path, caplog, ending, column, bom):
    (tmp_path / "a.jsonl").write_text(json.dumps({column: 1, "text": "Ali geldi."}) + "\n")
    output = tmp_path / f"out.{ending}"
    for _ in range(2):
        analyze_file(FakeAnalyzer(), tmp_path, output, bom=bom)
    assert caplog.messages == [f"{output}: this is the output, left out of the input"]


@pytest.mark.parametrize(
    "ending", ["csv", "jsonl", "csv.gz", "jsonl.gz", "jsonl.zst", "jsonl.bz2", "jsonl.xz", "jsonl.lz4"]
)
def test_a_result_without_rows_is_known(tmp_path, caplog, ending):
    (tmp_path / "a.csv").write_text("id,text\n")
    output = tmp_path / f"out.{ending}"
    for _ in range(2):
        analyze_file(FakeAnalyzer(), tmp_path, output)
    assert caplog.messages == [f"{output}: this is the output, left out of the input"]


def test_a_result_in_a_format_other_than_its_ending_is_known(tmp_path, caplog):
    (tmp_path / "a.csv").write_text(LINES)
    for _ in range(2):
        analyze_file(FakeAnalyzer(), tmp_path, tmp_path / "out.txt", output_format="tsv")
    assert caplog.messages == [f"{tmp_path / 'out.txt'}: this is the output, left out of the input"]


def test_a_result_of_some_columns_is_kept_like_a_table_of_the_user(tmp_path):
    (tmp_path / "a.csv").write_text(LINES)
    output = tmp_path / "out.csv"
    analyze_file(FakeAnalyzer(), tmp_path, output, columns=["sentiment"])
    for columns in (["sentiment"], None):
        with pytest.raises(TableError, match="would overwrite the input"):
            analyze_file(FakeAnalyzer(), tmp_path, output, columns=columns)
    output.unlink()
    analyze_file(FakeAnalyzer(), tmp_path, output)
    analyze_file(FakeAnalyzer(), tmp_path, output, columns=["sentiment"])
    assert list(pd.read_csv(output).columns) == ["source_file", "id", "text", "sentiment"]


def test_tables_opened_before_are_checked_against_what_the_run_writes(tmp_path):
    (tmp_path / "a.csv").write_text(LINES)
    output = tmp_path / "out.csv"
    analyze_file(FakeAnalyzer(), tmp_path, output, columns=["no_accents", "tokens", "tokens_40"])
    before = output.read_bytes()
    opened = open_input(tmp_path, leave_out=output)
    with pytest.raises(TableError, match="would overwrite the input"):
        analyze_file(FakeAnalyzer(), opened, output)
    assert output.read_bytes() == before


def test_an_empty_file_may_become_the_output(tmp_path):
    (tmp_path / "a.csv").write_text(LINES)
    (tmp_path / "out.csv").touch()
    analyze_file(FakeAnalyzer(), tmp_path, tmp_path / "out.csv")
    assert len(pd.read_csv(tmp_path / "out.csv")) == 2
