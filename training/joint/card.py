"""The joint network's tables in the model card.

python -m training.joint.card SCORES.json ROBUSTNESS.json --write vnlp_colab/models/MODEL_CARD.md

`SCORES.json` is what ``python -m training.joint.score --output`` wrote for the test files, `ROBUSTNESS.json` what
``python -m benchmarks.robustness --json`` did. Words around the tables are written by hand.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from training.corpus import TREEBANKS
from training.joint.score import TYPED, UNSEEN
from training.joint.texts import ENTITY_SETS, WRITINGS
from training.score import markdown, write_table

Scores = dict[str, dict[str, Any]]
MEASURES = ("upos", "feats", "lemma", "uas", "las")
# Published for UD 2.10: UPOS, features (the universal ones), lemmas, UAS, LAS.
UDPIPE_2 = {
    "BOUN": (92.53, 92.67, 94.26, 81.07, 74.73),
    "Kenet": (93.72, 92.06, 93.33, 84.07, 71.29),
    "Penn": (96.30, 95.11, 95.01, 86.76, 73.91),
    "Tourism": (98.85, 95.12, 98.40, 97.25, 91.58),
    "FrameNet": (96.86, 94.89, 96.66, 93.39, 84.25),
    "Atis": (99.02, 98.52, 99.13, 91.11, 89.30),
    "pooled": (95.38, 93.91, 95.32, 87.12, 78.02),
}
# The six pooled, the treebank's style; the same without it; F1 of the entity sets; accuracy and macro-F1 of reviews.
FLOORS = {"upos": 95.3, "UFeats": 93.5, "lemma": 94.8, "uas": 87.5, "las": 78.5}
GENERIC_FLOORS = {"upos": 94.0, "uas": 86.5, "las": 76.5}
ENTITY_FLOORS = dict(zip(ENTITY_SETS, (0.885, 0.83, 0.80), strict=True))
REVIEW_FLOORS = {"accuracy": 93.0, "macro_f1": 0.895}
_SIDES = ("clearly good, %", "clearly bad, %")
# Lists of sentences, and what is told of each.
LISTS = {"informal": ("with an entity, %",)} | dict.fromkeys(
    ("neutral", "neutral, 5 in a row", "denied", "praise", "blame"), _SIDES
)
RAW = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS", "BLEX")


def gold_words(found: dict[str, Scores]) -> str:
    """Return the table of the treebanks with gold words, UDPipe 2 in brackets."""
    banks = found["treebanks"]
    rows = []
    for name, theirs in UDPIPE_2.items():
        universal = universal_features(found, name)
        ours = {**banks[name], "feats": f"{banks[name]['feats']:.2f} / {universal:.2f}"}
        cells = [f"{_shown(ours[m])} ({other:.2f})" for m, other in zip(MEASURES, theirs, strict=True)]
        rows.append([f"**{name}**" if name == "pooled" else name, f"{banks[name]['words']:,}", *cells])
    generic = found["generic"]
    pooled = {
        "pooled without what any training sentence has": banks[f"pooled{UNSEEN}"],
        "pooled, generic style": generic["pooled, generic"],
        "pooled, generic style, without the same": generic[f"pooled, generic{UNSEEN}"],
    }
    for name, scores in pooled.items():
        rows.append([name, f"{scores['words']:,}", *(_shown(scores[m]) for m in MEASURES)])
    return markdown(["test file", "words", "UPOS", "features", "lemma", "UAS", "LAS"], rows)


def universal_features(found: dict[str, Scores], name: str) -> float:
    """Return the UFeats of the shared task, gold words; of all files by their words."""
    if name != "pooled":
        return found["conll18"][f"{name}, gold words"]["UFeats"]
    words = {bank: found["treebanks"][bank]["words"] for bank in TREEBANKS}
    return sum(universal_features(found, bank) * n for bank, n in words.items()) / sum(words.values())


def raw_text(found: dict[str, Scores]) -> str:
    """Return the table of the measures from raw text."""
    rows = [[n, *(_shown(found["conll18"][f"{n}, raw text"][m]) for m in RAW)] for n in TREEBANKS]
    return markdown(["test file", *(m.lower() if m.istitle() else m for m in RAW)], rows)


def floors(found: dict[str, Scores]) -> str:
    """Return what was asked for at least beside what came of it."""
    banks, generic, reviews = found["treebanks"], found["generic"], found["reviews"]["winvoker"]
    own = {**banks["pooled"], "UFeats": universal_features(found, "pooled")}
    new, newer = banks[f"pooled{UNSEEN}"], generic[f"pooled, generic{UNSEEN}"]
    rows: list[tuple[str, float, float, float | None]] = [
        (m.upper() if m != "UFeats" else m, own[m], floor, new.get(m)) for m, floor in FLOORS.items()
    ]
    rows += [
        (f"{m.upper()}, generic style", generic["pooled, generic"][m], floor, newer[m])
        for m, floor in GENERIC_FLOORS.items()
    ]
    rows += [
        (f"LAS of {n}, UDPipe 2 less 0.5", banks[n]["las"], theirs[-1] - 0.5, banks[f"{n}{UNSEEN}"]["las"])
        for n, theirs in UDPIPE_2.items()
        if n != "pooled"
    ]
    rows += [(f"entities, {n}", found["entities"][n][n], floor, None) for n, floor in ENTITY_FLOORS.items()]
    rows += [(f"reviews, {m}", reviews[m], floor, None) for m, floor in REVIEW_FLOORS.items()]
    lines = [
        [
            name,
            _shown(value),
            _shown(floor),
            "yes" if value >= floor else "no",
            "" if unseen is None else _shown(unseen),
        ]
        for name, value, floor, unseen in rows
    ]
    return markdown(["six files together, gold words", "ours", "floor", "reached", "without sentences seen"], lines)


def entities(found: dict[str, Scores]) -> str:
    """Return the table of the entity sets."""
    ways = WRITINGS[1:]
    rows = [[name, *(f"{found['entities'][name][s]:.4f}" for s in (name, "generic", *ways))] for name in ENTITY_SETS]
    return markdown(["test file", "F1, its own style", "F1, generic style", *(f"... {way}" for way in ways)], rows)


def reviews(found: dict[str, Scores]) -> str:
    """Return the table of the reviews as they stand and written otherwise."""
    names = {WRITINGS[0]: "winvoker"} | {way: f"winvoker, {way}" for way in WRITINGS[1:]}
    rows = [[way, *(_shown(value) for value in found["reviews"][name].values())] for way, name in names.items()]
    return markdown(["reviews (winvoker)", "accuracy", "macro-F1"], rows)


def lists(found: dict[str, Scores]) -> str:
    """Return the table of the lists as they stand and typed otherwise."""
    rows = []
    for part, what in LISTS.items():
        cells = ["/".join(f"{found['lists'][f'{part}{way}'][key]:g}" for key in what) for way in TYPED]
        rows.append([part, *cells])
    heads = [way.removeprefix(", ") or "as written" for way in TYPED]
    return markdown(["list", *heads], rows)


def lengths(found: dict[str, Scores]) -> str:
    """Return the table by the length of sentences."""
    rows = [["all", *(_shown(found["treebanks"]["pooled"][m]) for m in MEASURES)]]
    rows += [[name, *(_shown(scores[m]) for m in MEASURES)] for name, scores in found["lengths"].items()]
    return markdown(["pooled, style given", "UPOS", "features", "lemma", "UAS", "LAS"], rows)


def writings(robustness: Scores) -> str:
    """Return the table of text written otherwise."""
    rows = [[name, *(f"{value:.2f}" for value in scores.values())] for name, scores in robustness.items()]
    return markdown(["pooled", *next(iter(robustness.values()))], rows)


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.2f}" if value > 1 else f"{value:.4f}"


def main() -> None:
    """Print the tables, and write them into the card if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", type=Path)
    parser.add_argument("robustness", type=Path)
    parser.add_argument("--write", type=Path, help="the model card to refresh")
    args = parser.parse_args()
    found, robustness = (json.loads(p.read_text(encoding="utf-8")) for p in (args.scores, args.robustness))
    tables = {
        "joint, gold words": gold_words(found),
        "joint, floors": floors(found),
        "joint, raw text": raw_text(found),
        "joint, entities": entities(found),
        "joint, reviews": reviews(found),
        "joint, lists": lists(found),
        "joint, lengths": lengths(found),
        "joint, writings": writings(robustness),
    }
    for name, table in tables.items():
        print(f"## {name}\n\n{table}\n")
        if args.write:
            write_table(args.write, name, table)


if __name__ == "__main__":
    main()
