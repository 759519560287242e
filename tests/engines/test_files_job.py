"""Inputs by address and the folder of parts: what is found, what is finished, what is done again."""

from __future__ import annotations

import json

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine_toys import ToyTagger

from vnlp_colab import VNLPipeline
from vnlp_colab.engines.addresses import as_local_file, find_tables
from vnlp_colab.engines.folder import PartsFolder
from vnlp_colab.engines.inputs import look_through, read
from vnlp_colab.engines.job import FilesJob
from vnlp_colab.engines.worker import EngineError, analyze_table
from vnlp_colab.tables.errors import TableError

READING = {"text_column": None, "input_format": "auto", "encoding": None, "header": None}


@pytest.fixture
def inputs(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "b.csv").write_text("id,text\n1,Ali geldi.\n2,Veli gitti.\n", encoding="utf-8")
    (folder / "a.csv").write_text("id,text\n3,Eve git.\n", encoding="utf-8")
    (folder / "notes.md").write_text("nothing", encoding="utf-8")
    return folder


class TestAddresses:
    def test_a_folder_gives_its_tables_by_name(self, inputs):
        assert find_tables([inputs]) == [str(inputs / "a.csv"), str(inputs / "b.csv")]

    def test_files_keep_the_order_they_are_named_in_and_come_once(self, inputs):
        assert find_tables([inputs / "b.csv", inputs]) == [str(inputs / "b.csv"), str(inputs / "a.csv")]

    def test_a_glob(self, inputs):
        assert find_tables([f"{inputs}/*.csv"]) == [str(inputs / "a.csv"), str(inputs / "b.csv")]
        assert find_tables([f"{inputs.parent}/**/b.csv"]) == [str(inputs / "b.csv")]

    def test_an_address_of_another_file_system(self):
        fsspec.filesystem("memory").pipe_file("/engine/in/a.csv", b"id,text\n1,Ali geldi.\n")
        assert find_tables(["memory://engine/in"]) == ["memory:///engine/in/a.csv"]
        with as_local_file("memory:///engine/in/a.csv") as path:
            assert path.read_bytes().startswith(b"id,text")
            copy = path
        assert not copy.exists()

    @pytest.mark.parametrize("name", ["nowhere.csv", "*.parquet"])
    def test_nothing_there(self, name, inputs):
        with pytest.raises(TableError, match=r"no such file|no table is there"):
            find_tables([f"{inputs}/{name}"])

    def test_a_protocol_nobody_knows(self):
        with pytest.raises(TableError, match="nosuch"):
            find_tables(["nosuch://bucket/in"])


def job_of(output, inputs, settings=None, **how) -> FilesJob:
    settings = settings or {"models_to_load": {"pos": ToyTagger()}}
    return FilesJob(PartsFolder(str(output)), find_tables([inputs]), settings, READING, **how)


def do(job: FilesJob, numbers=None) -> None:
    """What an engine does, here: look through, analyse and write, for some of the inputs or all."""
    nlp = VNLPipeline({"pos": ToyTagger()})
    job.settle([look_through(job.names[number], READING) for number in job.pending])
    for number in job.rows if numbers is None else numbers:
        for table in read(job.names[number], READING, job.columns, 1):
            done = analyze_table(nlp, table, job.columns.text_name)
            job.folder.write(done, number, done["row"][0].as_py())
            job.part_done(number, done.num_rows)
    if numbers is None:
        job.check_complete()


