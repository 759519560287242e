"""The quickstart notebook runs from top to bottom, and the committed file carries no output of some machine."""

from __future__ import annotations

import os
import shutil

import nbformat
import pytest
from pages import ROOT

NOTEBOOK = ROOT / "examples" / "quickstart.ipynb"


def test_no_outputs_are_committed():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


def test_installing_is_the_first_cell_and_one_line():
    first = next(cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code")
    assert first.source.startswith("%pip install")
    assert "\n" not in first.source


@pytest.mark.slow
@pytest.mark.parametrize("table", [True, False], ids=["example table", "no table"])
def test_runs(table, tmp_path, monkeypatch):
    from nbclient import NotebookClient

    if table:
        shutil.copy(ROOT / "examples" / "sentences.tsv", tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    # The package under test is installed; the first cell, one line, would look for an uploaded wheel.
    notebook.cells = [cell for cell in notebook.cells if "install" not in cell.metadata.get("tags", [])]
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()

    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output.text for output in outputs if output.get("name") == "stderr"], "a reader sees results only"
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert {"image/png", "text/html"} <= kinds
    assert (tmp_path / "analysis.parquet").exists()
