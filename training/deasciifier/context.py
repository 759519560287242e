"""Fit the context model: for each ASCII form with several readings, which one its neighbours speak for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from training.deasciifier.letters import fit, quantised
from vnlp_colab.text.deasciifier import context as keys_of
from vnlp_colab.text.deasciifier.context import CASE_MIX, MIX, candidate_key, neighbour_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.deasciifier.readings import Vocabulary

TABLE_BITS = 19
EPOCHS = 6
MOST_FORMS = 6_000
MOST_READINGS = 3
SMALLEST_COUNT = 10  # of the second reading
SMALLEST_SHARE = 0.002
MOST_PLACES = 12_000  # of one reading of one form; the rest is a sample, weighted up


def ambiguous_forms(vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Return the forms worth a context model, with their readings, the most frequent first."""
    ranked = []
    for plain, readings in vocabulary.counts.items():
        order = sorted(readings, key=lambda reading: (-sum(readings[reading]), reading))
        totals = [sum(readings[reading]) for reading in order]
        keep = [
            r for r, n in zip(order, totals, strict=True) if n >= SMALLEST_COUNT and n >= SMALLEST_SHARE * totals[0]
        ]
        if len(keep) > 1:
            ranked.append((sum(totals[1 : len(keep)]), plain, keep[:MOST_READINGS]))
    ranked.sort(key=lambda row: (-row[0], row[1]))
    return {plain: keep for _, plain, keep in ranked[:MOST_FORMS]}


def train(vocabulary: Vocabulary, forms: dict[str, list[str]], seed: int = 0) -> np.ndarray:
    """Return the table of weights as signed bytes."""
    rng = np.random.default_rng(seed)
    ids = vocabulary.corpus.ids
    keys = [np.array(column, np.uint32) for column in zip(*map(neighbour_keys, vocabulary.plain), strict=True)]
    form_numbers = {plain: number for number, plain in enumerate(forms)}
    form_of = np.array([form_numbers.get(plain, -1) for plain in vocabulary.plain], np.int32)
    reading_of = np.array(
        [
            forms[plain].index(reading) if plain in forms and reading in forms[plain] else -1
            for plain, reading in zip(vocabulary.plain, vocabulary.readings, strict=True)
        ],
        np.int8,
    )
    places = np.flatnonzero((form_of[ids] >= 0) & (reading_of[ids] >= 0) & ~vocabulary.suffix_places)
    places = places[(places >= 2) & (places < len(ids) - 2)]
    places, weights = _sample(places, form_of[ids[places]] * MOST_READINGS + reading_of[ids[places]], rng)
    features = corpus_features(ids, places, keys, vocabulary.cases)
    answers = reading_of[ids[places]]
    form_numbers_here = form_of[ids[places]]
    slots, targets, repeats = [], [], []
    for rank in range(1, MOST_READINGS):
        key_of = np.array(
            [candidate_key(plain, rank) if rank < len(readings) else 0 for plain, readings in forms.items()], np.uint32
        )
        has = np.array([rank < len(readings) for readings in forms.values()])[form_numbers_here]
        mixed = (features[has] ^ key_of[form_numbers_here[has]][:, None]) * np.uint32(MIX)
        slots.append(mixed >> np.uint32(32 - TABLE_BITS))
        targets.append(answers[has] == rank)
        repeats.append(weights[has])
    order = rng.permutation(sum(map(len, slots)))
    return quantised(
        fit(
            np.concatenate(slots)[order],
            np.concatenate(targets)[order],
            np.concatenate(repeats)[order],
            1 << TABLE_BITS,
            EPOCHS,
            rng,
        )
    )


def corpus_features(ids: np.ndarray, places: np.ndarray, keys: Sequence[np.ndarray], cases: np.ndarray) -> np.ndarray:
    """Return `context_features` of many places of a corpus of token ids, a row each."""
    whole, end = keys
    before, after = whole[ids[places - 1]], whole[ids[places + 1]]
    columns = [
        before ^ np.uint32(keys_of.BEFORE),
        after ^ np.uint32(keys_of.AFTER),
        end[ids[places - 1]] ^ np.uint32(keys_of.BEFORE_END),
        end[ids[places + 1]] ^ np.uint32(keys_of.AFTER_END),
        whole[ids[places - 2]] ^ np.uint32(keys_of.BEFORE_2),
        whole[ids[places + 2]] ^ np.uint32(keys_of.AFTER_2),
        (before * np.uint32(31) + after) ^ np.uint32(keys_of.AROUND),
        cases[ids[places]].astype(np.uint32) * np.uint32(CASE_MIX) ^ np.uint32(keys_of.CASE),
        np.full(len(places), keys_of.ALWAYS, np.uint32),
    ]
    return np.stack(columns, axis=1)


def _sample(places: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    sizes = np.bincount(groups)
    rates = np.minimum(1, MOST_PLACES / np.maximum(sizes, 1))
    kept = rng.random(len(places)) < rates[groups]
    return places[kept], (1 / rates[groups[kept]]).astype(np.float32)
