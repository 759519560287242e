"""A server with the fake engine, as a program: ``python fake_server.py SETTINGS_AS_JSON PORT WORKERS``."""

import json
import logging
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from serve_fakes import FakeEngine

from vnlp_colab.serve.app import create_app
from vnlp_colab.serve.server import serve, stop_all
from vnlp_colab.serve.settings import ServeSettings


def load(settings):
    time.sleep(float(os.environ.get("FAKE_LOADING", "0")))
    if os.environ.get("FAKE_BROKEN"):
        raise OSError("the weights are gone")
    return FakeEngine()


def application():
    """What worker processes start."""
    return create_app(ServeSettings.from_environment(), load, stop_all)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    told = json.loads(sys.argv[1])
    settings = ServeSettings(
        **{name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    )
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    sys.exit(
        serve(
            settings, port=int(sys.argv[2]), workers=int(sys.argv[3]), load=load, application="fake_server:application"
        )
    )
