"""Beside stage 5: a student taught that names side by side can be two, and that capitals alone are no name.

python -m training.joint.apart student_before.pt --data DATA --work WORK [--minutes 40]

What it learns are the sentences of `training.joint.neighbours`: entities as they are made (but in the style of the one
entity set that never tells neighbours apart), trees as the student itself gives them to the sentence beside each,
everything else as it says anyway. Among them is chat with capitals (`training.joint.chat`), in which nothing is an
entity. Three fifths of the steps are texts of every
other kind, raw ones too, about which it is taught to answer as before. Words are composed as before: the vectors of
words stay as they are. Goes on from ``apart_state.pt`` if it was cut off; leaves ``apart.pt``, to ship (`blend`), and
``record_apart.json``.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import sentencepiece
import torch
from torch import Tensor
from torch.nn import functional as F

from training.arrays import RELATIONS
from training.joint import neighbours
from training.joint.chat import with_capitals
from training.joint.constants import ANY_STYLE, TOKENIZER, UNKNOWN
from training.joint.data import Texts, Vocabulary, load_sets
from training.joint.device import ready
from training.joint.kept import halved, load_student, save
from training.joint.losses import GENERIC
from training.joint.measure import evaluate
from training.joint.narrow import answers, divergence_of
from training.joint.onward import Pace, means_of, teach_on
from training.joint.prepare import Collection, prepare_entities
from training.joint.raw import load_silver
from training.joint.record import note

if TYPE_CHECKING:
    from collections.abc import Callable

    from training.joint.data import Batch
    from training.joint.network import Student
    from training.joint.onward import Lesson

SILVER = 300_000  # raw sentences
CHAT = 10_000  # sentences of chat
# Of the steps; words a step.
SHARES = {"sides": 0.4, "syntax": 0.18, "entities": 0.14, "silver": 0.2, "reviews": 0.08}
TOKENS = 1500
PACE = Pace(rate=1.5e-4, warm=50, falling=0.8, keep=0.99, seed=41)
SMOOTHING = 0.03
AS_BEFORE = 2.0  # weight of answering as before beside the new answers


def chat_with_capitals(data: Path) -> list[neighbours.Side]:
    """Return chat that would be full of names if capitals made them."""
    chance = random.Random(neighbours.SEED)
    collection = prepare_entities(data)
    chat = [words for words, style in zip(collection.sentences, collection.style, strict=True) if style == ANY_STYLE]
    some = [with_capitals(words, chance) for words in chance.sample(chat, min(len(chat), CHAT))]
    return [neighbours.Side(words, [0] * len(words), words, list(range(len(words)))) for words in some]


def write_sides(data: Path, work: Path) -> None:
    """Write the sentences and those beside them, one by one, as ``joint_sides.npz`` and ``joint_beside.npz``."""
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(TOKENIZER))
    made = neighbours.told_apart(neighbours.sides(data, neighbours.SENTENCES)) + chat_with_capitals(data)
    sides, beside = Collection(["train"]), Collection(["train"])
    for side in made:
        entities = [UNKNOWN if label == neighbours.OTHER else label for label in side.entities]
        places = [UNKNOWN if place == neighbours.INSIDE else place for place in side.places]
        sides.add("train", side.words, 0, entity=entities, place=places)
        beside.add("train", side.beside, 0)
    beside.save(work / "joint_beside.npz", tokenizer, writings=False)
    sides.save(work / "joint_sides.npz", tokenizer, writings=False)


def read_texts(path: Path, device: str) -> Texts:
    """Return a set as it was written."""
    with np.load(path) as file:
        return Texts({name: file[name] for name in file.files}, device)


def side_loss(student: Student, before: Student, batch: Batch, beside: Batch, style: Tensor, together: int) -> Tensor:
    """Return how far the answers about names side by side are from what they are to be.

    The entity style `together` goes on taking them for one.
    """
    entity_style = torch.randint_like(style, len(student.heads.entity_style))
    with torch.no_grad():
        x = before.words(batch.words, style)
        own = before.heads.syntax(x, batch.mask)
        entity = before.heads.entities(x, entity_style).softmax(-1)
        arcs, relations = trees_beside(before, batch, beside, style)
    wanted = batch.labels["entity"]
    named = F.one_hot(wanted.clamp_min(0), entity.shape[-1]) * (1 - SMOOTHING) + SMOOTHING / entity.shape[-1]
    apart = (wanted >= 0) & (entity_style != together)[:, None]
    entity = torch.where(apart[..., None], named, entity)
    x = student.words(batch.words, style, 0.01, 0.02)
    found = student.heads.syntax(x, batch.mask)
    heads = arcs.argmax(-1)
    pairs = [
        (student.heads.entities(x, entity_style), entity),
        (found["head"], arcs),
        (student.heads.relations(found, heads), relations),
        *((found[name], own[name].softmax(-1)) for name in ("upos", "feats", "lemma")),
    ]
    mask = batch.mask.float()
    losses = [-((scores.log_softmax(-1) * likely).sum(-1) * mask).sum() / mask.sum() for scores, likely in pairs]
    return torch.stack(losses).sum()


def trees_beside(before: Student, batch: Batch, beside: Batch, style: Tensor) -> tuple[Tensor, Tensor]:
    """Return how likely each head is and each relation to the likeliest one, from the sentences beside.

    The words of a name hang on its first one where that has no place there.
    """
    scores = before.heads.syntax(before.words(beside.words, style), beside.mask)
    likely = scores["head"].softmax(-1)
    related = before.heads.relations(scores, likely.argmax(-1)).softmax(-1)
    place = batch.labels["place"]
    rows, n = place.shape
    there = place >= 0
    ramp = torch.arange(n, device=place.device).expand(rows, n)
    # Where each word of the sentence beside stands in this one; the root is the root.
    own = torch.zeros(rows, beside.mask.shape[1] + 1, dtype=torch.long, device=place.device)
    own.scatter_(1, torch.where(there, place + 1, 0), torch.where(there, ramp + 1, 0))
    own[:, 0] = 0
    row_of = place.clamp_min(0)[..., None]
    arcs = likely.gather(1, row_of.expand(-1, -1, likely.shape[-1]))
    moved = torch.zeros(rows, n, n + 1, device=arcs.device)
    moved.scatter_add_(2, own[:, None].expand(-1, n, -1), arcs)
    relations = related.gather(1, row_of.expand(-1, -1, related.shape[-1]))
    inside = ~there & batch.mask
    first = torch.where(there, ramp, -1).cummax(1).values  # the nearest word before that has a place
    moved = torch.where(inside[..., None], F.one_hot(first.clamp_min(0) + 1, n + 1).float(), moved)
    flat = F.one_hot(torch.tensor(RELATIONS.index("flat"), device=place.device), relations.shape[-1]).float()
    return moved, torch.where(inside[..., None], flat, relations)


def lessons(
    student: Student, before: Student, sets: dict[str, Texts], together: int
) -> Callable[[np.random.Generator], Lesson]:
    """Return what makes the lessons: names side by side, but for the entity style `together`, and all other texts."""

    def drawn_by(chance: np.random.Generator) -> Lesson:
        streams = {name: sets[name].forever(TOKENS, chance) for name in SHARES}

        def lesson() -> tuple[str, Tensor]:
            name = str(chance.choice(list(SHARES), p=list(SHARES.values())))
            numbers = next(streams[name])
            batch = sets[name].batch(numbers, augment=name in ("syntax", "entities"))
            style = torch.randint(0, len(student.style), batch.style.shape, device=batch.style.device)
            style = torch.where(torch.rand(style.shape, device=style.device) < GENERIC, 0, style)
            with torch.autocast(style.device.type, torch.bfloat16):
                if name == "sides":
                    return name, side_loss(student, before, batch, sets["beside"].batch(numbers), style, together)
                batch.words = batch.altered or batch.words
                return name, AS_BEFORE * kept_loss(student, before, batch, style)

        return lesson

    return drawn_by


def kept_loss(student: Student, before: Student, batch: Batch, style: Tensor) -> Tensor:
    """Return how far its answers are from those of before."""
    entity_style = torch.randint_like(style, len(student.heads.entity_style))
    with torch.no_grad():
        wanted, heads = answers(before, batch, style, None, entity_style)
    found, _ = answers(student, batch, style, heads, entity_style)
    return torch.stack([divergence_of(*pair) for pair in zip(found, wanted, strict=True)]).sum()


def main() -> None:
    """Teach it unless that was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--minutes", type=float, default=24.0)
    parser.add_argument("--steps", type=int, default=None)
    args = parser.parse_args()
    if (args.work / "apart.pt").exists():
        return
    device = ready()
    torch.manual_seed(PACE.seed)
    vocabulary = Vocabulary.load(args.work / "joint_vocab.json")
    if not (args.work / "joint_sides.npz").exists():
        write_sides(args.data, args.work)
    sets = load_sets(args.work, device, train=True) | {"silver": Texts(load_silver(args.work, SILVER), device)}
    sets |= {name: read_texts(args.work / f"joint_{name}.npz", device) for name in ("sides", "beside")}
    before, student = (load_student(args.student, vocabulary).to(device) for _ in range(2))
    state_file = args.work / "apart_state.pt"
    together = vocabulary.raw["entity_styles"].index(neighbours.ONE_NAME)
    student.pieces.requires_grad_(requires_grad=False)
    taught = [weight for weight in student.parameters() if weight.requires_grad]
    how = {"minutes": args.minutes, "steps": args.steps, "state_file": state_file}
    student.train()
    losses, seconds = teach_on(student, taught, lessons(student, before, sets, together), PACE, **how)
    student.eval()
    end = max(1, len(losses) // 20)
    settings = {
        "student": args.student.name, "sentences": len(sets["sides"].lengths), "chat": CHAT, "shares": SHARES,
        "tokens": TOKENS, "smoothing": SMOOTHING, "as before": AS_BEFORE, **asdict(PACE),
    }  # fmt: skip
    ends = {"first": means_of(losses[:end]), "last": means_of(losses[-end:])}
    came = {"steps": len(losses), "seconds": round(seconds), "losses": ends}
    held = load_sets(args.work, device, train=False)
    scores = evaluate(student, held)
    note(args.work / "record_apart.json", settings=settings, taught=came, before=evaluate(before, held), dev=scores)
    save(args.work / "apart.pt", halved(student))
    state_file.unlink(missing_ok=True)
    for part, values in scores.items():
        print(part, values, flush=True)


if __name__ == "__main__":
    main()
