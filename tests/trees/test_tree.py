"""Trees against brute force over all of them."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from vnlp_colab.trees.tree import best_tree, is_tree, valid_heads


def reaches_root(heads) -> bool:
    """The definition: one root, and every word comes to it."""
    size = len(heads)
    if list(heads).count(0) != 1 or not all(0 <= head <= size for head in heads):
        return False
    for word in range(1, size + 1):
        for _ in range(size):
            word = heads[word - 1] if word else 0
        if word:
            return False
    return True


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_is_tree_knows_all_trees(size):
    every = list(itertools.product(range(size + 2), repeat=size))
    assert [is_tree(heads) for heads in every] == [reaches_root(heads) for heads in every]
    assert sum(map(is_tree, every)) == size ** (size - 1)  # rooted labelled trees, by Cayley


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["different", "ties"])
def test_best_tree_is_the_best_of_all(size, kind):
    rng = np.random.default_rng(size)
    trees = [heads for heads in itertools.product(range(size + 1), repeat=size) if is_tree(heads)]
    for _ in range(40):
        scores = rng.normal(size=(size, size + 1)) if kind == "different" else rng.integers(0, 3, (size, size + 1))
        rows = np.arange(size)
        found = best_tree(scores.astype(float))
        assert is_tree(found)
        # sums of at most five float64
        assert scores[rows, found].sum() == pytest.approx(max(scores[rows, list(tree)].sum() for tree in trees))


def test_heads_that_form_a_tree_stay():
    scores = np.random.default_rng(0).random((3, 4))
    assert valid_heads([2, 0, 2], scores) == [2, 0, 2]
    assert valid_heads([], np.zeros((0, 1))) == []


@pytest.mark.parametrize(
    "heads", [[2, 3, 1], [0, 0, 1], [2, 1, 0], [9, 0, 1], [1, 0, 2]],
    ids=["no root", "two roots", "cycle", "past the end", "own head"],
)  # fmt: skip
def test_heads_that_form_none_are_replaced(heads):
    assert is_tree(valid_heads(heads, np.random.default_rng(1).random((3, 4))))


@pytest.mark.parametrize("fill", [0.0, 0.5, 1.0, np.nan, np.inf])
def test_scores_that_say_nothing_still_give_a_tree(fill):
    assert is_tree(valid_heads([0] * 12, np.full((12, 13), fill)))


def test_scores_that_are_no_numbers_do_not_hang():
    rng = np.random.default_rng(3)
    for size in rng.integers(2, 12, 200):
        scores = rng.random((size, size + 1))
        scores[rng.integers(size), rng.integers(size + 1)] = np.nan
        assert is_tree(valid_heads([0] * size, scores))


def test_long_sentences_do_not_hang():
    rng = np.random.default_rng(2)
    nested = np.full((400, 401), -50.0)  # each word prefers the next one, which prefers it: contraction in contraction
    for word in range(399):
        nested[word, word + 2] = -0.001 * word
        nested[word + 1, word + 1] = -1 - 0.01 * word
    started = time.perf_counter()
    for scores in (rng.normal(size=(400, 401)), nested):
        assert is_tree(best_tree(scores))
    assert time.perf_counter() - started < 10  # takes 0.2 s; a cubic search in Python would take minutes
