"""The pipeline with the models the package carries."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from vnlp_colab.pipeline_colab import VNLPipeline

EXAMPLE = Path(__file__).parents[2] / "examples" / "sentences.tsv"


@pytest.fixture(scope="module")
def nlp():
    return VNLPipeline(
        ["pos", "feats", "lemma", "ner", "dep", "sentiment", "stemmer"],
        device="cpu",
        columns=["pos_confidence", "ner_confidence", "offsets", "sentiment_label"],
    )


@pytest.fixture(scope="module")
def analysed(nlp):
    return nlp.process_dataframe(nlp.load_from_csv(EXAMPLE))


def test_example_table(analysed):
    assert len(analysed) == 69
    empty = analysed["sentence"] == ""
    assert empty.sum() == 1
    assert analysed["sentiment"].isna().tolist() == empty.tolist()
    assert analysed["sentiment"].dropna().between(0, 1).all()
    for name in ("morph", "lemma", "pos", "ner", "dep", "pos_confidence", "ner_confidence", "offsets"):
        assert analysed[name].map(len).tolist() == analysed["tokens"].map(len).tolist(), name


def test_trees_have_one_root_and_no_cycle(analysed):
    for arcs in analysed["dep"]:
        heads = [head for head, _ in arcs]
        assert not arcs or heads.count(0) == 1
        for start in range(1, len(heads) + 1):
            place, steps = start, 0
            while place:
                place, steps = heads[place - 1], steps + 1
                assert steps <= len(heads), "a cycle"


def test_table_and_single_texts_agree(nlp, analysed):
    for _, row in analysed.iloc[[0, 1, 48, 66]].iterrows():
        doc = nlp(row["sentence"])
        if len(doc.sentences) != 1:
            continue
        assert doc.pos == row["pos"]
        assert doc.ner == row["ner"]
        assert doc.lemma == row["lemma"]
        assert doc.dep == row["dep"]
        # The same network in another batch: float32 sums in another order, then six digits kept.
        assert doc.sentiment == pytest.approx(row["sentiment"], abs=2e-5)


def test_batch_size_changes_no_label(nlp, analysed):
    other = nlp.process_dataframe(nlp.load_from_csv(EXAMPLE), batch_size=5)
    for name in ("morph", "lemma", "pos", "ner", "dep"):
        assert other[name].tolist() == analysed[name].tolist(), name


@pytest.mark.parametrize("length", [1, 40, 41, 95, 400])
def test_lengths(nlp, length):
    words = ["ve", "kitap", "okudu", "Ankara'da", "güzel"]
    sentence = " ".join(words[number % 5] for number in range(length))
    row = nlp.process_dataframe(pd.DataFrame({"sentence": [sentence]})).iloc[0]
    heads = [head for head, _ in row["dep"]]
    assert len(row["tokens"]) == len(row["pos"]) == len(row["ner"]) == len(row["morph"]) == len(heads) == length
    assert heads.count(0) == 1
    assert max(heads) <= length


def test_char_ner(analysed):
    nlp = VNLPipeline(["ner:CharNER"], device="cpu", columns=["ner_confidence"])
    out = nlp.process_dataframe(analysed[["sentence"]].head(3))
    assert out["ner"].map(len).tolist() == out["tokens"].map(len).tolist()


def test_lemmas_keep_circumflexes_and_derivations():
    nlp = VNLPipeline(["stemmer"], device="cpu", columns=["derived_lemma"])
    row = nlp.process_dataframe(pd.DataFrame({"sentence": ["Hâlâ tuzsuz."]})).iloc[0]
    assert row["tokens"] == ["Hala", "tuzsuz", "."]
    assert row["lemma"][0] == "hâlâ"
    assert (row["lemma"][1], row["derived_lemma"][1]) == ("tuz", "tuzsuz")
    document = nlp("Önce bu. Hâlâ tuzsuz.")
    assert document.lemma[3:5] == ["hâlâ", "tuz"]
    assert document[3].text == "Hâlâ"
