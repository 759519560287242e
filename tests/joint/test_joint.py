"""`JointAnalyzer` through its public names, with a small network of random weights: what holds for any weights."""

from __future__ import annotations

import gc
import json
import shutil
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_network import random_sentences

from training.joint.conversion import relearn_lemmas
from vnlp_colab.annotator.loading import check_annotator
from vnlp_colab.annotator.protocol import Batch
from vnlp_colab.joint import joint_colab
from vnlp_colab.joint.answers import Answers
from vnlp_colab.joint.joint_colab import JointAnalyzer, JointWord
from vnlp_colab.joint.words import WordVectors
from vnlp_colab.runtime import SessionOptions
from vnlp_colab.trees.tree import is_tree

if TYPE_CHECKING:
    from pathlib import Path

SENTENCES = random_sentences(30, 12, seed=1)
ODD = ["\ud800", "", " ", "a" * 5000, "😀", "\u0307", "漢字"]


def is_parse(arcs: list[tuple[int, str]]) -> bool:
    heads = [head for head, _ in arcs]
    roots = [head == 0 for head in heads]
    return is_tree(heads) and roots == [relation == "root" for _, relation in arcs]


def test_it_is_an_annotator_with_the_names_of_every_model(analyzer: JointAnalyzer) -> None:
    assert check_annotator("pos", analyzer) is analyzer
    assert analyzer.device == "cpu"
    assert analyzer.input_names == ["vectors", "places", "lengths", "styles", "entity_styles"]
    assert {"upos", "feats", "lemma", "entity", "arcs"} <= set(analyzer.output_names)
    assert analyzer.inference_session is analyzer.inference_session


def test_every_column_has_a_value_a_token_or_one_a_sentence(analyzer: JointAnalyzer) -> None:
    columns = analyzer.annotate(Batch(SENTENCES, [" ".join(s) for s in SENTENCES]), analyzer.provides)
    assert set(columns) == set(analyzer.provides)
    for name, values in columns.items():
        assert len(values) == len(SENTENCES)
        if not name.startswith("sentiment"):
            assert [len(value) for value in values] == [len(sentence) for sentence in SENTENCES]
    assert all(0 <= score <= 1 for score in columns["sentiment"])
    assert all(0 < share <= 1 for row in columns["pos_confidence"] for share in row)


def test_every_sentence_has_one_tree_and_only_its_root_is_root(analyzer: JointAnalyzer) -> None:
    assert all(map(is_parse, analyzer.analyze_batch(SENTENCES, ("dep",))["dep"]))


def test_no_label_that_stands_for_none_is_given(analyzer: JointAnalyzer) -> None:
    columns = analyzer.analyze_batch(SENTENCES, ("pos", "feats", "dep"))
    assert "" not in {tag for row in columns["pos"] for tag in row}
    assert "?" not in {feats for row in columns["feats"] for feats in row}
    assert "" not in {relation for row in columns["dep"] for _, relation in row}


def test_a_sentence_gets_the_same_answers_alone_among_others_and_from_several_threads(analyzer: JointAnalyzer) -> None:
    together = analyzer.analyze_batch(SENTENCES, analyzer.provides)
    several = JointAnalyzer(device="cpu", options=SessionOptions(threads=3))
    assert several.analyze_batch(SENTENCES, analyzer.provides) == together
    for at in (0, 7, 19):
        alone = analyzer.analyze_batch([SENTENCES[at]], analyzer.provides)
        assert {name: values[0] for name, values in alone.items()} == {n: v[at] for n, v in together.items()}


def test_a_column_is_the_same_whatever_else_is_asked_for(analyzer: JointAnalyzer) -> None:
    whole = analyzer.analyze_batch(SENTENCES, analyzer.provides)
    for name in analyzer.provides:
        assert analyzer.analyze_batch(SENTENCES, (name,)) == {name: whole[name]}


