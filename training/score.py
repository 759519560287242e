"""Score VNLP's networks on the test files and print their tables of the model card (`training.joint.card` the others).

python -m training.score --data DATA [--golden GOLDEN.jsonl] [--write vnlp_colab/models/MODEL_CARD.md] [--only pos dep]

With ``--write`` each table replaces what stands between ``<!-- scores: NAME -->`` and ``<!-- end -->`` in the file. A
model that is not there is left out.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from training.corpus import TREEBANKS
from training.leakage import all_train_sentences, own_train_sentences, test_file, write_sentences
from vnlp_colab.evaluation import Evaluated, evaluate_files
from vnlp_colab.resources import ResourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# The networks the tables speak of, whatever a task's default model is.
NETWORKS = {
    "pos": "SPUContextPoS",
    "dep": "SPUContextDP",
    "ner": "SPUContextNER",
    "sentiment": "SPUCBiGRUSentimentAnalyzer",
    "stemmer": "StemmerAnalyzer",
}
# UPOS accuracy, UAS, LAS with gold words on UD 2.9, as published.
UPSTREAM = {
    "Atis": (98.74, 91.54, 88.52),
    "BOUN": (87.08, 78.15, 67.64),
    "FrameNet": (95.09, 92.30, 81.12),
    "Kenet": (91.94, 83.51, 68.80),
    "Penn": (94.52, 85.24, 70.72),
    "Tourism": (98.45, 97.31, 90.96),
}
UDPIPE = {
    "Atis": (99.02, 91.11, 89.30),
    "BOUN": (92.53, 81.07, 74.73),
    "FrameNet": (96.86, 93.39, 84.25),
    "Kenet": (93.72, 84.07, 71.29),
    "Penn": (96.30, 86.76, 73.91),
    "Tourism": (98.85, 97.25, 91.58),
}
LONGEST = 10_000
LENGTHS = ((1, 5), (6, 10), (11, 20), (21, 40), (41, LONGEST))  # of sentences, in words
NER_SETS = ("wikiann_tr", "turkish_wiki_ner", "starlang_penn15_v2")
# What was wished for: a name, the least and the aim.
FLOORS = {
    "pos": [("accuracy, pooled", 92.6, 93.5)],
    "dep": [("UAS, pooled", 79.0, 83.0), ("LAS, pooled", 67.5, 72.0)],
    "ner": [
        ("wikiann_tr: token accuracy", 91.5, 94.0),
        ("wikiann_tr: entity F1", 0.84, 0.90),
        ("turkish_wiki_ner: token accuracy", 92.5, 94.0),
        ("turkish_wiki_ner: entity F1", 0.72, 0.80),
    ],
    "sentiment": [("winvoker: accuracy", 94.0, 95.5), ("winvoker: macro-F1", 0.91, 0.93)],
}


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def per_cent(value: float) -> str:
    """Return a share in per cent."""
    return f"{100 * value:.2f}"


def floors(task: str, values: Sequence[float]) -> str:
    """Return the table of wishes, and whether the values reach them."""
    rows = []
    for (name, least, aim), value in zip(FLOORS[task], values, strict=True):
        digits = 3 if aim < 1 else 2
        reached = "aim reached" if value >= aim else "floor reached" if value >= least else "**below the floor**"
        rows.append([name, f"{value:.{digits}f}", f"{least:g}", f"{aim:g}", reached])
    return markdown(["", "ours", "floor", "aim", ""], rows)


def evaluate(task: str, paths: Sequence[Path], model: str | None = None) -> Evaluated:
    """Evaluate the network of a task, or another, on the CPU."""
    model = model or NETWORKS[task]
    print(f"{task} {model} on {len(paths)} files", file=sys.stderr, flush=True)
    return evaluate_files(task, paths, model=model, device="cpu")


def treebank_rows(task: str, names: Sequence[str], data: Path) -> tuple[list[list[str]], Evaluated]:
    """Return a row a treebank, the pooled row, and rows without the test sentences that training files have, too."""
    result = evaluate(task, [test_file(data, name) for name in TREEBANKS])
    columns = range(1) if task == "pos" else range(1, 3)

    def row(title: str, scores: dict[str, float], treebank: str = "") -> list[str]:
        known = [f"{t[c]:.2f}" for t in (UPSTREAM.get(treebank), UDPIPE.get(treebank)) if t for c in columns]
        own = [f"{scores[n]:.3f}" if n == "macro_f1" else per_cent(scores[n]) for n in names]
        return [title, f"{int(scores['words']):,}", *own, *(known or [""] * 2 * len(columns))]

    rows = [row(name, scores, name) for name, (_, scores) in zip(TREEBANKS, result.files, strict=True)]
    rows.append(row("**pooled**", result.pooled))
    own, every = own_train_sentences(data, "Tourism"), all_train_sentences(data)
    tourism, *_ = evaluate_parts(task, data, {"unseen": lambda words: words not in own}, ["Tourism"]).files
    pooled, *_ = evaluate_parts(task, data, {"unseen": lambda words: words not in every}, TREEBANKS).files
    rows.append(row("Tourism without what its train file has", tourism[1]))
    rows.append(row("pooled without what any training sentence has", pooled[1]))
    return rows, result


def evaluate_parts(
    task: str, data: Path, parts: dict[str, Callable[[tuple[str, ...]], bool]], treebanks: Sequence[str]
) -> Evaluated:
    """Evaluate on parts of the test files: of each part, which sentences are in it."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.conllu" for name in parts]
        for path, keep in zip(paths, parts.values(), strict=True):
            write_sentences([test_file(data, name) for name in treebanks], keep, path)
        return evaluate(task, paths)


