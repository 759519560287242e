from __future__ import annotations

import subprocess
import sys

import pytest
from small_models import random_sentences

from vnlp_colab.pos.pos_colab import PoSTagger, SPUContextPoS

ODD_TOKENS = ["", " ", "\0", "\ud800", "😀", "x" * 10_000, "İ", "ﷺ", "\n"]


def test_names_are_those_of_the_session(small_models):
    model = SPUContextPoS(device="cpu")
    assert model.input_names == ["word", "left", "right", "lc_pos"]
    assert model.output_names == ["output"]
    assert model.input_names == [value.name for value in model.inference_session.get_inputs()]
    assert model.device == "cpu"


def test_an_empty_sentence_has_no_labels(small_models):
    assert SPUContextPoS(device="cpu").predict([]) == []


@pytest.mark.parametrize("decoding", ["incremental", "stepwise"])
def test_odd_tokens_are_tokens(small_models, decoding):
    answer = SPUContextPoS(device="cpu", decoding=decoding).predict(ODD_TOKENS)
    assert [token for token, _ in answer] == ODD_TOKENS


@pytest.mark.parametrize("wrong", ["Ali geldi", b"Ali", None, 5, ["Ali", None], ["Ali", 3.5], [["Ali"]]])
def test_what_is_no_token_list_is_a_clear_type_error(small_models, wrong):
    model = SPUContextPoS(device="cpu")
    with pytest.raises(TypeError, match=r"token|sentence"):
        model.predict(wrong)
    with pytest.raises(TypeError, match=r"token|sentence"):
        model.predict_batch([wrong])


def test_a_string_is_told_to_be_tokenized(small_models):
    with pytest.raises(TypeError, match="TreebankWordTokenize"):
        PoSTagger(device="cpu").predict("Ali geldi")


def test_front_loads_once_per_configuration(small_models):
    one, two = PoSTagger(device="cpu"), PoSTagger(model="SPUContextPoS", device="cpu")
    assert one.instance is two.instance
    assert PoSTagger(device="cpu", decoding="stepwise").instance is not one.instance
    assert PoSTagger(evaluate=False, device="cpu", options=None).instance is one.instance  # the defaults, named
    assert isinstance(one.instance, SPUContextPoS)
    sentence = random_sentences([5])[0]
    assert one.predict(sentence) == one.predict_batch([sentence])[0] == one.instance.predict(sentence)


def test_another_model_folder_means_another_model(small_models, monkeypatch):
    one = PoSTagger(device="cpu").instance
    monkeypatch.delenv("VNLP_COLAB_MODELS")
    assert PoSTagger(device="cpu").instance is not one


def test_unknown_model_names_the_known_ones():
    with pytest.raises(ValueError, match="SPUContextPoS, TreeStackPoS"):
        PoSTagger(model="spaCy")


def test_evaluate_takes_models_that_never_saw_the_test_data(small_models):
    assert SPUContextPoS(evaluate=True, device="cpu").files.key == "PoS_SPUContext_prod"


def test_nothing_imports_tensorflow(small_models):
    code = (
        "import sys; from vnlp_colab import PoSTagger, NamedEntityRecognizer, DependencyParser, SentimentAnalyzer;"
        "fronts = [front(device='cpu') for front in (PoSTagger, NamedEntityRecognizer, DependencyParser)];"
        "[front.predict_batch([['Ali', 'geldi', '.']]) for front in fronts];"
        "SentimentAnalyzer(device='cpu').predict('iyi');"
        "sys.exit(any(name in sys.modules for name in ('tensorflow', 'keras', 'tf_keras')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
