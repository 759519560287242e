"""What conversion knows of the models of the registry: builder, inputs, weight files and vocabularies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from vnlp_colab.conversion.errors import ConversionError
from vnlp_colab.registry import MODELS

if TYPE_CHECKING:
    from collections.abc import Mapping

WEIGHTS_WHEEL = "0.1.4.4"  # the last vngrs-nlp release that carries weights
VOCABULARY_WHEEL = "0.2.4"  # vocabularies as JSON; carries no weights
STORE_URL = "https://vnlp-model-weights.s3.eu-west-1.amazonaws.com/"

ResourceKind = Literal["labels", "vocabulary", "tokenizer"]


@dataclass(frozen=True)
class InputSpec:
    """One graph input. ``size`` is the vocabulary of an id input or the width of a one-hot one."""

    name: str
    shape: tuple[int, ...]
    size: int
    one_hot: bool = False


@dataclass(frozen=True)
class WheelFile:
    """A file inside a ``vngrs-nlp`` wheel; ``layers`` are the hdf5 groups in the order of `get_weights`."""

    wheel: str
    path: str
    sha256: str
    layers: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Resource:
    """A vocabulary or tokenizer: where upstream keeps it, what it becomes, and what it is called beside the model."""

    source: WheelFile
    kind: ResourceKind
    file: str


@dataclass(frozen=True)
class NetworkSpec:
    """Everything that conversion knows about one network; its name is that of the registry."""

    name: str
    builder: str
    inputs: tuple[InputSpec, ...]
    resources: Mapping[str, Resource]
    # Ends of the groups of output classes that are decoded by one argmax each; empty: a single yes/no output.
    decisions: tuple[int, ...]
    # Where the word embedding, kept in a file of its own, belongs among the arrays.
    matrix_index: int | None = None
    matrix_file: str | None = None
    wheel_weights: WheelFile | None = None
    wheel_matrix: WheelFile | None = None
    wheel_options: Mapping[str, str] = field(default_factory=dict)
    store_options: Mapping[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The stem of its file."""
        return MODELS[self.name].stem

    def key(self, weights: str) -> str:
        """Return the manifest key, which is also the stem of the ``.onnx`` file."""
        return f"{self.stem}_{weights}"


def _wheel(path: str, sha256: str, *layers: str) -> WheelFile:
    return WheelFile(WEIGHTS_WHEEL, path, sha256, layers)


def _vocabulary(path: str, sha256: str, kind: ResourceKind, file: str) -> Resource:
    return Resource(WheelFile(VOCABULARY_WHEEL, path, sha256), kind, file)


def _pos_labels(file: str) -> Resource:
    path = "vnlp/part_of_speech_tagger/resources/PoS_label_tokenizer.json"
    return _vocabulary(path, "76505272225048893a1e6ae2c3a8110d4e200620d9bf1b5e982033f7758e0910", "labels", file)


def _ner_labels(file: str) -> Resource:
    path = "vnlp/named_entity_recognizer/resources/NER_label_tokenizer.json"
    return _vocabulary(path, "49a48c1002968470ce09c294a680ad5520982591a9ccb0dbff5e358b89fa975f", "labels", file)


def _dp_labels(file: str) -> Resource:
    path = "vnlp/dependency_parser/resources/DP_label_tokenizer.json"
    return _vocabulary(path, "566c8aad262b566415121580f00cfe84356d777575ea6de3e74c6d66ef8e5a3f", "labels", file)


