"""TensorFlow's greetings stay off the screen, and nothing else does."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = r"""
import logging, os, sys
from vnlp_colab.start_up import quiet_tensorflow
if "show" in sys.argv:
    logging.basicConfig(level=logging.INFO)
with quiet_tensorflow():
    os.write(2, b"I0000 00:00:1794736727.502969   23001 port.cc:153] oneDNN custom operations are on.\n")
    print("from another thread", file=sys.stderr)
print("after", file=sys.stderr)
"""


def told(*arguments):
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-c", SCRIPT, *arguments]
    return subprocess.run(line, capture_output=True, env=env, check=True, text=True).stderr


def test_only_native_messages_are_kept_back():
    assert told() == "from another thread\nafter\n"


def test_all_messages_show_where_logging_shows_info():
    assert "oneDNN" in told("show")
