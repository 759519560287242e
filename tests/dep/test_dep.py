from __future__ import annotations

import numpy as np
import pytest
from small_models import DP, random_sentences

from vnlp_colab.annotator.answers import Parsed
from vnlp_colab.dep.dep_colab import DependencyParser, SPUContextDP
from vnlp_colab.trees.arcs import read_scores
from vnlp_colab.trees.segments import cut_sentence, join_segments
from vnlp_colab.trees.tree import is_tree

LENGTHS = [1, 2, 5, 20, 39, 40, 41, 42, 80, 81, 100, 120]


def test_answers_equal_the_full_windows(small_models):
    sentences = random_sentences(LENGTHS)
    fast, plain = SPUContextDP(device="cpu"), SPUContextDP(device="cpu", decoding="stepwise")
    for tree in (True, False):
        assert fast.predict_batch(sentences, tree=tree) == plain.predict_batch(sentences, tree=tree)


def test_every_sentence_gets_one_tree(small_models):
    sentences = random_sentences([*LENGTHS, 0, 450])
    answers = DependencyParser(device="cpu").predict_batch(sentences)
    for sentence, answer in zip(sentences, answers, strict=True):
        assert [(index, token) for index, token, _, _ in answer] == list(enumerate(sentence, start=1))
        assert is_tree([head for _, _, head, _ in answer])
        assert {relation for *_, relation in answer} <= set(DP)
        assert all((relation == "root") == (head == 0) for _, _, head, relation in answer)


def test_raw_heads_are_the_best_arcs(small_models):
    model = SPUContextDP(device="cpu", tree=False)
    sentence = random_sentences([25])[0]
    (scores,) = model.scores([sentence])
    assert [head for _, _, head, _ in model.predict(sentence)] == scores[:, :41].argmax(axis=1).tolist()


def scores_for(heads, relations, width=41):
    scores = np.full((len(heads), width + len(DP)), 0.01, np.float32)
    scores[np.arange(len(heads)), heads] = 0.9
    scores[np.arange(len(heads)), [width + DP.index(relation) for relation in relations]] = 0.8
    return scores


def test_the_root_alone_is_root_and_raw_relations_are_those_of_the_network():
    # a reader of CoNLL-U refuses `root` anywhere else; what Keras says is compared with tree=False
    scores = scores_for([2, 0], ["root", "punct"])
    scores[0, 41 + DP.index("nsubj")] = 0.5
    assert read_scores(scores, 41, DP, tree=True) == Parsed([2, 0], ["nsubj", "root"])
    assert read_scores(scores, 41, DP, tree=False) == Parsed([2, 0], ["root", "punct"])


def test_a_repaired_tree_has_root_at_its_root():
    scores = scores_for([2, 1, 2], ["root", "nsubj", "punct"])
    scores[1, 0] = 0.5
    parsed = read_scores(scores, 41, DP, tree=True)
    assert parsed.heads == [2, 0, 2]
    assert [relation == "root" for relation in parsed.relations] == [False, True, False]
    assert read_scores(scores, 41, DP, tree=False).heads == [2, 1, 2]


def test_long_sentences_are_cut_at_commas_where_there_are_some():
    tokens = ["x"] * 30 + [","] + ["y"] * 25 + ["."]
    assert cut_sentence(tokens, 40) == [slice(0, 31), slice(31, 57)]
    assert cut_sentence(["x"] * 41, 40) == [slice(0, 21), slice(21, 41)]
    assert cut_sentence(["x"] * 40, 40) == [slice(0, 40)]


@pytest.mark.parametrize("length", [41, 79, 80, 81, 400])
def test_segments_cover_the_sentence(length):
    for tokens in (["x"] * length, [","] * length, random_sentences([length])[0]):
        segments = cut_sentence(tokens, 40)
        assert [token for segment in segments for token in tokens[segment]] == tokens
        assert all(0 < segment.stop - segment.start <= 40 for segment in segments)


def test_parts_hang_on_the_root_of_the_last_clause():
    tokens = ["Ali", "geldi", ",", "Veli", "gitti", "."]
    segments = [slice(0, 3), slice(3, 5), slice(5, 6)]
    parts = [
        Parsed([2, 0, 2], ["nsubj", "root", "punct"]),
        Parsed([2, 0], ["nsubj", "root"]),
        Parsed([0], ["punct"]),  # punctuation alone carries nothing
    ]
    assert join_segments(tokens, segments, parts) == Parsed(
        [2, 5, 2, 5, 0, 5], ["nsubj", "parataxis", "punct", "nsubj", "root", "punct"]
    )


def test_a_string_is_a_clear_type_error(small_models):
    with pytest.raises(TypeError, match="TreebankWordTokenize"):
        DependencyParser(device="cpu").predict("Ali geldi")
