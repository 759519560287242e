"""Files that are no plain files, packed files, odd bytes: read, or refused in one clear line that names them."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_fakes import FakeAnalyzer

from vnlp_colab.tables import TableError, open_input, read_frame, table
from vnlp_colab.tables.job import analyze_file

HERE = Path(__file__).parent
LINES = "id,text\n1,Ali geldi.\n2,Veli gitti.\n"


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("zst", zstd)]
)
def test_packed_inputs(tmp_path, ending, pack):
    for name in (f"a.csv.{ending}", "whatever.csv"):
        (tmp_path / name).write_bytes(pack(LINES.encode()))
        assert read_frame(tmp_path / name)["text"].tolist() == ["Ali geldi.", "Veli gitti."]
    frame = pd.DataFrame({"text": ["Ali"]})
    frame.to_parquet(tmp_path / "b.parquet")
    (tmp_path / f"b.parquet.{ending}").write_bytes(pack((tmp_path / "b.parquet").read_bytes()))
    pd.testing.assert_frame_equal(read_frame(tmp_path / f"b.parquet.{ending}"), frame)
    damaged = pack(LINES.encode() * 1000)
    (tmp_path / f"c.csv.{ending}").write_bytes(damaged[: len(damaged) // 2])
    with pytest.raises(TableError, match=rf"c\.csv\.{ending}: damaged (gzip|bz2|xz|zstd) data"):
        open_input(tmp_path / f"c.csv.{ending}")


def test_a_folder_of_packed_tables(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(LINES.encode()))
    (tmp_path / "b.csv").write_text(LINES)
    assert read_frame(tmp_path)["source_file"].tolist() == ["a.csv.gz"] * 2 + ["b.csv"] * 2


@pytest.mark.parametrize("lines", [True, False])
def test_what_pandas_writes_as_json(tmp_path, lines):
    df = pd.DataFrame({"text": ["Ali [geldi].", 'Ve"li\n', "ş" * 3], "n": [1, 2, 3], "tags": [["a"], [], ["b"]]})
    for name in ("a.json", "a.jsonl", "a.txt" if not lines else "a.ndjson", "a"):
        df.to_json(tmp_path / name, orient="records", lines=lines)
        pd.testing.assert_frame_equal(read_frame(tmp_path / name), df)
    (tmp_path / "b.json").write_text(json.dumps(df.to_dict("records"), indent=2) + "\n", encoding="utf-8")
    pd.testing.assert_frame_equal(read_frame(tmp_path / "b.json"), df)
    df.to_json(tmp_path / "c.json")
    with pytest.raises(TableError, match=r"c\.json: one JSON object of columns.*orient=\"records\""):
        open_input(tmp_path / "c.json")


def test_a_long_json_array_is_read_in_pieces(tmp_path, monkeypatch):
    rows = [{"text": "x" * (n % 5000), "n": n} for n in range(3000)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    monkeypatch.setattr(table, "_KEPT_BYTES", 0)
    assert read_frame(tmp_path / "a.json").to_dict("records") == rows


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1, 2]", "item 1: expected a JSON object, found int"),
        ('[{"text": "a"}, ]', "not a JSON array of objects"),
        ('[{"text": "a"} {"text": "b"}]', "not a JSON array of objects"),
        ('[{"text": "a"}', "it ends inside the array, after item 1"),
        ('[{"text": "a"}] x', "not a JSON array of objects"),
        ('[{"text": }]', "item 1: not JSON"),
        ("[]", "no JSON object in it"),
    ],
)
def test_wrong_json_arrays(tmp_path, content, message):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(TableError, match=rf"a\.json.*{message}"):
        open_input(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("content", "options", "rows", "told"),
    [
        ("Ali geldi.\nVeli gitti.\n", {}, ["Ali geldi.", "Veli gitti."], "csv without a header, text in 'sentence'"),
        ("Merhaba\nDünya\n", {}, ["Merhaba", "Dünya"], "csv without a header, text in 'sentence'"),
        ("yorum\nGüzel.\n", {}, ["Güzel."], "csv with a header, text in 'yorum'"),
        ("Yorumlar\nGüzel.\n", {}, ["Güzel."], "csv with a header, text in 'Yorumlar'"),
        ("1,Ali geldi.\n2,Veli.\n", {}, ["Ali geldi.", "Veli."], "csv without a header, text in 'column_2'"),
        ("a,b\nc,d\n", {"text_column": "b"}, ["d"], "csv with a header, text in 'b'"),
        ("a,b\nc,d\n", {"text_column": "2", "header": False}, ["b", "d"], "csv without a header, text in 'column_2'"),
        ("a,b\nc,d\n", {"text_column": 1}, ["d"], "csv with a header, text in 'b'"),
        ("a,b\nc,d\n", {"text_column": "1"}, ["c"], "csv with a header, text in 'a'"),
        ("1,Ali.\n", {"header": True, "text_column": "Ali."}, [], "csv with a header, text in 'Ali.'"),
        (
            "text,n\nx,1\n",
            {"header": False, "text_column": 0},
            ["text", "x"],
            "csv without a header, text in 'column_1'",
        ),
    ],
)
def test_header_or_not(tmp_path, content, options, rows, told):
    (tmp_path / "a.csv").write_text(content, encoding="utf-8")
    found = open_input(tmp_path / "a.csv", **options)
    assert [text for chunk in found.chunks(5) for text in chunk[found.text_column].to_pylist()] == rows
    assert str(found) == told


def test_a_place_that_is_not_there(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\nc,d\n")
    for place in (2, -1, "3", "0", True):
        with pytest.raises(TableError, match=r"a\.csv: no column .*; there are 'a', 'b'"):
            open_input(tmp_path / "a.csv", text_column=place)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a.jsonl"])
def test_old_line_ends(tmp_path, name):
    content = {
        "a.csv": 'id,text\r1,"a\rb"\r2,c\r',
        "a.tsv": "id\ttext\r1\ta b\r2\tc\r",
        "a.txt": "a b\rc\r",
        "a.jsonl": '{"text": "a b"}\r{"text": "c"}\r',
    }[name]
    (tmp_path / name).write_bytes(content.encode())
    found = open_input(tmp_path / name)
    texts = [text for chunk in found.chunks(5) for text in chunk[found.text_column].to_pylist()]
    assert [" ".join(text.split()) for text in texts] == ["a b", "c"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf_16_le", "UTF-16BE", "utf-32-le", "utf-32", "cp1254", "cp037"])
def test_encodings_by_name(tmp_path, encoding):
    text = "id,text\n1,Sisli'de gel\n" if encoding == "cp037" else "id,text\n1,Şişli'de ığdır\n"
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    assert read_frame(tmp_path / "a.csv", encoding=encoding)["text"].tolist() == [text.split(",")[-1].strip()]


@pytest.mark.parametrize("encoding", ["utf-16-foo", "undefined", "punycode", "idna", "rot13", "hex", "a\0b", "", "ş"])
def test_encodings_that_are_none(tmp_path, encoding):
    (tmp_path / "a.csv").write_text("id,text\n1,a\n")
    if not encoding:
        assert len(read_frame(tmp_path / "a.csv", encoding=encoding)) == 1
        return
    with pytest.raises(TableError, match=r"a\.csv: .*encoding.*cp1254"):
        open_input(tmp_path / "a.csv", encoding=encoding)


def test_deep_json_and_nested_surrogates(tmp_path):
    deep = '{"text": "a", "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    (tmp_path / "a.jsonl").write_text(deep)
    (tmp_path / "a.json").write_text(f"[{deep}]")
    for name in ("a.jsonl", "a.json"):
        with pytest.raises(TableError, match=rf"{name}, .* 1: JSON nested too deep"):
            open_input(tmp_path / name)
    (tmp_path / "b.jsonl").write_text('{"text": "a", "x": [{"\\ud800": "\\udfff"}]}\n')
    assert read_frame(tmp_path / "b.jsonl")["x"].tolist() == [[{"\ufffd": "\ufffd"}]]
    (tmp_path / "c.jsonl").write_text('{"text": "a", "x": 1e999}')
    with pytest.raises(TableError, match=r"c\.jsonl, line 1: not JSON \(the number 1e999 is too large\)"):
        open_input(tmp_path / "c.jsonl")


def test_odd_parquet_files(tmp_path):
    odd = tmp_path / "odd.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array(["a"])] * 2, names=["text", "text"]), odd)
    with pytest.raises(TableError, match=r"odd\.parquet: 2 columns are named 'text'"):
        open_input(odd)
    invalid = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"], pa.binary()).buffers())
    pq.write_table(pa.table({"text": invalid}), odd)
    with pytest.raises(TableError, match=r"odd\.parquet: damaged parquet data .*UTF-?8"):
        list(open_input(odd).chunks(5))
    for text in (b"{", b"{}", b'{"index_columns": ["gone"], "columns": []}', b"[]", b'{"index_columns": 5}', b"\xff"):
        pq.write_table(pa.table({"text": ["Ali"]}).replace_schema_metadata({b"pandas": text}), odd)
        for ending in ("parquet", "pkl", "csv"):
            analyze_file(FakeAnalyzer(), odd, tmp_path / f"out.{ending}")
        assert pd.read_parquet(tmp_path / "out.parquet")["text"].tolist() == ["Ali"]
        assert pd.read_pickle(tmp_path / "out.pkl")["text"].tolist() == ["Ali"]
    odd.write_bytes(odd.read_bytes()[:-20])
    with pytest.raises(TableError, match=r"odd\.parquet: not a parquet file"):
        open_input(odd)


def feed(path, data):
    thread = threading.Thread(target=lambda: path.write_bytes(data))
    thread.start()
    return thread


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_to_its_end(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    thread = feed(tmp_path / "pipe", LINES.replace("id", "no").encode())
    output = tmp_path / "out.jsonl"
    summary = analyze_file(FakeAnalyzer(), tmp_path / "pipe", output, input_format="csv")
    thread.join()
    assert summary.rows == 2
    assert json.loads(output.read_text().splitlines()[1])["text"] == "Veli gitti."


def python(code, *arguments, **options):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])}
    code = "import sys\nfrom table_fakes import FakeAnalyzer\nfrom vnlp_colab.tables.job import analyze_file\n" + code
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], env=env, check=False, **options)


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_the_standard_input(tmp_path, name):
    if name != "-" and not Path(name).exists():
        pytest.skip("no /dev/stdin here")
    code = "analyze_file(FakeAnalyzer(), sys.argv[1], sys.argv[2])"
    done = python(code, name, tmp_path / "out.csv", input=b"Ali geldi. Veli gitti.\n", capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert len(pd.read_csv(tmp_path / "out.csv")) == 2


@pytest.mark.parametrize(
    ("content", "options", "kind", "rows"),
    [
        ("no,text\n1,Ali geldi.\n2,Veli gitti.\n", {}, "csv with a header", 2),
        ("no;yorum\n1;Ali, Veli geldi.\n", {}, "csv with a header", 1),
        ("no\tmetin\n1\tAli geldi.\n", {}, "tsv with a header", 1),
        ("no,söz\n1,Ali geldi.\n", {"header": True, "text_column": "söz"}, "csv with a header", 1),
        ("Haber, yorum\nAli geldi.\n", {}, "text", 2),
        ("Evet, bu metin iyi.\nHayır, öteki.\n", {}, "text", 2),
        ("no,text\n", {}, "text", 1),
    ],
)
def test_a_table_without_a_telling_name_is_known_by_its_header(tmp_path, content, options, kind, rows):
    (tmp_path / "table").write_text(content, encoding="utf-8")
    table = open_input(tmp_path / "table", **options)
    assert (table.reading[0].partition(" (")[0], table.rows) == (kind, rows)


def test_nothing_is_left_of_the_standard_input_when_the_run_is_ended(tmp_path):
    code = """
