"""What a treebank calls its words: what is looked at, how it is kept, and what it changes beside the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from vnlp_colab.errors import VNLPError
from vnlp_colab.joint.answers import Answers, Said
from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.joint.looks import LOOKS, NOTHING, RELATIONS, TAGS, seen
from vnlp_colab.joint.usage import Linear, Usage, packed, read_usage, write_usage
from vnlp_colab.trees.tree import is_tree

if TYPE_CHECKING:
    from vnlp_colab.joint.vocabulary import Vocabulary

SENTENCES = [["Ali", "eve", "gitti", "."], ["Ayşe", "ile", "Ali", "geldi", "."], ["Evet"]]


def model(keys: np.ndarray, label: int, labels: int, score: float = 9.0) -> Linear:
    """A model for which every word that has one of the keys has the label."""
    table = np.zeros((len(keys) + 1, labels), np.float32)
    table[:-1, label] = score
    return Linear(np.sort(keys), table, np.zeros(labels, np.float32), 1.0)


def test_a_word_is_seen_with_its_neighbours_and_not_beyond_its_sentence() -> None:
    keys = seen(TAGS, ["bu", "ev", "bu", "ev", "bu"], [2, 2, 1])
    assert keys[0].tolist() == keys[2].tolist()
    alone, beside = keys[4], keys[0]
    assert (alone == beside).any()  # the word itself
    assert not (alone == beside).all()  # what follows it


def test_case_and_turkish_letters_are_forgotten_but_for_the_shape_and_the_lexicon() -> None:
    look = LOOKS[TAGS].index("end3")
    capitals, small, plain = (seen(TAGS, [word], [1])[0] for word in ("IŞIKLAR", "ışıklar", "isiklar"))
    assert capitals[look] == small[look] == plain[look]
    assert capitals[LOOKS[TAGS].index("shape")] != small[LOOKS[TAGS].index("shape")]


def test_a_relation_is_seen_with_its_head() -> None:
    words, tags = ["Ali", "eve", "gitti"], np.array([1, 2, 3])
    one, other = (seen(RELATIONS, words, [3], tags, np.array(heads)) for heads in ([3, 3, 0], [2, 3, 0]))
    look = LOOKS[RELATIONS].index("word@head")
    assert one[0, look] != other[0, look]
    assert one[1, look] == other[1, look]
    assert one[2, LOOKS[RELATIONS].index("word")] == other[2, LOOKS[RELATIONS].index("word")]


def test_relations_want_parts_of_speech() -> None:
    with pytest.raises(ValueError, match="no parts of speech"):
        seen(RELATIONS, ["Ali"], [1])


def test_a_reading_is_the_same_whichever_of_a_words_readings_it_is() -> None:
    readings = seen(TAGS, ["kitabı", "evini"], [1, 1])[:, len(LOOKS[TAGS]) :]
    # both may be an accusative of a third person's, the first as its second reading
    assert set(readings[0].tolist()) & set(readings[1].tolist()) - {NOTHING}


def test_odd_words_are_seen_too() -> None:
    words = ["", " ", "\ud800", "👍", "x" * 5000]
    assert seen(TAGS, words, [5]).shape == seen(TAGS, ["a"] * 5, [5]).shape
    assert seen(TAGS, [], []).shape[0] == 0


def test_a_model_is_kept_in_eight_bits() -> None:
    rng = np.random.default_rng(1)
    keys = np.sort(rng.choice(2**32 - 1, 50, replace=False).astype(np.uint32) + np.uint32(1))
    table = np.where(rng.random((51, 6)) < 0.5, 0, rng.standard_normal((51, 6))).astype(np.float32)
    table[-1] = table[3] = 0
    made = Linear(keys, table, rng.standard_normal(6).astype(np.float32), 0.5)
    content = write_usage({"boun.tags": packed(made)})
    found = read_usage(content, "boun").models[TAGS]
    step = float(np.abs(table).max()) / 127
    assert len(found.keys) == (np.abs(table) > step / 2).any(axis=1).sum() < 50  # what says nothing is not kept
    asked = rng.choice(keys, (20, 4))
    # a number is at most half a step away, a sum of four at most two; half of that by the weight, and log-sums no more
    np.testing.assert_allclose(found.scores(asked), made.scores(asked), atol=2 * step + 1e-5)
    assert write_usage({"boun.tags": packed(made)}) == content
    assert not read_usage(content, "penn").models


def test_scores_are_logarithms_of_probabilities_by_weight() -> None:
    keys = seen(TAGS, ["bu", "ev"], [2])
    made = model(keys[0], 1, 3)
    assert np.exp(made.scores(keys)).sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert made.scores(keys).argmax(axis=1).tolist()[0] == 1
    assert made.scores(np.full((1, keys.shape[1]), 12345, np.uint32))[0] == pytest.approx(np.log([1 / 3] * 3), abs=1e-5)


def test_a_model_without_keys_has_its_bias() -> None:
    made = Linear(np.array([], np.uint32), np.zeros((1, 2), np.float32), np.log([0.25, 0.75]).astype(np.float32), 1.0)
    assert np.exp(made.scores(np.ones((3, 4), np.uint32))) == pytest.approx(np.array([[0.25, 0.75]] * 3))


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return JointAnalyzer(device="cpu").vocabulary


def test_what_is_usual_is_added_to_what_the_network_says(vocabulary: Vocabulary) -> None:
    noun, verb = vocabulary.upos.index("NOUN"), vocabulary.upos.index("VERB")
    upos = np.full((2, len(vocabulary.upos)), -9, np.float32)
    upos[:, noun], upos[:, verb] = 1, 0
    said = Said({"upos": upos, "feats": np.zeros((2, 1), np.int64), "feats_scores": np.zeros((2, 1), np.float32)})
    keys = seen(TAGS, ["gel", "ev"], [1, 1])
    usual = Usage({TAGS: model(np.setdiff1d(keys[0], keys[1]), verb, len(vocabulary.upos))})
    found = Answers(vocabulary, 0, usual).columns([["gel"], ["ev"]], said, ("pos", "pos_confidence"))
    assert found["pos"] == [["VERB"], ["NOUN"]]
    assert found["pos_confidence"][0][0] > 0.9
    assert said.words["upos"].argmax(axis=1).tolist() == [noun, noun]  # what was said stays as it was


def test_relations_need_parts_of_speech_only_where_usage_speaks_of_them(vocabulary: Vocabulary) -> None:
    relations = Usage({RELATIONS: model(np.array([7], np.uint32), 3, len(vocabulary.relations))})
    assert "upos" not in Answers(vocabulary).needs(("dep",))
    assert "upos" in Answers(vocabulary, 0, relations).needs(("dep",))
    assert "upos" not in Answers(vocabulary, 0, relations).needs(("ner",))


def test_an_analyzer_calls_relations_what_is_usual(vocabulary: Vocabulary) -> None:
    wanted = vocabulary.relations.index("clf")
    usual = Linear(
        np.array([1], np.uint32),
        np.zeros((2, len(vocabulary.relations)), np.float32),
        np.where(np.arange(len(vocabulary.relations)) == wanted, 99, 0).astype(np.float32),
        1.0,
    )
    analyzer = JointAnalyzer(device="cpu", usage=Usage({RELATIONS: usual}))
    for row in analyzer.analyze_batch(SENTENCES, ("dep",))["dep"]:
        heads, relations = zip(*row, strict=True)
        assert is_tree(heads)
        assert {name for head, name in row if head} <= {"clf", "punct"}
        assert relations.count("root") == 1


@pytest.mark.parametrize("style", ["boun", "kenet", "penn", "tourism", "framenet", "atis"])
def test_a_style_answers_the_same_alone_and_in_a_batch_column_by_column(style: str) -> None:
    analyzer = JointAnalyzer(device="cpu", style=style)
    together = analyzer.analyze_batch(SENTENCES, ("pos", "lemma", "dep"))
    for at, sentence in enumerate(SENTENCES):
        for name in together:
            assert analyzer.analyze_batch([sentence], (name,))[name][0] == together[name][at]


def test_sentences_beyond_a_window_have_trees_in_a_style_too() -> None:
    tokens = ["Ali", "eve", "gitti", "ve"] * 60
    [row] = JointAnalyzer(device="cpu", style="penn").analyze_batch([tokens], ("dep",))["dep"]
    assert is_tree([head for head, _ in row])


def test_the_generic_style_leaves_all_to_the_network() -> None:
    both = JointAnalyzer(device="cpu"), JointAnalyzer(device="cpu", usage=Usage({}))
    names = ("pos", "feats", "lemma", "dep")
    assert both[0].analyze_batch(SENTENCES, names) == both[1].analyze_batch(SENTENCES, names)


def test_boun_and_penn_have_a_usage_of_their_own() -> None:
    # the words its annotators agree on, and that a network of all treebanks is unsure of, are what it is for
    boun, penn = (JointAnalyzer(device="cpu", style=style) for style in ("boun", "penn"))
    assert set(boun.usage.models) == {TAGS}
    assert set(penn.usage.models) == {RELATIONS}


def test_an_analyzer_of_another_usage_is_another_one() -> None:
    own, without = JointAnalyzer(device="cpu", style="penn"), JointAnalyzer(device="cpu", style="penn", usage=Usage({}))
    assert own.fingerprint != without.fingerprint
    assert own.fingerprint == JointAnalyzer(device="cpu", style="penn").fingerprint


def test_a_graph_that_cannot_say_how_likely_relations_are_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnlp_colab.joint.joint_colab.output_names", lambda _: ["relations", "certainties"])
    with pytest.raises(VNLPError, match=r"Joint_choices\.onnx"):
        JointAnalyzer(device="cpu", style="penn")
    JointAnalyzer(device="cpu", style="boun")  # tags need no such output
