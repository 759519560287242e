"""An annotator that answers by rule, breaks on one word and counts how often it travels to a new process."""

from __future__ import annotations

import os
from pathlib import Path


class ToyTagger:
    """Words of odd length are verbs; a sentence with PATLA breaks it."""

    provides = ("pos",)
    needs = ()
    device = "cpu"
    fingerprint = "toy"

    def __init__(self, log: str = "", seconds: float = 0.0) -> None:
        self.log = log
        self.seconds = seconds

    def __repr__(self) -> str:  # a job that goes on is known by it
        return "ToyTagger()"

    def annotate(self, batch, wanted):
        import time

        if any("PATLA" in words for words in batch.tokens):
            raise RuntimeError("patladı")
        if self.log:  # a line a batch: who did it
            with Path(self.log).open("a", encoding="utf-8") as log:
                log.write(f"{os.getpid()}\n")
        time.sleep(self.seconds)
        return {"pos": [["VERB" if len(word) % 2 else "NOUN" for word in words] for words in batch.tokens]}


class BrokenTagger(ToyTagger):
    """A tagger that never works."""

    def annotate(self, batch, wanted):
        raise RuntimeError("bozuk")


class CountedTagger(ToyTagger):
    """A tagger that writes down in which process it was unpacked."""

    def __reduce__(self):
        return _unpacked, (self.log,)


def _unpacked(log: str) -> CountedTagger:
    with Path(log).open("a", encoding="utf-8") as lines:
        lines.write(f"{os.getpid()}\n")
    return CountedTagger()