import os, signal
analyze_file(FakeAnalyzer(on_chunk=lambda _: os.kill(os.getpid(), signal.SIGTERM)), "-", sys.argv[1])
"""
    (tmp_path / "tmp").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path / "tmp"))
        done = python(code, tmp_path / "out.csv", input=b"Ali geldi.\n", capture_output=True)
    assert done.returncode == -15
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("closed", ["stdin", "stdout"])
def test_closed_streams(tmp_path, closed):
    (tmp_path / "a.txt").write_text("Ali geldi.\n")
    source, output = ("-", tmp_path / "out.csv") if closed == "stdin" else (tmp_path / "a.txt", "-")
    code = f"""
sys.{closed} = None
from vnlp_colab.tables import TableError
try:
    analyze_file(FakeAnalyzer(), sys.argv[1], sys.argv[2])
except TableError as error:
    print(error, file=sys.stderr)
"""
    done = python(code, source, output, capture_output=True)
    assert "is closed; name a file" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("change", ["grows", "shrinks", "replaced", "removed", "same size and time"])
@pytest.mark.parametrize("name", ["in.csv", "in.parquet"])
def test_an_input_that_changes_during_the_run(tmp_path, monkeypatch, change, kept, name):
    if not kept:
        monkeypatch.setattr(table, "_KEPT_BYTES", 0)
    path = tmp_path / name
    rows = pd.DataFrame({"text": [f"Cümle {n}." for n in range(30)], "n": range(30)})
    rows.to_csv(path, index=False) if name == "in.csv" else rows.to_parquet(path)
    before, data = path.stat(), path.read_bytes()

    def meddle(number):
        if number == 1:
            if change == "grows":
                path.write_bytes(data + b"Son,30\n")
            elif change == "shrinks":
                path.write_bytes(data[:-9])
            elif change == "removed":
                path.unlink()
            elif change == "replaced":
                path.rename(tmp_path / "old")
                path.write_bytes(data)
            else:
                path.write_bytes(data.replace(b"C", b"D", 3))
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(TableError, match=rf"{name}: (the file changed while it was being|damaged parquet data)"):
        analyze_file(FakeAnalyzer(on_chunk=meddle), path, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_outputs_that_are_no_files(tmp_path):
    (tmp_path / "in.csv").write_text(LINES)
    (tmp_path / "target.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to("target.jsonl")
    (tmp_path / "dangling.jsonl").symlink_to("later.jsonl")
    for name, target in (("link", "target"), ("dangling", "later")):
        analyze_file(FakeAnalyzer(), tmp_path / "in.csv", tmp_path / f"{name}.jsonl")
        assert (tmp_path / f"{name}.jsonl").is_symlink()
        assert len((tmp_path / f"{target}.jsonl").read_text().splitlines()) == 2
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    (tmp_path / "null.jsonl").symlink_to("/dev/null")
    for output in (tmp_path / "pipe.jsonl", tmp_path / "null.jsonl", "/dev/null", tmp_path / "loop.jsonl", tmp_path):
        with pytest.raises(TableError, match=r"a device or a pipe|[Ss]ymlink|symbolic|is a folder"):
            analyze_file(FakeAnalyzer(), tmp_path / "in.csv", output, output_format="jsonl")
    with pytest.raises(TableError, match="no such folder for the output"):
        analyze_file(FakeAnalyzer(), tmp_path / "in.csv", tmp_path / "no" / "out.csv")
    (tmp_path / "same.csv").symlink_to("in.csv")
    with pytest.raises(TableError, match="would overwrite the input"):
        analyze_file(FakeAnalyzer(), tmp_path / "in.csv", tmp_path / "same.csv")
    assert (tmp_path / "in.csv").read_text() == LINES


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    (tmp_path / "in.csv").write_text(LINES)
    real = Path.open

    def full(path, mode="r", *args, **options):
        return real(Path("/dev/full") if path.suffix == ".tmp" else path, mode, *args, **options)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(TableError, match=r"part-000000\.arrow: No space left on device"):
        analyze_file(FakeAnalyzer(), tmp_path / "in.csv", tmp_path / "out.csv")


@pytest.mark.parametrize("path", ["/dev/zero", "nothing\0.csv", "no/such"])
def test_inputs_that_are_none(path):
    with pytest.raises(TableError, match=r"not a file|no such file|null"):
        open_input(path)


def test_the_time_of_a_header_grows_with_its_columns_and_no_faster(tmp_path):
    import time

    def seconds(count):
        names = [f"c{number}" for number in range(count)]
        path = tmp_path / f"{count}.csv"
        path.write_text(",".join([*names, "text"]) + "\n" + ",".join(["1"] * count + ["a"]) + "\n")
        taken = []
        for _ in range(3):  # the best of three: other work on the machine makes single ones twice as slow
            started = time.process_time()
            next(open_input(path).chunks(5))
            taken.append(time.process_time() - started)
        return min(taken)

    seconds(1_000)
    # Looking for every column among all others took sixteen times as long for four times the columns.
    assert seconds(20_000) < 8 * seconds(5_000) + 0.1
