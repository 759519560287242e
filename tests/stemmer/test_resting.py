"""Pads read by the units that still move: the same states as by all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from test_stemmer import SENTENCES, ambiguous_places, long_sentence

from vnlp_colab.recurrent.gru import GRUWeights
from vnlp_colab.stemmer import contexts
from vnlp_colab.stemmer.resting import SETTLING, Resting

if TYPE_CHECKING:
    import pytest

    from vnlp_colab.stemmer.stemmer_colab import StemmerAnalyzer

UNITS, FORGETFUL = 12, 8


def layer_that_forgets(rng: np.random.Generator) -> GRUWeights:
    """A layer whose first units keep nothing of their state and hear of none."""
    recurrent = rng.normal(size=(UNITS, 3, UNITS)).astype(np.float32)
    recurrent[:, :, :FORGETFUL] = 0
    bias = np.zeros((3, UNITS), np.float32)
    bias[0, :FORGETFUL] = -30  # z: all of the new, nothing of the old
    none = np.zeros((1, 3 * UNITS), np.float32)
    return GRUWeights(none, recurrent.reshape(UNITS, -1), bias.ravel(), np.zeros(3 * UNITS, np.float32))


def test_units_that_keep_nothing_rest() -> None:
    rng = np.random.default_rng(0)
    layer = layer_that_forgets(rng)
    pad = rng.normal(size=3 * UNITS).astype(np.float32) + layer.bias
    found = Resting.found(layer, pad, rng.uniform(-1, 1, size=(64, UNITS)).astype(np.float32))
    assert found is not None
    assert found.moving.tolist() == list(range(FORGETFUL, UNITS))
    np.testing.assert_allclose(found.values[:FORGETFUL], np.tanh(pad[2 * UNITS :][:FORGETFUL]), atol=1e-6)


def test_a_layer_that_never_rests_has_none() -> None:
    rng = np.random.default_rng(0)
    layer = GRUWeights(
        np.zeros((1, 3 * UNITS), np.float32),
        rng.normal(size=(UNITS, 3 * UNITS)).astype(np.float32),
        np.zeros(3 * UNITS, np.float32),
        np.zeros(3 * UNITS, np.float32),
    )
    states = rng.uniform(-1, 1, size=(64, UNITS)).astype(np.float32)
    assert Resting.found(layer, np.zeros(3 * UNITS, np.float32), states) is None


def test_the_small_layer_steps_as_the_whole_one() -> None:
    rng = np.random.default_rng(0)
    layer = layer_that_forgets(rng)
    pad = rng.normal(size=3 * UNITS).astype(np.float32) + layer.bias
    states = rng.uniform(-1, 1, size=(5, UNITS)).astype(np.float32)
    found = Resting.found(layer, pad, states)
    assert found is not None
    for _ in range(SETTLING):
        states = layer.step(states, pad[None])
    small = found.small_layer(layer, pad)
    # float32 sums in another order
    np.testing.assert_allclose(
        small.step(states[:, found.moving], small.input_bias[None]),
        layer.step(states, pad[None])[:, found.moving],
        atol=1e-6,
    )


class TestStemmer:
    places = ambiguous_places([*SENTENCES, long_sentence(110)])

    def test_it_is_used_and_holds(self, stemmer: StemmerAnalyzer, monkeypatch: pytest.MonkeyPatch) -> None:
        runs = self.watched(monkeypatch)
        stemmer.probabilities(self.places)
        assert runs
        assert set(runs) == {True}

    def test_the_whole_layer_reads_where_it_does_not_hold(
        self, stemmer: StemmerAnalyzer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        expected = stemmer.probabilities(self.places)
        monkeypatch.setattr(contexts, "TOLERANCE", -1.0)
        runs = self.watched(monkeypatch)
        whole = stemmer.probabilities(self.places)
        assert set(runs) == {True, False}
        # as between the incremental and the full network; 1e-6 was measured
        np.testing.assert_allclose(whole, expected, atol=1e-5)

    @staticmethod
    def watched(monkeypatch: pytest.MonkeyPatch) -> list[bool | None]:
        """Return a list that tells of every run whether units were taken to rest."""
        runs: list[bool | None] = []
        run = contexts.ContextReader._run

        def watch(self, *arguments, resting):
            runs.append(resting)
            return run(self, *arguments, resting=resting)

        monkeypatch.setattr(contexts.ContextReader, "_run", watch)
        return runs
