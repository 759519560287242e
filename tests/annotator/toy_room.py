"""A room for a model of a new family: one class that does two tasks, its answers read from its file."""

from __future__ import annotations

import json

from vnlp_colab.resources import find_model


class ToyTagger:
    """Looks every token up in the word list that is its file."""

    provides = ("pos", "ner")
    needs = ()
    device = "cpu"

    def __init__(self, *, evaluate=False, device="auto", options=None):
        self.files = find_model("Toy", evaluate=evaluate)
        self.words = json.loads(self.files.path.read_text(encoding="utf-8"))
        self.fingerprint = "ToyTagger:1"
        self.runs = 0

    def annotate(self, batch, wanted):
        self.runs += 1
        places = {"pos": 0, "ner": 1}
        return {
            name: [[self.words.get(token, ["X", "O"])[places[name]] for token in tokens] for tokens in batch.tokens]
            for name in wanted
        }
