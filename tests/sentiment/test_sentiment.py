from __future__ import annotations

import pytest

from vnlp_colab.sentiment.sentiment_colab import SentimentAnalyzer, SPUCBiGRUSentimentAnalyzer

TEXTS = ["çok güzel bir kitap", "", "ali eve geldi . " * 200, "\ud800\0😀", "hava çok kötü", "çok güzel bir kitap"]
# the same rows in runs of other sizes
TOLERANCE = 1e-6


def test_a_batch_equals_its_texts_one_by_one(small_models):
    model = SPUCBiGRUSentimentAnalyzer(device="cpu")
    together = model.predict_proba_batch(TEXTS * 10)
    assert together == pytest.approx([model.predict_proba(text) for text in TEXTS] * 10, abs=TOLERANCE)
    assert all(0 <= probability <= 1 for probability in together)
    assert model.predict_batch(TEXTS) == [int(probability > 0.5) for probability in together[: len(TEXTS)]]
    assert model.predict(TEXTS[0]) in (0, 1)


def test_only_the_last_pieces_count(small_models):
    model = SPUCBiGRUSentimentAnalyzer(device="cpu")
    end = "ali eve geldi . " * 200
    assert model.predict_proba("güzel " + end) == pytest.approx(model.predict_proba(end), abs=TOLERANCE)


def test_no_texts(small_models):
    assert SPUCBiGRUSentimentAnalyzer(device="cpu").predict_proba_batch([]) == []


@pytest.mark.parametrize("wrong", [None, 3, ["a"]])
def test_what_is_no_text(small_models, wrong):
    with pytest.raises(TypeError, match="text"):
        SPUCBiGRUSentimentAnalyzer(device="cpu").predict(wrong)


def test_one_string_is_no_list_of_texts(small_models):
    with pytest.raises(TypeError, match="list of texts"):
        SentimentAnalyzer(device="cpu").predict_batch("iyi")


def test_names(small_models):
    model = SentimentAnalyzer(device="cpu").instance
    assert (model.input_names, model.output_names, model.device) == (["pieces"], ["output"], "cpu")
