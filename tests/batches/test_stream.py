"""Batches of a stream: cut by sentences and by tokens, the same with and without tf.data."""

from __future__ import annotations

import pytest
from pipeline_fakes import fake_models

from vnlp_colab.batches import stream
from vnlp_colab.batches.analyzer import Analyzer
from vnlp_colab.batches.chunk import Rows
from vnlp_colab.batches.preparation import Preparation, Unit

COLUMNS = ("no_accents", "tokens", "tokens_40", "sentiment", "pos", "ner", "dep")


def analyzer(**preparation):
    models = fake_models("pos", "ner", "dep", "sentiment")
    return Analyzer(models, COLUMNS, Preparation(**preparation), load=lambda task: None)


def units(*lengths):
    return [Unit(row, 0, "", ["a"] * length, ["a"] * length) for row, length in enumerate(lengths)]


def test_at_most_so_many_sentences():
    assert list(stream.cut(units(1, 1, 2, 3, 3), 2)) == [[0, 1], [2, 3], [4]]


def test_at_most_64_tokens_a_sentence():
    assert list(stream.cut(units(10, 60, 60, 100, 200), 2)) == [[0, 1], [2], [3], [4]]


def test_a_row_of_a_hundred_thousand_tokens_is_a_batch_of_its_own():
    one = analyzer()
    sizes = []
    rows = Rows(["a b c"] * 10 + ["kelime " * 100_000])
    (chunk,) = one.stream([rows], 64, lambda count, tokens: sizes.append((count, tokens)))
    assert sizes == [(10, 30), (1, 100_000)]
    assert len(chunk.columns["pos"][10]) == 100_000


def texts(count):
    return [" ".join(f"w{row}x{word}" for word in range(row % 17)) for row in range(count)]


@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_without_tensorflow_the_same_comes_out(batch_size, monkeypatch):
    parts = [Rows(texts(100)), Rows(["", None]), Rows(texts(33))]
    with_tf = [chunk.columns for chunk in analyzer().stream(parts, batch_size)]
    monkeypatch.setattr(stream, "has_tensorflow", lambda: False)
    monkeypatch.setattr(stream, "load_tensorflow", lambda: pytest.fail("TensorFlow was asked for"))
    without = [chunk.columns for chunk in analyzer().stream(parts, batch_size)]
    assert repr(with_tf) == repr(without)  # repr: NaN is equal to itself there


def test_what_the_caller_gives_along_comes_back_in_order():
    chunks = [Rows(texts(5), source="first"), Rows([], source="none"), Rows([""], source="empty"), Rows(["a b"])]
    assert [chunk.source for chunk in analyzer().stream(chunks, 2)] == ["first", "none", "empty", None]


def test_rows_of_several_sentences_get_a_tree_a_sentence_with_heads_counted_in_the_row():
    one = analyzer(split="sentences")
    (chunk,) = one.stream([Rows(["Ali geldi. Veli gitti!", "Tek cümle."])], 8)
    assert chunk.columns["tokens"][0] == ["Ali", "geldi", ".", "Veli", "gitti", "!"]
    assert chunk.columns["dep"][0] == [(0, "root"), (1, "obj"), (2, "obj"), (0, "root"), (4, "obj"), (5, "obj")]
    assert chunk.columns["pos"][0] == ["VERB", "VERB", "PUNCT", "NOUN", "VERB", "PUNCT"]
    # Sentiment is that of the whole text, not of its first sentence.
    assert chunk.columns["sentiment"][0] == 0 / 22 or chunk.columns["sentiment"][0] != chunk.columns["sentiment"][1]


def test_a_failure_in_preparation_is_raised_as_it_was():
    def chunks():
        yield Rows(["a"])
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(analyzer().stream(chunks(), 8))