def score_pos(data: Path) -> str:
    """Return the tables of SPUContextPoS."""
    rows, result = treebank_rows("pos", ("accuracy", "macro_f1"), data)
    head = ["test file", "words", "accuracy", "macro-F1", "VNLP", "UDPipe 2"]
    return markdown(head, rows) + "\n\n" + floors("pos", [100 * result.pooled["accuracy"]])


def _of_length(low: int, high: int) -> Callable[[tuple[str, ...]], bool]:
    return lambda words: low <= len(words) <= high


def score_dep(data: Path) -> str:
    """Return the tables of SPUContextDP."""
    rows, result = treebank_rows("dep", ("uas", "las", "valid_trees"), data)
    head = ["test file", "words", "UAS", "LAS", "valid trees", "VNLP UAS", "LAS", "UDPipe 2 UAS", "LAS"]
    reached = floors("dep", [100 * result.pooled["uas"], 100 * result.pooled["las"]])
    parts = {
        f"{low} to {high}" if high < LONGEST else f"{low} and more": _of_length(low, high) for low, high in LENGTHS
    }
    lengths = evaluate_parts("dep", data, parts, TREEBANKS).files
    by_length = [
        [name, f"{int(scores['words']):,}", per_cent(scores["uas"]), per_cent(scores["las"])]
        for name, (_, scores) in zip(parts, lengths, strict=True)
    ]
    return "\n\n".join(
        [markdown(head, rows), reached, markdown(["words of the sentence", "words", "UAS", "LAS"], by_length)]
    )


def score_ner(data: Path) -> str:
    """Return the tables of SPUContextNER, with CharNER beside it."""
    paths = [data / "ner" / name / "test.conll" for name in NER_SETS]
    rows, first = [], None
    for model in (NETWORKS["ner"], "CharNER"):
        result = evaluate("ner", paths, model)
        first = first or result
        for name, scores in zip(NER_SETS, (s for _, s in result.files), strict=True):
            f1 = [f"{scores[n]:.3f}" for n in ("token_macro_f1", "entity_f1")]
            rows.append([model, name, f"{int(scores['tokens']):,}", per_cent(scores["token_accuracy"]), *f1])
    assert first is not None
    reached = [v for _, s in first.files[:2] for v in (100 * s["token_accuracy"], s["entity_f1"])]
    head = ["model", "test file", "tokens", "token accuracy", "token macro-F1", "entity F1"]
    return markdown(head, rows) + "\n\n" + floors("ner", reached)


def score_sentiment(data: Path) -> str:
    """Return the tables of the sentiment model."""
    result = evaluate("sentiment", [data / "sentiment" / "winvoker" / "test.tsv"])
    scores = result.pooled
    table = markdown(
        ["test file", "texts", "accuracy", "macro-F1"],
        [["winvoker", f"{int(scores['texts']):,}", per_cent(scores["accuracy"]), f"{scores['macro_f1']:.3f}"]],
    )
    return table + "\n\n" + floors("sentiment", [100 * scores["accuracy"], scores["macro_f1"]])


def score_stemmer(golden: Path) -> str:
    """Return the table of the stemmer: how often it says what upstream says."""
    scores = evaluate("stemmer", [golden]).pooled
    row = [f"{int(scores['sentences']):,}", f"{int(scores['tokens']):,}", per_cent(scores["morph"])]
    return markdown(["sentences", "tokens", "equal analyses", "equal lemmas"], [[*row, per_cent(scores["lemma"])]])


def main() -> None:
    """Score, print, and write into the model card if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--golden", type=Path, help="JSON lines of upstream's analyses; without it no stemmer table")
    parser.add_argument("--write", type=Path, help="the model card to refresh")
    parser.add_argument("--only", nargs="+", choices=("pos", "dep", "ner", "sentiment", "stemmer"), metavar="TASK")
    args = parser.parse_args()
    tables: dict[str, Callable[[], str]] = {
        "pos": lambda: score_pos(args.data),
        "dep": lambda: score_dep(args.data),
        "ner": lambda: score_ner(args.data),
        "sentiment": lambda: score_sentiment(args.data),
        "stemmer": lambda: score_stemmer(args.golden),
    }
    if args.golden is None:
        del tables["stemmer"]
    for name, make in tables.items():
        if args.only and name not in args.only:
            continue
        try:
            table = make()
        except ResourceError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        print(f"## {name}\n\n{table}\n", flush=True)
        if args.write:
            write_table(args.write, name, table)


def write_table(card: Path, name: str, table: str) -> None:
    """Put a table where the model card has room for the scores of this name."""
    text = card.read_text(encoding="utf-8")
    between = re.compile(rf"(<!-- scores: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not between.search(text):
        sys.exit(f"{card} has no place for the scores of {name}")
    card.write_text(_filled(between, table, text), encoding="utf-8")


def _filled(between: re.Pattern[str], table: str, card: str) -> str:
    return between.sub(lambda found: f"{found[1]}{table}\n{found[2]}", card)


if __name__ == "__main__":
    main()
