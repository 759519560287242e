"""The vnlp-colab command with the annotators of pipeline_fakes; FAKE_DELAY slows each batch down by so many seconds."""

from __future__ import annotations

import os
import sys
import time

from pipeline_fakes import TASK_OF, Fake

import vnlp_colab.pipeline_colab
from vnlp_colab.cli import main

DELAY = float(os.environ.get("FAKE_DELAY", "0"))


class Slow(Fake):
    def annotate(self, batch, wanted):
        if self.task in ("pos", "joint"):
            time.sleep(DELAY)
        return super().annotate(batch, wanted)


made: dict[str, Slow] = {}
vnlp_colab.pipeline_colab.load_model = lambda model, **_: made.setdefault(model, Slow(TASK_OF[model]))

if __name__ == "__main__":
    sys.exit(main())
