"""Learn where sentences end in text without stops: `vnlp_colab/text/unmarked.bin`.

    python -m training.unmarked evaluate --data DATA/ud     # learns from the train files, scores the dev files
    python -m training.unmarked train --data DATA/ud        # learns from both and writes the file

The sentences of the six treebanks lose their final marks; half of them are in small letters, and half of those lose
all marks. Logistic regression (scikit-learn) over hashed features; nothing is learnt from a sentence that a test
file of the six has, too.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path

import numpy as np

from benchmarks.treebanks import treebank_files
from training.joint.texts import without_test_sentences
from vnlp_colab.text import unmarked
from vnlp_colab.text.case import lower_case

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_FINAL = re.compile(r"[\s.!?…:;\"'”’»)\]-]+$")
_BLOCK = 50  # sentences that are written in one way
_MOST = 8000  # of a treebank
_PENALTY = 1e-5
_EPOCHS = 30


def texts(data: Path, part: str) -> dict[str, list[str]]:
    """Return the sentences of each treebank without their final marks and other stops."""
    found = {}
    tests = [*treebank_files(data, "test").values()]
    for name, path in treebank_files(data, part).items():
        sentences = [_FINAL.sub("", sentence.text) for sentence in without_test_sentences(path, tests)]
        found[name] = [text for text in sentences if _WORD.search(text)]
    return found


def written(sentences: list[str], way: int) -> list[str]:
    """Return sentences as written (0, 1), in small letters (2), or in small letters without marks (3)."""
    if way < 2:
        return sentences
    lowered = [lower_case(text) for text in sentences]
    return lowered if way == 2 else [" ".join(_WORD.findall(text)) for text in lowered]


def examples(sentences: list[str]) -> tuple[list[list[int]], list[bool]]:
    """Return the rows of each word of the joined sentences, and whether it is the last of its sentence."""
    words: list[tuple[str, str]] = []
    ends: list[bool] = []
    for text in sentences:
        spans = [match.span() for match in _WORD.finditer(text)]
        starts = [start for start, _ in spans[1:]]
        words += [(text[a:b], text[b:after]) for (a, b), after in zip(spans, starts, strict=False)]
        words.append((text[spans[-1][0] : spans[-1][1]], " "))
        ends += [False] * len(starts) + [True]
    return list(unmarked.feature_rows(words)), ends


def fit(by_treebank: list[list[str]]) -> np.ndarray:
    """Return the table of weights as bytes."""
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped,unused-ignore]
    from sklearn.linear_model import SGDClassifier  # type: ignore[import-untyped,unused-ignore]

    rows: list[list[int]] = []
    ends: list[bool] = []
    for sentences in by_treebank:
        chosen = list(sentences)
        random.Random(0).shuffle(chosen)
        chosen = chosen[:_MOST]
        for number, start in enumerate(range(0, len(chosen), _BLOCK)):
            some, right = examples(written(chosen[start : start + _BLOCK], number % 4))
            rows += some
            ends += right
    columns = np.array([column for row in rows for column in row], np.int32)
    places = np.arange(0, len(columns) + 1, len(rows[0]), dtype=np.int32)
    matrix = csr_matrix((np.ones(len(columns)), columns, places), shape=(len(rows), unmarked.ROWS))
    model = SGDClassifier(
        loss="log_loss", alpha=_PENALTY, max_iter=_EPOCHS, tol=None, random_state=0, average=True, fit_intercept=False
    )
    model.fit(matrix, ends)
    return np.clip(np.round(model.coef_[0] * unmarked.SCALE), -127, 127).astype(np.int8)


def sentence_f1(weights: np.ndarray, sentences: list[str]) -> float:
    """Return the F1 of whole sentences in per cent."""
    rows, ends = examples(sentences)
    said = weights.astype(np.int64)[np.array(rows)].sum(axis=1) > 0
    said[-1] = True
    gold, found = _spans(np.array(ends)), _spans(said)
    return 200 * len(gold & found) / (len(gold) + len(found))


def _spans(ends: np.ndarray) -> set[tuple[int, int]]:
    last = np.flatnonzero(ends)
    return set(zip([0, *(last[:-1] + 1).tolist()], last.tolist(), strict=True))


def main() -> None:
    """Train or evaluate."""
    parser = argparse.ArgumentParser(
        prog="python -m training.unmarked", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("train", "evaluate"))
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="UD treebanks")
    args = parser.parse_args()
    train, dev = texts(args.data, "train"), texts(args.data, "dev")
    if args.step == "train":
        weights = fit([train[name] + dev[name] for name in train])
        unmarked.WEIGHTS_FILE.write_bytes(weights.tobytes())
        print(f"{np.count_nonzero(weights)} of {unmarked.ROWS} weights -> {unmarked.WEIGHTS_FILE}")
        return
    weights = fit(list(train.values()))
    for name, sentences in dev.items():
        scores = [sentence_f1(weights, written(sentences, way)) for way in (0, 2, 3)]
        print(f"{name:10}as written {scores[0]:.1f}, small letters {scores[1]:.1f}, no marks either {scores[2]:.1f}")


if __name__ == "__main__":
    main()
