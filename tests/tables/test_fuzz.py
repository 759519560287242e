"""Random files: every row is kept, or one clear line names the file; what is written can be read by everyone.

``FUZZ_SEED`` is the seed (printed, so that a failure can be had again), ``FUZZ_FILES`` the count of files.
"""

from __future__ import annotations

import ast
import bz2
import csv
import gzip
import io
import json
import os
import random

import conllu
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from random_tables import random_table, text
from table_fakes import FakeAnalyzer

from vnlp_colab.tables import TableError
from vnlp_colab.tables.job import analyze_file

SEED = int(os.environ.get("FUZZ_SEED", "16"))
FILES = int(os.environ.get("FUZZ_FILES", "1000"))
INPUTS = ("csv", "tsv", "five", "jsonl", "json", "txt", "parquet")
OUTPUTS = ("csv", "tsv", "jsonl", "conllu", "parquet", "pkl", "csv.gz")


def one_line(value):
    """What a cell between tabs can hold: no tab, no line end, no quotes that a spreadsheet may have put there."""
    return "".join(letter for letter in value if letter not in '\t\r\n"')


def delimited(rng, rows, delimiter):
    stream = io.StringIO()
    end = rng.choice(["\n", "\r\n"])
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "text"])
    writer.writerows(rows)
    return stream.getvalue()


def make(rng, kind):
    """Return the bytes of a file, the texts it holds (``None``: not known) and how to read it."""
    texts = [text(rng) for _ in range(rng.randrange(25))]
    if kind == "parquet":
        table = random_table(rng, len(texts), columns=3)
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink)
        return sink.getvalue().to_pybytes(), table["text"].to_pylist(), {}
    encoding = rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1254", "iso-8859-9", "utf-16-le"])
    known = encoding in ("utf-8", "utf-8-sig", "utf-16")
    texts = [value.encode(encoding, "replace").decode(encoding) for value in texts]
    if kind in ("tsv", "five", "txt"):
        texts = [one_line(value) for value in texts]
    rows = list(enumerate(texts))
    if kind == "csv":
        content = delimited(rng, rows, rng.choice(",;|"))
    elif kind == "tsv":
        content = "id\ttext\n" + "".join(f"{number}\t{value}\n" for number, value in rows)
    elif kind == "five":
        content = "".join(f"t\t1\t1\t{number}\t{value}\n" for number, value in rows)
    elif kind == "jsonl":
        content = "".join(json.dumps({"id": number, "text": value}) + "\n" for number, value in rows)
    elif kind == "json":
        content = json.dumps([{"id": number, "text": value} for number, value in rows], indent=rng.choice([None, 1]))
    else:
        content = "".join(value + "\n" for value in texts)
    return content.encode(encoding), texts, {} if known else {"encoding": encoding}


def spoiled(rng, data):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        what = rng.random()
        if what < 0.4 and data:
            data[min(at, len(data) - 1)] = rng.randrange(256)
        elif what < 0.7:
            data[at:at] = rng.choice(
                [b"\0", b"\xff", b'"', b"\r", b"\n", b"\t", b"{", b"[[[[", b"\\ud800", rng.randbytes(9)]
            )
        else:
            del data[at:]
    return bytes(data)


def read_back(path, ending, column):
    """Return the texts of an output, read by a library of its own; ``None`` where the format has none."""
    if ending == "parquet":
        return pq.read_table(path)[column].to_pylist(), len(pd.read_parquet(path, columns=[column]))
    if ending == "pkl":
        frame = pd.read_pickle(path)
        return [None if pd.isna(value) else value for value in frame[column]], len(frame)
    if ending == "conllu":
        conllu.parse(path.read_text(encoding="utf-8"))
        return None, None
    if ending == "jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
        return [row[column] for row in rows], len(rows)
    separator = "\t" if ending == "tsv" else ","
    frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    return frame[column].tolist(), len(frame)


def check(folder, number):
    rng = random.Random(f"{SEED} {number}")
    kind, ending, damaged = rng.choice(INPUTS), rng.choice(OUTPUTS), rng.random() < 0.4
    data, texts, options = make(rng, kind)
    if damaged:
        data = spoiled(rng, data)
    pack, packing = rng.choice([(bytes, ""), (bytes, ""), (gzip.compress, ".gz"), (bz2.compress, ".bz2")])
    source = folder / f"f{number}.{'tsv' if kind == 'five' else kind}{packing}"
    source.write_bytes(pack(data))
    output = folder / f"out{number}.{ending}"
    try:
        summary = analyze_file(FakeAnalyzer(["no_accents", "tokens", "pos"]), source, output, progress=False, **options)
    except TableError as error:
        told = str(error)
        assert source.name in told, told
        assert "\n" not in told, told
        empty = not texts and kind in ("five", "jsonl", "json")
        assert damaged or empty, f"a sound file is refused: {told}"
        return
    column = ast.literal_eval(summary.input.rpartition("text in ")[2])
    found, count = read_back(output, ending, column)
    if found is not None:
        assert count == summary.rows
    if not damaged and kind in ("csv", "tsv", "jsonl", "json", "parquet"):
        assert summary.rows == len(texts)
        if found is not None:
            expected = texts if ending in ("parquet", "pkl", "jsonl") else [value or "" for value in texts]
            assert found == expected
    source.unlink()
    output.unlink()


@pytest.mark.slow
def test_random_files(tmp_path):
    print(f"FUZZ_SEED={SEED}")  # noqa: T201 - a failure can be had again
    for number in range(FILES):
        try:
            check(tmp_path, number)
        except Exception as error:
            raise AssertionError(f"FUZZ_SEED={SEED}, file {number}: {type(error).__name__}: {error}") from error
