"""Which classes of features and lemmas go into the file: every one costs time at every word.

Strings of features and edit scripts that only a few training words have are hardly ever right: without them the
held-out words lose 0.02 points of either, and the network has 3 % less to multiply.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from training.arrays import sentences_that_train

if TYPE_CHECKING:
    from pathlib import Path

LEAST = {"feats": 3, "lemma": 4}  # training words a class must have; dev sentences are there several times


def common_classes(work: Path, labels: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the numbers of the classes that enough training words have."""
    with np.load(work / "joint_syntax.npz") as file:
        words = np.repeat(sentences_that_train(file), np.diff(file["offsets"]))
        seen = {name: file[f"label_{name}"][words] for name in LEAST}
    sizes = {"feats": len(labels["feats"]["labels"]), "lemma": len(labels["lemma"]["scripts"])}
    counts = {name: np.bincount(seen[name][seen[name] < sizes[name]], minlength=sizes[name]) for name in LEAST}
    return {name: np.flatnonzero(counts[name] >= least) for name, least in LEAST.items()}


def only(
    arrays: dict[str, Any], labels: dict[str, Any], kept: dict[str, np.ndarray]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a student's arrays and labels with only these classes of features and lemmas."""
    arrays, labels = dict(arrays), json.loads(json.dumps(labels))
    for name, numbers in kept.items():
        for part in ("weight", "bias"):
            arrays[f"{name}.{part}"] = arrays[f"{name}.{part}"][numbers]
    feats, lemma = labels["feats"], labels["lemma"]
    now = {int(old): new for new, old in enumerate(kept["feats"])}
    feats["labels"] = [feats["labels"][i] for i in kept["feats"]]
    lemma["scripts"] = [lemma["scripts"][i] for i in kept["lemma"]]
    feats["pairs"] = {
        style: {tag: [now[i] for i in numbers if i in now] for tag, numbers in tags.items()}
        for style, tags in feats.get("pairs", {}).items()
    }
    return arrays, labels
