"""TensorFlow's greetings stay off the screen, and nothing else does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


KERAS = """
import sys
import pandas as pd
from vnlp_colab import VNLPipeline
from vnlp_colab.batches.stream import has_tensorflow
if not has_tensorflow():
    sys.exit(77)
VNLPipeline(["pos"], device="cpu").process_dataframe(pd.DataFrame({"sentence": ["Ali geldi."]}))
assert "tensorflow" in sys.modules
assert not {"keras", "keras.src"} & set(sys.modules)
import keras
import tensorflow as tf
assert tf.keras.layers.Dense is keras.layers.Dense
"""


THREADS = """
import threading
from importlib import import_module
from vnlp_colab.start_up import without_keras
found = []
with without_keras():
    try:
        import keras
    except ImportError as error:
        found.append(str(error))
    other = threading.Thread(target=lambda: found.append(import_module("keras").__name__))
    other.start()
    other.join()
assert found == ["keras is not needed for tf.data", "keras"], found
"""


@pytest.mark.parametrize("script", [KERAS, THREADS], ids=["afterwards", "in another thread"])
def test_tables_do_without_keras_and_others_have_it(script):
    pytest.importorskip("keras")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, cwd=ROOT, check=False, text=True)
    if done.returncode == 77:
        pytest.skip("there is no TensorFlow here")
    assert done.returncode == 0, done.stderr
