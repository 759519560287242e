"""An analyser that answers at once and by rule, so that tests of files need no models and no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vnlp_colab.batches.preparation import (
    Preparation,
    cell_text,
    clean_sentence,
    in_blocks,
    spans_in_original,
    token_spans,
    tokenize,
)
from vnlp_colab.columns import OPTIONAL, empty_value, result_columns
from vnlp_colab.text import SentenceSplitter

TASKS = ("sentiment", "stemmer", "pos", "ner", "dep")


@dataclass
class FakeChunk:
    columns: dict[str, list[Any]]
    source: Any


class FakeAnalyzer:
    """Every capital is a person, every word hangs on the one before it; ``crash_at`` fails at that chunk."""

    device = "cpu"

    def __init__(self, columns=None, *, chunk=10, split=False, crash_at=None, batch=4, on_chunk=None):
        self.columns = tuple(columns) if columns is not None else result_columns(TASKS)
        self.seconds = {"pos": 0.0}
        self.fingerprints = {"pos": "FakeTagger"}
        self.preparation = Preparation("sentences" if split else "none")
        self._chunk, self._split, self._crash_at, self._batch = chunk, split, crash_at, batch
        self._on_chunk = on_chunk

    def get_ready(self):
        pass

    def default_batch_size(self):
        return self._batch

    def chunk_rows(self, batch_size):
        return self._chunk

    def stream(self, chunks, batch_size, on_batch):
        for number, rows in enumerate(chunks):
            if number == self._crash_at:
                raise RuntimeError("crash")
            if self._on_chunk is not None:
                self._on_chunk(number)
            values = [self._row(cell) for cell in rows.cells]
            columns = {name: [row[name] for row in values] for name in self.columns}
            columns.setdefault("tokens", [row["tokens"] for row in values])
            filled = [row["tokens"] for row in values if row["tokens"]]
            on_batch(len(filled), sum(map(len, filled)))
            self.seconds["pos"] += 0.5
            yield FakeChunk(columns, rows.source)

    def _row(self, cell):
        text = cell_text(cell)
        parts = SentenceSplitter().split_sentences(text, offsets=True) if self._split else [(text, 0, len(text))]
        row = {name: empty_value(name) for name in self.columns} | {"tokens": []}
        tokens, spans, ends, arcs = [], [], [], []
        for part, start, _ in parts:
            cleaned = clean_sentence(part)
            words = tokenize(cleaned)
            spans += [(start + one, start + two) for one, two in spans_in_original(part, cleaned, token_spans(cleaned))]
            arcs += [(len(tokens) + at if at else 0, "obj" if at else "root") for at in range(len(words))]
            tokens += words
            ends.append(len(tokens))
        row["no_accents"] = clean_sentence(text)
        if not tokens:
            return row
        return row | {
            "tokens": tokens,
            "tokens_40": in_blocks(tokens),
            "sentiment": text.count("a") / len(text),
            "sentiment_label": "negative",
            "morph": [f"{token}+Noun+A3sg+Pnon+Nom" for token in tokens],
            "lemma": list(tokens),
            "pos": ["NOUN" if token[0].isalnum() else "PUNCT" for token in tokens],
            "ner": ["PER" if token[0].isupper() else "O" for token in tokens],
            "dep": arcs,
            "feats": ["_"] * len(tokens),
            "pos_confidence": [0.5321] * len(tokens),
            "ner_confidence": [0.25] * len(tokens),
            "offsets": spans,
            "sentence_ends": ends,
            "entities": [
                {"text": text[a:b], "name": text[a:b], "type": "PER", "start": a, "end": b}
                for (a, b), token in zip(spans, tokens, strict=True)
                if token[0].isupper()
            ],
        }


ALL_COLUMNS = result_columns(TASKS, [name for name in OPTIONAL if name != "ner_bio"])
