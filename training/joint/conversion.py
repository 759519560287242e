"""The joint network's files from the weights of its training: measured, rounded, written, proven.

``python -m training.joint.conversion STUDENT.npz LABELS.json TEXT ... --to FOLDER``
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from training.joint.balance import balanced, ranged
from training.joint.record import note
from training.joint.reference import Reference
from vnlp_colab.atomic import write_atomically
from vnlp_colab.joint.affixes import encode_affixes
from vnlp_colab.joint.graph import HIGH, LIKELY, LOW, OPSET, SCORES, choices_graph, sentences_graph, words_graph
from vnlp_colab.joint.network import Network, NetworkError, from_training, read_network, rounded
from vnlp_colab.joint.vocabulary import KEYS, Vocabulary
from vnlp_colab.joint.words import PIECES
from vnlp_colab.pieces.pieces import PieceTokenizer
from vnlp_colab.resources.manifest import Manifest, write_manifest_entry
from vnlp_colab.runtime import create_session, output_names
from vnlp_colab.text import SentenceSplitter, TreebankWordTokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from training.joint.balance import Ranges
    from vnlp_colab.joint.graph import Precision

KEY = "Joint_prod"
FILES = {"words": "Joint_words.onnx", "choices": "Joint_choices.onnx", "labels": "Joint_labels.json"}
USAGE = "Joint_usage.npz"
TOKENIZER = "SPU_vnlp_colab_16k.model"
# float32 of two programs after some twenty products in a row
_TOLERANCE = 1e-4
_LEAST_EQUAL = 0.99
_NEVER = np.float32(-1e4)
_MEASURED = 2000  # sentences that inputs of products are measured on
_PROVEN = 1000  # sentences whose labels are compared between precisions
_REFERENCE = 50  # sentences that float32 is compared on with the network in NumPy
_ROWS, _WORDS = 16, 512  # sentences and words of a run


def convert_joint(
    arrays: Mapping[str, np.ndarray],
    labels: Any,
    sentences: Sequence[Sequence[str]],
    folder: Path,
    tokenizer: Path,
    *,
    least_equal: float = _LEAST_EQUAL,
) -> dict[str, Any]:
    """Write the joint network's files and manifest entry; return the entry.

    Parameters
    ----------
    arrays
        The weights, as training names them.
    labels
        The vocabularies (`vnlp_colab.joint.vocabulary`), as read from JSON.
    sentences
        Tokens of sentences: the inputs of products are measured on the first 2,000, the graphs proven with others.
    folder
        Where the files go.
    tokenizer
        The SentencePiece model.
    least_equal
        The share of words that must have the same labels in eight bits and in float32, for every kind of label.

    Raises
    ------
    NetworkError
        A graph disagrees with the network.
    """
    vocabulary = Vocabulary.from_json(labels)
    given = {name: np.array(array, np.float32) for name, array in arrays.items()}
    for head, numbers in vocabulary.never().items():
        given[f"{head}.bias"][numbers] = _NEVER
    network = from_training(given, vocabulary.activation)
    encoded = _Encoded(sentences, PieceTokenizer(tokenizer), vocabulary.longest, len(vocabulary.styles))
    network, proof = _nearest(network, measure(network, encoded), encoded)
    if min(proof["equal_labels_int8"].values()) < least_equal:
        raise NetworkError(f"the 8-bit graph gives other labels than float32; equal are {proof['equal_labels_int8']}")
    entry = {
        "model": "JointAnalyzer",
        "file": f"{KEY}.onnx",
        "weights": "prod",
        "source": "trained by this project (training/README.md)",
        "opset": OPSET,
        **proof,
        "versions": {name: version(name) for name in ("onnx", "numpy")} | {"onnxruntime": onnxruntime.__version__},
        "resources": {**FILES, "tokenizer": TOKENIZER},
        "options": {"eval_is_prod": True},
    }
    _write(network, labels, folder, tokenizer)
    write_manifest_entry(folder, KEY, entry, [f"{KEY}.onnx", *FILES.values(), TOKENIZER])
    return entry


def measure(network: Network, encoded: _Encoded) -> dict[str, Ranges]:
    """Return the ranges of the inputs of every product, number by number, over sentences in all styles."""
    ranges: dict[str, Ranges] = {}

    def widen(outputs: Mapping[str, np.ndarray]) -> None:
        for name, value in outputs.items():
            if name.endswith(LOW):
                place = name.removesuffix(LOW)
                high = outputs[place + HIGH]
                before = ranges.get(place, (value, high))
                ranges[place] = np.minimum(before[0], value), np.maximum(before[1], high)

    graph = words_graph(network, "float32", measured=True)
    vectors = encoded.vectors(graph, widen)
    run = _runner(sentences_graph(network, "float32", measured=True))
    for some, style in encoded.runs(sorted(encoded.measured, key=len)):
        widen(run(encoded.feeds(some, vectors, style)))
    return ranges


class _Encoded:
    """Sentences as rows of their distinct words, and the inputs of those; which are measured on, and which prove."""

    def __init__(
        self, sentences: Iterable[Sequence[str]], tokenizer: PieceTokenizer, longest: int, styles: int
    ) -> None:
        numbers: dict[str, int] = {}
        cut = (sentence[:longest] for sentence in sentences if sentence)
        rows = [np.array([numbers.setdefault(word, len(numbers)) for word in s]) for s in cut]
        self.measured, self.proving = rows[:_MEASURED], (rows[_MEASURED:] or rows)[:_PROVEN]
        self._styles = styles
        pieces, _ = tokenizer.word_pieces(list(numbers), PIECES)
        self.words = pieces.astype(np.int64), encode_affixes(list(numbers)).astype(np.int64)

    def vectors(self, graph: bytes, hear: Callable[[Mapping[str, np.ndarray]], object] = lambda _: None) -> np.ndarray:
        """Return the vectors of the words by a graph, whose outputs `hear` is told of."""
        run = _runner(graph)
        made = []
        for start in range(0, len(self.words[0]), _WORDS):
            pieces, affixes = (values[start : start + _WORDS] for values in self.words)
            outputs = run({"pieces": pieces, "affixes": affixes})
            hear(outputs)
            made.append(outputs["vectors"])
        return np.concatenate(made)

    def runs(self, rows: Sequence[np.ndarray]) -> Iterator[tuple[Sequence[np.ndarray], int]]:
        """Yield rows that run together, and their style: one after the other."""
        for number, start in enumerate(range(0, len(rows), _ROWS)):
            yield rows[start : start + _ROWS], number % self._styles

    def feeds(self, rows: Sequence[np.ndarray], vectors: np.ndarray, style: int) -> dict[str, np.ndarray]:
        """Return the inputs of the sentences' graph."""
        lengths = np.array([len(row) for row in rows], np.int32)
        places = np.zeros((len(rows), int(lengths.max())), np.int64)
        for at, row in enumerate(rows):
            places[at, : len(row)] = row
        styles = np.full((len(rows), 1), style, np.int64)
        return {"vectors": vectors, "places": places, "lengths": lengths, "styles": styles, "entity_styles": styles * 0}


