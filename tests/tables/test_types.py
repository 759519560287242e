"""The input's own columns come out as they went in, whatever their type, in every format that can hold them."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import json
import math
import random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt
import pytest
from random_tables import TYPES, random_table, text
from table_fakes import FakeAnalyzer

from vnlp_colab.columns import arrow_type
from vnlp_colab.tables.arrow import append_results, result_arrays
from vnlp_colab.tables.job import analyze_file

CHUNK = 7


def written(tmp_path, table, ending, **options):
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=5)
    output = tmp_path / f"out.{ending}"
    analyze_file(FakeAnalyzer(["no_accents", "tokens"], chunk=CHUNK), tmp_path / "in.parquet", output, **options)
    return pq.read_table(tmp_path / "in.parquet"), output


def same(found, given, kind):
    """Whether a value of a text format is the one of the table."""
    if given is None or (isinstance(given, float) and not math.isfinite(given)):
        return found is None
    if pt.is_float16(kind) or pt.is_float32(kind):
        return math.isclose(found, given, rel_tol=1e-6)  # a float32 is written with the digits that tell it apart
    if isinstance(given, bytes):
        return base64.b64decode(found) == given
    if isinstance(given, decimal.Decimal):
        return decimal.Decimal(found) == given
    if isinstance(given, dt.datetime):
        return pd.Timestamp(found) == pd.Timestamp(given)
    if isinstance(given, dt.date):
        return dt.date.fromisoformat(found[:10]) == given
    if isinstance(given, list):
        return len(found) == len(given) and all(
            same(one, two, pa.null()) or one == list(two) for one, two in zip(found, given, strict=True)
        )
    if isinstance(given, dict):
        return found == given
    return found == given and type(found) is type(given)


COMPARED = [kind for kind in TYPES if not pt.is_time(kind) and not pt.is_duration(kind)]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_by_itself(tmp_path, kind):
    rng = random.Random(str(kind))
    values = [None if row % 4 == 3 else TYPES[kind](rng) for row in range(20)]
    table = pa.table({"text": [text(rng) for _ in range(20)], "x": pa.array(values, kind)})
    given, output = written(tmp_path, table, "parquet")
    out = pq.read_table(output)
    kind = given.schema.field("x").type  # parquet has no seconds: it keeps them as milliseconds
    assert out.schema.field("x").type == kind
    assert out.select(["text", "x"]).equals(given) or "nan" in str(given["x"].to_pylist())
    assert str(out["x"].to_pylist()) == str(given["x"].to_pylist())

    _, output = written(tmp_path, table, "jsonl")
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").split("\n")[:-1]]
    if kind in COMPARED:
        for row, value in zip(rows, given["x"].to_pylist(), strict=True):
            assert same(row["x"], value, kind), (row["x"], value)

    frame = pd.read_pickle(written(tmp_path, table, "pkl")[1])
    back = pa.array(frame["x"], kind, from_pandas=True)
    expected = given["x"].combine_chunks()
    if pt.is_floating(kind):  # pandas has one missing number for NaN and null
        expected = pa.array(given["x"].to_pandas(), kind, from_pandas=True)
    assert back.equals(expected if isinstance(expected, pa.Array) else expected.chunk(0)) or "nan" in str(values)
    for ending in ("csv", "tsv"):
        df = pd.read_csv(
            written(tmp_path, table, ending)[1], sep="," if ending == "csv" else "\t", keep_default_na=False, dtype=str
        )
        assert df["text"].tolist() == table["text"].to_pylist()
        if pt.is_integer(kind):
            assert [int(cell) if cell else None for cell in df["x"]] == values
        elif pt.is_string(kind) or pt.is_large_string(kind):
            assert df["x"].tolist() == [value or "" for value in values]
        elif pt.is_nested(kind):
            assert [json.loads(cell) if cell else None for cell in df["x"]] == [row["x"] for row in rows]


@pytest.mark.parametrize("seed", range(12))
def test_random_tables_stay_what_they_are(tmp_path, seed):
    rng = random.Random(seed)
    table = random_table(rng, rng.randrange(30))
    given, output = written(tmp_path, table, "parquet")
    out = pq.read_table(output)
    assert out.schema.names[: len(given.schema.names)] == given.schema.names
    for field in given.schema:
        assert out.schema.field(field.name).equals(field)
        assert str(out[field.name].to_pylist()) == str(given[field.name].to_pylist())
    frame = pd.read_pickle(written(tmp_path, table, "pkl")[1])
    assert len(frame) == len(table)
    lines = written(tmp_path, table, "jsonl")[1].read_text(encoding="utf-8").split("\n")[:-1]
    assert [json.loads(line)["text"] for line in lines] == given["text"].to_pylist()


def test_integers_with_gaps_are_exact_everywhere(tmp_path):
    large = (1 << 53) + 1
    table = pa.table(
        {"text": ["a", "b", "c"], "n": [large, None, 1], "u": pa.array([(1 << 64) - 1, None, 0], pa.uint64())}
    )
    frame = pd.read_pickle(written(tmp_path, table, "pkl")[1])
    assert frame["n"].tolist() == [large, pd.NA, 1]
    assert str(frame["n"].dtype) == "Int64"
    assert frame["u"].tolist() == [(1 << 64) - 1, pd.NA, 0]
    lines = written(tmp_path, table, "jsonl")[1].read_text().splitlines()
    assert [json.loads(line)["n"] for line in lines] == [large, None, 1]
    assert '"n": 1,' in lines[2]
    assert written(tmp_path, table, "csv")[1].read_text().splitlines()[1].split(",")[1:3] == [
        str(large),
        str((1 << 64) - 1),
    ]


def test_json_numbers_that_a_float_would_round_stay(tmp_path):
    lines = ['{"text": "a", "n": 9007199254740993, "m": 1}', '{"text": "b", "n": 0.5, "m": 18446744073709551615}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    analyze_file(FakeAnalyzer(["tokens"]), tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(row["n"], row["m"]) for row in rows] == [(9007199254740993, 1), (0.5, 18446744073709551615)]


def test_results_as_arrow():
    columns = {
        "tokens": [["Ali", "."], []],
        "tokens_40": [[["Ali", "."]], []],
        "sentiment": [0.5, float("nan")],
        "dep": [[(0, "root"), (1, "punct")], []],
        "offsets": [[(0, 3), (3, 4)], []],
        "entities": [[{"text": "Ali", "name": "Ali", "type": "PER", "start": 0, "end": 3}], []],
        "sentiment_label": ["positive", None],
    }
    arrays = result_arrays(columns)
    assert [array.type for array in arrays] == [arrow_type(name) for name in columns]
    assert arrays[3].to_pylist()[0][1] == {"head": 1, "relation": "punct"}
    assert arrays[5].to_pylist()[0] == columns["entities"][0]
    assert result_arrays({"entities": [[("Ali", "Ali", "PER", 0, 3)]]})[0].to_pylist() == [columns["entities"][0]]


def test_results_never_replace_a_column(caplog):
    table = pa.table({"text": ["Ali"], "pos": ["mine"], "input_pos": ["too"]})
    joined = append_results(table, {"tokens": [["Ali"]], "pos": [["NOUN"]]})
    assert joined.schema.names == ["text", "input_pos_", "input_pos", "tokens", "pos"]
    assert joined["input_pos_"].to_pylist() == ["mine"]
    assert "'pos' is kept as 'input_pos_'" in caplog.text
