"""Spark for real, on this machine: the same cells as the plain command, one pipeline a worker, types as documented."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine_cells import assert_same_cells
from engine_toys import ToyTagger, logged

from vnlp_colab import VNLPipeline
from vnlp_colab.columns import COLUMNS
from vnlp_colab.engines.worker import EngineError
from vnlp_colab.spark import _task_device, analyze

ROOT = Path(__file__).parents[2]
SENTENCES = ROOT / "examples" / "sentences.tsv"

pytestmark = pytest.mark.slow


def collected(df) -> pa.Table:
    """A Spark table as Arrow has it, ordered by ``id``."""
    rows = [row.asDict(recursive=True) for row in df.collect()]
    return pa.table({name: [row[name] for row in rows] for name in df.columns}).sort_by("id")


def test_the_cells_of_the_plain_command(spark, tmp_path):
    VNLPipeline(device="cpu").run(SENTENCES, tmp_path / "plain.parquet", progress=False)
    plain = pq.read_table(tmp_path / "plain.parquet")
    plain = plain.add_column(0, "id", pa.array(range(plain.num_rows), pa.int64()))
    rows = plain.select(["id", "sentence"]).to_pylist()
    df = spark.createDataFrame([(row["id"], row["sentence"]) for row in rows], "id long, sentence string")
    found = collected(analyze(df.repartition(3)))
    assert_same_cells(found, plain.drop_columns(["t_code", "ch_no", "p_no", "s_no"]))


def test_every_row_comes_back_with_its_own_columns(spark, odd_table):
    rows = [tuple(row.values()) for row in odd_table.to_pylist()]
    df = spark.createDataFrame(rows, "id long not null, metin string, pos string")
    found = collected(analyze(df, {"pos": ToyTagger()}))
    assert found.column_names == [
        "id",
        "metin",
        "input_pos",
        "no_accents",
        "tokens",
        "tokens_40",
        "pos",
        "analysis_error",
    ]
    assert_same_cells(found.select(["id", "metin"]), odd_table.select(["id", "metin"]))
    assert found["tokens"].to_pylist()[1:4] == [[], [], []]


def test_a_bad_row_does_not_stop_the_job(spark):
    df = spark.createDataFrame([(0, "Ali geldi."), (1, "PATLA dedi."), (2, "Veli gitti.")], "id long, text string")
    found = collected(analyze(df.coalesce(1), {"pos": ToyTagger()}))
    assert found["analysis_error"].to_pylist() == [None, "RuntimeError: patladı", None]
    assert found["pos"].to_pylist()[1:] == [[], ["NOUN", "VERB", "VERB"]]


def test_a_worker_loads_the_models_once_whatever_the_number_of_partitions(spark, tmp_path):
    log = tmp_path / "log"
    df = spark.createDataFrame([(n, f"{n} kişi geldi.") for n in range(200)], "id long, text string").repartition(20)
    result = analyze(df, {"pos": ToyTagger(str(log))})
    assert result.count() == 200
    assert len(logged(log)) == 20
    # Spark unpacks the function for every task; the tagger that works is the one each process unpacked first.
    assert len(set(logged(log))) == len({process for process, _ in logged(log)}) <= 2


def test_types_are_those_of_the_documentation(spark):
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page, re.MULTILINE))
    df = spark.createDataFrame([(0, "Ali geldi.")], "id long, text string")
    optional = [name for name, column in COLUMNS.items() if column.optional]
    result = analyze(df, ["pos", "ner", "dep", "stemmer", "sentiment"], columns=optional)
    types = {field.name: field.dataType.simpleString() for field in result.schema.fields}
    types.pop("id")
    types.pop("text")
    assert types.items() <= told.items()


def test_a_wrong_column_is_told_at_once(spark):
    df = spark.createDataFrame([("a", "b")], "x string, y string")
    with pytest.raises(ValueError, match="cannot tell which column holds the text"):
        analyze(df, ["pos"])


def test_a_task_takes_the_gpu_that_spark_gave_it(monkeypatch):
    pyspark = pytest.importorskip("pyspark")
    given = {"gpu": SimpleNamespace(addresses=["3"])}
    monkeypatch.setattr(pyspark.TaskContext, "get", lambda: SimpleNamespace(resources=lambda: given))
    assert _task_device() == "cuda:3"
    given.clear()
    assert _task_device() == "cpu"


def test_without_spark_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql.pandas.types", None)
    with pytest.raises(EngineError, match=r"pip install 'vnlp-colab\[spark\]'"):
        analyze(None, ["pos"])


def test_the_example_runs_with_spark_submit(spark, tmp_path):
    pyspark = pytest.importorskip("pyspark")
    submit = shutil.which("spark-submit") or Path(pyspark.__file__).parent / "bin" / "spark-submit"
    pq.write_table(pa.table({"text": ["Ali eve gitti.", "Hava güzel."]}), tmp_path / "in.parquet")
    command = [submit, "--master", "local[1]", "--conf", "spark.ui.enabled=false"]
    command += ["--conf", "spark.driver.bindAddress=127.0.0.1", "--conf", "spark.driver.host=127.0.0.1"]
    command += [ROOT / "examples" / "spark_job.py", tmp_path / "in.parquet", tmp_path / "out", "--models", "pos"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "2 rows ->" in done.stdout
    assert pq.read_table(tmp_path / "out")["pos"].to_pylist()[0][-1] == "PUNCT"
