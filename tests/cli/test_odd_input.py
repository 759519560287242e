"""Whatever a file holds, the command ends with 0, or with 1 or 2 and one line that names it; never with a traceback."""

from __future__ import annotations

import hashlib
import json
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pipeline_fakes import load_fake

from vnlp_colab import pipeline_colab
from vnlp_colab.cli import main
from vnlp_colab.convert_to_onnx import MODEL_NAMES
from vnlp_colab.resources import EMBEDDED_FOLDER

ROOT = Path(__file__).parents[2]
GARBAGE = {
    "nothing": b"",
    "a byte": b"\xff",
    "text": "Bu bir model değil.\n".encode(),
    "zeros": bytes(1000),
    "JSON null": b"null",
    "a JSON number": b"7",
    "a JSON list of numbers": b"[1, 2]",
    "JSON tables": b'{"a": {"b": []}}',
    "deep JSON": b"[" * 100_000 + b"]" * 100_000,
    "a pickle": pickle.dumps([1, 2, 3]),
}


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Return the exit code and what was said, one line without the usage that comes with a 2."""
    try:
        code = main(list(arguments))
    except SystemExit as end:  # argparse
        code = int(end.code or 0)
    said = capfd.readouterr().err
    assert "Traceback" not in said
    if code == 2:
        said = said.splitlines(keepends=True)[-1]
    return code, said


def told(capfd: pytest.CaptureFixture[str], name: str, *arguments: str, also: str = "") -> None:
    """Hold a failing command to its promise: 1 or 2, one line, the name in it."""
    code, said = run(capfd, *arguments)
    assert code in (1, 2), (code, said)
    assert said.count("\n") == 1, said
    assert name in said
    assert also in said


def parquet(table: pa.Table, metadata: dict[bytes, bytes] | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(metadata) if metadata else table, sink)
    return sink.getvalue().to_pybytes()


def frame(**columns: list[object]) -> pa.Table:
    return pa.table(columns)


def invalid_utf8() -> bytes:
    array = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(np.array([0, 3], "i4")), pa.py_buffer(b"a\xffb")])
    return parquet(pa.table({"text": array}))


def pandas_metadata(**content: object) -> dict[bytes, bytes]:
    return {b"pandas": json.dumps(content).encode()}


DEEP = b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
# Of each: the file, its content, more options, and whether it can be analysed after all.
TABLES: dict[str, tuple[str, bytes, list[str], bool]] = {
    "CR line ends": ("a.csv", b"text,n\rAli geldi.,1\rVeli gitti.,2\r", [], True),
    "CR line ends in TSV": ("a.tsv", b"t\t1\t1\t1\tAli geldi.\rt\t1\t1\t2\tVeli.\r", [], True),
    "an encoding that is none": ("a.csv", b"text\nAli.\n", ["--encoding", "utf-16-foo"], False),
    "the encoding undefined": ("a.csv", b"text\nAli.\n", ["--encoding", "undefined"], False),
    "the encoding punycode": ("a.csv", b"text\nAli.\n", ["--encoding", "punycode"], False),
    "the encoding rot13": ("a.csv", b"text\nAli.\n", ["--encoding", "rot13"], False),
    "the encoding zip": ("a.csv", b"text\nAli.\n", ["--encoding", "zip"], False),
    "an empty encoding": ("a.csv", b"text\nAli.\n", ["--encoding", ""], None),
    "an encoding with a null": ("a.csv", b"text\nAli.\n", ["--encoding", "utf\0-8"], False),
    "utf_16_le": ("a.csv", "text\nAli geldi.\n".encode("utf-16-le"), ["--encoding", "utf_16_le"], True),
    "utf-16 with a mark": ("a.csv", "text\nAli geldi.\n".encode("utf-16"), [], True),
    "half of utf-16": ("a.csv", "text\nAli.\n".encode("utf-16-le")[:-1], ["--encoding", "utf_16_le"], False),
    "JSON nested deep": ("a.jsonl", DEEP, [], False),
    "JSON nested deep beside text": ("a.jsonl", b'{"text": "Ali.", "x": ' + DEEP[9:], [], False),
    "lone surrogates": ("a.jsonl", b'{"text": "a\\ud800b"}\n', [], None),
    "nested lone surrogates": ("a.jsonl", b'{"text": "Ali.", "x": {"y": ["\\udfff"]}}\n', [], None),
    "surrogates in a name": ("a.jsonl", b'{"text": "Ali.", "\\ud800": 1}\n', [], None),
    "JSON lines that are no objects": ("a.jsonl", b"[1]\n2\n", [], False),
    "broken JSON": ("a.jsonl", b'{"text": "Ali."\n', [], False),
    "no UTF-8": ("a.csv", b"text\nAli \xff geldi.\n", [], False),
    "bytes": ("a.csv", bytes(range(256)) * 4, [], False),
    "nothing": ("a.csv", b"", [], None),
    "a null byte": ("a.csv", b"text\nAli\0geldi.\n", [], None),
    "one quote": ("a.csv", b'text,n\n"Ali geldi.,1\n', [], None),
    "duplicate columns": (
        "a.parquet",
        parquet(pa.Table.from_arrays([pa.array(["Ali."]), pa.array(["Veli."])], names=["text", "text"])),
        [],
        None,
    ),
    "an index named tokens": (
        "a.parquet",
        parquet(
            frame(text=["Ali."], tokens=[7]),
            pandas_metadata(index_columns=["tokens"], columns=[], column_indexes=[], pandas_version="2"),
        ),
        [],
        None,
    ),
    "the text in the index": (
        "a.parquet",
        parquet(
            frame(n=[1], text=["Ali."]),
            pandas_metadata(index_columns=["text"], columns=[], column_indexes=[], pandas_version="2"),
        ),
        ["--text-column", "text"],
        True,
    ),
    "pandas metadata that is no JSON": ("a.parquet", parquet(frame(text=["Ali."]), {b"pandas": b"{"}), [], True),
    "pandas metadata of other things": (
        "a.parquet",
        parquet(frame(text=["Ali."]), pandas_metadata(index_columns=7, columns="x")),
        [],
        True,
    ),
    "parquet with invalid UTF-8": ("a.parquet", invalid_utf8(), [], False),
    "half a parquet file": ("a.parquet", parquet(frame(text=["Ali geldi."] * 50))[:-20], [], False),
    "no parquet": ("a.parquet", b"PAR1 and nothing more PAR1", [], False),
    "no Excel": ("a.xlsx", b"PK\x03\x04 and nothing more", [], False),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("output", ["out.csv", "out.parquet"])
def test_odd_tables(kind, output, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(pipeline_colab, "load_model", load_fake)
    name, content, options, works = TABLES[kind]
    (tmp_path / name).write_bytes(content)
    arguments = ["analyze", str(tmp_path / name), "-o", str(tmp_path / output), "--quiet", *options]
    code, said = run(capfd, *arguments)
    if works is not None:
        assert (code == 0) is works, said
    if code:
        assert code in (1, 2)
        assert said.count("\n") == 1, said
        assert name in said
        assert not (tmp_path / output).exists()
    else:
        assert (tmp_path / output).exists()


JOURNALS = {
    "no objects": b"7\n[]\n",
    "lacking keys": b"{}\n{}\n",
    "no UTF-8": b'{"\xff": 1}\n',
    "deep": b"[" * 100_000 + b"\n",
    "nothing": b"",
    "zeros": bytes(100),
}


@pytest.mark.parametrize("kind", JOURNALS)
@pytest.mark.parametrize("whole", [True, False], ids=["instead of the journal", "after its first line"])
def test_odd_journals(kind, whole, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(pipeline_colab, "load_model", load_fake)
    table, output = tmp_path / "in.txt", tmp_path / "out.csv"
    table.write_text("Ali geldi.\n" * 300, encoding="utf-8")
    arguments = ["analyze", str(table), "-o", str(output), "--quiet", "--batch-size", "1"]
    stop_after(monkeypatch, batches=100)
    assert main(arguments) == 1
    capfd.readouterr()
    (parts,) = tmp_path.glob("out.csv*parts*")
    journal = max((path for path in parts.iterdir() if "journal" in path.name), key=lambda path: path.stat().st_size)
    first, _, _ = journal.read_bytes().partition(b"\n")
    journal.write_bytes(JOURNALS[kind] if whole else first + b"\n" + JOURNALS[kind])
    monkeypatch.undo()
    monkeypatch.setattr(pipeline_colab, "load_model", load_fake)
    code, said = run(capfd, *arguments, "--resume")
    if code:
        assert code == 1
        assert said.count("\n") == 1, said
        assert "out.csv" in said
    else:  # what cannot be read of a journal is done again
        assert len(output.read_text(encoding="utf-8").splitlines()) == 301


def stop_after(monkeypatch, batches):
    from pipeline_fakes import Fake

    real, count = Fake.annotate, 0

    def annotate(self, batch, wanted):
        nonlocal count
        count += 1
        if count > batches:
            raise KeyboardInterrupt
        return real(self, batch, wanted)

    monkeypatch.setattr(Fake, "annotate", annotate)


@pytest.fixture
def models(tmp_path, monkeypatch):
    """A folder of the embedded models that is looked at first."""
    folder = tmp_path / "models"
    folder.mkdir()
    for path in EMBEDDED_FOLDER.iterdir():
        (folder / path.name).symlink_to(path)
    replace(folder / "manifest.json", (EMBEDDED_FOLDER / "manifest.json").read_bytes())
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(folder))
    return folder


def replace(path, content):
    """Write a file anew, and not what a link points to."""
    path.unlink()
    path.write_bytes(content)


def put(folder, name, content):
    """Replace a file of a folder of models, with the size and hash of the new content in the manifest."""
    replace(folder / name, content)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name] |= {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


MODEL_FILES = {
    "PoS_SPUContext_prod.onnx": "pos:SPUContextPoS",
    "PoS_labels.json": "pos:SPUContextPoS",
    "SPU_vnlp_colab_16k.model": "pos:SPUContextPoS",
    "NER_CharNER_prod.onnx": "ner:CharNER",
    "NER_CharNER_chars.json": "ner:CharNER",
    "Stemmer_Shen_prod.onnx": "stemmer",
    "Stemmer_Shen_tags.json": "stemmer",
    "Sentiment_SPUCBiGRU_prod.onnx": "sentiment:SPUCBiGRUSentimentAnalyzer",
    "Joint_prod.onnx": "pos:JointAnalyzer",
    "Joint_words.onnx": "pos:JointAnalyzer",
    "Joint_choices.onnx": "pos:JointAnalyzer",
    "Joint_labels.json": "pos:JointAnalyzer",
    "Joint_usage.npz": "pos:JointAnalyzer",
}


@pytest.mark.parametrize("kind", GARBAGE)
@pytest.mark.parametrize("name", MODEL_FILES)
def test_garbage_in_model_files_with_a_matching_hash(name, kind, models, tmp_path, capfd):
    put(models, name, GARBAGE[kind])
    (tmp_path / "a.txt").write_text("Ali geldi.\n")
    options = ["--models", MODEL_FILES[name], "--device", "cpu", "--quiet"]
    if name.startswith("Joint"):  # in the generic style not all of its files are read
        options += ["--style", "boun"]
    told(capfd, name, "analyze", str(tmp_path / "a.txt"), "-o", str(tmp_path / "a.csv"), *options)


@pytest.mark.parametrize("taken", ["DP_SPUContext_prod.onnx", "Sentiment_SPUCBiGRU_prod.onnx", "NER_CharNER_prod.onnx"])
def test_the_network_of_another_model(taken, models, tmp_path, capfd):
    put(models, "PoS_SPUContext_prod.onnx", (EMBEDDED_FOLDER / taken).read_bytes())
    (tmp_path / "a.txt").write_text("Ali geldi.\n")
    options = ["--models", "pos:SPUContextPoS", "--device", "cpu", "--quiet"]
    arguments = ["analyze", str(tmp_path / "a.txt"), "-o", str(tmp_path / "a.csv"), *options]
    told(capfd, "PoS_SPUContext_prod.onnx", *arguments)


ENTRY = {"file": "PoS_SPUContext_prod.onnx", "resources": {"labels": "PoS_labels.json"}}
MANIFESTS = {
    "a list as file": {"format": 1, "models": {"PoS_SPUContext_prod": {"file": []}}, "files": {}},
    "no file": {"format": 1, "models": {"PoS_SPUContext_prod": {}}, "files": {}},
    "a table as file": {"format": 1, "models": {"PoS_SPUContext_prod": {"file": {"a": 1}}}, "files": {}},
    "resources in a list": {"format": 1, "models": {"PoS_SPUContext_prod": ENTRY | {"resources": []}}, "files": {}},
    "a list as resource": {
        "format": 1,
        "models": {"PoS_SPUContext_prod": ENTRY | {"resources": {"labels": ["x"]}}},
        "files": {},
    },
    "files in a list": {"format": 1, "models": {"PoS_SPUContext_prod": ENTRY}, "files": []},
    "files of text": {"format": 1, "models": {"PoS_SPUContext_prod": ENTRY}, "files": {ENTRY["file"]: "x"}},
    "a size of text": {
        "format": 1,
        "models": {"PoS_SPUContext_prod": ENTRY},
        "files": {ENTRY["file"]: {"sha256": "0" * 64, "size": "9"}},
    },
    "a path that is a list": {
        "format": 1,
        "models": {"PoS_SPUContext_prod": ENTRY},
        "files": {ENTRY["file"]: {"sha256": "0" * 64, "size": 1, "path": ["a"]}},
    },
    "models in a list": {"format": 1, "models": [1]},
    "another format": {"format": "1"},
}


@pytest.mark.parametrize("content", [*MANIFESTS, *GARBAGE])
def test_odd_manifests(content, models, tmp_path, capfd):
    data = json.dumps(MANIFESTS[content]).encode() if content in MANIFESTS else GARBAGE[content]
    replace(models / "manifest.json", data)
    (tmp_path / "a.txt").write_text("Ali geldi.\n")
    options = ["--models", "pos:SPUContextPoS", "--device", "cpu", "--quiet"]
    told(capfd, "manifest.json", "analyze", str(tmp_path / "a.txt"), "-o", str(tmp_path / "a.csv"), *options)
    told(capfd, "manifest.json", "publish", str(models), str(tmp_path / "share"))
    code, said = run(capfd, "models")  # lists what is there, and tells of the rest
    assert (code, said.count("\n")) in ((0, 0), (1, 1))


@pytest.mark.parametrize("kind", GARBAGE)
def test_weights_that_are_no_arrays(kind, tmp_path, capfd):
    name = "NER_CharNER_prod.weights"
    (tmp_path / name).write_bytes(GARBAGE[kind])
    told(capfd, name, "convert", "CharNER", "--source", str(tmp_path), "--output", str(tmp_path / "out"))
    assert "CharNER" in MODEL_NAMES


@pytest.mark.parametrize("kind", GARBAGE)
def test_a_matrix_that_is_none(kind, tmp_path, capfd):
    (tmp_path / "PoS_TreeStack_prod.weights").write_bytes(pickle.dumps([np.ones(2, np.float32)]))
    name = "TBWTokenized_word_embedding.matrix"
    (tmp_path / name).write_bytes(GARBAGE[kind])
    told(capfd, name, "convert", "TreeStackPoS", "--source", str(tmp_path), "--output", str(tmp_path / "out"))
