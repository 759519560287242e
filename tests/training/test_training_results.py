"""What the training writes: tables of scores, weights in Keras' order, the deasciifier's and the stemmer's files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import vnlp_colab
from training import export, lexicon, score
from training.deasciifier import corpus as letters_corpus
from training.deasciifier import letters
from training.deasciifier.corpus import Corpus
from training.deasciifier.evaluate import reference, word_accuracy
from training.deasciifier.readings import Vocabulary, best_reading
from vnlp_colab.evaluation import Evaluated
from vnlp_colab.registry import MODELS


def test_tables_and_wishes():
    table = score.floors("sentiment", [94.5, 0.95])
    assert "| winvoker: accuracy | 94.50 | 94 | 95.5 | floor reached |" in table
    assert "| winvoker: macro-F1 | 0.950 | 0.91 | 0.93 | aim reached |" in table
    assert "**below the floor**" in score.floors("sentiment", [10, 0.1])
    assert score.per_cent(0.98765) == "98.77"
    assert score.markdown(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"


def test_the_tables_are_of_the_networks_they_stand_under(monkeypatch, tmp_path):
    asked = []

    def evaluated(task, paths, *, model, device):
        asked.append(model)
        names = ("sentences", "words", "tokens", "texts", "accuracy", "macro_f1", "token_accuracy", "token_macro_f1")
        scores = dict.fromkeys((*names, "entity_f1", "uas", "las", "valid_trees", "morph", "lemma"), 1.0)
        return Evaluated(task, model, "prod", device, [(str(path), scores) for path in paths], scores)

    monkeypatch.setattr(score, "evaluate_files", evaluated)
    for name in ("own_train_sentences", "all_train_sentences", "write_sentences"):
        monkeypatch.setattr(score, name, lambda *_: set())
    card = (Path(vnlp_colab.__file__).parent / "models" / "MODEL_CARD.md").read_text(encoding="utf-8")
    for task, network in score.NETWORKS.items():
        asked.clear()
        getattr(score, f"score_{task}")(tmp_path)
        assert set(asked) == {network, *(["CharNER"] if task == "ner" else [])}
        # the title of the section the table stands in, such as "## PoS_SPUContext_prod: parts of speech"
        title = card[: card.index(f"<!-- scores: {task} -->")].rpartition("\n## ")[2]
        assert title.startswith(f"{MODELS[network].stem}_prod")


def test_scores_are_filled_in_between_their_marks():
    between = re.compile(r"(<!-- scores: pos -->\n).*?(<!-- end -->)", re.DOTALL)
    card = "a\n<!-- scores: pos -->\nold\n<!-- end -->\nb"
    # a table may hold what a pattern would take for a group
    assert score._filled(between, r"\1 new", card) == "a\n<!-- scores: pos -->\n\\1 new\n<!-- end -->\nb"


def test_the_gates_of_a_gru_in_the_order_of_keras():
    units, width = 2, 3
    state = {
        f"g.{kind}_{part}_l0": np.arange(3 * units * size, dtype=np.float32).reshape(shape)
        for part, size in (("ih", width), ("hh", units))
        for kind, size, shape in (("weight", size, (3 * units, size)), ("bias", 1, (3 * units,)))
    }
    kernel, recurrent, bias = export.keras_gru(state, "g", "l0")
    assert (kernel.shape, recurrent.shape, bias.shape) == ((width, 6), (units, 6), (2, 6))
    assert bias[0].tolist() == [2, 3, 0, 1, 4, 5]  # update, reset, new


def test_the_exported_gru_is_that_of_keras():
    tf_keras = pytest.importorskip("tf_keras")
    random = np.random.default_rng(0)
    units, width = 3, 4
    sizes = {"weight_ih": (9, width), "weight_hh": (9, units), "bias_ih": (9,), "bias_hh": (9,)}
    state = {f"g.{name}_l0": random.standard_normal(shape).astype(np.float32) for name, shape in sizes.items()}
    inputs = random.standard_normal((2, 5, width)).astype(np.float32)
    network = tf_keras.Sequential([tf_keras.layers.GRU(units, reset_after=True, input_shape=(5, width))])
    network.set_weights(export.keras_gru(state, "g", "l0"))

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    hidden = np.zeros((2, units), np.float32)
    for step in range(5):  # PyTorch's equations, gates r, z, n
        given = inputs[:, step] @ state["g.weight_ih_l0"].T + state["g.bias_ih_l0"]
        kept = hidden @ state["g.weight_hh_l0"].T + state["g.bias_hh_l0"]
        (r, z, n), (hr, hz, hn) = np.split(given, 3, 1), np.split(kept, 3, 1)
        update = sigmoid(z + hz)
        hidden = (1 - update) * np.tanh(n + sigmoid(r + hr) * hn) + update * hidden
    # float32 sums over five steps of values about 1
    np.testing.assert_allclose(network.predict(inputs, verbose=0), hidden, atol=1e-5)


def vocabulary(text: str) -> Vocabulary:
    tokens = letters_corpus.TOKEN.findall(text)
    spellings = ["", *dict.fromkeys(tokens)]
    return Vocabulary.of(Corpus(np.array([spellings.index(token) for token in tokens]), spellings))


def test_readings_are_counted_by_case_and_without_suffixes():
    counts = vocabulary("açı acı acı Acı ACI Ali'yi yi kâr kar xyz").counts
    assert counts["aci"] == {"açı": [1, 0, 0], "acı": [2, 1, 1]}
    assert counts["yi"] == {"yi": [1, 0, 0]}  # that behind the apostrophe is a suffix
    assert counts["kar"] == {"kar": [2, 0, 0]}  # ASCII has no circumflex to find again
    assert best_reading(counts["aci"], 0) == "acı"


def test_the_parts_of_the_text_are_apart_and_stay():
    parts = [letters_corpus.part_of(f"Paragraf {number}.") for number in range(3000)]
    assert parts == [letters_corpus.part_of(f" Paragraf {number}.\n") for number in range(3000)]
    assert 0.005 < parts.count("test") / 3000 < 0.02
    assert 0.005 < parts.count("dev") / 3000 < 0.02


def test_word_accuracy_counts_words_alone():
    assert reference("Kâr, 3 gün!") == ["Kar", "gün"]
    wrong: list[tuple[str, str]] = []
    assert word_accuracy(lambda tokens: tokens, ["Güneş doğdu .", "ev 5"], wrong) == pytest.approx(1 / 3)
    assert wrong == [("Güneş", "Gunes"), ("doğdu", "dogdu")]


def test_small_steps_are_dropped():
    steps = letters.quantised(np.array([0, 1, -1, 2, 200, -200]) / letters.SCALE)
    assert steps.tolist() == [0, 0, 0, 2, 127, -127]
    assert steps.dtype == np.int8


def test_the_tables_of_the_stemmer():
    assert lexicon.read_stems("\ufeffev\t1\n*kaldırılmış\t2\nev\t4\n\n") == {"ev": 5}
    suffixes = lexicon.read_suffixes("null\tNoun+Nom\nde\tNoun+Loc\n'de\tNoun+Prop+Loc\nDE\tNoun+X\n")
    assert suffixes == {"": ("Noun+Nom",), "de": ("Noun+Loc",), "'de": ("Noun+Prop+Loc", "Noun+Loc")}
    assert lexicon.read_words("bana\tx/ben+Pron+Dat x/ban+Verb\nbana\ty/ben+Pron+Dat\n") == {
        "bana": (("ben", "Pron+Dat"),)
    }