@pytest.mark.parametrize("length", [12, 13, 25, 200])
def test_longer_sentences_than_the_network_reads_get_one_tree(analyzer: JointAnalyzer, length: int) -> None:
    sentence = [word for part in random_sentences(60, 12, seed=2) for word in part][:length]
    columns = analyzer.analyze_batch([sentence, ["ev"], sentence], analyzer.provides)
    assert len(columns["pos"][0]) == length
    assert is_parse(columns["dep"][0])
    assert all(values[0] == values[2] for values in columns.values())


def test_sentences_of_thousands_of_words_are_joined_from_several_trees(
    analyzer: JointAnalyzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vnlp_colab.joint.passes.TREE_WORDS", 50)
    sentence = [word for part in random_sentences(100, 12, seed=2) for word in part][:220]
    arcs = analyzer.analyze_batch([sentence], ("dep",))["dep"][0]
    assert is_parse(arcs)
    assert any(relation == "parataxis" for _, relation in arcs)


def test_the_sentiment_of_a_long_text_is_of_all_its_words(analyzer: JointAnalyzer) -> None:
    text = [word for part in random_sentences(20, 12, seed=3) for word in part]
    whole = analyzer.analyze_batch([text], ("sentiment",))["sentiment"][0]
    changed = analyzer.analyze_batch([["berbat"] * 30 + text[30:]], ("sentiment",))["sentiment"][0]
    assert whole != changed


def test_predict_says_everything_of_each_word(analyzer: JointAnalyzer) -> None:
    words = analyzer.predict(["Ali", "eve", "gitti", "."])
    assert [word.token for word in words] == ["Ali", "eve", "gitti", "."]
    assert all(isinstance(word, JointWord) for word in words)
    assert sorted(word.relation for word in words).count("root") == 1
    assert analyzer.predict([]) == []
    assert analyzer.predict_batch([[], ["Ali"]]) == [[], analyzer.predict(["Ali"])]


@pytest.mark.parametrize("collects", [True, False])
def test_the_garbage_collector_is_left_as_it_was(analyzer: JointAnalyzer, collects: bool, monkeypatch) -> None:
    sentences = [["Ali", "geldi", "."]] * 3
    (gc.enable if collects else gc.disable)()
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: analyzer.analyze_batch(sentences, ("pos", "dep")), range(200)))
        assert gc.isenabled() is collects
        monkeypatch.setattr(Answers, "_columns", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            analyzer.analyze_batch(sentences, ("pos",))
        assert gc.isenabled() is collects
    finally:
        gc.enable()


def test_what_is_no_sentence_is_refused(analyzer: JointAnalyzer) -> None:
    with pytest.raises(TypeError, match="tokenize it first"):
        analyzer.predict("Ali eve gitti.")
    with pytest.raises(TypeError, match="token 1"):
        analyzer.predict(["Ali", None])


def test_styles_change_answers_and_fingerprint_and_are_checked(analyzer: JointAnalyzer) -> None:
    boun = JointAnalyzer(device="cpu", style="boun")
    assert boun.fingerprint != analyzer.fingerprint
    assert boun.analyze_batch(SENTENCES, ("pos",)) != analyzer.analyze_batch(SENTENCES, ("pos",))
    other = JointAnalyzer(device="cpu", entity_style="wikiann_tr")
    assert other.analyze_batch(SENTENCES, ("pos",)) == analyzer.analyze_batch(SENTENCES, ("pos",))
    assert other.analyze_batch(SENTENCES, ("ner",)) != analyzer.analyze_batch(SENTENCES, ("ner",))
    with pytest.raises(ValueError, match="generic, boun"):
        JointAnalyzer(device="cpu", style="imst")


def test_what_only_training_reads_stays_out_of_the_file(joint_folder: Path, labels: dict[str, object]) -> None:
    written = json.loads((joint_folder / "Joint_labels.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(labels))


def test_the_files_can_be_told_other_lemmas(
    joint_folder: Path, labels: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(joint_folder, tmp_path / "relearnt")
    with pytest.raises(ValueError, match="vocabularies"):
        relearn_lemmas(folder, {"NOUN": "ev"})  # type: ignore[dict-item]
    known = {tag: {"2": "ev"} for tag in labels["upos"]}
    relearn_lemmas(folder, known)
    written = json.loads((folder / "Joint_labels.json").read_text(encoding="utf-8"))
    assert written["lemma"] == {**labels["lemma"], "known": known}
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(folder))  # read only if the manifest has its sum
    model = JointAnalyzer(device="cpu", options=SessionOptions(threads=1))
    assert len(model.analyze_batch([["evde", *ODD]], ("lemma",))["lemma"][0]) == 1 + len(ODD)


def test_odd_words_are_analysed(analyzer: JointAnalyzer) -> None:
    assert is_parse(analyzer.analyze_batch([ODD], ("dep", "lemma"))["dep"][0])


def test_states_of_words_are_those_of_windows(analyzer: JointAnalyzer) -> None:
    states = analyzer.word_states([*SENTENCES, ["ev"] * 40])
    assert [len(state) for state in states] == [*map(len, SENTENCES), 40]
    assert all(state.shape[1] == 64 for state in states)


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(1, 20))
def test_calls_are_taken_in_parts_of_so_many_tokens(lengths: list[int], most: int) -> None:
    ends = list(joint_colab._ends(np.array(lengths, np.int64), most))
    parts = [lengths[start:end] for start, end in pairwise([0, *ends])]
    assert [length for part in parts for length in part] == lengths
    assert all(len(part) == 1 or sum(part) <= most for part in parts)
    # no part could have taken the first sentence of the next one
    assert all(sum(part) + following[0] > most for part, following in pairwise(parts))


class Counting:
    """A session that counts the words it is given."""

    def __init__(self) -> None:
        self.words = 0

    def run(self, _: list[str], feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.words += len(feeds["pieces"])
        return [feeds["affixes"][:, :2].astype(np.float32)]


@pytest.fixture
def counted(analyzer: JointAnalyzer) -> tuple[WordVectors, Counting]:
    session = Counting()
    return WordVectors(session, analyzer._words._tokenizer, 2, capacity=8), session


def test_a_word_is_encoded_once_and_the_words_used_last_are_kept(counted: tuple[WordVectors, Counting]) -> None:
    vectors, session = counted
    table, rows = vectors.lookup([["a", "b", "a"], ["b"]])
    assert session.words == 2
    assert rows.tolist() == [0, 1, 0, 1]
    vectors.lookup([["c", "d", "e"]])
    vectors.lookup([["a"]])
    vectors.lookup([["f", "g", "h", "i"]])  # no room: the four used last are kept, a among them
    assert len(vectors) <= 8
    before = session.words
    vectors.lookup([["a", "i"]])
    assert session.words == before
    vectors.forget()
    assert len(vectors) == 0
    # what was given out before is as it was
    assert np.array_equal(table[rows[:2]], vectors.encode(["a", "b"]))


def test_more_words_than_are_kept_and_very_long_ones_are_encoded_all_the_same(
    counted: tuple[WordVectors, Counting],
) -> None:
    vectors, _ = counted
    words = [f"kelime{number}" for number in range(20)] + ["u" * 100]
    table, rows = vectors.lookup([words])
    assert np.array_equal(table[rows], vectors.encode(words))


def test_a_very_long_word_does_not_keep_others_from_being_kept(counted: tuple[WordVectors, Counting]) -> None:
    vectors, session = counted
    words = ["a", "u" * 100, "b", "v" * 100, "u" * 100]
    for _ in range(2):
        table, rows = vectors.lookup([words])
        assert np.array_equal(table[rows], vectors.encode(words))
    assert len(vectors) == 2
    before = session.words
    vectors.lookup([["b", "w" * 100, "a"]])
    assert session.words == before + 1


@pytest.mark.parametrize(
    ("sentences", "wanted", "message"),
    [
        ([["ev"]], ("morph",), "no column 'morph'"),
        ([["ev"], []], ("pos",), "sentence 1 has no token"),
        ("Ali geldi", ("pos",), "lists of tokens"),
        (["Ali geldi"], ("pos",), "lists of tokens"),
    ],
)
def test_what_cannot_be_analysed_is_told(analyzer: JointAnalyzer, sentences, wanted, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        analyzer.analyze_batch(sentences, wanted)


class TestBesideAGPU:
    """What a GPU changes around the network, with sessions of the CPU: bound outputs, only words in use travel."""

    @pytest.fixture
    def beside(self, analyzer: JointAnalyzer, monkeypatch: pytest.MonkeyPatch) -> JointAnalyzer:
        monkeypatch.setitem(joint_colab._BUDGET, "cuda", 32)
        monkeypatch.setitem(joint_colab._RUN, "cuda", 1)
        monkeypatch.setitem(joint_colab._TOKENS, "cuda", 100)
        made = JointAnalyzer(device="cpu", options=SessionOptions(threads=1))
        made.device = "cuda"
        made._passes._binds = True
        return made

    def test_answers_are_those_of_the_cpu_in_the_order_given(
        self, analyzer: JointAnalyzer, beside: JointAnalyzer
    ) -> None:
        sentences = [*SENTENCES, ["ev"] * 40, *reversed(SENTENCES)]
        expected = analyzer.analyze_batch(sentences, analyzer.provides)
        assert beside.analyze_batch(sentences, analyzer.provides) == expected

    def test_what_goes_wrong_is_told(self, beside: JointAnalyzer) -> None:
        def broken(*_):
            raise ValueError("no such luck")

        beside._answers.columns = broken
        with pytest.raises(ValueError, match="no such luck"):
            beside.analyze_batch(SENTENCES, ("pos",))


class TestSharedSessions:
    def test_styles_share_sessions_and_words(self, analyzer: JointAnalyzer) -> None:
        other = JointAnalyzer(device="cpu", options=SessionOptions(threads=1), style="boun", entity_style="wikiann_tr")
        assert other.inference_session is analyzer.inference_session
        assert other._words is analyzer._words
        # and still answer in their own way, in any order
        alone = analyzer.analyze_batch(SENTENCES, ("pos", "ner"))
        in_style = other.analyze_batch(SENTENCES, ("pos", "ner"))
        assert alone != in_style
        assert analyzer.analyze_batch(SENTENCES, ("pos", "ner")) == alone
        assert other.analyze_batch(SENTENCES, ("pos", "ner")) == in_style

    def test_other_settings_have_sessions_of_their_own(self, analyzer: JointAnalyzer) -> None:
        more = JointAnalyzer(device="cpu", options=SessionOptions(threads=2))
        assert more.inference_session is not analyzer.inference_session

    def test_other_files_have_sessions_of_their_own(
        self, analyzer: JointAnalyzer, joint_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shutil.copytree(joint_folder, tmp_path / "copy")
        monkeypatch.setenv("VNLP_COLAB_MODELS", str(tmp_path / "copy"))
        copy = JointAnalyzer(device="cpu", options=SessionOptions(threads=1))
        assert copy.inference_session is not analyzer.inference_session

    def test_sessions_go_with_the_last_analyzer(self, analyzer: JointAnalyzer) -> None:
        options = SessionOptions(threads=1, log_level=4)
        made = [JointAnalyzer(device="cpu", options=options, style=style) for style in ("boun", "penn")]
        held = weakref.ref(made[0]._loaded)
        made.pop()
        gc.collect()
        assert held() is not None
        made.pop()
        gc.collect()
        assert held() is None
