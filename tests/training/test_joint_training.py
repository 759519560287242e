"""Training of the joint network: what its stages make of texts and labels, as far as no PyTorch is needed."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from training.joint import record, texts
from training.joint.chat import chat, scraps
from training.joint.conventions import abandoned, brought
from training.joint.f1 import f1_of_spans, spans
from training.joint.prepare import ENTITIES, bio, known_together, polarity, read_tagged
from training.joint.raw import load_silver
from training.joint.record import note
from training.joint.score import count_hits, shares
from training.joint.treebanks import bring_features, read_analysed

if TYPE_CHECKING:
    from pathlib import Path

TREE = """# text = Evdeydik .
1-2\tEvdeydik\t_\t_\t_\t_\t_\t_\t_\t_
1\tEvde\tev\tNOUN\t_\tCase=Loc\t0\troot\t_\t_
2\tydik\ti\tAUX\t_\tTense=Past\t1\tcop\t_\t_
3\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""


def label(name: str) -> int:
    return ENTITIES.index(name)


def test_sentences_that_differ_in_case_marks_or_turkish_letters_have_one_key() -> None:
    assert texts.key(["Işıklar", "söndü", "."]) == texts.key("ISIKLAR SONDU!")


@pytest.mark.parametrize(("writing", "word"), enumerate(("Işık", "ışık", "IŞIK", "Isik")))
def test_words_can_be_written_in_four_ways(writing: int, word: str) -> None:
    assert texts.write_as("Işık", writing) == word


def test_bio_labels_begin_an_entity_wherever_none_of_its_type_goes_on() -> None:
    assert bio(["I-PER", "I-PER", "I-LOC", "O", "B-LOC", "B-LOC"]) == [
        label(x) for x in ("B-PER", "I-PER", "B-LOC", "O", "B-LOC", "B-LOC")
    ]


def test_neighbours_of_one_type_are_two_entities() -> None:
    assert spans([label("B-LOC"), label("B-LOC")]) == {(0, 1, "LOC"), (1, 2, "LOC")}


def test_an_entity_with_a_wrong_end_is_no_hit() -> None:
    gold, said = [label("B-PER"), label("I-PER"), 0], [label("B-PER"), 0, 0]
    assert f1_of_spans([gold], [said]) == 0


def test_tagged_files_are_read_sentence_by_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("Ali\tB-PER\ngeldi\tO\n\nAnkara\tB-LOC\n", encoding="utf-8")
    assert read_tagged(path) == [(["Ali", "geldi"], [label("B-PER"), 0]), (["Ankara"], [label("B-LOC")])]


