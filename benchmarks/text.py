"""The text every side reads: test sentences of UD treebanks where there are any, else the example table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.batches.preparation import clean_sentence, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "sentences.tsv"
UD_FOLDER = ROOT.parent / "shared" / "data" / "ud"
BATCH = 64
_SEED = 20


@dataclass(frozen=True)
class Sample:
    """Sentences in order of length, as text and as the tokens the pipeline makes of it."""

    source: str
    texts: list[str]
    tokens: list[list[str]]
    batch: int = BATCH

    @property
    def token_count(self) -> int:
        """Tokens in all sentences."""
        return sum(map(len, self.tokens))

    def batches(self) -> Iterator[slice]:
        """Yield the places of one batch of sentences at a time."""
        for start in range(0, len(self.texts), self.batch):
            yield slice(start, min(start + self.batch, len(self.texts)))

    def part(self, place: slice) -> Sample:
        """Return some of the sentences."""
        return replace(self, texts=self.texts[place], tokens=self.tokens[place])


def read_texts(folder: Path | None, kind: str = "test") -> tuple[str, list[str]]:
    """Return where the text comes from, and its different sentences."""
    found = folder or UD_FOLDER
    files = sorted(found.glob(f"**/*-ud-{kind}.conllu"))
    if files:
        lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
        texts = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
        return f"{kind} sentences of {len(files)} UD treebanks", list(dict.fromkeys(texts))
    if folder is not None:
        raise SystemExit(f"{folder}: no *-ud-{kind}.conllu in it")
    rows = EXAMPLES.read_text(encoding="utf-8").splitlines()
    return "examples/sentences.tsv", list(dict.fromkeys(row.split("\t")[-1] for row in rows))


def draw_sample(folder: Path | None, sentences: int | None, batch: int = BATCH) -> Sample:
    """Draw sentences (or all) at random, always the same ones, and sort them by length, as the pipeline does."""
    source, texts = read_texts(folder)
    chosen = np.random.default_rng(_SEED).permutation(len(texts))[:sentences]
    cleaned = [clean_sentence(texts[number]) for number in chosen]
    pairs = sorted(((text, tokenize(text)) for text in cleaned if text), key=lambda pair: len(pair[1]))
    return Sample(source, [text for text, _ in pairs], [tokens for _, tokens in pairs], batch)


def running_text(folder: Path | None) -> list[str]:
    """Return the tokens of all sentences one after another, to be cut to any length."""
    _, texts = read_texts(folder)
    order = np.random.default_rng(_SEED).permutation(len(texts))
    return [token for number in order for token in tokenize(clean_sentence(texts[number]))]
