"""The programs of docs/scale.md print what stands below them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
_PROGRAM = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAMS = _PROGRAM.findall(PAGE.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(("program", "printed"), PROGRAMS, ids=["Ray", "Spark"])
def test_programs(program, printed):
    if "pyspark" in program and shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed (apt-get install default-jre-headless)")
    pytest.importorskip("pyspark" if "pyspark" in program else "ray.data")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == printed
