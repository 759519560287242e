"""Networks as they are kept in the work folder: encoders as published, teachers and students as float16."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from training.arrays import write_arrays
from training.joint.classes import common_classes, only
from training.joint.data import LONGEST
from training.joint.network import Encoder, Student, Teacher, exported, load_encoder, published
from vnlp_colab.atomic import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

    from torch import nn

    from training.joint.data import Vocabulary

# What the package builds the student's graph from, beside the arrays.
SETTINGS = {
    "width": 384, "layers": 6, "heads": 6, "act": "relu", "head_act": "relu",
    "pieces": 256, "affixes": 96, "arc": 256, "relation": 192, "entity": 192,
}  # fmt: skip


def save(path: Path, values: object) -> None:
    """Write values as PyTorch keeps them."""
    write_atomically(path, partial(torch.save, values))


def halved(network: nn.Module) -> dict[str, torch.Tensor]:
    """Return a network's weights as float16."""
    return {name: values.half() for name, values in network.state_dict().items()}


def whole(path: Path) -> dict[str, Any]:
    """Return weights kept as float16, as float32."""
    return {name: values.float() for name, values in torch.load(path, map_location="cpu", weights_only=True).items()}


def read_encoder(path: Path) -> Encoder:
    """Return a published encoder."""
    with np.load(path) as file:
        return load_encoder({name: torch.from_numpy(file[name]) for name in file.files})


def write_encoder(path: Path, encoder: Encoder) -> None:
    """Write an encoder as it is published."""
    arrays = {name: values.half().cpu().numpy() for name, values in published(encoder).items()}
    write_arrays(path, arrays, packed=False)


def new_teacher(work: Path, vocabulary: Vocabulary) -> Teacher:
    """Return a teacher that has the encoder's weights."""
    return Teacher(read_encoder(work / "encoder.npz"), vocabulary.sizes, vocabulary.feats)


def load_teacher(work: Path, vocabulary: Vocabulary, seed: int) -> Teacher:
    """Return a finished teacher."""
    teacher = new_teacher(work, vocabulary)
    teacher.load_state_dict(whole(work / f"teacher_{seed}.pt"))
    return teacher.eval()


def load_student(path: Path, vocabulary: Vocabulary) -> Student:
    """Return a finished student."""
    return student_of(whole(path), vocabulary)


def student_of(state: dict[str, torch.Tensor], vocabulary: Vocabulary) -> Student:
    """Return the student of these weights, with as many hidden numbers a layer as they have."""
    hidden = [values.shape[1] for name, values in state.items() if name.endswith(".down.weight") and "layers" in name]
    student = Student(vocabulary.sizes, vocabulary.feats, hidden)
    student.load_state_dict(state)
    return student.eval()


def keep_student(work: Path, student: Student) -> None:
    """Write what the package is made from, arrays (float16) and labels of its classes, and last the student's state.

    The stage is done when that is there.
    """
    path = work / "joint_vocab.json"
    settings = SETTINGS | {"ff": student.body.hidden}
    content = json.loads(path.read_text(encoding="utf-8")) | {"longest": LONGEST, "settings": settings}
    write_atomically(path, json.dumps(content, ensure_ascii=False).encode())
    own = {name: values.half().cpu().numpy() for name, values in exported(student).items()}
    arrays, labels = only(own, content, common_classes(work, content))
    write_arrays(work / "joint_student.npz", arrays, packed=False)
    write_atomically(work / "joint_labels.json", json.dumps(labels, ensure_ascii=False).encode())
    save(work / "student.pt", halved(student))
