"""What a user's editor and type checker see of the package."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import vnlp_colab

PROGRAM = """
from __future__ import annotations

import pandas as pd
import pyarrow as pa

from vnlp_colab import Document, Entity, Sentence, Token, VNLPError, VNLPipeline

nlp = VNLPipeline(models_to_load=["pos", "ner"], device="cpu", threads=1)
document: Document = nlp("Ali geldi.")
tokens: list[Token] = list(document)
first: Token = document[0]
names: list[str] = [entity.name for entity in document.entities]
sentences: list[Sentence] = document.sentences
entity: Entity | None = next(iter(document.entities), None)
frame: pd.DataFrame = nlp.process_dataframe(pd.DataFrame({"sentence": ["Ali geldi."]}), batch_size=8)
for one, context in nlp.pipe([("Ali geldi.", 1)], as_tuples=True):
    text: str = one.text
columns = nlp.annotate([["Ali", "geldi", "."]])
try:
    nlp.run("in.csv", "out.parquet")
except VNLPError as error:
    print(error)
"""


def test_static_and_run_time_exports_agree():
    tree = ast.parse(Path(vnlp_colab.__file__).read_text(encoding="utf-8"))
    static = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    assert static == set(vnlp_colab.__all__) - {"__version__"}
    for name in vnlp_colab.__all__:
        assert getattr(vnlp_colab, name) is not None


@pytest.mark.slow
def test_a_users_program_passes_mypy_strict(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    line = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", str(program)]
    root = Path(vnlp_colab.__file__).parents[1]
    done = subprocess.run(line, capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