class TestJob:
    def test_parts_in_the_order_of_their_names_are_the_rows_in_order(self, inputs, tmp_path):
        do(job_of(tmp_path / "out", inputs))
        table = pa.concat_tables([pq.read_table(part) for part in sorted((tmp_path / "out").glob("part-*"))])
        assert table["id"].to_pylist() == [3, 1, 2]
        assert table["row"].to_pylist() == [0, 0, 1]
        assert [name.rpartition("/")[2] for name in table["source_file"].to_pylist()] == ["a.csv", "b.csv", "b.csv"]

    def test_the_folder_is_one_table_to_others(self, inputs, tmp_path):
        do(job_of(tmp_path / "out", inputs))
        assert pq.read_table(tmp_path / "out").num_rows == 3

    def test_inputs_with_other_columns_are_joined(self, inputs, tmp_path):
        (inputs / "c.jsonl").write_text('{"metin": "Gel.", "id": "x", "row": 9}\n', encoding="utf-8")
        do(job_of(tmp_path / "out", inputs))
        table = pq.read_table(tmp_path / "out")
        assert table["id"].to_pylist() == ["3", "1", "2", "x"]
        assert table["text"].to_pylist()[-1] == "Gel."
        assert table["input_row"].to_pylist() == [None, None, None, 9]

    def test_resuming_skips_what_is_finished(self, inputs, tmp_path):
        out = tmp_path / "out"
        do(job_of(out, inputs), numbers=[0])
        again = job_of(out, inputs, resume=True)
        assert [again.names[number] for number in again.pending] == [str(inputs / "b.csv")]
        do(again)
        assert pq.read_table(out)["id"].to_pylist() == [3, 1, 2]
        assert job_of(out, inputs, resume=True).pending == []

    def test_an_input_that_changed_is_done_again(self, inputs, tmp_path):
        out = tmp_path / "out"
        do(job_of(out, inputs))
        (inputs / "b.csv").write_text("id,text\n7,Dur.\n", encoding="utf-8")
        do(job_of(out, inputs, resume=True))
        assert pq.read_table(out)["id"].to_pylist() == [3, 7]

    def test_inputs_may_be_added(self, inputs, tmp_path):
        out = tmp_path / "out"
        do(job_of(out, inputs))
        (inputs / "0.csv").write_text("id,text\n9,Gel.\n", encoding="utf-8")
        (inputs / "1.csv").write_text("other,text\n9,Gel.\n", encoding="utf-8")
        more = job_of(out, inputs, resume=True)
        do(more)
        assert pq.read_table(out)["id"].to_pylist() == [3, 1, 2, 9]
        assert list(more.failed) == [str(inputs / "1.csv")]
        assert "column 'other' is not among those of the job" in more.failed[str(inputs / "1.csv")]

    def test_an_earlier_job_is_not_overwritten_unasked(self, inputs, tmp_path):
        do(job_of(tmp_path / "out", inputs))
        with pytest.raises(TableError, match="--resume goes on with it, --restart removes it"):
            job_of(tmp_path / "out", inputs)

    def test_another_job_cannot_be_resumed(self, inputs, tmp_path):
        do(job_of(tmp_path / "out", inputs))
        with pytest.raises(TableError, match=r"another one \(models: .*ToyTagger.* then, \[\"ner\"\] now\)"):
            job_of(tmp_path / "out", inputs, {"models_to_load": ["ner"]}, resume=True)

    def test_wrong_settings_leave_no_job_behind(self, inputs, tmp_path):
        wrong = {"models_to_load": ["pos:SPUContextPoS"], "style": "boun"}
        with pytest.raises(ValueError, match="style 'boun' is for the joint network"):
            job_of(tmp_path / "out", inputs, wrong)
        assert not (tmp_path / "out").exists()
        do(job_of(tmp_path / "out", inputs))
        with pytest.raises(ValueError, match="style 'boun' is for the joint network"):
            job_of(tmp_path / "out", inputs, wrong, restart=True)
        assert pq.read_table(tmp_path / "out").num_rows == 3, "nothing was thrown away for it"

    def test_restarting_removes_what_the_job_made_and_nothing_else(self, inputs, tmp_path):
        out = tmp_path / "out"
        do(job_of(out, inputs))
        (out / "mine.txt").write_text("kept", encoding="utf-8")
        job_of(out, inputs, restart=True)
        assert [path.name for path in out.iterdir()] == ["mine.txt"]

    def test_a_file_is_no_folder(self, inputs, tmp_path):
        (tmp_path / "out.csv").write_text("mine", encoding="utf-8")
        with pytest.raises(TableError, match=r"out\.csv: a file; the parts go into a folder"):
            job_of(tmp_path / "out.csv", inputs)

    def test_a_folder_with_other_things_in_it_is_left_alone(self, inputs, tmp_path):
        with pytest.raises(TableError, match="is not empty"):
            job_of(inputs, inputs)

    def test_an_input_that_cannot_be_read_does_not_stop_the_others(self, inputs, tmp_path):
        (inputs / "bad.csv").write_text("id,text\n1,a\n2\n", encoding="utf-8")
        job = job_of(tmp_path / "out", inputs)
        do(job)
        assert list(job.failed) == [str(inputs / "bad.csv")]
        assert "line 3" in job.failed[str(inputs / "bad.csv")]
        assert pq.read_table(tmp_path / "out").num_rows == 3

    def test_an_input_without_rows_is_finished_and_has_its_columns(self, inputs, tmp_path):
        for path in inputs.glob("*.csv"):
            path.write_text("id,text\n", encoding="utf-8")
        do(job_of(tmp_path / "out", inputs))
        table = pq.read_table(tmp_path / "out")
        assert (table.num_rows, table.column_names[:4]) == (0, ["source_file", "row", "id", "text"])

    def test_rows_that_are_missing_in_the_end_are_told(self, inputs, tmp_path):
        job = job_of(tmp_path / "out", inputs)
        do(job, numbers=[])
        with pytest.raises(EngineError, match="0 of 1 rows were written"):
            job.check_complete()

    def test_a_part_is_there_whole_or_not_at_all(self, tmp_path, monkeypatch):
        folder = PartsFolder(str(tmp_path / "out"))
        folder.start({})
        monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            folder.write(pa.table({"a": [1]}), 0, 0)
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["_finished", "_job.json"]

    def test_output_at_an_address(self, inputs):
        do(job_of("memory://engine/out", inputs))
        memory = fsspec.filesystem("memory")
        assert len(memory.glob("/engine/out/part-*.parquet")) == 3
        assert json.loads(memory.cat("/engine/out/_finished/000001.json"))["rows"] == 2
        assert job_of("memory://engine/out", inputs, resume=True).pending == []
