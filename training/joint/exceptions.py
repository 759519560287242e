"""Stage 9: lemmas of words that the shipped network keeps getting wrong in its own training sentences.

python -m training.joint.exceptions --data DATA --labels Joint_labels.json [--least 2]

Keyed by form and the tag the network gives. An entry must be right at least `least` times more often than the network
is, and in four of five cases: the six treebanks contradict each other, and an exception holds in every style.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from training.joint.analysers import Analyser, PackageAnalyser
from training.joint.prepare import STYLES, treebank_parts
from vnlp_colab.joint.affixes import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

SURE = 0.8
MOST_LETTERS = 40


def collect(said: Iterable[tuple[str, str, str, str]], least: int) -> dict[str, str]:
    r"""Return lemmas by ``form TAB tag`` from forms, the network's tags and lemmas, and gold lemmas.

    Examples
    --------
    >>> collect([("havaalanı", "NOUN", "havaalanı", "havaalan")] * 3, least=2)
    {'havaalanı\tNOUN': 'havaalan'}
    """
    gold: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    right: Counter[tuple[str, str]] = Counter()
    for form, tag, lemma, wanted in said:
        gold[form, tag][wanted] += 1
        right[form, tag] += lemma == wanted
    found = {}
    for (form, tag), lemmas in sorted(gold.items()):
        best, count = lemmas.most_common(1)[0]
        often = count >= SURE * lemmas.total() and count - right[form, tag] >= least
        # Lemmas of the word beside, and numbered ones (an(II)), are slips and ways of single files.
        likely = fold(form)[:1] == fold(best)[:1] and "(" not in best and len(form) <= MOST_LETTERS
        if often and likely:
            found[f"{form}\t{tag}"] = best
    return found


def answers(data: Path, analyse: Analyser) -> Iterable[tuple[str, str, str, str]]:
    """Yield form, tag, lemma and gold lemma of every word the network was trained on."""
    every = [(style, s) for part, style, s in treebank_parts(data) if part == "train" and any(s.lemmas)]
    for number in range(1, len(STYLES)):
        sentences = [s for style, s in every if style == number]
        for gold, answer in zip(sentences, analyse([s.words for s in sentences], style=STYLES[number]), strict=True):
            yield from zip(gold.words, answer.upos, answer.lemmas, gold.lemmas, strict=True)


def main() -> None:
    """Write them into the labels' file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--least", type=int, default=2)
    args = parser.parse_args()
    content = json.loads(args.labels.read_text(encoding="utf-8"))
    found = collect(answers(args.data, PackageAnalyser()), args.least)
    content["lemma"]["exceptions"] = found
    args.labels.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    print(f"{len(found):,} exceptions, {sum(len(k) + len(v) + 6 for k, v in found.items()):,} bytes", flush=True)


if __name__ == "__main__":
    main()
