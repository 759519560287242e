"""One network for all tasks: `JointAnalyzer`.

Examples
--------
>>> from vnlp_colab.joint.joint_colab import JointAnalyzer
>>> [word.pos for word in JointAnalyzer(device="cpu").predict(["Ali", "eve", "gitti", "."])]
['PROPN', 'NOUN', 'VERB', 'PUNCT']
"""

from __future__ import annotations

import json
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from vnlp_colab.annotator.inputs import check_sentences, check_tokens
from vnlp_colab.annotator.model import ConvertedModel
from vnlp_colab.forking import at_work
from vnlp_colab.joint.answers import NEEDS, Answers, Said, joined
from vnlp_colab.joint.graph import LIKELY
from vnlp_colab.joint.loaded import Loaded, shared
from vnlp_colab.joint.looks import RELATIONS, TAGS
from vnlp_colab.joint.passes import Passes
from vnlp_colab.joint.usage import Usage, read_usage
from vnlp_colab.joint.vocabulary import Vocabulary
from vnlp_colab.joint.windows import Window, cut_windows, share_out
from vnlp_colab.joint.words import WordVectors
from vnlp_colab.pieces.pieces import PieceTokenizer
from vnlp_colab.runtime import create_session, device_of, gpu_number, in_threads, output_names, resolve_device
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    import onnxruntime

    from vnlp_colab.annotator.protocol import Batch, Columns
    from vnlp_colab.runtime import Device, SessionOptions

__all__ = ["JointAnalyzer", "JointWord"]

# Places of one run, pads included: what stays in a core's cache, and what fills a GPU.
_BUDGET = {"cpu": 512, "cuda": 65_536}
# What a run costs beside its places, in places: weights to read, and the Python around it.
_RUN = {"cpu": 10, "cuda": 8192}
# Tokens taken from a call at a time: bounds what outputs need, however much is given at once.
_TOKENS = {"cpu": 32_768, "cuda": 262_144}


class JointWord(NamedTuple):
    """What the network says of a word; `head` is the position of its head, from 1, and 0 for the root."""

    token: str
    lemma: str
    pos: str
    feats: str
    head: int
    relation: str
    ner: str


