"""Hands: which stretch of a treebank a sentence is in, and which one a style follows."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from training import corpus
from training.joint import prepare, treebanks
from training.joint.constants import ANY_STYLE
from training.joint.hands import ANY, NONE, STRETCH, followed, stretches
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


def test_a_style_follows_the_hands_its_collections_end_in_and_generic_follows_none() -> None:
    names = ["boun 1", "boun 0", "boun dev", "kenet.train 0", "kenet.test 1", "kenet.test 0", "kenet.train dev"]
    assert followed("boun", names) == [3]
    assert followed("kenet", names) == [7, 6]
    assert followed("generic", names) == []


def test_sentences_whose_hand_is_followed_are_there_more_often(data: Path) -> None:
    train = data / "ud" / "UD_Turkish-Kenet" / "tr_kenet-ud-train.conllu"
    named = [f"# sent_id = {n % 225}.{'train' if n < 225 else 'test'}\n{SENTENCE.format(n=n)}" for n in range(450)]
    train.write_text("".join(named), encoding="utf-8")
    dev = data / "ud" / "UD_Turkish-Kenet" / "tr_kenet-ud-dev.conllu"
    text = "".join(f"# sent_id = {n}.train\n{SENTENCE.format(n=n)}" for n in range(1000, 1102))
    dev.write_text(text, encoding="utf-8")
    test = data / "ud" / "UD_Turkish-Kenet" / "tr_kenet-ud-test.conllu"
    test.write_text("# sent_id = 1102.test\n" + SENTENCE.format(n=1102), encoding="utf-8")
    placed = [p for p in treebanks.treebank_parts(data) if p.style == treebanks.STYLES.index("kenet")]
    counts = Counter(p.hand for p in placed if p.part == "train")
    times = treebanks.FOLLOWED_TIMES
    assert counts == {"kenet.train 0": 225, "kenet.test 0": times * 225, "kenet.train dev": times * 2}
    assert {p.hand for p in placed if p.part == "test Kenet"} == {"kenet.test 0"}


def test_treebank_sentences_know_part_and_hand_and_test_sentences_never_train(data: Path) -> None:
    placed = [p for p in treebanks.treebank_parts(data) if p.style == treebanks.STYLES.index("kenet")]
    hands = {p.hand for p in placed if p.part == "train"}
    assert hands == {"kenet 1", "kenet 0", "kenet dev"}
    assert sum(p.part == "dev Kenet" for p in placed) == treebanks.HELD
    # Three dev sentences are left to train; the one that is in the test file is not among them.
    dev = [p.sentence.words for p in placed if p.part == "train" and p.hand == "kenet dev"]
    assert sorted(dev) == [["Ev1100"]] * treebanks.FOLLOWED_TIMES + [["Ev1101"]] * treebanks.FOLLOWED_TIMES


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
    own |= {"parts": np.array(["train", "dev A"]), "style": np.array([5, 5, 6]), "hand": np.array([1, 2, 3])}
    (tmp_path / "joint_vocab.json").write_text(json.dumps({"hands": ["a 0", "a dev", "b 0"]}), encoding="utf-8")
    np.savez(tmp_path / "joint_syntax.npz", **own)  # type: ignore[arg-type]
    found = with_treebanks(raw, tmp_path)
    assert found["words"].tolist() == [1, 2, 3] + TREEBANK_TIMES * [5, 6]
    assert found["offsets"].tolist() == [0, 2, *range(3, 4 + 2 * TREEBANK_TIMES)]
    assert found["style"].tolist() == [ANY_STYLE] * 2 + [5, 6] * (TREEBANK_TIMES - 1) + [ANY_STYLE] * 2
    assert found["hand"].tolist() == [ANY] * 2 + [2, 3] * TREEBANK_TIMES
    assert len(found["writing"]) == len(found["offsets"]) - 1
    assert found["upper"].tolist() == list(range(7))


class Sentences:
    """As much of a set of sentences as tells which hand each is labelled in."""

    device = "cpu"

    def __init__(self, lengths: list[int], hand: list[int], style: list[int]) -> None:
        torch = pytest.importorskip("torch")
        self.lengths, self.length_of = np.array(lengths), torch.tensor(lengths)
        self.hand, self.style = torch.tensor(hand), torch.tensor(style)

    def numbers(self, _: str) -> np.ndarray:
        return np.arange(len(self.lengths))


class Vocabulary:
    """As much of the vocabulary as names hands and styles."""

    hands = ("penn.15 0", "penn.15 dev", "penn.20 0", "penn.20 dev", "boun 0", "boun dev")

    def __init__(self) -> None:
        self.raw = {"styles": ["generic", "penn", "boun"]}


@pytest.mark.parametrize(
    ("words", "own", "style", "hand"),
    [
        (4, ANY, 1, "penn.15 dev"),
        (60, ANY, 1, "penn.20 dev"),
        (4, 4, 1, "penn.20 dev"),  # one of Penn's own sentences
        (9, ANY, 2, "boun dev"),
    ],
)
def test_a_sentence_is_labelled_in_the_hand_of_the_collection_it_could_be_of(
    words: int, own: int, style: int, hand: str
) -> None:
    pytest.importorskip("torch")
    from training.joint.followed import Followed

    treebanks = Sentences(100 * [5] + 100 * [18] + 100 * [9], 100 * [1] + 100 * [3] + 100 * [5], 200 * [1] + 100 * [2])
    asked = Sentences(99 * [words], 99 * [own], 99 * [style])
    found: Any = Followed(Vocabulary(), treebanks).drawn(asked, asked.style)  # type: ignore[arg-type]
    assert int(found.mode().values) == Vocabulary.hands.index(hand) + 1


def test_who_knows_no_hands_speaks_in_the_one_a_style_follows_or_in_none() -> None:
    torch = pytest.importorskip("torch")
    from training.joint.followed import Followed

    treebanks = Sentences(300 * [9], 100 * [1] + 100 * [3] + 100 * [5], 200 * [1] + 100 * [2])
    hands = Followed(Vocabulary(), treebanks)  # type: ignore[arg-type]
    assert hands.alone(treebanks, torch.tensor([0, 1, 2])).tolist() == [NONE, NONE, 6]  # type: ignore[arg-type]
    assert hands.among(torch.tensor([2, 1, 6]), torch.tensor([1, 1, 2])).tolist() == [True, False, True]
