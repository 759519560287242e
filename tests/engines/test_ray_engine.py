"""Ray for real, on this machine: the same cells as the plain command, and what happens when things die."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine_cells import assert_same_cells
from engine_toys import BrokenTagger, ToyTagger, logged

from vnlp_colab import VNLPipeline
from vnlp_colab.engines.worker import EngineError
from vnlp_colab.ray import analyze, analyze_files
from vnlp_colab.tables.errors import TableError

ROOT = Path(__file__).parents[2]
SENTENCES = ROOT / "examples" / "sentences.tsv"

pytestmark = pytest.mark.slow


def in_order(folder) -> pa.Table:
    return pq.read_table(folder).sort_by([("source_file", "ascending"), ("row", "ascending")])


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> pa.Table:
    """What the plain command makes of the example table."""
    output = tmp_path_factory.mktemp("plain") / "plain.parquet"
    VNLPipeline(device="cpu").run(SENTENCES, output, progress=False)
    return pq.read_table(output)


class TestDataset:
    def test_a_dataset_has_the_cells_of_the_plain_command(self, ray_here, plain):
        own = plain.select(["t_code", "ch_no", "p_no", "s_no", "sentence"])
        dataset = ray_here.data.from_arrow(own)
        result = analyze(dataset, concurrency=2, rows=16)
        found = pa.concat_tables(ray_here.get(result.to_arrow_refs()))
        keys = [(name, "ascending") for name in ("t_code", "ch_no", "p_no", "s_no")]
        assert_same_cells(found.sort_by(keys), plain.sort_by(keys))

    def test_an_actor_loads_once(self, ray_here, tmp_path):
        log = tmp_path / "log"
        dataset = ray_here.data.from_items([{"text": f"{n} kişi geldi."} for n in range(64)])
        result = analyze(dataset, {"pos": ToyTagger(str(log), 0.05)}, concurrency=2, rows=4).materialize()
        assert result.count() == 64
        assert len(logged(log)) == 16
        assert len(set(logged(log))) == len({process for process, _ in logged(log)}) == 2

    @pytest.mark.parametrize("concurrency", [0, (3, 2)])
    def test_a_number_of_actors_that_cannot_be(self, concurrency, ray_here):
        with pytest.raises(ValueError, match="concurrency is the number of actors"):
            analyze(ray_here.data.from_items([{"text": "a"}]), ["pos"], concurrency=concurrency)

    def test_a_gpu_must_be_reserved(self, ray_here):
        with pytest.raises(ValueError, match="num_gpus=1"):
            analyze(ray_here.data.from_items([{"text": "a"}]), ["pos"], device="cuda")


class TestFiles:
    def test_files_have_the_cells_of_the_plain_command(self, ray_here, plain, tmp_path):
        summary = analyze_files([SENTENCES], tmp_path / "out", workers=2, rows=16, progress=False)
        found = in_order(tmp_path / "out")
        assert found.column_names == ["source_file", "row", *plain.column_names, "analysis_error"]
        assert found["row"].to_pylist() == list(range(plain.num_rows))
        assert_same_cells(found, plain)
        assert summary.rows == plain.num_rows
        assert summary.tokens == sum(map(len, plain["tokens"].to_pylist()))
        assert "1 input, 69 rows" in str(summary)

    def test_a_killed_actor_loses_and_doubles_nothing(self, ray_here, tmp_path):
        log = tmp_path / "log"
        for name in ("a", "b"):
            lines = "".join(f"{n},{name}{n} geldi.\n" for n in range(400))
            (tmp_path / f"{name}.csv").write_text(f"id,text\n{lines}", encoding="utf-8")
        killed = []

        def kill_one() -> None:
            while len(logged(log)) < 4:
                time.sleep(0.05)
            killed.append(logged(log)[-1][0])
            os.kill(killed[0], signal.SIGKILL)

        killer = threading.Thread(target=kill_one, daemon=True)
        killer.start()
        tagger = ToyTagger(str(log), 0.2)
        analyze_files([tmp_path / "*.csv"], tmp_path / "out", {"pos": tagger}, workers=2, rows=20, progress=False)
        killer.join(10)
        assert killed
        found = in_order(tmp_path / "out")
        assert found["id"].to_pylist() == [*range(400), *range(400)]
        assert [row[0] for row in found["tokens"].to_pylist()] == [f"{name}{n}" for name in "ab" for n in range(400)]
        assert len({process for process, _ in logged(log)}) >= 3, "another actor took the dead one's place"

    def test_bad_rows_and_bad_files_do_not_stop_a_job(self, ray_here, tmp_path):
        (tmp_path / "good.csv").write_text("text\nAli geldi.\nPATLA dedi.\nVeli gitti.\n", encoding="utf-8")
        (tmp_path / "bad.csv").write_text("id,text\n1,a\n2\n", encoding="utf-8")
        summary = analyze_files([tmp_path], tmp_path / "out", {"pos": ToyTagger()}, progress=False)
        assert (summary.rows, summary.error_rows, list(summary.failed)) == (3, 1, [str(tmp_path / "bad.csv")])
        assert in_order(tmp_path / "out")["analysis_error"].to_pylist() == [None, "RuntimeError: patladı", None]
        assert "rows without analysis" in str(summary)
        assert "not read" in str(summary)

    def test_models_that_cannot_work_stop_the_job_with_their_reason(self, ray_here, tmp_path):
        (tmp_path / "a.csv").write_text("text\nAli geldi.\nVeli gitti.\n", encoding="utf-8")
        with pytest.raises(EngineError, match=r"^[^\n]*bozuk[^\n]*--resume goes on\)$"):
            analyze_files([tmp_path / "a.csv"], tmp_path / "out", {"pos": BrokenTagger()}, progress=False)

    def test_resuming_reads_only_what_is_not_finished(self, ray_here, tmp_path):
        log = tmp_path / "log"
        (tmp_path / "a.csv").write_text("text\nAli geldi.\n", encoding="utf-8")
        tagger = {"pos": ToyTagger(str(log))}
        analyze_files([tmp_path / "*.csv"], tmp_path / "out", tagger, progress=False)
        with pytest.raises(TableError, match="--resume"):
            analyze_files([tmp_path / "*.csv"], tmp_path / "out", tagger, progress=False)
        (tmp_path / "b.csv").write_text("text\nVeli gitti.\n", encoding="utf-8")
        summary = analyze_files([tmp_path / "*.csv"], tmp_path / "out", tagger, resume=True, progress=False)
        assert (summary.inputs, summary.finished_before, summary.rows) == (2, 1, 1)
        assert len(logged(log)) == 2
        assert in_order(tmp_path / "out").num_rows == 2
        done = analyze_files([tmp_path / "*.csv"], tmp_path / "out", tagger, resume=True, progress=False)
        assert (done.finished_before, done.rows) == (2, 0)

    def test_more_workers_than_the_cluster_has_room_for(self, ray_here, tmp_path):
        shutil.copy(SENTENCES, tmp_path / "in.tsv")
        with pytest.raises(EngineError, match=r"20 workers with 1 CPUs each .* the cluster has 5"):
            analyze_files([tmp_path / "in.tsv"], tmp_path / "out", ["pos"], workers=20, progress=False)

    def test_from_and_to_an_object_store(self, ray_here, object_store):
        import fsspec

        fs = fsspec.filesystem("s3")
        fs.pipe_file("engine/in/a.csv", b"text\nAli geldi.\nVeli gitti.\n")
        analyze_files(["s3://engine/in/*.csv"], "s3://engine/out", {"pos": ToyTagger()}, progress=False)
        parts = fs.glob("engine/out/part-*.parquet")
        with fs.open(parts[0]) as part:
            assert pq.read_table(part)["pos"].to_pylist() == [["VERB", "VERB", "VERB"], ["NOUN", "VERB", "VERB"]]
