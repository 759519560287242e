"""Test sentences that also stand in training files: count them, and write the test files without them.

python -m training.leakage --data DATA [--output FOLDER]

A sentence stands in another file if one there has the same syntactic words. All six treebanks train one network, so the
files of every treebank count (train, and what is trained on of dev), not only those of the same one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from training.corpus import TREEBANKS, read_conllu, read_treebanks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def test_file(data: Path, treebank: str) -> Path:
    """Return the place of a treebank's test file."""
    return data / "ud" / f"UD_Turkish-{treebank}" / f"tr_{treebank.lower()}-ud-test.conllu"


def own_train_sentences(data: Path, treebank: str) -> set[tuple[str, ...]]:
    """Return the sentences of a treebank's own train file."""
    path = test_file(data, treebank).with_name(f"tr_{treebank.lower()}-ud-train.conllu")
    return {tuple(words.words) for words, _ in read_conllu(path)}


def all_train_sentences(data: Path) -> set[tuple[str, ...]]:
    """Return every sentence the syntax networks are trained on."""
    return {tuple(sentence.words) for sentence in read_treebanks(data)[0]}


def write_sentences(paths: Iterable[Path], keep: Callable[[tuple[str, ...]], bool], output: Path) -> None:
    """Write the sentences of CoNLL-U files whose words are to be kept."""
    with output.open("w", encoding="utf-8") as out:
        for path in paths:
            blocks = [block for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]
            sentences = (tuple(words.words) for words, _ in read_conllu(path))
            for block, words in zip(blocks, sentences, strict=True):
                if keep(words):
                    out.write(block.strip("\n") + "\n\n")


def main() -> None:
    """Print the shares; with an output folder, keep the cleaned files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, help="folder for the test files without the sentences of any train file")
    args = parser.parse_args()
    everything = all_train_sentences(args.data)
    for name in TREEBANKS:
        test = [tuple(words.words) for words, _ in read_conllu(test_file(args.data, name))]
        own = own_train_sentences(args.data, name)
        shares = [100 * sum(words in seen for words in test) / len(test) for seen in (own, everything)]
        print(f"{name}: {shares[0]:.1f} % in its train file, {shares[1]:.1f} % in any sentence trained on")
        if args.output:
            args.output.mkdir(parents=True, exist_ok=True)
            path = test_file(args.data, name)
            write_sentences([path], lambda words: words not in everything, args.output / path.name)


if __name__ == "__main__":
    main()
