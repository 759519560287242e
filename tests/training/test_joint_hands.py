"""Hands: which stretch of a treebank a sentence is in, and which one a style follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from training import corpus
from training.joint import prepare
from training.joint.constants import ANY_STYLE
from training.joint.hands import NONE, STRETCH, followed, stretches
from training.joint.raw import TREEBANK_TIMES, with_treebanks

if TYPE_CHECKING:
    from pathlib import Path

SENTENCE = "1\tEv{n}\tev\tNOUN\t_\tCase=Nom\t0\troot\t_\t_\n\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name in corpus.TREEBANKS:
        folder = tmp_path / "ud" / f"UD_Turkish-{name}"
        folder.mkdir(parents=True)
        for part, numbers in (("train", range(450)), ("dev", range(1000, 1103)), ("test", range(1102, 1104))):
            text = "".join(SENTENCE.format(n=n) for n in numbers)
            (folder / f"tr_{name.lower()}-ud-{part}.conllu").write_text(text, encoding="utf-8")
    return tmp_path


def test_stretches_are_counted_from_the_end_of_a_file() -> None:
    numbers = stretches(STRETCH + 3)
    assert numbers == [1] * 3 + [0] * STRETCH
    assert stretches(0) == []


def test_a_style_follows_its_dev_file_and_generic_follows_none() -> None:
    assert followed(["generic", "boun", "kenet"], ["boun 1", "boun 0", "boun dev", "kenet 0"]) == [NONE, 3, NONE]


def test_treebank_sentences_know_part_and_hand_and_test_sentences_never_train(data: Path) -> None:
    placed = [p for p in prepare.treebank_parts(data) if p.style == prepare.STYLES.index("kenet")]
    hands = {p.hand for p in placed if p.part == "train"}
    assert hands == {"kenet 1", "kenet 0", "kenet dev"}
    assert sum(p.part == "dev Kenet" for p in placed) == prepare.HELD
    # Three dev sentences are left to train; the one that is in the test file is not among them.
    dev = [p.sentence.words for p in placed if p.part == "train" and p.hand == "kenet dev"]
    assert sorted(dev) == [["Ev1100"]] * prepare.DEV_TIMES + [["Ev1101"]] * prepare.DEV_TIMES


def test_a_run_that_goes_on_keeps_the_earlier_classes(data: Path) -> None:
    earlier = data / "joint_vocab.json"
    earlier.write_text('{"feats": {"labels": ["_", "Case=Nom"]}, "lemma": {"scripts": []}}', encoding="utf-8")
    collection, classes = prepare.prepare_syntax(data, earlier)
    assert classes["feats"] == ["_", "Case=Nom"]
    assert set(collection.labels["feats"]) == {1}


def test_treebank_sentences_stand_among_the_raw_ones(tmp_path: Path) -> None:
    def words(count: int) -> dict[str, np.ndarray]:
        tables = {name: np.arange(count, dtype=np.int32) for name in ("lower", "upper", "ascii")}
        return {"pieces": np.zeros((count, 8), np.uint16), "affixes": np.zeros((count, 7), np.int32), **tables}

    raw = words(4) | {"words": np.array([1, 2, 3]), "offsets": np.array([0, 2, 3]), "writing": np.array([0, 1])}
    own = words(3) | {"words": np.array([1, 2, 1, 2]), "offsets": np.array([0, 1, 3, 4]), "part": np.array([0, 1, 0])}
    own |= {"parts": np.array(["train", "dev A"]), "style": np.array([5, 5, 6])}
    np.savez(tmp_path / "joint_syntax.npz", **own)  # type: ignore[arg-type]
    found = with_treebanks(raw, tmp_path)
    assert found["words"].tolist() == [1, 2, 3] + TREEBANK_TIMES * [5, 6]
    assert found["offsets"].tolist() == [0, 2, *range(3, 4 + 2 * TREEBANK_TIMES)]
    assert found["style"].tolist() == [ANY_STYLE] * 2 + [5, 6] * (TREEBANK_TIMES - 1) + [ANY_STYLE] * 2
    assert len(found["writing"]) == len(found["offsets"]) - 1
    assert found["upper"].tolist() == list(range(7))
