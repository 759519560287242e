"""Training of the joint network: names side by side, what is said of them, and the trees they are given."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from training.joint import neighbours
from training.joint.constants import ENTITIES
from training.joint.neighbours import INSIDE, OTHER, Names, Side, sides, with_ending
from training.joint.score import LISTS, marked_names

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

EVERYDAY = [
    "Dün Tom Mary'ye kitap verdi.",
    "Tom onu gördü.",
    "Tom'a para verdi.",
    "Kapıyı Mary açtı.",
    "Tom Mary'yi testte gördü.",
    "Bugün hava güzel.",
]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Side]:
    monkeypatch.setattr(neighbours.corpus, "raw_singles", lambda _: iter(EVERYDAY))
    monkeypatch.setattr(neighbours.texts, "test_keys", lambda _: {neighbours.texts.key("Tom Mary'yi testte gördü.")})
    persons = [["Mehmet", "Ali"], ["Orhan", "Veli", "Kanık"]]
    named = {"PER": 20 * persons, "ORG": 3 * [["Fiat"], ["Altay"]], "LOC": [["Bergama"], ["Orta", "Asya"]]}
    monkeypatch.setattr(neighbours, "names_of", lambda _: named)
    return sides(tmp_path, 400)


@pytest.mark.parametrize(
    ("name", "case", "expected"),
    [
        ("Ayşe", "acc", "Ayşe'yi"),
        ("Burak", "abl", "Burak'tan"),
        ("Gül", "gen", "Gül'ün"),
        ("Umut", "acc", "Umut'u"),
        ("Işık", "dat", "Işık'a"),
        ("İnci", "ins", "İnci'yle"),
        ("Deniz", "loc", "Deniz'de"),
        ("Ali", "", "Ali"),
    ],
)
def test_names_take_endings_by_their_sounds(name: str, case: str, expected: str) -> None:
    assert with_ending(name, case) == expected


def test_names_side_by_side_begin_each(made: list[Side]) -> None:
    beside = [side for side in made if side.beside != side.words]
    assert len(beside) > 100
    for side in beside:
        names = [ENTITIES[label] for label in side.entities if label != OTHER]
        assert sum(name.startswith("B-") for name in names) == 2
        assert names[0] == "B-PER"


def test_the_sentence_beside_has_the_father_for_the_first_name(made: list[Side]) -> None:
    for side in made:
        assert len(side.words) == len(side.entities) == len(side.places)
        assert sorted(place for place in side.places if place != INSIDE) == list(range(len(side.beside)))
        others = [
            (word, side.beside[place]) for word, place in zip(side.words, side.places, strict=True) if place != INSIDE
        ]
        changed = [new for old, new in others if old != new]
        assert changed in ([], ["babam"], ["Babam"])


def test_a_name_of_two_given_names_is_never_two_persons() -> None:
    names = Names({"PER": 20 * [["Mehmet", "Ali"]], "ORG": [], "LOC": []}, random.Random(1))
    drawn = [names.two() for _ in range(3000)]
    assert not any(one == ["Mehmet"] and other[0] == "Ali" for one, other in drawn)
    assert any(len(one) > 1 for one, _ in drawn)
    assert any(len(other) > 1 for _, other in drawn)
    assert all(one != other for one, other in drawn)
    assert ("Mehmet", "Ali") not in [pair for _ in range(3000) for pair in pairwise(names.in_a_row("PER", "given", 3))]


def test_nothing_of_a_test_file_or_of_the_lists_is_learnt_from(made: list[Side]) -> None:
    assert not any("testte" in side.words for side in made)
    lines = [line for name in neighbours.LISTS for line in name.read_text(encoding="utf-8").splitlines()]
    listed = {around_names(*marked_names(line)) for line in lines}
    assert len(listed) > 100
    for side in made:
        assert "".join(w for w, label in zip(side.words, side.entities, strict=True) if label == OTHER) not in listed


def around_names(words: list[str], names: list[range]) -> str:
    return "".join(word for i, word in enumerate(words) if not any(i in name for name in names))


def test_sentences_around_names_are_there_once() -> None:
    rows = neighbours.WORDS["rows"]
    each = [around["frames"] for kind in neighbours.WORDS["two of a kind"].values() for around in kind]
    each += [*neighbours.WORDS["one alone"].values(), *rows["nouns"].values(), rows["after"], *rows["three"].values()]
    assert all(len(set(frames)) == len(frames) for frames in each)


def test_initials_are_given_no_endings_of_words() -> None:
    named = {"PER": [], "ORG": 9 * [["CHP"], ["Fiat"]], "LOC": 9 * [["ABD"], ["Bergama"]]}
    names = Names(named, random.Random(1))
    drawn = {name for _ in range(2000) for kind, listed in (("ORG", "firms"), ("LOC", "places"))
             for name in names.in_a_row(kind, listed, 3)}  # fmt: skip
    assert {"Fiat", "Bergama"} <= drawn
    assert not {"CHP", "ABD"} & drawn


def test_names_of_several_words_are_not_made_longer_by_the_next() -> None:
    named = {"PER": [], "ORG": 9 * [["Yıldız", "Chelsea"], ["Milan", "Kızıl"]], "LOC": []}
    names = Names(named, random.Random(1))
    drawn = [pair for _ in range(3000) for pair in pairwise(names.in_a_row("ORG", "clubs", 3))]
    assert any(one == "Kızıl Yıldız" for one, _ in drawn)
    assert ("Kızıl Yıldız", "Chelsea") not in drawn
    assert ("Milan", "Kızıl Yıldız") not in drawn


@pytest.mark.parametrize("name", ["neighbours", "names_in_a_row", "whole_names"])
def test_lists_of_names_have_different_sentences_with_names_in_them(name: str) -> None:
    lines = (LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert len(set(lines)) == len(lines) >= 60
    assert all(marked_names(line)[1] for line in lines)


def test_trees_are_those_of_the_sentences_beside() -> None:
    torch = pytest.importorskip("torch")
    from training.arrays import RELATIONS
    from training.joint.apart import trees_beside
    from training.joint.data import Batch
    from training.joint.network import Sizes, Student, Words

    torch.manual_seed(1)
    student = Student(Sizes(2, 1, 4, len(RELATIONS), 2, 2), ["_", "Case=Nom"], [32] * 6).eval()
    with torch.no_grad():
        student.heads.arc_matrix.normal_()

    def batch(numbers: list[int], place: list[int]) -> Batch:
        shape = (1, len(numbers))
        mask = torch.ones(shape, dtype=torch.bool)
        words = Words(torch.tensor(numbers).view(1, -1, 1).expand(-1, -1, 8), torch.zeros(*shape, 7).long(), mask, 64)
        style = torch.zeros(1, dtype=torch.long)
        return Batch(words, {"place": torch.tensor([place])}, style, style, style, mask.long())

    # `Dün Ali Kaya Ayşe'yi gördü` beside `Dün babam Ayşe'yi gördü`
    one, other = batch([9, 5, 6, 7, 8], [0, 1, INSIDE, 2, 3]), batch([9, 4, 7, 8], [0, 1, 2, 3])
    style = torch.zeros(1, dtype=torch.long)
    with torch.no_grad():
        arcs, relations = trees_beside(student, one, other, style)
        scores = student.heads.syntax(student.words(other.words, style), other.mask)
        expected = scores["head"].softmax(-1)[0]
    assert torch.allclose(arcs.sum(-1), torch.ones(1, 5), atol=1e-5)
    assert torch.allclose(arcs[0][[0, 1, 3, 4]][:, [0, 1, 2, 4, 5]], expected, atol=1e-5)
    assert arcs[0, 2].tolist() == [0, 0, 1, 0, 0, 0]
    assert relations[0, 2].argmax() == RELATIONS.index("flat")


def test_teaching_goes_on_where_it_was_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from training.joint import onward
    from training.joint.onward import Pace, teach_on

    monkeypatch.setattr(onward, "SAVE_EVERY", -1)
    state_file = tmp_path / "state.pt"
    seen: list[float] = []
    network = torch.nn.Linear(2, 1)
    pace = Pace(rate=0.1, warm=2, falling=0.5, keep=0.5, seed=3)

    def lessons(chance: np.random.Generator) -> Callable[[], tuple[str, Any]]:
        def lesson() -> tuple[str, Any]:
            seen.append(float(chance.random()))
            if len(seen) == 5:
                raise KeyboardInterrupt
            return "line", (network(torch.ones(1, 2)) - 3).square().sum()

        return lesson

    how: dict[str, Any] = {"minutes": 1.0, "steps": 40, "state_file": state_file}
    with pytest.raises(KeyboardInterrupt):
        teach_on(network, list(network.parameters()), lessons, pace, **how)
    losses, _ = teach_on(network, list(network.parameters()), lessons, pace, **how)
    assert len(losses) == 40  # four of them from before
    assert len(seen) == 5 + 36
    assert len(set(seen)) == len(seen)  # who goes on sees other sentences than at first
    assert losses[-1][1] < losses[0][1] / 10
