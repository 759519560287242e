"""Learn which surface tokens hold two syntactic words, and where: `vnlp_colab/text/multiword.tsv`.

    python -m training.multiword evaluate --data DATA/ud     # five folds over BOUN's train and dev files
    python -m training.multiword train --data DATA/ud        # writes the file

Logistic regression with an L1 penalty (scikit-learn 1.8 or newer), so that most weights are 0 and the file is small.
Nothing is learnt from a sentence that the test file has, too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from training.joint.texts import without_test_sentences
from vnlp_colab.text.multiword import WEIGHTS_FILE, Feature, archetype, features

# Endings split off at least so often; the inverse of the penalty; folds of `evaluate`.
_SEEN = 2
_INVERSE_PENALTY = 2.0
_FOLDS = 5
_LEAST_WEIGHT = 0.01

Token = tuple[str, int | None]  # a token and, if it is two words, where the second begins


def read_tokens(data: Path) -> list[list[Token]]:
    """Return the tokens of each sentence of BOUN's train and dev files that is not one of its test file."""
    sentences = []
    for part in ("train", "dev"):
        path = data / "UD_Turkish-BOUN" / f"tr_boun-ud-{part}.conllu"
        for sentence in without_test_sentences(path, [path.with_name("tr_boun-ud-test.conllu")]):
            tokens: list[Token] = []
            for (start, end), words in zip(sentence.spans, sentence.words, strict=True):
                token = sentence.text[start:end]
                spelt = len(words) == 2 and "".join(words) == token
                # words that do not spell their token, or three of them, are kept as one
                tokens.append((token, len(words[0]) if spelt else None))
            sentences.append(tokens)
    return sentences


def endings(sentences: list[list[Token]]) -> set[str]:
    """Return the endings that are split off more than once."""
    seen = Counter(
        archetype(token[cut:]).lstrip("'’") for tokens in sentences for token, cut in tokens if cut is not None
    )
    return {ending for ending, count in seen.items() if count >= _SEEN}


def examples(sentences: list[list[Token]]) -> tuple[list[dict[Feature, float]], list[bool], list[tuple[int, int, int]]]:
    """Return the features of every cut there could be, whether it is right, and sentence, token and place."""
    known = endings(sentences)
    lengths = sorted({len(ending) for ending in known})
    rows: list[dict[Feature, float]] = []
    right: list[bool] = []
    places = []
    for number, tokens in enumerate(sentences):
        for at, (token, cut) in enumerate(tokens):
            pattern = archetype(token)
            for length in lengths:
                if len(pattern) != len(token) or len(token) < length + 2 or pattern[-length:] not in known:
                    continue
                place = len(token) - length
                place -= token[place - 1] in "'’"
                rows.append(dict.fromkeys(features(token, length), 1.0))
                right.append(cut == place)
                places.append((number, at, place))
    return rows, right, places


def fit(rows: list[dict[Feature, float]], right: list[bool]) -> dict[Feature, float]:
    """Return the weights."""
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped,unused-ignore]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped,unused-ignore]

    columns: dict[Feature, int] = {}
    pairs = [(at, columns.setdefault(name, len(columns))) for at, row in enumerate(rows) for name in row]
    first, second = np.array(pairs, np.int32).T
    matrix: Any = csr_matrix((np.ones(len(pairs)), (first, second)))
    model = LogisticRegression(C=_INVERSE_PENALTY, l1_ratio=1, solver="liblinear", max_iter=300, random_state=0)
    model.fit(matrix, right)
    weights = {name: round(float(model.coef_[0, at]), 2) for name, at in columns.items()}
    kept = {name: weight for name, weight in weights.items() if abs(weight) >= _LEAST_WEIGHT or name[1] == "ending"}
    return kept | {("", "bias", ""): round(float(model.intercept_[0]), 2)}


def evaluate(sentences: list[list[Token]]) -> tuple[int, int, int]:
    """Return how many splits are right, said and wanted, each fold of sentences judged by a model of the others."""
    rows, right, places = examples(sentences)
    hits = said = 0
    for fold in range(_FOLDS):
        learn = [at for at, (number, _, _) in enumerate(places) if number % _FOLDS != fold]
        weights = fit([rows[at] for at in learn], [right[at] for at in learn])
        best: dict[tuple[int, int], tuple[float, bool]] = {}
        for at, (number, token, _) in enumerate(places):
            if number % _FOLDS == fold:
                score = weights["", "bias", ""] + sum(weights.get(name, 0.0) for name in rows[at])
                if score > best.get((number, token), (0.0, False))[0]:
                    best[number, token] = score, right[at]
        said += len(best)
        hits += sum(is_right for _, is_right in best.values())
    return hits, said, sum(cut is not None for tokens in sentences for _, cut in tokens)


def main() -> None:
    """Train or evaluate."""
    parser = argparse.ArgumentParser(
        prog="python -m training.multiword", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("train", "evaluate"))
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="UD treebanks")
    args = parser.parse_args()
    sentences = read_tokens(args.data)
    if args.step == "evaluate":
        hits, said, wanted = evaluate(sentences)
        print(f"{wanted} splits: precision {hits / said:.3f}, recall {hits / wanted:.3f}")
        return
    rows, right, _ = examples(sentences)
    weights = fit(rows, right)
    lines = ["\t".join((*name, f"{weight:g}")) for name, weight in sorted(weights.items())]
    WEIGHTS_FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} weights -> {WEIGHTS_FILE}")


if __name__ == "__main__":
    main()