_PIECES = _vocabulary(
    "vnlp/resources/SPU_word_tokenizer_16k.model",
    "d6077a3956ad464d8e2758109b1166fbe87beb4f4e0643c5015c73b278c3a77d",
    "tokenizer",
    "SPU_word_tokenizer_16k.model",
)
_STEMMER_CHARS = _vocabulary(
    "vnlp/stemmer_morph_analyzer/resources/Stemmer_char_tokenizer.json",
    "9c89d3b8805a81bddfea4f9ff54670bf98d2ab1381d3fc6ae290072c5d25a9e3",
    "vocabulary",
    "Stemmer_Shen_chars.json",
)
_STEMMER_TAGS = _vocabulary(
    "vnlp/stemmer_morph_analyzer/resources/Stemmer_morph_tag_tokenizer.json",
    "9fb903a153b98e2600f5cb53e83f33b237aa2abb292c05f19fc6c6c5f1a63d2b",
    "vocabulary",
    "Stemmer_Shen_tags.json",
)
_CHARNER_CHARS = _vocabulary(
    "vnlp/named_entity_recognizer/resources/CharNER_char_tokenizer.json",
    "4f7f10a335b89fb5287a5328333d86ddb15549c43f684d3dc563326d071f7339",
    "vocabulary",
    "NER_CharNER_chars.json",
)
_TREESTACK_WORDS = _vocabulary(
    "vnlp/resources/TB_word_tokenizer.json",
    "e15cd74e45db6a4e44636178290f474d85e569d5521502f588c398b426c6a4fe",
    "vocabulary",
    "TreeStack_words.json",
)
_TREESTACK_MATRIX = _wheel(
    "vnlp/tokenizer/word_embedding.matrix", "d72695f7fa8b6dfe3fb493a07c749ef1031b83764b21ce2dc8571f7737d5871e"
)
_PIECE_MATRIX_FILE = "SPUTokenized_word_embedding_16k.matrix"
_WORD_MATRIX_FILE = "TBWTokenized_word_embedding.matrix"


def _spucontext(
    task: str, builder: str, history: InputSpec, decisions: tuple[int, ...], labels: Resource
) -> NetworkSpec:
    return NetworkSpec(
        name=f"SPUContext{task}",
        builder=builder,
        inputs=(
            InputSpec("word", (8,), 16_000),
            InputSpec("left", (40, 8), 16_000),
            InputSpec("right", (40, 8), 16_000),
            history,
        ),
        resources={"tokenizer": _PIECES, "labels": labels},
        decisions=decisions,
        matrix_index=0,
        matrix_file=_PIECE_MATRIX_FILE,
    )


