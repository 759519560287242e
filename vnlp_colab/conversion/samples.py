"""Real sentences as network inputs, so that a graph is proven on what it will see and not on random ids alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vnlp_colab.conversion.catalog import InputSpec, NetworkSpec

SENTENCES = (
    "Şimdi baştan başla .",
    "Ayşe Hanım 2019 yılında İzmir'den taşındı , şimdi Türk Dil Kurumu'nda çalışıyor ve İstanbul'da yaşıyor .",
    "Dün akşam Ankara'dan gelen trende çocuklar uyuyordu ; yolculuk uzun , hava soğuk , vagonlar kalabalıktı .",
)
_TAGS = ("Noun", "A3sg", "Pnon", "Nom", "Verb", "Pos", "Past", "DB", "Adj")
_OOV = 1
_ROWS = 24

Encode = Callable[[str], list[int]]


def real_inputs(network: NetworkSpec, folder: Path) -> dict[str, list[np.ndarray]]:
    """Return windows over real sentences for a network whose vocabulary files lie in ``folder``."""
    encoders = _encoders(network, folder)
    if len(network.inputs) == 1:  # a whole text
        (spec,) = network.inputs
        texts = [encoders[spec.name](sentence) for sentence in SENTENCES]
        rows = [_fit(ids, spec.shape[0], after=spec.name == "chars") for ids in texts]
        return {"real": [np.asarray(rows, np.int32)]}
    sentences = [sentence.split() for sentence in SENTENCES]
    places = [(words, place) for words in sentences for place in range(len(words))][:_ROWS]
    make = partial(_window, encoders)
    return {"real": [np.stack([make(spec, words, place) for words, place in places]) for spec in network.inputs]}


def _encoders(network: NetworkSpec, folder: Path) -> dict[str, Encode]:
    """Return how each kind of unit turns a word into ids; ``pieces`` for SPUContext, and so on."""
    files = {role: folder / resource.file for role, resource in network.resources.items()}
    encoders: dict[str, Encode] = {}
    if "tokenizer" in files:
        import sentencepiece

        tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(files["tokenizer"]))
        encoders["pieces"] = tokenizer.encode_as_ids
    for role in ("chars", "words", "tags"):
        if role in files:
            table = json.loads(files[role].read_text(encoding="utf-8"))
            encoders[role] = partial(_look_up, table, role)
    return encoders


def _look_up(table: dict[str, int], role: str, word: str) -> list[int]:
    if role == "chars":
        return [table.get(char, _OOV) for char in word]
    if role == "words":
        return [table.get(word, _OOV)]
    # No analyser here: some tags of the vocabulary, as many as the word has letters.
    return [table[_TAGS[index % len(_TAGS)]] for index in range(len(word))]


def _window(encoders: dict[str, Encode], spec: InputSpec, words: Sequence[str], place: int) -> np.ndarray:
    """Return one input of the word at ``place``: itself, its candidates, or the words on one side of it."""
    side = spec.name.removeprefix("surface_").split("_")[0]
    if spec.one_hot:
        past = np.eye(spec.size, dtype=np.float32)[[1 + index % (spec.size - 1) for index in range(place)]]
        return _fit_rows(past.reshape(-1, spec.size), spec, after=False)
    if side not in ("left", "right"):
        candidates = [words[place][:end] for end in range(1, len(words[place]) + 1)] if len(spec.shape) > 1 else None
        rows = [_ids(encoders, spec, word) for word in candidates or [words[place]]]
        return _fit_rows(np.asarray(rows, np.int32), spec, after=True) if candidates else np.asarray(rows[0], np.int32)
    near = words[max(0, place - 40) : place] if side == "left" else words[place + 1 : place + 41]
    rows = [_ids(encoders, spec, word) for word in near]
    shape = (-1, *spec.shape[1:])
    return _fit_rows(np.asarray(rows, np.int32).reshape(shape), spec, after=side == "right")


def _ids(encoders: dict[str, Encode], spec: InputSpec, word: str) -> list[int]:
    if spec.name.endswith("pos"):
        return [1 + len(word) % (spec.size - 1)]
    if spec.name.endswith(("tag", "tags")):
        kind = "tags"
    else:
        kind = next(kind for kind in ("pieces", "words", "chars") if kind in encoders)
    width = 1 if kind == "words" else spec.shape[-1]
    return _fit(encoders[kind](word), width, after=False)


def _fit(ids: list[int], width: int, *, after: bool) -> list[int]:
    """Keep the first (``after``) or last ids and pad with 0 on that side."""
    padding = [0] * (width - len(ids))
    return [*ids[:width], *padding] if after else [*padding, *ids[-width:]]


def _fit_rows(rows: np.ndarray, spec: InputSpec, *, after: bool) -> np.ndarray:
    fitted = np.zeros(spec.shape, rows.dtype)
    count = min(len(rows), len(fitted))
    if count:
        target = slice(0, count) if after else slice(-count, None)
        fitted[target] = rows[:count] if after else rows[-count:]
    return fitted