def _nearest(network: Network, measured: Mapping[str, Ranges], encoded: _Encoded) -> tuple[Network, dict[str, Any]]:
    """Return the network, evened out or as it is, whose labels in eight bits are nearest to float32, and its proof."""
    tried = []
    for balance, make in ((True, balanced), (False, ranged)):
        made = make(network, measured)
        tried.append((made, {"balanced": balance, **_proof(made, encoded)}))
    near = [one for one in tried if one[1]["max_difference"] <= _TOLERANCE]
    if not near:
        worst = min(proof["max_difference"] for _, proof in tried)
        raise NetworkError(f"the float32 graph is {worst:.1e} away from the network (at most {_TOLERANCE})")
    return max(near, key=lambda one: min(one[1]["equal_labels_int8"].values()))


def _proof(network: Network, encoded: _Encoded) -> dict[str, Any]:
    """Return what the manifest says of the proof."""
    plain, vectors = _outputs(network, "float32", encoded)
    small, _ = _outputs(network, "int8", encoded)
    turned, _ = _outputs(rounded(network), "float32", encoded)
    return {
        "max_difference": _difference(network, encoded, plain[:_REFERENCE], vectors),
        "equal_labels_int8": _equal_labels(plain, small),
        "equal_labels_int8_gpu": _equal_labels(turned, small),
    }


