"""Reading tables: kinds told apart, rows kept, problems told with their line."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vnlp_colab.tables import TableError, open_input, read_frame

FIVE = 't1\t1\t1\t1\tAli geldi.\nt1\t1\t1\t2\t\nt1\t1\t2\t1\t"Gel" dedi.\n'


def write(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def read(path, **options):
    return read_frame(path, **options)


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.txt", "a"])
def test_five_columns_are_known_by_their_content(tmp_path, name):
    df = read(write(tmp_path, name, FIVE))
    assert list(df.columns) == ["t_code", "ch_no", "p_no", "s_no", "sentence"]
    assert df["sentence"].tolist() == ["Ali geldi.", "", '"Gel" dedi.']
    assert df["s_no"].dtype == "int64"
    assert df["s_no"].tolist() == [1, 2, 1]
    assert df.index.tolist() == [0, 1, 2]


def test_quotes_a_spreadsheet_wrote_are_undone(tmp_path):
    df = read(write(tmp_path, "a.tsv", 'a\t1\t1\t1\t"O, ""gel"" dedi."\na\t1\t1\t2\t"Gel"\n'))
    assert df["sentence"].tolist() == ['O, "gel" dedi.', '"Gel"']


def test_a_line_is_a_row_whatever_is_in_it(tmp_path):
    odd = 'a\t1\t1\t1\tbir\x0ciki\u2028üç\x85dört\r\na\t1\t1\t2\t"açık tırnak\r\n'
    df = read(write(tmp_path, "a.tsv", odd))
    assert df["sentence"].tolist() == ["bir\x0ciki\u2028üç\x85dört", '"açık tırnak']


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.csv", 'id,text\n1,"Ali, geldi."\n2,\n', {}),
        ("a.csv", "id;text\n1;Ali, geldi.\n2;\n", {}),
        ("a.tsv", "id\ttext\n1\tAli, geldi.\n2\t\n", {}),
        ("a.csv", "id\ttext\n1\tAli, geldi.\n2\t\n", {}),
        ("a.csv", 'id,yorum,text\n1,"Ali, geldi.",x\n2,,y\n', {"text_column": "yorum"}),
        ("a.jsonl", '{"id": 1, "text": "Ali, geldi."}\n{"id": 2, "text": ""}\n', {}),
    ],
)
def test_tables_with_names(tmp_path, name, text, options):
    table = open_input(write(tmp_path, name, text), **options)
    chunk = next(table.chunks(10))
    assert chunk[table.text_column].to_pylist() == ["Ali, geldi.", ""]
    assert chunk["id"].to_pylist() == [1, 2]


def test_five_columns_with_a_header(tmp_path):
    df = read(write(tmp_path, "a.tsv", "t_code\tch_no\tp_no\ts_no\tsentence\n" + FIVE))
    assert len(df) == 3


def test_whole_numbers_are_numbers_and_codes_stay_text(tmp_path):
    df = read(write(tmp_path, "a.csv", "code,n,mixed,text\n007,1,1,a\n008,-2,x,b\n010,30,3,c\n"))
    assert df["code"].tolist() == ["007", "008", "010"]
    assert df["n"].tolist() == [1, -2, 30]
    assert df["mixed"].tolist() == ["1", "x", "3"], "one type for the whole column, though the chunks differ"


def test_a_cell_may_hold_lines(tmp_path):
    table = open_input(write(tmp_path, "a.csv", 'id,text\n1,"bir\niki"\n2,üç\n'))
    assert table.rows == 2
    assert next(table.chunks(5))["text"].to_pylist() == ["bir\niki", "üç"]


def test_text_is_split_into_sentences_and_no_line_is_lost(tmp_path):
    df = read(write(tmp_path, "a.txt", "Ali geldi. Veli gitti.\n\nBitti.\n"))
    assert df.to_dict("list") == {
        "document": [1, 1, 2, 3],
        "s_no": [1, 2, 1, 1],
        "sentence": ["Ali geldi.", "Veli gitti.", "", "Bitti."],
    }


def test_json_values_keep_their_types(tmp_path):
    rows = [
        {"text": "bir", "n": 1, "x": 1, "ok": True, "tags": ["a"], "odd": 1},
        {"text": None, "x": 2.5, "ok": False, "tags": [], "odd": "b"},
    ]
    df = read(write(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows))))
    assert df["n"].dtype == "Int64"
    assert df["n"].tolist() == [1, pd.NA]
    assert df["x"].tolist() == [1.0, 2.5]
    assert df["ok"].tolist() == [True, False]
    assert df["tags"].tolist() == [["a"], []]
    assert df["odd"].tolist() == [1, "b"]
    assert df["text"].isna().tolist() == [False, True]


def test_parquet_keeps_types_and_index(tmp_path):
    df = pd.DataFrame(
        {"text": [f"Cümle {n}." for n in range(7)], "when": pd.date_range("2024-01-01", periods=7)},
        index=pd.Index(list("abcdefg"), name="key"),
    )
    df.to_parquet(tmp_path / "a.parquet", row_group_size=3)
    chunks = list(open_input(tmp_path / "a.parquet").chunks(2))
    assert [len(chunk) for chunk in chunks] == [2, 2, 2, 1]
    pd.testing.assert_frame_equal(read(tmp_path / "a.parquet"), df, check_freq=False)


def test_skipping_chunks_is_the_same_as_reading_past_them(tmp_path):
    lines = "".join(f"t\t1\t1\t{n}\tCümle {n}.\n" for n in range(11))
    write(tmp_path, "a.tsv", lines)
    pq.write_table(pa.table({"text": [f"Cümle {n}." for n in range(11)]}), tmp_path / "b.parquet")
    for name in ("a.tsv", "b.parquet", "."):
        table = open_input(tmp_path / name)
        whole = list(table.chunks(3))
        assert len(whole) == table.chunk_count(3)
        for skip in range(len(whole) + 1):
            rest = list(table.chunks(3, skip))
            assert len(rest) == len(whole) - skip
            for one, other in zip(rest, whole[skip:], strict=True):
                assert one.equals(other)
                assert one.schema.equals(table.schema, check_metadata=True)


def test_a_folder_is_all_its_tables(tmp_path):
    write(tmp_path, "b.csv", "id,text\n1,Ali geldi.\n")
    write(tmp_path, "a.tsv", "t\t1\t1\t1\tVeli gitti.\n")
    write(tmp_path, "notes.md", "# not a table")
    table = open_input(tmp_path)
    rows = pa.concat_tables(table.chunks(10)).to_pylist()
    assert [row["source_file"] for row in rows] == ["a.tsv", "b.csv"]
    assert [row["sentence"] for row in rows] == ["Veli gitti.", "Ali geldi."]
    assert [row["t_code"] for row in rows] == ["t", None]
    assert [row["id"] for row in rows] == [None, 1]


@pytest.mark.parametrize(
    ("encoding", "asked"), [("utf-8-sig", None), ("utf-16", None), ("cp1254", "cp1254"), ("iso-8859-9", "iso-8859-9")]
)
def test_encodings(tmp_path, encoding, asked):
    path = write(tmp_path, "a.tsv", "t\t1\t1\t1\tŞişli'de ığdır\n", encoding)
    assert read(path, encoding=asked)["sentence"].tolist() == ["Şişli'de ığdır"]
    assert read(path, encoding=asked)["t_code"].tolist() == ["t"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", FIVE.encode() + b"t1\t1\t2\t2\t\xfeehir\n", r"line 4: byte 10 \(0xfe\) is not utf-8.*cp1254"),
        ("a.tsv", FIVE.encode() + b"t1\t1\t2\tbir\n", r"line 4: 4 fields between tabs, expected 5"),
        ("a.tsv", FIVE.encode() + b"t1\t1\t2\t2\tbir\tiki\n", r"line 4: 6 fields between tabs, expected 5"),
        ("a.csv", b"id,text\n1,a\n2,b,c\n", r"line 3: 3 fields, the first line has 2"),
        ("a.csv", b'id,text\n1,"a\n2,b\n', r"line 2: a quote is opened and never closed"),
        ("a.csv", b"id,id,text\n", r"line 1: the header names the column 'id' twice"),
        ("a.csv", b"", r"empty, not even a header"),
        ("a.csv", b"a,b\nx,y\n", r"cannot tell which column holds the text.*--text-column.*'a', 'b'"),
        ("a.jsonl", b'{"text": "a"}\n{"text": \n', r"line 2: not JSON"),
        ("a.jsonl", b'{"text": "a"}\n[1]\n', r"line 2: expected a JSON object, found list"),
        ("a.jsonl", b"\n", r"no JSON object in it"),
        ("a.parquet", b"PAR1 not really", r"not a parquet file"),
    ],
)
def test_problems_are_told_with_their_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=message):
        open_input(tmp_path / name)


def test_missing_things_are_named(tmp_path):
    with pytest.raises(TableError, match=r"nothing\.tsv: no such file"):
        open_input(tmp_path / "nothing.tsv")
    with pytest.raises(TableError, match="no table in this folder"):
        open_input(tmp_path)
    with pytest.raises(TableError, match="no column 'yorum'; there are 'id', 'text'"):
        open_input(write(tmp_path, "a.csv", "id,text\n"), text_column="yorum")
    with pytest.raises(TableError, match="unknown encoding 'klingon'"):
        open_input(write(tmp_path, "a.tsv", FIVE), encoding="klingon")


def test_repeated_indexes_are_told_and_kept(tmp_path, caplog):
    table = open_input(write(tmp_path, "a.tsv", FIVE + "t1\t1\t1\t2\tyine\n"))
    assert table.rows == 4
    assert "line 4 repeats line 2" in caplog.text


def test_blank_lines_are_told(tmp_path, caplog):
    assert open_input(write(tmp_path, "a.tsv", FIVE.replace("\n", "\n\n", 1))).rows == 3
    assert "blank lines hold no row (1 in all, at line 2)" in caplog.text


def test_lone_surrogates_in_json_become_the_replacement_character(tmp_path):
    df = read(write(tmp_path, "a.jsonl", '{"text": "a\\ud800b"}\n'))
    assert df["text"].tolist() == ["a\ufffdb"]


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.csv", b"\xef\xbb\xbftext\nAli\n", {"encoding": "cp1254"}, "mark of UTF-8 and is not cp1254"),
        ("a.csv", b'id,text\n1,"Ali" geldi\n', {}, "line 2: .*written twice"),
        ("a.csv", b"id,text\n1,a,b\n", {}, "line 2: 3 fields.*stands in quotes.*--input-format text"),
        ("a.conllu", b"# text = Ali\n1\tAli\n", {}, r"\.conllu files are not read; save it as CSV"),
    ],
)
def test_what_is_wrong_says_what_to_do(tmp_path, name, content, options, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=message):
        open_input(tmp_path / name, **options)


def test_columns_without_a_name_are_called_by_their_place(tmp_path):
    (tmp_path / "a.csv").write_text("id,text,,\n1,Ali,,x\n")
    assert open_input(tmp_path / "a.csv").schema.names == ["id", "text", "column_3", "column_4"]


def test_an_empty_file_of_a_folder_is_left_out_and_told(tmp_path, caplog):
    (tmp_path / "a.csv").touch()
    (tmp_path / "b.csv").write_text("id,text\n1,Ali\n")
    assert open_input(tmp_path).rows == 1
    assert "a.csv: empty, left out" in caplog.text
    (tmp_path / "b.csv").write_text("")
    with pytest.raises(TableError, match="all tables in this folder are empty"):
        open_input(tmp_path)
