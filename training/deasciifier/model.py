"""Train the three parts and put them into one file."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING

from training.deasciifier import context, letters, suffixes
from training.deasciifier.readings import Vocabulary, best_reading
from vnlp_colab.text.deasciifier import MODEL_FORMAT
from vnlp_colab.text.deasciifier.letters import LetterModel
from vnlp_colab.text.deasciifier.model import ALL_CAPITALS, CAPITAL, LOWER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from training.deasciifier.corpus import Corpus

# Exceptions are words the letter model gets wrong, if seen this often in that case class.
SMALLEST_EXCEPTION = {LOWER: 2, CAPITAL: 2, ALL_CAPITALS: 5}


def train(corpus: Corpus) -> bytes:
    """Return the bytes of the model file."""
    vocabulary = Vocabulary.of(corpus)
    print(f"{len(corpus.ids):,} tokens, {len(vocabulary.counts):,} ASCII forms", flush=True)
    letter_table = letters.train(vocabulary.counts)
    forms = context.ambiguous_forms(vocabulary)
    print(f"{len(forms):,} ambiguous forms", flush=True)
    context_table = context.train(vocabulary, forms)
    lists = suffixes.train(vocabulary)
    lists["forms"] = [" ".join(readings) for readings in forms.values()]
    model = LetterModel(letter_table)
    for case in (LOWER, CAPITAL, ALL_CAPITALS):
        lists[f"exceptions_{case}"] = sorted(_exceptions(vocabulary.counts, model, case, forms))
    for name, lines in lists.items():
        print(f"{name}: {len(lines):,}", flush=True)
    return pack(letter_table, context_table, lists)


def pack(letters: np.ndarray, context: np.ndarray, lists: Mapping[str, Sequence[str]]) -> bytes:
    """Return the bytes of a model file, which ``vnlp_colab.text.deasciifier.unpack`` reads."""
    sections = {f"list_{name}": "\n".join(lines).encode() for name, lines in lists.items()}
    sections |= {"letters": letters.tobytes(), "context": context.tobytes()}
    header = {"format": MODEL_FORMAT, "sections": {name: len(section) for name, section in sections.items()}}
    return lzma.compress(
        json.dumps(header).encode() + b"\n" + b"".join(sections.values()), preset=9 | lzma.PRESET_EXTREME
    )


def _exceptions(
    counts: dict[str, dict[str, list[int]]], model: LetterModel, case: int, forms: dict[str, list[str]]
) -> Iterator[str]:
    rows = [
        (plain, best_reading(readings, case))
        for plain, readings in counts.items()
        if plain not in forms and sum(seen[case] for seen in readings.values()) >= SMALLEST_EXCEPTION[case]
    ]
    judged = model.readings([plain for plain, _ in rows], [case == CAPITAL] * len(rows))
    for (_, reading), guess in zip(rows, judged, strict=True):
        if reading != guess:
            yield reading