def _outputs(
    network: Network, precision: Precision, encoded: _Encoded
) -> tuple[list[dict[str, np.ndarray]], np.ndarray]:
    """Return what the graphs say of each sentence, relations to its likeliest heads, and the vectors of the words."""
    vectors = encoded.vectors(words_graph(network, precision))
    run, choose = _runner(sentences_graph(network, precision)), _runner(choices_graph(network, "float32"))
    found = []
    for some, style in encoded.runs(encoded.proving):
        outputs = run(encoded.feeds(some, vectors, style))
        for at, row in enumerate(some):
            own = {name: _of_sentence(name, values[at], len(row)) for name, values in outputs.items()}
            heads = own["arcs"].argmax(axis=1)
            whole = {name: own[name][None] for name in ("up", "down", "means")} | {"heads": heads[None, :, None]}
            chosen = {name: values[0] for name, values in choose(whole).items()}
            likely, relations = (chosen[name][:, 0] for name in (LIKELY, "relations"))
            found.append(own | {"heads": heads, LIKELY: likely, "relations": relations, "text": chosen["sentiments"]})
    return found, vectors


def _runner(graph: bytes) -> Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]]:
    """Return a function from the inputs of a graph to its outputs by name."""
    session = create_session(graph, "cpu")
    names = output_names(session)
    return lambda feeds: dict(zip(names, session.run(names, dict(feeds)), strict=True))


def _of_sentence(name: str, values: np.ndarray, length: int) -> np.ndarray:
    if name == "means":
        return values
    if name == "arcs":
        return values[:length, : length + 1]
    return values[: length + 1] if name == "up" else values[:length]


def _difference(
    network: Network, encoded: _Encoded, found: Sequence[Mapping[str, np.ndarray]], vectors: np.ndarray
) -> float:
    """Return the greatest difference of all outputs to the network's, as part of the greatest value of each."""
    reference = Reference(network)
    some = slice(0, 1000)
    exact = reference.words(*(values[some] for values in encoded.words))
    pairs = {"words": [(exact, vectors[some])]}
    rows = [(row, style) for rows, style in encoded.runs(encoded.proving) for row in rows]
    for (row, style), given in zip(rows, found, strict=False):
        own = reference.sentence(vectors[row], style, 0)
        for name in ("upos", "entity", "arcs", "up", "down", "states", "means"):
            pairs.setdefault(name, []).append((own[name], given[name]))
        for name in ("feats", "lemma"):  # of these the best are told, with their scores
            best = np.take_along_axis(own[name], given[name], axis=1)
            pairs.setdefault(name, []).append((best, given[f"{name}{SCORES}"]))
        related = reference.relations(given["up"][given["heads"]], given["down"])
        shares = np.exp(related) / np.exp(related).sum(axis=1, keepdims=True)
        pairs.setdefault("relations", []).append((shares, np.exp(given[LIKELY])))
        pairs.setdefault("text", []).append((reference.sentiments(given["means"][None])[0], given["text"]))
    return max(_gap(values) for values in pairs.values())


