"""Classes of features and lemmas: rare ones stay out of the file, and nothing is shifted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from training.joint.classes import LEAST, common_classes, only

if TYPE_CHECKING:
    from pathlib import Path

LABELS: dict[str, Any] = {
    "feats": {"labels": ["a", "b", "c"], "pairs": {"boun": {"NOUN": [0, 1], "VERB": [2]}}},
    "lemma": {"scripts": ["x", "y"]},
    "styles": ["generic"],
}


def test_common_classes_are_counted_in_the_training_words_alone(tmp_path: Path) -> None:
    often = max(LEAST.values())
    feats = [0] * often + [1] + [2] * often + [65_535]
    train, dev = len(feats), 2 * often
    np.savez(
        tmp_path / "joint_syntax.npz",
        part=np.array([0, 1]),
        parts=np.array(["train", "dev BOUN"]),
        offsets=np.array([0, train, train + dev]),
        label_feats=np.array(feats + [1] * dev, np.uint16),
        label_lemma=np.array([1] * train + [0] * dev, np.uint16),
    )
    kept = common_classes(tmp_path, LABELS)
    assert kept["feats"].tolist() == [0, 2]
    assert kept["lemma"].tolist() == [1]


def test_what_is_left_keeps_its_weights_its_names_and_its_pairs() -> None:
    arrays = {
        f"{name}.{part}": np.arange(size) for name, size in (("feats", 3), ("lemma", 2)) for part in ("weight", "bias")
    }
    arrays["upos.weight"] = np.arange(5)
    kept = {"feats": np.array([0, 2]), "lemma": np.array([1])}
    found, labels = only(arrays, LABELS, kept)
    assert found["feats.weight"].tolist() == found["feats.bias"].tolist() == [0, 2]
    assert found["lemma.weight"].tolist() == [1]
    assert found["upos.weight"].tolist() == [0, 1, 2, 3, 4]
    assert labels["feats"] == {"labels": ["a", "c"], "pairs": {"boun": {"NOUN": [0], "VERB": [1]}}}
    assert labels["lemma"]["scripts"] == ["y"]
    assert LABELS["feats"]["labels"] == ["a", "b", "c"]