_TABLE = (
    NetworkSpec(
        name="StemmerAnalyzer",
        builder="create_stemmer_model",
        inputs=(
            InputSpec("stem", (10, 10), 116),
            InputSpec("tag", (10, 15), 127),
            InputSpec("surface_left", (40, 15), 116),
            InputSpec("surface_right", (40, 15), 116),
        ),
        resources={"chars": _STEMMER_CHARS, "tags": _STEMMER_TAGS},
        decisions=(10,),
        wheel_weights=_wheel(
            "vnlp/stemmer_morph_analyzer/resources/model_weights.hdf5",
            "ae7859fb2c53d8b4c833618c774d7408fcb2f64c59775a72da0a2348a9cbc49b",
            *("embedding", "embedding_1", "time_distributed_2", "time_distributed_3"),
            *("time_distributed", "time_distributed_1", "gru_3", "gru_5", "dense", "dense_1"),
        ),
        # The two sets of weights were trained with different padding.
        wheel_options={"layout": "wheel"},
        store_options={"layout": "store"},
    ),
    _spucontext(
        "PoS",
        "create_spucontext_pos_model",
        InputSpec("lc_pos", (40, 18), 18, one_hot=True),
        (18,),
        _pos_labels("PoS_SPUContext_upstream_labels.json"),
    ),
    NetworkSpec(
        name="TreeStackPoS",
        builder="create_treestack_pos_model",
        inputs=(
            InputSpec("word", (1,), 63_992),
            InputSpec("tags", (15,), 127),
            InputSpec("left_words", (40,), 63_992),
            InputSpec("left_tags", (40, 15), 127),
            InputSpec("left_pos", (40, 18), 18, one_hot=True),
            InputSpec("right_words", (40,), 63_992),
            InputSpec("right_tags", (40, 15), 127),
        ),
        resources={
            "words": _TREESTACK_WORDS,
            "tags": _STEMMER_TAGS,
            "labels": _pos_labels("PoS_TreeStack_labels.json"),
        },
        decisions=(18,),
        matrix_index=1,
        matrix_file=_WORD_MATRIX_FILE,
        wheel_weights=_wheel(
            "vnlp/part_of_speech_tagger/resources/model_weights_except_word_embedding.pickle",
            "f1f2ffb66c44a92e83dc3b49c5b69d0f653a12a2b6767c59490c88861ee5a6e6",
        ),
        wheel_matrix=_TREESTACK_MATRIX,
    ),
    _spucontext(
        "NER",
        "create_spucontext_ner_model",
        InputSpec("lc_entity", (40, 5), 5, one_hot=True),
        (5,),
        _ner_labels("NER_SPUContext_upstream_labels.json"),
    ),
    NetworkSpec(
        name="CharNER",
        builder="create_charner_model",
        inputs=(InputSpec("chars", (256,), 150),),
        resources={"chars": _CHARNER_CHARS, "labels": _ner_labels("NER_CharNER_labels.json")},
        decisions=(5,),
        wheel_weights=_wheel(
            "vnlp/named_entity_recognizer/resources/model_weights.hdf5",
            "9d8e1035776fc1143abf73d277900e17fbb3d957e39fee0ac1de8a65e7423662",
            *("embedding", "bidirectional", "bidirectional_1", "bidirectional_2", "bidirectional_3"),
            *("bidirectional_4", "dense", "dense_1"),
        ),
    ),
    _spucontext(
        "DP",
        "create_spucontext_dp_model",
        InputSpec("lc_arc_label", (40, 90), 90, one_hot=True),
        (41, 90),
        _dp_labels("DP_SPUContext_upstream_labels.json"),
    ),
    NetworkSpec(
        name="TreeStackDP",
        builder="create_treestack_dp_model",
        inputs=(
            InputSpec("word", (1,), 63_992),
            InputSpec("tags", (15,), 127),
            InputSpec("pos", (1,), 18),
            InputSpec("left_words", (40,), 63_992),
            InputSpec("left_tags", (40, 15), 127),
            InputSpec("left_pos", (40,), 18),
            InputSpec("left_arc_label", (40, 90), 90, one_hot=True),
            InputSpec("right_words", (40,), 63_992),
            InputSpec("right_tags", (40, 15), 127),
            InputSpec("right_pos", (40,), 18),
        ),
        resources={
            "words": _TREESTACK_WORDS,
            "tags": _STEMMER_TAGS,
            "pos": _pos_labels("PoS_TreeStack_labels.json"),
            "labels": _dp_labels("DP_TreeStack_labels.json"),
        },
        decisions=(41, 90),
        matrix_index=1,
        matrix_file=_WORD_MATRIX_FILE,
        wheel_weights=_wheel(
            "vnlp/dependency_parser/resources/model_weights_except_word_embedding.pickle",
            "cf4eefc8e480a177942b66df51f244d584cb568ad1001bb216f228f4485345f4",
        ),
        wheel_matrix=_TREESTACK_MATRIX,
    ),
    NetworkSpec(
        name="SPUCBiGRUSentimentAnalyzer",
        builder="create_spucbigru_sentiment_model",
        inputs=(InputSpec("pieces", (256,), 16_000),),
        resources={"tokenizer": _PIECES},
        decisions=(),
        matrix_index=0,
        matrix_file=_PIECE_MATRIX_FILE,
    ),
)

NETWORKS: Mapping[str, NetworkSpec] = {network.name: network for network in _TABLE}


def network(name: str) -> NetworkSpec:
    """Find a network by class name or file stem; the error lists the valid names."""
    for candidate in _TABLE:
        if name in (candidate.name, candidate.stem):
            return candidate
    raise ConversionError(f"there is no model named {name!r}; choose from {', '.join(NETWORKS)}")