def _gap(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    size = max(1.0, *(float(np.abs(one).max()) for one, _ in pairs))
    return max(float(np.abs(one - other).max()) for one, other in pairs) / size


def _equal_labels(
    one: Sequence[Mapping[str, np.ndarray]], other: Sequence[Mapping[str, np.ndarray]]
) -> dict[str, float]:
    """Return the share of words, or of texts, with the same label, by output."""
    shares = {}
    for name in ("upos", "feats", "lemma", "entity", "heads", "relations", "text"):
        left, right = (
            np.concatenate([np.atleast_1d(_label(name, each[name])) for each in some]) for some in (one, other)
        )
        shares[name] = round(float((left == right).mean()), 5)
    return shares


def _label(name: str, values: np.ndarray) -> np.ndarray:
    if name in ("feats", "lemma"):  # numbers, best first
        return values[:, 0]
    best: np.ndarray = values if name in ("heads", "relations") else values.argmax(axis=-1)
    return best


def _write(network: Network, labels: Any, folder: Path, tokenizer: Path) -> None:
    write_atomically(folder / f"{KEY}.onnx", sentences_graph(network, "int8"), shared=True)
    write_atomically(folder / FILES["words"], words_graph(network, "int8"), shared=True)
    write_atomically(folder / FILES["choices"], choices_graph(network, "float32"), shared=True)
    _write_labels(folder, {name: values for name, values in labels.items() if name in KEYS})
    if not (folder / TOKENIZER).exists():
        write_atomically(folder / TOKENIZER, tokenizer.read_bytes(), shared=True)


def _write_labels(folder: Path, labels: Any) -> None:
    text = json.dumps(labels, ensure_ascii=False, separators=(",", ":"))
    write_atomically(folder / FILES["labels"], text.encode(), shared=True)


def relearn_lemmas(folder: Path, known: Mapping[str, Mapping[str, str]]) -> None:
    """Put other known lemmas (`vnlp_colab.joint.vocabulary`) into a folder's files; all else stays as it is."""
    labels = json.loads((folder / FILES["labels"]).read_text(encoding="utf-8"))
    labels["lemma"]["known"] = known
    Vocabulary.from_json(labels)  # raises where it cannot be read
    _write_labels(folder, labels)
    write_manifest_entry(folder, KEY, Manifest.read(folder).models[KEY], [FILES["labels"]])


def relearn_sentiment(folder: Path, layers: Mapping[str, np.ndarray]) -> None:
    """Put other last layers of the sentiment, by their names in the network, into a folder's files."""
    files = [f"{KEY}.onnx", FILES["words"], FILES["choices"]]
    vocabulary = Vocabulary.from_json(json.loads((folder / FILES["labels"]).read_text(encoding="utf-8")))
    network = read_network([(folder / name).read_bytes() for name in files], vocabulary.activation)
    for name, values in layers.items():
        if network.arrays[name].shape != values.shape:
            raise NetworkError(f"{name} is of shape {values.shape}, not {network.arrays[name].shape}")
        network.arrays[name] = np.asarray(values, np.float32)
    write_atomically(folder / FILES["choices"], choices_graph(network, "float32"), shared=True)
    write_manifest_entry(folder, KEY, Manifest.read(folder).models[KEY], [FILES["choices"]])


def add_usage(folder: Path, content: bytes) -> None:
    """Put what the treebanks call their words (`vnlp_colab.joint.usage`) beside a folder's files."""
    write_atomically(folder / USAGE, content, shared=True)
    entry = dict(Manifest.read(folder).models[KEY])
    entry["resources"] = {**entry["resources"], "usage": USAGE}
    write_manifest_entry(folder, KEY, entry, [USAGE])


def read_sentences(paths: Iterable[Path]) -> list[list[str]]:
    """Return the tokens of sentences: the words of ``.conllu`` files, the sentences of other texts."""
    found: list[list[str]] = []
    for path in paths:
        lines = path.read_text(encoding="utf-8").splitlines()
        if path.suffix == ".conllu":
            words: list[str] = []
            for line in [*lines, ""]:
                fields = line.split("\t")
                if len(fields) == 10 and fields[0].isdigit():
                    words.append(fields[1])
                elif not line and words:
                    found.append(words)
                    words = []
        else:
            split = SentenceSplitter().split_sentences
            found += [tokens for line in lines for text in split(line) if (tokens := TreebankWordTokenize(text))]
    return found


def main() -> None:
    """Convert what training wrote."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("texts", type=Path, nargs="+", help="sentences to measure on: .conllu files or plain text")
    parser.add_argument("--to", type=Path, required=True, help="the folder of the models")
    parser.add_argument("--tokenizer", type=Path, help=f"default: {TOKENIZER} in that folder")
    given = parser.parse_args()
    sentences = read_sentences(given.texts)
    np.random.default_rng(0).shuffle(sentences)
    with np.load(given.weights) as arrays:
        entry = convert_joint(
            dict(arrays),
            json.loads(given.labels.read_text(encoding="utf-8")),
            sentences[: _MEASURED + _PROVEN],
            given.to,
            given.tokenizer or given.to / TOKENIZER,
        )
    texts = [path.name for path in given.texts]
    note(given.weights.parent / "record_conversion.json", texts=texts, entry=entry)
    print(json.dumps(entry, indent=1))


if __name__ == "__main__":
    main()
