"""An annotator that answers by rule, breaks on one word, and writes down who worked."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path


class ToyTagger:
    """Words of odd length are verbs; a sentence with PATLA breaks it.

    With a `log` every batch writes a line: the process, and which copy of the tagger in it.
    """

    provides = ("pos",)
    needs = ()
    device = "cpu"
    fingerprint = "toy"

    def __init__(self, log: str = "", seconds: float = 0.0) -> None:
        self.log = log
        self.seconds = seconds
        self.copy = ""

    def __setstate__(self, state) -> None:
        self.__dict__ = {**state, "copy": uuid.uuid4().hex}

    def __repr__(self) -> str:  # a job that goes on is known by it
        return "ToyTagger()"

    def annotate(self, batch, wanted):
        if any("PATLA" in words for words in batch.tokens):
            raise RuntimeError("patladı")
        if self.log:
            with Path(self.log).open("a", encoding="utf-8") as log:
                log.write(f"{os.getpid()} {self.copy}\n")
        time.sleep(self.seconds)
        return {"pos": [["VERB" if len(word) % 2 else "NOUN" for word in words] for words in batch.tokens]}


class BrokenTagger(ToyTagger):
    """A tagger that never works."""

    def annotate(self, batch, wanted):
        raise RuntimeError("bozuk")


class NicenessTagger(ToyTagger):
    """A tagger whose answer is how nice its process is."""

    def annotate(self, batch, wanted):
        return {"pos": [[str(os.nice(0)) for _ in words] for words in batch.tokens]}


def logged(log: str | Path) -> list[tuple[int, str]]:
    """Return process and copy of every batch that was done."""
    if not Path(log).exists():
        return []
    lines = Path(log).read_text(encoding="utf-8").splitlines()
    return [(int(pid), copy) for pid, copy in (line.split() for line in lines if len(line.split()) == 2)]
