"""The vnlp-colab command with the models of pipeline_fakes; FAKE_DELAY slows each batch down by so many seconds."""

from __future__ import annotations

import os
import sys
import time

from pipeline_fakes import FakeTagger, fake_models

import vnlp_colab.pipeline_colab
from vnlp_colab.cli import main

DELAY = float(os.environ.get("FAKE_DELAY", "0"))


class SlowTagger(FakeTagger):
    def label_batch(self, sentences):
        time.sleep(DELAY)
        return super().label_batch(sentences)


def load(task, model, **_):
    return SlowTagger() if task == "pos" else fake_models(task)[task]


vnlp_colab.pipeline_colab.load_model = load

if __name__ == "__main__":
    sys.exit(main())
