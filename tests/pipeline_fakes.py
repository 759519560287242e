"""Annotators that answer at once and by rule, so that tests of tables and streams need no weights."""

from __future__ import annotations


class Fake:
    """One column by a rule for tokens."""

    needs: tuple[str, ...] = ()
    device = "cpu"

    def __init__(self, task):
        self.task = task
        self.provides = {
            "pos": ("pos", "pos_confidence"),
            "ner": ("ner", "ner_confidence"),
            "dep": ("dep",),
            "stemmer": ("morph", "lemma"),
            "sentiment": ("sentiment", "sentiment_label"),
            "joint": tuple(name for name in RULES if name != "morph"),
        }[task]
        self.fingerprint = f"fake {task}"
        self.batches = []

    def annotate(self, batch, wanted):
        assert batch.tokens, "the pipeline never sends an empty batch"
        for tokens in batch.tokens:
            assert isinstance(tokens, list)
            assert tokens, "the pipeline never sends an empty sentence"
            assert all(isinstance(token, str) and token for token in tokens)
        assert set(wanted) <= set(self.provides)
        self.batches.append([len(tokens) for tokens in batch.tokens])
        return {name: [RULES[name](*row) for row in zip(batch.tokens, batch.texts, strict=True)] for name in wanted}


def _pos(token):
    """Words of even length are nouns, of odd length verbs, the rest punctuation."""
    if not token[0].isalnum():
        return "PUNCT"
    return "VERB" if len(token) % 2 else "NOUN"


def _share(text):
    return text.count("a") / len(text)


RULES = {
    "pos": lambda tokens, _: [_pos(token) for token in tokens],
    "pos_confidence": lambda tokens, _: [0.5] * len(tokens),
    # A capital makes a person.
    "ner": lambda tokens, _: ["PER" if token[0].isupper() else "O" for token in tokens],
    "ner_confidence": lambda tokens, _: [0.5] * len(tokens),
    # The first word is the root, and every other hangs on the one before it.
    "dep": lambda tokens, _: [(number, "obj" if number else "root") for number in range(len(tokens))],
    "morph": lambda tokens, _: [f"{token}+Noun+A3sg+Pnon+Nom" for token in tokens],
    "lemma": lambda tokens, _: list(tokens),
    "feats": lambda tokens, _: ["_"] * len(tokens),
    # The share of the letter a.
    "sentiment": lambda _, text: _share(text),
    "sentiment_label": lambda _, text: "positive" if _share(text) > 0.5 else "negative",
}
TASKS = ("pos", "ner", "dep", "stemmer", "sentiment")
TASK_OF = {
    "JointAnalyzer": "joint",
    "SPUContextPoS": "pos",
    "TreeStackPoS": "pos",
    "SPUContextNER": "ner",
    "CharNER": "ner",
    "SPUContextDP": "dep",
    "TreeStackDP": "dep",
    "StemmerAnalyzer": "stemmer",
    "SPUCBiGRUSentimentAnalyzer": "sentiment",
}


def fake_models(*tasks):
    return {task: Fake(task) for task in tasks or TASKS}


def load_fake(model, **_):
    """Stand in for `vnlp_colab.annotator.loading.load_model`."""
    return Fake(TASK_OF[model])
