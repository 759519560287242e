"""TreeStackPoS and TreeStackDP: labels of Keras, both ways of decoding, windows, trees, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from treestack_sentences import RESOURCES, FakeStemmer, sentence

from vnlp_colab import PoSTagger, VNLPipeline
from vnlp_colab.annotator.protocol import Annotator, Batch
from vnlp_colab.decoding.stepwise import EncodedSentence, full_windows
from vnlp_colab.resources import ResourceError
from vnlp_colab.trees.tree import is_tree
from vnlp_colab.treestack import model as treestack_model
from vnlp_colab.treestack.dep import TreeStackDP
from vnlp_colab.treestack.pos import TreeStackPoS
from vnlp_colab.treestack.words import WordList, split_analysis

LENGTHS = (1, 2, 7, 39, 40, 41, 42, 101)


def _pos(**settings) -> TreeStackPoS:
    return TreeStackPoS(device="cpu", stemmer=FakeStemmer(), **settings)


def _dp(**settings) -> TreeStackDP:
    return TreeStackDP(device="cpu", stemmer=FakeStemmer(), pos_tagger=_pos(), **settings)


def _keras_pos_labels(model, word_list: WordList, tokens: list[str], labels: list[str]) -> list[str]:
    """Decode with Keras, windows written out for one word at a time."""
    analyses = FakeStemmer().predict_batch([tokens])[0]
    words, tags = word_list.encode(tokens, analyses)
    chosen: list[int] = []
    for t in range(len(tokens)):
        left, right = range(max(0, t - 40), t), range(t + 1, min(len(tokens), t + 41))
        inputs = [
            words[t : t + 1],
            tags[t],
            np.array([0] * (40 - len(left)) + [words[i] for i in left]),
            np.array([np.zeros(15)] * (40 - len(left)) + [tags[i] for i in left]),
            np.array([np.zeros(18)] * (40 - len(left)) + [np.eye(18)[chosen[i]] for i in left]),
            np.array([words[i] for i in right] + [0] * (40 - len(right))),
            np.array([tags[i] for i in right] + [np.zeros(15)] * (40 - len(right))),
        ]
        arrays = [array[None].astype(np.float32 if index == 4 else np.int32) for index, array in enumerate(inputs)]
        chosen.append(int(model.predict_on_batch(arrays)[0].argmax()))
    return [labels[number] for number in chosen]


def test_the_pipeline_loads_what_the_parser_needs(treestack_models) -> None:
    document = VNLPipeline(["dep:TreeStackDP"], device="cpu")("Ali eve geldi.")
    assert is_tree([head for head, _ in document.dep])


def test_tags_are_those_of_keras(treestack_models, keras_treestacks) -> None:
    taggers = [_pos(decoding=decoding) for decoding in ("incremental", "stepwise")]
    for length in (1, 5, 44):
        tokens = sentence(length)
        word_list, labels = taggers[0]._word_list, taggers[0].labels
        expected = _keras_pos_labels(keras_treestacks["TreeStackPoS"], word_list, tokens, labels)
        for tagger in taggers:
            assert tagger.predict(tokens) == list(zip(tokens, expected, strict=True)), tagger.decoding


def test_both_ways_of_tagging_agree(treestack_models) -> None:
    sentences = [sentence(length, seed) for length in LENGTHS for seed in range(3)]
    one, two = (_pos(decoding=decoding).label_batch(sentences) for decoding in ("incremental", "stepwise"))
    assert [answer.labels for answer in one] == [answer.labels for answer in two]
    for first, second in zip(one, two, strict=True):
        # float32 states added up in another order
        np.testing.assert_allclose(first.confidence, second.confidence, atol=1e-5)
    assert len({label for answer in one for label in answer.labels}) > 3


def test_both_ways_of_parsing_agree(treestack_models) -> None:
    sentences = [sentence(length, seed) for length in LENGTHS for seed in range(3)]
    one, two = (_dp(decoding=decoding).parse_batch(sentences, tree=False) for decoding in ("incremental", "stepwise"))
    assert one == two
    assert len({relation for answer in one for relation in answer.relations}) > 3


@pytest.mark.parametrize("length", LENGTHS)
def test_every_sentence_gets_one_tree(treestack_models, length: int) -> None:
    tokens = sentence(length)
    answer = _dp().predict(tokens)
    assert [(index, token) for index, token, _, _ in answer] == list(enumerate(tokens, start=1))
    assert is_tree([head for _, _, head, _ in answer])


def test_raw_heads_on_request(treestack_models) -> None:
    parser = _dp(tree=False)
    tokens = sentence(9)
    assert parser.predict(tokens) == _dp().predict(tokens, tree=False)


def test_parser_and_tagger_share_word_vectors_and_morphology(treestack_models, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = TreeStackDP(device="cpu")
    assert parser.pos_tagger is PoSTagger("TreeStackPoS", device="cpu").instance
    asked = []
    predict_batch = parser.stemmer.predict_batch
    monkeypatch.setattr(parser.stemmer, "predict_batch", lambda batch: asked.append(1) or predict_batch(batch))
    tokens = ["Ali", "eve", "geldi", "."]
    once = parser.predict(tokens)
    assert len(asked) == 1
    other = TreeStackDP(device="cpu", pos_tagger=TreeStackPoS(device="cpu", decoding="stepwise"))
    assert other.predict(tokens) == once


def test_parser_reads_words_and_not_characters(treestack_models) -> None:
    # upstream hands the sentence on as a string, so that the word at place 1 is its second letter
    parser = _dp()
    tokens = ["ba", "ce", "do"]
    words, _, pos = parser._encode(tokens, FakeStemmer().predict_batch([tokens])[0], ["P1", "P2", "nothing"]).columns
    assert words.tolist() == [parser._word_list.word_id(token, "") for token in tokens]
    assert pos.tolist() == [1, 2, 0]


@pytest.mark.parametrize("position", [0, 1, 39, 40, 41, 99, 100])
def test_windows(position: int) -> None:
    rows = np.arange(1, 102)
    sentence = EncodedSentence((rows,))
    windows = full_windows([sentence], [rows], position, [("at", 0), ("before", 0), ("after", 0)], 40)
    word, left, right = (window[0] for window in windows)
    assert word.tolist() == [position + 1]
    assert left.tolist() == ([0] * 40 + rows[:position].tolist())[-40:]
    assert right.tolist() == (rows[position + 1 :].tolist() + [0] * 40)[:40]


def test_word_ids_follow_training(treestack_models) -> None:
    words = WordList(RESOURCES["words.json"], RESOURCES["tags.json"])
    assert words.word_id("ba", "x") == words.word_id("x", "ba")  # the stem where only it is known
    assert words.word_id("Ba", "x") == words.word_id("ba", "x")  # small letters
    assert words.word_id("yok", "yok") == 1
    assert words.tag_ids(["Noun", "Nowhere"]) == [0] * 13 + [2, 1]
    assert words.tag_ids(["Noun"] * 20) == [2] * 15


def test_analysis_is_split_at_plus_and_derivation() -> None:
    assert split_analysis("ev+Noun+A3sg^DB+Verb") == ["ev", "Noun", "A3sg", "DB", "Verb"]
    assert split_analysis("++Punc") == ["+", "Punc"]
    assert split_analysis("x") == ["x"]
    assert split_analysis("") == [""]


def test_batches_and_empty_sentences(treestack_models) -> None:
    tagger, parser = _pos(), _dp()
    sentences = [sentence(4), [], sentence(12), [], sentence(1)]
    assert tagger.predict_batch(sentences) == [tagger.predict(tokens) for tokens in sentences]
    assert parser.predict_batch(sentences) == [parser.predict(tokens) for tokens in sentences]
    assert tagger.predict([]) == []
    assert parser.predict([]) == []
    assert tagger.predict_batch([]) == []
    assert parser.predict_batch([]) == []


@pytest.mark.parametrize("token", ["", "🙂", "\ud800", "\x00", "x" * 10_000, "١٢٣", "²"])
def test_unusual_tokens_get_an_answer(treestack_models, token: str) -> None:
    tokens = ["ba", token, "ce"]
    assert [word for word, _ in _pos().predict(tokens)] == tokens
    assert [word for _, word, _, _ in _dp().predict(tokens)] == tokens


@pytest.mark.parametrize("tokens", [None, 3, "ba ce", [None]])
def test_wrong_types_are_told(treestack_models, tokens: object) -> None:
    for model in (_pos(), _dp()):
        with pytest.raises(TypeError, match="token"):
            model.predict(tokens)  # type: ignore[arg-type]


def test_names_are_read_off_the_session(treestack_models) -> None:
    for model in (_pos(), _dp(decoding="stepwise")):
        assert model.input_names == [value.name for value in model.inference_session.get_inputs()]
        assert model.output_names == [value.name for value in model.inference_session.get_outputs()]
        assert model.device == "cpu"


def test_unknown_decoding_is_told(treestack_models) -> None:
    with pytest.raises(ValueError, match="incremental, stepwise"):
        _pos(decoding="fast")


@pytest.mark.parametrize(("model", "name"), [(TreeStackPoS, "TreeStackPoS"), (TreeStackDP, "TreeStackDP")])
def test_missing_model_names_the_command(model, name: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VNLP_COLAB_MODELS", raising=False)
    monkeypatch.delenv("VNLP_COLAB_MODEL_URL", raising=False)
    monkeypatch.setenv("VNLP_COLAB_CACHE", str(tmp_path))
    with pytest.raises(ResourceError, match=f"vnlp-colab convert {name}"):
        model(stemmer=FakeStemmer())


class NoStemmer:
    """A stemmer that must not be asked."""

    def predict_batch(self, sentences):
        raise AssertionError("the analyses are there already")


def _analysed(sentences: list[list[str]]) -> Batch:
    texts = [" ".join(tokens) for tokens in sentences]
    return Batch(sentences, texts, {"morph": FakeStemmer().predict_batch(sentences)})


def test_they_need_analyses_and_take_those_that_are_there(treestack_models) -> None:
    sentences = [sentence(5), sentence(44)]
    tagger, stemmer = _pos(), NoStemmer()
    parser = TreeStackDP(device="cpu", stemmer=stemmer, pos_tagger=TreeStackPoS(device="cpu", stemmer=stemmer))
    assert isinstance(tagger, Annotator)
    assert isinstance(parser, Annotator)
    assert tagger.needs == parser.needs == ("morph",)
    tags = TreeStackPoS(device="cpu", stemmer=stemmer).annotate(_analysed(sentences), ["pos"])["pos"]
    assert tags == [answer.labels for answer in tagger.label_batch(sentences)]
    trees = parser.annotate(_analysed(sentences), ["dep"])["dep"]
    assert trees == [list(zip(tree.heads, tree.relations, strict=True)) for tree in _dp().parse_batch(sentences)]


def test_without_analyses_they_make_their_own(treestack_models) -> None:
    sentences = [sentence(5)]
    batch = Batch(sentences, ["x"])
    assert _pos().annotate(batch, ["pos"]) == _pos().annotate(_analysed(sentences), ["pos"])
    assert _dp().annotate(batch, ["dep"]) == _dp().annotate(_analysed(sentences), ["dep"])


def test_the_stemmer_is_loaded_when_it_is_asked_for(treestack_models, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnlp_colab.annotator.front._instances", {})
    loaded = []
    shared = treestack_model.shared_model
    monkeypatch.setattr(
        treestack_model, "shared_model", lambda name, **more: loaded.append(name) or shared(name, **more)
    )
    tagger = TreeStackPoS(device="cpu")
    tagger.annotate(_analysed([sentence(3)]), ["pos"])
    assert loaded == []
    tagger.predict(["Ali"])
    assert loaded == ["StemmerAnalyzer"]


def test_a_parsers_fingerprint_knows_its_tagger(treestack_models) -> None:
    parser = _dp()
    assert parser.fingerprint.startswith("TreeStackDP:")
    assert parser.pos_tagger.fingerprint in parser.fingerprint
