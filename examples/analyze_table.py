"""Analyse the example table and look at what comes out: python examples/analyze_table.py [TABLE [OUTPUT]]"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pandas as pd

from vnlp_colab import VNLPipeline
from vnlp_colab.errors import VNLPError, told

HERE = Path(__file__).parent


def main(table: Path, output: Path) -> None:
    if output.suffix != ".pkl":
        raise ValueError(f"{output}: the result is read as a pickled data frame; end its name in .pkl")
    nlp = VNLPipeline(models_to_load=["pos", "ner", "dep", "stemmer", "sentiment"])
    print(nlp.run(table, output))

    df = pd.read_pickle(output)  # noqa: S301 - written just above
    if df.empty:
        return
    row = df.iloc[:2].iloc[-1]  # the second one, or the only one
    print(f"\n{row['sentence']}")
    layers = zip(row["tokens"], row["lemma"], row["morph"], row["pos"], row["ner"], row["dep"], strict=True)
    for token, lemma, morph, pos, ner, (head, relation) in layers:
        print(f"  {token:<12} {lemma:<10} {pos:<6} {ner:<4} {head:>3} {relation:<10} {morph}")

    words = Counter(
        lemma
        for lemmas, tags in zip(df["lemma"], df["pos"], strict=True)
        for lemma, tag in zip(lemmas, tags, strict=True)
        if tag == "VERB"
    )
    print("\nMost frequent verbs:", ", ".join(f"{word} ({count})" for word, count in words.most_common(5)))
    for title, part in (("brightest", df.nlargest(3, "sentiment")), ("darkest", df.nsmallest(3, "sentiment"))):
        print(f"The {title} sentences:")
        for score, sentence in zip(part["sentiment"], part["sentence"], strict=True):
            print(f"  {score:.2f}  {sentence}")


if __name__ == "__main__":
    arguments = [Path(argument) for argument in sys.argv[1:3]]
    table = arguments[0] if arguments else HERE / "sentences.tsv"
    try:
        main(table, arguments[1] if len(arguments) > 1 else Path("sentences.pkl"))
    except (VNLPError, OSError, ValueError) as error:  # a file that is not there, is no table, or cannot be written
        print(f"analyze_table: {told(error)}", file=sys.stderr)
        sys.exit(1)
