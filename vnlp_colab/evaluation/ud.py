"""A whole pipeline on a treebank: the measures of the CoNLL 2018 shared task, from raw text or on gold words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from vnlp_colab.evaluation.conll18 import AlignmentError, ConlluAnalysis, score
from vnlp_colab.evaluation.labels import known_labels, tell_unknown
from vnlp_colab.evaluation.readers import EvaluationFileError, read_treebank, read_trees
from vnlp_colab.stemmer.ud_features import ud_features

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from vnlp_colab.document.document import Document

# Paragraphs of a raw text where the treebank does not mark any: long enough that their borders hardly help.
_SENTENCES_A_TEXT = 500


# What a pipeline must fill for a measure; those of cutting need nothing.
_NEEDS = {
    "UPOS": {"pos"}, "UFeats": {"feats"}, "Lemmas": {"lemma"}, "UAS": {"dep"}, "LAS": {"dep"}, "CLAS": {"dep"},
    "MLAS": {"dep", "pos", "feats"}, "BLEX": {"dep", "lemma"},
}  # fmt: skip


class NoRawTextError(EvaluationFileError):
    """A treebank has words alone, and no text to begin from."""


class Pipeline(Protocol):
    """What is asked of a pipeline."""

    columns: tuple[str, ...]

    def annotate(self, tokens: Iterable[Iterable[str]], texts: Iterable[str] | None = None) -> dict[str, list[Any]]:
        """Return columns for sentences of tokens."""

    def pipe(self, texts: Iterable[str]) -> Iterator[Document]:
        """Yield documents."""


def check_treebank(path: Path, *, trees: bool = True) -> None:
    """Tell what is wrong with a treebank, as `evaluate_treebank` would, but without a pipeline.

    Where `trees` are scored, warn of sentences whose arcs are none: they are scored as they are.

    Raises
    ------
    NoRawTextError
        Nothing is wrong but that there is no text: it can be scored on gold words.
    """
    if trees:
        read_trees(path)
    _raw_texts_checked(path, read_treebank(path))


def tell_unknown_labels(models: Mapping[str, object], paths: Iterable[Path]) -> None:
    """Warn of parts of speech and relations (without their subtypes) of treebanks that a pipeline's models do not know.

    `models` has the annotator of each task, as a pipeline's does.
    """
    words = [word for path in paths for word in ConlluAnalysis.read(read_treebank(path)).words]
    if (tagger := models.get("pos")) is not None:
        tell_unknown(type(tagger).__name__, known_labels(tagger, "pos"), (word.upos for word in words))
    if (parser := models.get("dep")) is not None:
        known = {relation.split(":")[0] for relation in known_labels(parser, "dep")}
        tell_unknown(type(parser).__name__, known, (word.relation for word in words))


def evaluate_treebank(nlp: Pipeline, path: Path, *, raw: bool) -> dict[str, float]:
    """Return the F1 of each CoNLL 2018 measure on a CoNLL-U file.

    Parameters
    ----------
    nlp
        A pipeline with parts of speech, features (or analyses), lemmas and trees; measures of what it lacks are left
        out.
    path
        The treebank.
    raw
        From the ``# text`` lines, joined into paragraphs: sentences, tokens and all are the pipeline's own. Otherwise
        sentences and words are gold's.
    """
    lines = read_treebank(path)
    written = _from_raw_text(nlp, _raw_texts_checked(path, lines)) if raw else _on_gold_words(nlp, lines)
    try:
        scores = score(ConlluAnalysis.read(lines), ConlluAnalysis.read(written.split("\n")))
    except AlignmentError as error:
        raise AlignmentError(f"{path}: {error}") from None
    filled = {*nlp.columns, *(("feats",) if "morph" in nlp.columns else ())}
    return {measure: value for measure, value in scores.items() if _NEEDS.get(measure, set()) <= filled}


def raw_texts(lines: Iterable[str]) -> list[str]:
    """Return the raw text of a treebank: its sentences with spaces between, a text for each document or paragraph."""
    texts: list[list[str]] = [[]]
    for line in lines:
        marked = line.startswith(("# newdoc", "# newpar"))
        if texts[-1] and (marked or len(texts[-1]) == _SENTENCES_A_TEXT):
            texts.append([])
        if line.startswith("# text = "):
            texts[-1].append(line.removeprefix("# text = "))
    return [" ".join(sentences) for sentences in texts if sentences]


def _from_raw_text(nlp: Pipeline, texts: Iterable[str]) -> str:
    return "".join(document.to_conllu() for document in nlp.pipe(texts))


def _raw_texts_checked(path: Path, lines: Sequence[str]) -> list[str]:
    texts = raw_texts(lines)
    if not texts:
        raise NoRawTextError(f"{path}: no raw text, there is no '# text = ' line")
    _check_texts(path, lines)
    return texts


def _check_texts(path: Path, lines: Iterable[str]) -> None:
    """Refuse a sentence without a text, or with one that its tokens do not make up."""
    block: list[str] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip():
            block.append(line)
            continue
        tokens = ConlluAnalysis.read(block).characters
        text = "".join("".join(raw_texts(block)).split())
        if tokens != text:
            what = f"its tokens make {tokens[:30]!r}" if text else "it has no '# text = ' line"
            raise EvaluationFileError(f"{path}, line {number - len(block)}: no raw text of this sentence, {what}")
        block = []


def _on_gold_words(nlp: Pipeline, lines: Sequence[str]) -> str:
    """Return the treebank's own lines with what the pipeline says of each word."""
    sentences: list[list[list[str]]] = [[]]
    for line in [*lines, ""]:
        if not line.strip():
            if sentences[-1]:
                sentences.append([])
        elif not line.startswith("#"):
            sentences[-1].append(line.split("\t"))
    sentences.pop()
    words = [[cells[1] for cells in sentence if cells[0].isdigit()] for sentence in sentences]
    columns = nlp.annotate(words)
    blocks = []
    for at, sentence in enumerate(sentences):
        row = {name: values[at] for name, values in columns.items()}
        said = iter(_fields(row, len(words[at])))
        blocks.append("".join(_line(cells, said) for cells in sentence) + "\n")
    return "".join(blocks)


def _line(cells: list[str], said: Iterator[list[str]]) -> str:
    fields = [*cells[:2], *next(said), "_", "_"] if cells[0].isdigit() else cells
    return "\t".join(fields) + "\n"


def _fields(row: Mapping[str, Any], count: int) -> list[list[str]]:
    """Return lemma, UPOS, XPOS, features, head and relation of each word, underscores for what is not there."""
    nothing = ["_"] * count
    feats = row.get("feats") or [ud_features(analysis) for analysis in row.get("morph", [])] or nothing
    arcs = row.get("dep") or [("_", "_")] * count
    lemmas, tags = row.get("lemma") or nothing, row.get("pos") or nothing
    return [
        [lemma or "_", tag, "_", feature, str(head), relation]
        for lemma, tag, feature, (head, relation) in zip(lemmas, tags, feats, arcs, strict=True)
    ]