class JointAnalyzer(ConvertedModel):
    """Tags, features, lemmas, trees, entities and sentiment from one pass over the words of a sentence.

    On the CPU its products are done in eight bits; on a GPU the same weights run in float16.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    style
        The treebank whose way of annotating is wanted: ``"generic"``, ``"boun"``, ``"kenet"``, ``"penn"``,
        ``"tourism"``, ``"framenet"`` or ``"atis"``. They contradict each other in places.
    entity_style
        The same for entities; `vocabulary` has the names.
    usage
        What the style's treebank calls its words, by default as the model's files have it; ``Usage({})`` leaves all
        to the network.
    """

    provides: ClassVar[tuple[str, ...]] = tuple(NEEDS)
    sentences_at_once: ClassVar[int] = 1024

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        options: SessionOptions | None = None,
        style: str = "generic",
        entity_style: str = "generic",
        usage: Usage | None = None,
    ) -> None:
        super().__init__(evaluate=evaluate, device=device, options=options)
        with self.files.loading("labels"):
            self.vocabulary = Vocabulary.from_json(json.loads(self.files.read("labels")))
        self.style, self.entity_style = style, entity_style
        numbers = self.vocabulary.check_style(style), self.vocabulary.check_entity_style(entity_style)
        # styles differ in what goes into a run: analyzers of the same files and settings share the rest
        key = super().fingerprint, self.files.folder, self._asked, self._options, self._intra_op_threads
        self._loaded = shared(key, self._load)
        self.device = device_of(self._loaded.sentences)
        self._words = self._loaded.words
        place = self.device, gpu_number(self._asked)
        self.usage = self._read_usage() if usage is None else usage
        self._own_usage = usage is not None
        if self.usage.models:
            self._prepare_usage()
        sessions = self._loaded.sentences, self._loaded.choices
        relations = self.vocabulary.relations
        self._passes = Passes(*sessions, *numbers, relations, place, spoken=self.usage.knows_relations)
        self._answers = Answers(self.vocabulary, numbers[0], self.usage)

    @property
    def inference_session(self) -> onnxruntime.InferenceSession:
        """The session of the sentences' graph; words and choices have their own."""
        session: onnxruntime.InferenceSession = self._loaded.sentences
        return session

    @property
    def fingerprint(self) -> str:
        """As for every model, with the styles; another `usage` than the files' is told by what it says."""
        own = f":{self.usage.digest}" if self._own_usage else ""
        return f"{super().fingerprint}:{self.style}:{self.entity_style}{own}"

    def annotate(self, batch: Batch, wanted: Collection[str]) -> Columns:
        """Return the `wanted` columns of a batch, all from one pass."""
        return self.analyze_batch(batch.tokens, wanted)

    def analyze_batch(self, sentences: Sequence[Sequence[str]], wanted: Collection[str]) -> Columns:
        """Return the `wanted` columns of sentences that all have at least one token.

        A sentence gets the same answers whatever stands beside it.
        """
        if unknown := [name for name in wanted if name not in NEEDS]:
            raise ValueError(f"JointAnalyzer has no column {unknown[0]!r}; it has {', '.join(NEEDS)}")
        columns: Columns = {name: [None] * len(sentences) for name in wanted}
        start = 0
        lengths = _lengths(sentences)
        for end in _ends(lengths, _TOKENS[self.device]):
            for name, values in self._analyze(sentences[start:end], wanted).items():
                columns[name][start:end] = values
            start = end
        return columns

    def predict(self, tokens: Iterable[str]) -> list[JointWord]:
        """Return what the network says of each token of a sentence; an empty sentence gives ``[]``."""
        return self.predict_batch([check_tokens(tokens)])[0]

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[JointWord]]:
        """Return the same for each sentence, sentences in the order given."""
        checked = check_sentences(sentences)
        filled = [sentence for sentence in checked if sentence]
        found = self.analyze_batch(filled, ("lemma", "pos", "feats", "dep", "ner"))
        rows = iter(zip(filled, *found.values(), strict=True))
        return [_words_of(*next(rows)) if sentence else [] for sentence in checked]

    def word_states(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Return the vectors (words, width) the answers are made of, of sentences with at least one token."""
        _lengths(sentences)
        states: list[np.ndarray] = [np.empty(0)] * len(sentences)

        def keep(numbers: list[int], said: Said) -> None:
            ends = np.cumsum([len(sentences[at]) for at in numbers])
            for at, part in zip(numbers, np.split(said.words["states"], ends[:-1]), strict=True):
                states[at] = part

        with at_work():
            self._pass(sentences, ("states",), keep)
        return states

    def _analyze(self, sentences: Sequence[Sequence[str]], wanted: Collection[str]) -> Columns:
        columns: Columns = {name: [None] * len(sentences) for name in wanted}

        def fill(numbers: list[int], said: Said) -> None:
            found = self._answers.columns([sentences[at] for at in numbers], said, wanted)
            for name, values in found.items():
                column = columns[name]
                for at, value in zip(numbers, values, strict=True):
                    column[at] = value

        with at_work():
            self._pass(sentences, self._answers.needs(wanted), fill)
        return columns

    def _pass(
        self,
        sentences: Sequence[Sequence[str]],
        fetches: Collection[str],
        finish: Callable[[list[int], Said], None],
    ) -> None:
        """Run the network over sentences and hand what it says of some of them, by their numbers, to `finish`."""
        table, rows = self._table(sentences)
        placed = self._passes.placed(table)
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        starts = np.cumsum(lengths) - lengths
        short = np.flatnonzero(lengths <= self.vocabulary.longest)

        def whole(batch: np.ndarray) -> tuple[list[int], Said]:
            numbers = short[batch]
            said = self._passes.whole(placed, rows, starts[numbers], lengths[numbers], fetches)
            return numbers.tolist(), said

        batches = self._batches(lengths[short])
        if self._at_once == 1 and batches:  # columns of all batches at once: small arrays take as long as large ones
            numbers, said = zip(*in_threads(whole, batches, 1), strict=True)
            finish(list(chain.from_iterable(numbers)), joined(said))
        else:  # what is said becomes columns in the thread that ran the network, while others run it
            in_threads(lambda batch: finish(*whole(batch)), batches, self._at_once)
        for at in np.flatnonzero(lengths > self.vocabulary.longest).tolist():
            cut = cut_windows(int(lengths[at]), self.vocabulary.longest)
            row = rows[starts[at] : starts[at] + lengths[at]]
            finish([at], self._long(sentences[at], placed, row, cut, fetches))

    def _long(
        self, tokens: Sequence[str], table: Any, row: np.ndarray, cut: list[Window], fetches: Collection[str]
    ) -> Said:
        """Return what is said of one sentence of several windows."""
        starts, lengths = (np.array(values) for values in ([w.start for w in cut], [len(w) for w in cut]))
        batches = self._batches(lengths)

        def run(batch: np.ndarray) -> list[dict[str, np.ndarray]]:
            return self._passes.parts(table, row, starts[batch], lengths[batch], fetches)

        found = in_threads(run, batches, self._at_once)
        parts = {
            int(number): part
            for batch, said in zip(batches, found, strict=True)
            for number, part in zip(batch, said, strict=True)
        }
        return self._passes.joined(tokens, cut, [parts[number] for number in range(len(cut))])

    def _batches(self, lengths: np.ndarray) -> list[np.ndarray]:
        return share_out(lengths, _BUDGET[self.device], self._at_once, _RUN[self.device])

    @property
    def _at_once(self) -> int:
        """Threads that take batches: beside a GPU one alone, since two wait for each other's Python."""
        return 1 if self.device == "cuda" else self._threads

    def _table(self, sentences: Sequence[Sequence[str]]) -> tuple[np.ndarray, np.ndarray]:
        table, rows = self._words.lookup(sentences)
        if self.device == "cpu":
            return table, rows
        used = np.zeros(len(table), np.int64)  # only what is used travels to the GPU
        used[rows] = 1
        return table[used.astype(bool)], (np.cumsum(used) - 1)[rows]

    def _load(self) -> Loaded:
        roles = (None, "words", "choices")
        graphs = [self.files.read(role) for role in roles]
        on_gpu = resolve_device(self._asked) != "cpu"
        if on_gpu:
            with self.files.loading():
                graphs = self._float_graphs(graphs)
        # On the CPU nearly every run has a shape of its own: plans take 60 MB in a long table, and save no time there.
        create = partial(create_session, intra_op_threads=self._intra_op_threads, keep_plans=on_gpu)
        sessions = []
        for role, graph in zip(roles, graphs, strict=True):
            with self.files.loading(role):
                sessions.append(create(graph, self._asked, self._options))
        sentences, words, choices = sessions
        with self.files.loading("tokenizer"):
            tokenizer = PieceTokenizer(self.files.read("tokenizer"))
        device = device_of(sentences)
        threads = self._options.thread_count if device == "cpu" else 1
        width = words.get_outputs()[0].shape[1]
        return Loaded(sentences, choices, WordVectors(words, tokenizer, width, threads=threads, device=device))

    def _read_usage(self) -> Usage:
        """Return what the files say of the style's usage; files of other networks may say nothing."""
        if "usage" not in self.files.entry.get("resources", {}) or self.style == self.vocabulary.styles[0]:
            return Usage({})
        with self.files.loading("usage"):
            usage = read_usage(self.files.read("usage"), self.style)
            labels = {TAGS: self.vocabulary.upos, RELATIONS: self.vocabulary.relations}
            if any(len(model.bias) != len(labels[task]) for task, model in usage.models.items()):
                raise ValueError("it has other labels than the network")
            return usage

    def _prepare_usage(self) -> None:
        default_generator()  # else every thread that comes first would make its own
        if self.usage.knows_relations and LIKELY not in output_names(self._loaded.choices):
            with self.files.loading("choices"):
                raise ValueError(f"it has no output {LIKELY!r}")

    def _float_graphs(self, graphs: list[bytes]) -> list[bytes]:
        """Return the graphs in float16, with the weights of the 8-bit ones: a GPU has no use for those."""
        from vnlp_colab.joint.graph import choices_graph, sentences_graph, words_graph
        from vnlp_colab.joint.network import read_network

        network = read_network(graphs, self.vocabulary.activation)
        return [
            sentences_graph(network, "float16"),
            words_graph(network, "float16"),
            choices_graph(network, "float16"),
        ]


def _lengths(sentences: Sequence[Sequence[str]]) -> np.ndarray:
    """Return how many tokens each sentence has, at least one."""
    if isinstance(sentences, str) or any(isinstance(sentence, str) for sentence in sentences):
        raise TypeError("expected sentences as lists of tokens, not text; VNLPipeline takes text")
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    if lengths.min(initial=1) < 1:
        raise ValueError(f"sentence {int(lengths.argmin())} has no token")
    return lengths


def _ends(lengths: np.ndarray, tokens: int) -> Iterable[int]:
    """Yield where to cut sentences so that each part has at most so many tokens, or one sentence."""
    totals = np.cumsum(lengths)
    end, before = 0, 0
    while end < len(totals):
        end = max(end + 1, int(np.searchsorted(totals, before + tokens, side="right")))
        before = int(totals[end - 1])
        yield end


def _words_of(
    tokens: list[str],
    lemmas: list[str],
    tags: list[str],
    feats: list[str],
    arcs: list[tuple[int, str]],
    entities: list[str],
) -> list[JointWord]:
    return [
        JointWord(token, lemma, tag, feat, head, relation, entity)
        for token, lemma, tag, feat, (head, relation), entity in zip(
            tokens, lemmas, tags, feats, arcs, entities, strict=True
        )
    ]
