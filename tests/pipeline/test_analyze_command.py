"""``vnlp-colab analyze``: its files, streams, messages and exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import conllu
import pandas as pd
import pytest
from pipeline_fakes import load_fake

from vnlp_colab import pipeline_colab
from vnlp_colab.cli import main

HERE = Path(__file__).parent
TABLE = "t\t1\t1\t1\tAli geldi.\nt\t1\t1\t2\t\nt\t1\t1\t3\tVeli gitti!\n"


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    monkeypatch.setattr(pipeline_colab, "load_model", load_fake)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "input.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_table_in_and_a_result_out(table, tmp_path, capfd):
    output = tmp_path / "out.parquet"
    assert main(["analyze", str(table), "-o", str(output)]) == 0
    assert pd.read_parquet(output)["pos"].tolist()[0].tolist() == ["VERB", "VERB", "PUNCT"]
    told = capfd.readouterr()
    assert told.out == ""
    assert "3 rows, 6 tokens in" in told.err
    assert "tokens/s on cpu" in told.err
    assert f"-> {output}" in told.err


def test_quiet(table, tmp_path, capfd):
    assert main(["analyze", str(table), "-o", str(tmp_path / "out.csv"), "--quiet"]) == 0
    assert capfd.readouterr().err == ""


def test_models_and_columns(table, tmp_path):
    output = tmp_path / "out.jsonl"
    options = ["--models", "pos:TreeStackPoS,ner", "--columns", "offsets,ner_confidence", "--batch-size", "2"]
    assert main(["analyze", str(table), "-o", str(output), *options]) == 0
    first = json.loads(output.read_text().splitlines()[0])
    assert list(first)[5:] == ["no_accents", "tokens", "tokens_40", "pos", "ner", "ner_confidence", "offsets"]


def test_conllu_tells_of_rows_without_tokens(table, tmp_path, capfd):
    assert main(["analyze", str(table), "-o", str(tmp_path / "out.conllu")]) == 0
    assert "rows without a token, and so without a sentence in CoNLL-U: 1" in capfd.readouterr().err


def test_verbose_tells_the_share_of_the_models(table, tmp_path, capfd):
    assert main(["--verbose", "analyze", str(table), "-o", str(tmp_path / "out.csv")]) == 0
    assert "in the models: " in capfd.readouterr().err


def pipe(arguments, given):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE.parent), str(HERE), str(HERE.parents[1])])}
    line = [sys.executable, str(HERE / "fake_command.py"), *arguments]
    return subprocess.run(line, input=given.encode(), capture_output=True, env=env, check=False)


def test_streams():
    done = pipe(["analyze", "-", "-o", "-"], TABLE)
    assert done.returncode == 0, done.stderr.decode()
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert [row["s_no"] for row in rows] == [1, 2, 3]
    assert rows[2]["tokens"] == ["Veli", "gitti", "!"]
    assert done.stderr.decode().count("\n") == 1, "nothing but the summary, TensorFlow's greetings least of all"


def test_text_from_a_stream_to_conllu():
    done = pipe(["analyze", "-", "-o", "-", "--output-format", "conllu"], "Ali geldi. Veli gitti.\nBitti.\n")
    blocks = conllu.parse(done.stdout.decode())
    assert [block.metadata.get("newdoc id") for block in blocks] == ["1", None, "2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "out.xyz"], "cannot tell the output format of 'out.xyz'"),
        (["-o", "out.csv", "--models", "verbs"], "unknown task 'verbs'"),
        (["-o", "out.csv", "--models", "pos:CharNER"], "unknown model 'CharNER' for pos"),
        (["-o", "out.csv", "--models", "pos", "--columns", "ner_confidence"], "needs the task 'ner'"),
        (["-o", "out.csv", "--models", "pos:SPUContextPoS", "--style", "boun"], "is for the joint network"),
        (["-o", "out.csv", "--models", "ner:CharNER", "--entity-style", "wikiann_tr"], "is for the joint network"),
        (["-o", "out.csv", "--entity-style", "wikiann"], "invalid choice: 'wikiann'"),
        (["-o", "out.csv", "--batch-size", "0"], "0 is not a whole number from 1 on"),
        (["-o", "-", "--output-format", "parquet"], "parquet cannot be written to a stream"),
        (["-o", "-", "--resume"], "--resume needs files"),
        ([], "required: -o/--output"),
    ],
)
def test_wrong_usage_exits_with_2(table, capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        main(["analyze", str(table), *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"t\t1\t1\t1\t\xfeehir\n", "line 1: byte 9 (0xfe) is not utf-8"),
        (b"t\t1\t1\t1\tbir\nt\t1\t1\n", "line 2: 3 fields between tabs, expected 5"),
    ],
)
def test_failure_is_one_clear_line_and_exit_1(tmp_path, capsys, content, message):
    path = tmp_path / "bad.tsv"
    path.write_bytes(content)
    assert main(["analyze", str(path), "-o", str(tmp_path / "out.csv")]) == 1
    told = capsys.readouterr().err
    assert message in told
    assert told.startswith("vnlp-colab: ")
    assert told.count("\n") == 1
    assert not list(tmp_path.glob("out*"))


def test_missing_files_and_folders(table, tmp_path, capsys):
    assert main(["analyze", str(tmp_path / "nothing.tsv"), "-o", "out.csv"]) == 1
    assert "nothing.tsv: no such file" in capsys.readouterr().err
    assert main(["analyze", str(table), "-o", str(tmp_path / "no" / "out.csv")]) == 1
    assert "no such folder for the output" in capsys.readouterr().err
    (tmp_path / "folder.csv").mkdir()
    assert main(["analyze", str(table), "-o", str(tmp_path / "folder.csv")]) == 1
    assert "the output is a folder" in capsys.readouterr().err


def test_the_input_is_never_overwritten(tmp_path, capsys):
    path = tmp_path / "input.csv"
    path.write_text("text\nAli geldi.\n")
    assert main(["analyze", str(path), "-o", str(path)]) == 1
    assert "would overwrite the input" in capsys.readouterr().err
    assert path.read_text() == "text\nAli geldi.\n"


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_an_output_in_the_folder_of_the_input_is_no_input(tmp_path, capsys, caplog, ending):
    (tmp_path / "a.csv").write_text("id,text\n1,Ali geldi.\n")
    output = tmp_path / f"out.{ending}"
    command = ["analyze", str(tmp_path), "--models", "pos", "--device", "cpu", "--quiet", "-o"]
    assert main([*command, str(output)]) == 0
    assert not caplog.messages
    first = output.read_bytes()
    assert main([*command, str(output)]) == 0
    assert caplog.messages == [f"{output}: this is the output, left out of the input"]
    assert output.read_bytes() == first
    capsys.readouterr()
    assert main([*command, str(tmp_path / "other.csv")]) == 1, "an output of another name is an input, and told"
    told = capsys.readouterr().err
    assert told.startswith(f"vnlp-colab: {output}: ")
    assert told.endswith("if this is the output of an earlier run, move it out of the folder\n")
    assert told.count("\n") == 1


def test_ctrl_c_says_how_to_go_on(table, tmp_path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline_colab.VNLPipeline, "run", interrupted)
    assert main(["analyze", str(table), "-o", str(tmp_path / "out.csv")]) == 1
    assert "the same command with --resume goes on" in capsys.readouterr().err


def test_progress_bar_counts_sentences_and_tokens(nlp, table, tmp_path, monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    nlp.run(table, tmp_path / "out.csv", progress=True)
    assert "3/3" in shown.getvalue()
    assert "sentences/s" in shown.getvalue()
    assert "tokens/s" in shown.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("book.csv", b"PK\x03\x04\x14\0\xff\xfe\n", "save the table as CSV"),
        ("picture.tsv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a binary file, not a text table"),
    ],
)
def test_files_that_are_no_text_are_called_so(tmp_path, capsys, name, content, message):
    (tmp_path / name).write_bytes(content)
    assert main(["analyze", str(tmp_path / name), "-o", str(tmp_path / "out.csv")]) == 1
    assert message in capsys.readouterr().err


def test_a_column_that_a_table_without_header_cannot_have(table, tmp_path, capsys):
    assert main(["analyze", str(table), "-o", str(tmp_path / "out.csv"), "--text-column", "metin"]) == 1
    assert "no column 'metin'; it is read as a table without a header" in capsys.readouterr().err
    assert main(["analyze", str(table), "-o", str(tmp_path / "out.csv"), "--text-column", "sentence"]) == 0


def test_verbose_may_stand_after_the_command(table, tmp_path, capsys):
    assert main(["analyze", str(tmp_path / "no.tsv"), "-o", "out.csv", "--verbose"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_trouble_with_a_file_is_told_without_its_number(capsys):
    assert main(["split", "yok.txt"]) == 1
    assert capsys.readouterr().err == "vnlp-colab: yok.txt: No such file or directory\n"


def test_a_table_without_a_token_asks_for_the_column(tmp_path, capfd):
    path = tmp_path / "numbers.jsonl"
    path.write_text('{"text": ["a", "list"]}\n{"text": null}\n')
    assert main(["analyze", str(path), "-o", str(tmp_path / "out.csv")]) == 0
    assert "2 rows, 0 tokens in" in (told := capfd.readouterr().err)
    assert "is the text in another column" in told
