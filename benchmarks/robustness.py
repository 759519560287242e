"""What the pipeline loses on text that is written otherwise.

    python -m benchmarks.robustness [--data FOLDER] [--json FILE]

Words of the UD test files are shown as written, in small letters, in capitals, without Turkish letters (also with
`normalize="auto"`), without their punctuation marks, and with typing errors (two neighbouring letters swapped in 5 % of
the words). Gold words, the treebank's own style; without marks only the other words are scored.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.comparison import columns
from benchmarks.informal import STRIP
from benchmarks.treebanks import treebank_files
from vnlp_colab import VNLPipeline
from vnlp_colab.evaluation.readers import read_feats, read_lemmas, read_tags, read_trees
from vnlp_colab.text.case import lower_case, upper_case
from vnlp_colab.text.informal import mend_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

Words = list[str]
_ERRORS = 0.05
_MEASURES = ("UPOS", "features", "lemma", "UAS", "LAS")


def mistyped(words: Words) -> Words:
    """Return the words with two neighbouring letters swapped in a twentieth of them, always the same."""
    chance = random.Random(" ".join(words))
    made = []
    for word in words:
        if len(word) > 3 and chance.random() < _ERRORS:
            at = chance.randrange(1, len(word) - 1)
            word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        made.append(word)
    return made


WRITINGS: dict[str, Callable[[Words], Words]] = {
    "as written": list,
    "lower case": lambda words: [lower_case(word) for word in words],
    "capitals": lambda words: [upper_case(word) for word in words],
    "without Turkish letters": lambda words: [word.translate(STRIP) for word in words],
    "without Turkish letters, auto": lambda words: mend_tokens([word.translate(STRIP) for word in words], "auto"),
    "with typing errors": mistyped,
    "without marks": list,
}


def measure(path: Path, style: str) -> dict[str, list[int]]:
    """Return right answers by measure, and the words there are, for every way of writing."""
    nlp = VNLPipeline(["pos", "feats", "lemma", "dep"], device="cpu", style=style)
    words = [(t.words, t.labels) for t in read_tags(path)]
    files = zip(words, read_feats(path), read_lemmas(path), read_trees(path), strict=True)
    gold = [(*t, f.labels, m.labels, list(zip(d.heads, d.relations, strict=True))) for t, f, m, d in files]
    found: dict[str, list[int]] = {}
    for name, write in WRITINGS.items():
        keep = [
            [at for at, tag in enumerate(tags) if name != "without marks" or tag != "PUNCT"] for _, tags, *_ in gold
        ]
        answers = nlp.annotate(
            [write([words[at] for at in places]) for (words, *_), places in zip(gold, keep, strict=True)]
        )
        counts = [0] * 6
        for row, ((_, tags, feats, lemmas, arcs), places) in enumerate(zip(gold, keep, strict=True)):
            number = {at + 1: new for new, at in enumerate(places, 1)} | {0: 0}
            for new, at in enumerate(places):
                head, relation = answers["dep"][row][new]
                same = head == number.get(arcs[at][0], -1)
                labels = {"pos": tags, "feats": feats, "lemma": lemmas}
                hits = [answers[column][row][new] == own[at] for column, own in labels.items()]
                for place, hit in enumerate((*hits, same, same and relation == arcs[at][1], True)):
                    counts[place] += hit
        found[name] = counts
    return found


def main() -> None:
    """Measure all files and print the pooled shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    totals = {name: [0] * 6 for name in WRITINGS}
    for name, path in treebank_files(args.data, "test").items():
        for writing, counts in measure(path, lower_case(name)).items():
            totals[writing] = [a + b for a, b in zip(totals[writing], counts, strict=True)]
    shares = {
        name: {key: 100 * n / counts[-1] for key, n in zip(_MEASURES, counts, strict=False)}
        for name, counts in totals.items()
    }
    print(
        columns(("pooled", *_MEASURES), [(name, *(f"{v:.2f}" for v in row.values())) for name, row in shares.items()])
    )
    if args.json:
        args.json.write_text(json.dumps(shares, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
