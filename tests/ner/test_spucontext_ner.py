from __future__ import annotations

import pytest
from small_models import NER, random_sentences

from vnlp_colab.ner.ner_colab import NamedEntityRecognizer, SPUContextNER


def test_every_token_gets_one_of_the_labels(small_models):
    sentences = random_sentences([3, 55, 1])
    answers = NamedEntityRecognizer(device="cpu").predict_batch(sentences)
    assert [[token for token, _ in answer] for answer in answers] == sentences
    assert {label for answer in answers for _, label in answer} <= set(NER)


def test_weights_stored_as_float16_compute_in_float32(small_models):
    sentences = random_sentences([30, 12])
    fast = SPUContextNER(device="cpu").predict_batch(sentences)
    assert fast == SPUContextNER(device="cpu", decoding="stepwise").predict_batch(sentences)


def test_unknown_model_names_the_known_ones():
    with pytest.raises(ValueError, match="SPUContextNER, CharNER"):
        NamedEntityRecognizer(model="BERT")


def test_names(small_models):
    assert SPUContextNER(device="cpu").input_names[-1] == "lc_entity"
