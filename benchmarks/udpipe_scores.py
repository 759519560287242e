"""How good UDPipe 1 is: one model a treebank, trained here on its train file and scored on the words of its test file.

    python -m benchmarks.udpipe_scores --data DATA/ud [--only Atis ...] [--json FILE]

Ten iterations of the tagger and six of the parser, with the settings UDPipe's manual advises for non-projective trees
and no word vectors from elsewhere: 5 to 15 minutes of one core for a large treebank.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from benchmarks.comparison import columns
from benchmarks.peers import import_peer, read_conllu
from vnlp_colab.evaluation.conll18 import ConlluAnalysis, score

TREEBANKS = ("BOUN", "Kenet", "Penn", "Tourism", "FrameNet", "Atis")
MEASURES = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS")
_TAGGER = "iterations=10;use_xpostag=0"
_PARSER = (
    "iterations=6;embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;"
    "embedding_deprel=20;learning_rate=0.02;learning_rate_final=0.001;l2=0.3;hidden_layer=200;batch_size=10;"
    "transition_system=swap;transition_oracle=static_lazy;structured_interval=8"
)


def scores_of(folder: Path) -> dict[str, float]:
    """Return the CoNLL 2018 measures of a treebank's test file, its words, and the seconds of training."""
    udpipe = import_peer("ufal.udpipe", "ufal.udpipe")
    files = {part: next(folder.glob(f"*-ud-{part}.conllu")).read_text(encoding="utf-8") for part in ("train", "dev")}
    train, dev = (read_conllu(udpipe, [text.strip()]) for text in files.values())
    error = udpipe.ProcessingError()
    begin = time.time()
    made = udpipe.Trainer.train("morphodita_parsito", train, dev, "none", _TAGGER, _PARSER, error)
    if error.occurred():
        raise SystemExit(f"{folder}: {error.message}")
    seconds = time.time() - begin
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "turkish.udpipe"
        path.write_bytes(made)
        model = udpipe.Model.load(str(path))
    pipeline = udpipe.Pipeline(model, "conllu", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
    gold = next(folder.glob("*-ud-test.conllu")).read_text(encoding="utf-8")
    found = score(*(ConlluAnalysis.read(text.split("\n")) for text in (gold, pipeline.process(gold, error))))
    words = sum(line.partition("\t")[0].isdigit() for line in gold.split("\n"))
    return {name: round(100 * found[name], 2) for name in MEASURES} | {"words": words, "seconds": round(seconds)}


def main() -> None:
    """Train, score, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", choices=TREEBANKS, default=list(TREEBANKS))
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    found = {name: scores_of(args.data / f"UD_Turkish-{name}") for name in args.only}
    words = sum(scores["words"] for scores in found.values())
    pooled = {m: round(sum(s[m] * s["words"] for s in found.values()) / words, 2) for m in MEASURES}
    found["pooled"] = pooled | {"words": words, "seconds": sum(scores["seconds"] for scores in found.values())}
    lines = [(name, *(f"{scores[m]:.2f}" for m in MEASURES), f"{scores['words']:,}") for name, scores in found.items()]
    print(columns(("test file", *MEASURES, "words"), lines))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
