from __future__ import annotations

import pytest
from table_fakes import FakeAnalyzer

from vnlp_colab.tables.job import analyze_file


@pytest.fixture
def analyze(tmp_path):
    """Analyse a table into a file of the test's folder and return where it is."""

    def run(source, name="out.jsonl", *, analyzer=None, **options):
        output = tmp_path / name
        analyze_file(analyzer or FakeAnalyzer(), source, output, progress=False, **options)
        assert not (tmp_path / f"{name}.parts").exists(), "parts are removed when the result is whole"
        return output

    return run
