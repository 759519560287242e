"""An analyser that answers by rule, so that tests of documents need no weights."""

from __future__ import annotations

from vnlp_colab.columns import NO_NUMBER, result_columns
from vnlp_colab.document.texts import documents

ALL = ("pos", "ner", "dep", "stemmer", "sentiment")


class FakePreparation:
    def read(self, tokens):
        return list(tokens)


class FakeAnalyzer:
    """A capital makes a person, every word hangs on the one before it, sentiment is the share of the letter a."""

    preparation = FakePreparation()

    def __init__(self, tasks=ALL, optional=(), starts=None):
        self.columns = result_columns(tasks, optional)
        self.starts = starts

    def annotate(self, tokens, texts):
        assert all(row and all(token for token in row) for row in tokens), "never an empty sentence"
        made = {
            "morph": [[f"{token}+Noun+A3sg+Pnon+Nom" for token in row] for row in tokens],
            "lemma": tokens,
            "pos": [["VERB" if token[0].isalnum() else "PUNCT" for token in row] for row in tokens],
            "ner": [["PER" if token[0].isupper() or token[0] in "@#🙂" else "O" for token in row] for row in tokens],
            "dep": [[(at, "obj" if at else "root") for at in range(len(row))] for row in tokens],
            "pos_confidence": [[0.5] * len(row) for row in tokens],
            "ner_confidence": [[NO_NUMBER] * len(row) for row in tokens],
            "sentiment": [_score(text) for text in texts],
        }
        found = {name: values for name, values in made.items() if name in self.columns}
        if self.starts is not None:
            found["entity_starts"] = [self.starts(row) for row in tokens]
        return found

    def whole_texts(self, tokens, texts):
        return {"sentiment": [_score(text) for text in texts]} if "sentiment" in self.columns else {}


def _score(text):
    return text.count("a") / len(text)


class FakePipeline:
    def __init__(self, *tasks, columns=(), starts=None):
        self.analyzer = FakeAnalyzer(tasks or ALL, columns, starts)

    def __call__(self, text):
        return next(self.pipe([text]))

    def pipe(self, texts, batch_size=64, as_tuples=False):
        return documents(self.analyzer, texts, batch_size, as_tuples)
