"""The wheel in an empty environment, as a user meets it: install, analyse the example table, draw a tree."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LARGEST_WHEEL = 95_000_000  # bytes, models included: package indexes take files of up to 100 MB
CHECK = """
import pandas as pd
df = pd.read_parquet("out.parquet")
assert len(df) == 69, len(df)
given, made = "t_code ch_no p_no s_no sentence", "no_accents tokens tokens_40 sentiment lemma pos feats ner dep"
assert list(df.columns) == given.split() + made.split()
assert (df["pos"].map(len) == df["tokens"].map(len)).all()
assert df["sentiment"].isna().sum() == 1
"""


@pytest.mark.slow
@pytest.mark.network
def test_install_analyze_render(tmp_path):
    def call(*line, **environment):
        env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VNLP_COLAB_MODELS")}
        env |= {"VNLP_COLAB_CACHE": str(tmp_path / "cache")} | environment
        done = subprocess.run(list(map(str, line)), cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path / "dist", ROOT)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    assert wheel.stat().st_size < LARGEST_WHEEL
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    call(programs / "python", "-m", "pip", "install", "--quiet", wheel)

    command, offline = programs / "vnlp-colab", {"VNLP_COLAB_OFFLINE": "1"}
    assert call(command, "--version").stdout.startswith("vnlp-colab ")
    example = ROOT / "examples" / "sentences.tsv"
    told = call(command, "analyze", example, "-o", "out.parquet", "--device", "cpu", **offline).stderr
    assert "69 rows" in told
    call(programs / "python", "-c", CHECK)
    call(command, "render", "Ali bugün Ankara'ya gitti.", "-o", "tree.svg", **offline)
    assert "<svg" in (tmp_path / "tree.svg").read_text(encoding="utf-8")
