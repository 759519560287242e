"""One way to ask for answers, whoever gives them: the trained network in PyTorch, or the file the package ships."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from torch import Tensor

    from vnlp_colab.joint.usage import Usage


@dataclass
class Answer:
    """What is said of a sentence: labels by word, heads (0 is the root), BIO labels, and 0 (bad) to 1 (good)."""

    upos: list[str]
    feats: list[str]
    lemmas: list[str]
    heads: list[int]
    relations: list[str]
    entities: list[str]
    sentiment: float


class Analyser(Protocol):
    """Words of sentences in, answers out, in the way of a treebank and of an entity set."""

    def __call__(
        self, sentences: Sequence[Sequence[str]], style: str = "generic", entity_style: str = "generic"
    ) -> list[Answer]:
        """Return an answer for each sentence."""


class PackageAnalyser:
    """The shipped files, through `vnlp_colab`'s own class; `usage` speaks instead of what they have of it."""

    def __init__(self, usage: Usage | None = None) -> None:
        from vnlp_colab.joint.joint_colab import JointAnalyzer

        self._kind = JointAnalyzer
        self._usage = usage
        self._made: dict[tuple[str, str], JointAnalyzer] = {}

    def __call__(
        self, sentences: Sequence[Sequence[str]], style: str = "generic", entity_style: str = "generic"
    ) -> list[Answer]:
        """Return an answer for each sentence."""
        asked = style, entity_style
        if asked not in self._made:
            self._made[asked] = self._kind(device="cpu", style=style, entity_style=entity_style, usage=self._usage)
        names = ("pos", "feats", "lemma", "dep", "ner_bio", "sentiment")
        columns = self._made[asked].analyze_batch([list(s) for s in sentences], names)
        return [
            Answer(pos, feats, lemmas, [h for h, _ in arcs], [r for _, r in arcs], entities, sentiment)
            for pos, feats, lemmas, arcs, entities, sentiment in zip(*(columns[n] for n in names), strict=True)
        ]


class StudentAnalyser:
    """The trained student in PyTorch, float32, with all its classes; trees as the package makes them."""

    TOKENS = 3000

    def __init__(self, work: Path) -> None:
        import sentencepiece

        from training.joint.constants import TOKENIZER
        from training.joint.data import Vocabulary
        from training.joint.kept import load_student
        from vnlp_colab.joint import vocabulary as package

        self._vocabulary = Vocabulary.load(work / "joint_vocab.json")
        self._student = load_student(work / "student.pt", self._vocabulary)
        self._tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(TOKENIZER))
        self._package = package.Vocabulary.from_json(self._vocabulary.raw)

    def __call__(
        self, sentences: Sequence[Sequence[str]], style: str = "generic", entity_style: str = "generic"
    ) -> list[Answer]:
        """Return an answer for each sentence."""
        from training.batches import grouped

        lengths = np.array([len(s) for s in sentences])
        found: dict[int, Answer] = {}
        for numbers in grouped(lengths, np.arange(len(sentences)), self.TOKENS):
            group = [list(sentences[i]) for i in numbers]
            found |= dict(zip(numbers.tolist(), self._answers(group, style, entity_style), strict=True))
        return [found[i] for i in range(len(sentences))]

    def _relations(self, scores: dict[str, Tensor], heads: Tensor) -> Tensor:
        """Return the scores of the relations to the given heads; the root's goes without saying."""
        relations = self._student.heads.relations(scores, heads)
        relations[..., [0, self._vocabulary.raw["relations"].index("root")]] = -1e4
        return relations

    def _answers(self, group: list[list[str]], style: str, entity_style: str) -> list[Answer]:
        import torch

        from training.arrays import encode_words
        from training.joint.measure import analyse
        from training.joint.network import Words, mean_of_words
        from vnlp_colab.joint.affixes import encode_affixes
        from vnlp_colab.joint.agreement import Lemmatizer, Tags
        from vnlp_colab.joint.graph import CANDIDATES
        from vnlp_colab.joint.trees import best_two, heads_of, masked, weigh_relations

        raw, n = self._vocabulary.raw, max(map(len, group))
        flat = [word for sentence in group for word in [*sentence, *[""] * (n - len(sentence))]]
        mask = torch.tensor([[i < len(s) for i in range(n)] for s in group])
        pieces = torch.from_numpy(encode_words(self._tokenizer, flat).astype(np.int64)).view(len(group), n, -1)
        affixes = torch.from_numpy(encode_affixes(flat).astype(np.int64)).view(len(group), n, -1)
        pieces = pieces * mask[..., None]
        rows = torch.full((len(group),), raw["styles"].index(style))
        with torch.no_grad():
            scores, _, _ = analyse(self._student, Words(pieces, affixes, mask, 8 * n), rows)
            entities = self._student.heads.entities(
                scores["x"], torch.full_like(rows, raw["entity_styles"].index(entity_style))
            ).argmax(-1)
            shares = self._student.heads.text(mean_of_words(scores["x"], mask)).softmax(-1)
            arcs = masked(scores["head"].numpy(), mask.sum(1).numpy())
            two = best_two(arcs)
            each = [self._relations(scores, torch.from_numpy(two[..., i])).log_softmax(-1).amax(-1) for i in range(2)]
            weigh_relations(arcs, two, torch.stack(each, -1).numpy())
            heads = torch.from_numpy(heads_of(arcs, mask.sum(1).numpy()))
            relations = self._relations(scores, heads)
        best = {name: scores[name].topk(CANDIDATES, -1) for name in ("feats", "lemma")}
        chosen, lemmatizer = Tags(self._package, int(rows[0])), Lemmatizer(self._package, int(rows[0]))
        answers = []
        for row, sentence in enumerate(group):
            size = len(sentence)
            said = [values[row, :size].numpy() for name in best for values in (best[name].indices, best[name].values)]
            numbers, feats = chosen.choose(scores["upos"][row, :size].numpy(), said[0], said[1])
            tags = [raw["upos"][i] for i in numbers.tolist()]
            own = heads[row, :size].tolist()
            names = [raw["relations"][i] for i in relations[row, :size].argmax(-1).tolist()]
            lemmas = lemmatizer.lemmas(sentence, numbers, said[2], said[3])
            answers.append(
                Answer(
                    tags,
                    [raw["feats"]["labels"][i] for i in feats.tolist()],
                    lemmas,
                    own,
                    ["root" if head == 0 else name for head, name in zip(own, names, strict=True)],
                    [raw["entities"][i] for i in entities[row, :size].tolist()],
                    float(shares[row, 2] + 0.5 * shares[row, 1]),
                )
            )
        return answers