def test_treebank_sentences_come_by_words_and_by_tokens(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(TREE, encoding="utf-8")
    [(whole, joined)] = read_analysed(path)
    assert whole.lemmas == ["ev", "i", "."]
    assert joined is not None
    assert joined.words == ["Evdeydik", "."]
    assert joined.feats == ["", ""]


def test_a_sentence_is_right_in_every_measure_against_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(TREE, encoding="utf-8")
    [(whole, _)] = read_analysed(path)
    scores = shares(count_hits(whole, whole))  # type: ignore[arg-type]  # it has all the columns of an answer
    assert scores == {"upos": 100, "feats": 100, "lemma": 100, "uas": 100, "las": 100, "words": 3}


def test_chat_has_no_capital_but_perhaps_the_first_or_all() -> None:
    for seed in range(50):
        words = chat(["Çok", "güzel", "bir", "ürün", "."], random.Random(seed))
        assert all(w == texts.lower_case(w) for w in words[1:]) or all(w == texts.upper_case(w) for w in words)


def test_scraps_are_short_and_as_many_as_asked_for() -> None:
    found = scraps([["çok", "güzel", "bir", "ürün", "aldım", "gerçekten"]], 40, random.Random(1))
    assert len(found) == 40
    assert all(1 <= len(words) <= 6 for words in found)


def test_what_a_dev_file_never_has_is_given_up() -> None:
    train = [("DET", "NumType=Card")] * 60 + [("NUM", "NumType=Card")] * 40 + [("ADV", "Case=Nom|Person=3")] * 2
    dev = [("DET", "_")] * 6 + [("NUM", "NumType=Card")] * 4
    changes = abandoned(train, dev)
    assert changes == {("DET", "NumType=Card"): "_"}
    assert brought("DET", "NumType=Card", changes) == "_"
    assert brought("NUM", "NumType=Card", changes) == "NumType=Card"


def test_what_a_dev_file_calls_otherwise_is_renamed() -> None:
    train = [("VERB", "Number=Sing|Tense=Aor")] * 50 + [("VERB", "Number=Sing|Tense=Past")] * 50
    dev = [("VERB", "Number=Sing|Tense=Pres")] * 9 + [("VERB", "Number=Sing|Tense=Past")] * 11
    assert brought("VERB", "Number=Sing|Tense=Aor", abandoned(train, dev)) == "Number=Sing|Tense=Pres"


def test_files_of_one_convention_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(TREE * 20, encoding="utf-8")
    train, dev = ([whole for whole, _ in read_analysed(path)] for _ in range(2))
    bring_features(train, dev)
    assert [s.feats for s in train] == [s.feats for s in dev]


def test_lemmas_and_features_are_known_by_tag_and_style(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(TREE, encoding="utf-8")
    [(whole, joined)] = read_analysed(path)
    assert joined is not None
    found = known_together([(1, whole), (2, whole), (1, joined)], ["Case=Loc", "Tense=Past", "_"])
    assert found["known"] == {"NOUN": {"6": "ev"}, "AUX": {"6": "i"}, "PUNCT": {"6": "."}}
    assert found["pairs"] == {key: {"NOUN": [0], "AUX": [1], "PUNCT": [2]} for key in ("boun", "kenet")}


def test_words_of_praise_and_blame_are_told_apart() -> None:
    odds = polarity([(1, "harika ürün")] * 20 + [(0, "berbat ürün")] * 20)
    assert odds["harika"] > 2 > abs(odds["urun"]) > -2 > odds["berbat"]


def test_the_records_of_all_stages_are_gathered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for stage in ("raw", "apart"):
        note(tmp_path / f"record_{stage}.json", settings={"seed": stage})
    whole = tmp_path / "training_record.json"
    whole.write_text('{"PoS": 1, "Joint": {"raw": 0, "run 1": 2}}')
    monkeypatch.setattr("sys.argv", ["record", "--work", str(tmp_path), "--record", str(whole)])
    record.main()
    joint = {"raw": {"settings": {"seed": "raw"}}, "run 1": 2, "apart": {"settings": {"seed": "apart"}}}
    assert json.loads(whole.read_text()) == {"PoS": 1, "Joint": joint}


def test_a_record_is_added_to(tmp_path: Path) -> None:
    path = tmp_path / "record_a.json"
    note(path, steps=1)
    note(path, dev={"las": 80.0})
    assert '"steps": 1' in path.read_text(encoding="utf-8")
    assert '"las": 80.0' in path.read_text(encoding="utf-8")


def test_raw_sentences_can_be_read_in_stretches(tmp_path: Path) -> None:
    lengths = np.array([2, 1, 3, 2, 1])
    arrays = {"pieces": np.zeros((10, 8)), "words": np.arange(9), "writing": np.array([0, 1, 2, 3, 0])}
    np.savez(tmp_path / "silver.npz", offsets=np.concatenate([[0], np.cumsum(lengths)]), **arrays)
    some = load_silver(tmp_path, 2, part=1)
    assert some["words"].tolist() == [3, 4, 5, 6, 7]
    assert some["offsets"].tolist() == [0, 3, 5]
    assert some["writing"].tolist() == [2, 3]
    assert load_silver(tmp_path, 5)["words"].tolist() == list(range(9))


@pytest.mark.parametrize("names", [("informal",), ("neutral",), ("praise", "blame")])
def test_lists_have_at_least_300_different_sentences(names: tuple[str, ...]) -> None:
    from training.joint.score import LISTS

    lines = [line for name in names for line in (LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()]
    assert len(set(lines)) == len(lines) >= 300
