"""Beside stage 6: what each treebank calls its words, as linear models that speak beside the network in its style.

python -m training.joint.usage --data DATA --work WORK [--models vnlp_colab/models]

Learns tags and relations of each treebank by itself, from its train file and the dev sentences that train, without
those that its test file repeats, and keeps the models for which held-out words speak: with which the network's files
have one in 500 more of them right, or none fewer and the right answers are clearly likelier. Leaves
``Joint_usage.npz`` beside the network's files, ``usage_STYLE_NETWORK.npz`` and ``record_usage.json`` in WORK; a style
whose file is there is not learnt again. What is kept depends on the network: do it again for another one.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from training import corpus
from training.joint import texts
from training.joint.analysers import PackageAnalyser
from training.joint.conversion import FILES, KEY, add_usage
from training.joint.record import note, read_places
from training.joint.reference import Reference
from training.joint.score import count_hits, total
from training.joint.treebanks import HELD, read_analysed
from vnlp_colab.atomic import write_atomically
from vnlp_colab.joint.looks import NOTHING, RELATIONS, TAGS, seen
from vnlp_colab.joint.network import read_network
from vnlp_colab.joint.usage import Linear, Usage, packed, write_usage

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from training.joint.treebanks import Analysed

ROLES = None, "words", "choices"
MEASURES = {TAGS: "upos", RELATIONS: "las"}
LEAST_GAIN = 0.002  # of the held-out words, for which a model is kept
# In natural logarithms: the right answers together are seven times as likely. A convention; how many words are right is
# a coarse measure, a few of a thousand more or fewer from one network to the next of the same kind.
LIKELIER = 1.92
SURENESS = np.linspace(0.2, 2.0, 37)  # factors of scores, the best of which makes them as sure as they are right
SEED = 1
BATCH = 256
SLOWEST = 0.02  # the last rate, as a share of the first


class Settings(NamedTuple):
    """How a model is learnt."""

    least: int  # words a key must have been seen in
    lost: float  # the share of a word's keys that are not seen in a step
    rate: float
    steps: int
    smallest: float  # what a key says less of is left out
    weight: float  # of its log-probabilities, beside the network's


# The weights make the models as sure as they are right (in each style 0.35 to 0.55 did on held-out words, but for
# Tourism's tags, all of which are right; the network needs 0.8 to 1.2), so that both have one voice each. More weights
# to choose from would be chosen by chance: of 400 to 1,200 held-out words a style.
SETTINGS = {TAGS: Settings(3, 0.3, 0.02, 2000, 0.15, 0.5), RELATIONS: Settings(6, 0.6, 0.01, 2000, 0.2, 0.4)}


def learn(keys: np.ndarray, labels: np.ndarray, classes: int, settings: Settings) -> Linear:
    """Return the linear model of labels by the keys (words, looks) of words."""
    import torch

    torch.manual_seed(SEED)
    known, times = np.unique(keys, return_counts=True)
    known = known[(times >= settings.least) & (known != NOTHING)]
    rows = torch.from_numpy(np.where(np.isin(keys, known), np.searchsorted(known, keys), len(known)))
    gold = torch.from_numpy(labels)
    table = torch.nn.EmbeddingBag(len(known) + 1, classes, mode="sum", sparse=True, padding_idx=len(known))
    torch.nn.init.zeros_(table.weight)
    bias = torch.zeros(classes, requires_grad=True)
    optimisers = torch.optim.SparseAdam(table.parameters(), settings.rate), torch.optim.Adam([bias], settings.rate / 4)
    falling = [
        torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(SLOWEST, 1 - step / settings.steps))
        for optimiser in optimisers
    ]
    order = torch.empty(0, dtype=torch.int64)
    for _ in range(settings.steps):
        if len(order) < BATCH:
            order = torch.cat([order, torch.randperm(len(rows))])
        batch, order = order[:BATCH], order[BATCH:]
        shown = rows[batch]
        shown = torch.where(torch.rand(shown.shape) < settings.lost, len(known), shown)
        loss = torch.nn.functional.cross_entropy(table(shown) + bias, gold[batch])
        for optimiser in optimisers:
            optimiser.zero_grad()
        loss.backward()
        for optimiser, scheduler in zip(optimisers, falling, strict=True):
            optimiser.step()
            scheduler.step()
    said = table.weight.detach().numpy()
    # what a key says of all labels alike changes nothing: without it, most of what it says is nearly nothing
    said[:-1] -= np.median(said[:-1], axis=1, keepdims=True)
    said[np.abs(said) < settings.smallest] = 0
    return Linear(known, said, bias.detach().numpy(), settings.weight)


def learn_task(task: str, sentences: list[Analysed], upos: list[str], relations: list[str]) -> Linear:
    """Return the model of a treebank's tags or relations."""
    words, lengths = [w for s in sentences for w in s.words], [len(s.words) for s in sentences]
    tags = np.array([upos.index(tag) for s in sentences for tag in s.upos])
    if task == TAGS:
        return learn(seen(TAGS, words, lengths), tags, len(upos), SETTINGS[TAGS])
    heads = np.array([head for s in sentences for head in s.heads])
    labels = np.array([relations.index(name) for s in sentences for name in s.relations])
    return learn(seen(RELATIONS, words, lengths, tags, heads), labels, len(relations), SETTINGS[RELATIONS])


def choose(style: str, held: list[Analysed], models: dict[str, Linear]) -> tuple[Usage, dict[str, Any]]:
    """Return the models for which held-out words speak, how many are right with each, and how much likelier."""
    found: dict[str, Any] = {}
    usage = Usage({})
    before = right_words(style, held, usage)
    for task, model in models.items():
        more, measure = Usage({**usage.models, task: model}), MEASURES[task]
        after = right_words(style, held, more)
        gained, likelier = after[measure] - before[measure], likelier_by(style, held, usage, task, model)
        kept = gained >= LEAST_GAIN * before["words"] or (gained >= 0 and likelier > LIKELIER)
        found[task] = {
            "words": before["words"], "network": before[measure], "both": after[measure],
            "likelier by": round(likelier, 1), "kept": bool(kept),
        }  # fmt: skip
        if kept:
            usage, before = more, after
    return usage, found


def right_words(style: str, sentences: list[Analysed], usage: Usage) -> Counter[str]:
    """Return how many words the package's files have right, by measure."""
    answers = PackageAnalyser(usage)([s.words for s in sentences], style=style)
    return total([count_hits(gold, answer) for gold, answer in zip(sentences, answers, strict=True)])


def likelier_by(style: str, held: list[Analysed], usage: Usage, task: str, model: Linear) -> float:
    """Return by how much a model makes the right answers likelier: their log-likelihood with it less that without.

    Of relations those to the right heads, with the tags that `usage` and the network give. Both are made as sure as
    they are right.
    """
    from vnlp_colab.joint.joint_colab import JointAnalyzer

    analyzer = JointAnalyzer(device="cpu", style=style, usage=Usage({}))
    network = Reference(read_network([analyzer.files.read(role) for role in ROLES], analyzer.vocabulary.activation))
    words, lengths = [w for s in held for w in s.words], [len(s.words) for s in held]
    states = analyzer.word_states([s.words for s in held])
    tags = network.tags(np.concatenate(states)) + usage.tag_scores(words, lengths)
    if task == TAGS:
        scores, said = tags, model.scores(seen(TAGS, words, lengths))
        gold = np.array([analyzer.vocabulary.upos.index(tag) for s in held for tag in s.upos])
    else:
        heads = np.array([head for s in held for head in s.heads])
        scores = np.concatenate([network.related(x, s.heads) for x, s in zip(states, held, strict=True)])
        said = model.scores(seen(RELATIONS, words, lengths, tags.argmax(axis=1), heads))
        gold = np.array([analyzer.vocabulary.relations.index(name) for s in held for name in s.relations])
        scores, said, gold = (values[heads != 0] for values in (scores, said, gold))
    return best_likelihood(scores + said, gold) - best_likelihood(scores, gold)


def best_likelihood(scores: np.ndarray, gold: np.ndarray) -> float:
    """Return the log-likelihood of labels by scores that are as sure as they are right."""
    found = []
    for factor in SURENESS:
        sums = factor * (scores - scores.max(axis=1, keepdims=True))
        found.append((sums[np.arange(len(gold)), gold] - np.log(np.exp(sums).sum(axis=1))).sum())
    return float(max(found))


def learn_style(data: Path, name: str, vocabulary: dict[str, Any]) -> tuple[Usage, dict[str, Any]]:
    """Return what one treebank calls its words, as far as that helps, and how many held-out words are right."""
    learnt, held = sentences_of(data, name)
    labels = vocabulary["upos"], vocabulary["relations"]
    models = {task: learn_task(task, learnt, *labels) for task in SETTINGS}
    return choose(name.lower(), held, models)


def sentences_of(data: Path, name: str) -> tuple[list[Analysed], list[Analysed]]:
    """Return a treebank's sentences to learn from, none of which stands in its test file, and those held out."""
    train, dev, test = (
        [s for s, _ in read_analysed(texts.treebank_file(data, name, kind))] for kind in ("train", "dev", "test")
    )
    tests = {texts.key(s.words) for s in test}
    return [s for s in train + dev[HELD:] if texts.key(s.words) not in tests], dev[:HELD]


def main() -> None:
    """Learn, choose, write."""
    args = read_places(__doc__)
    network = sha256((args.models / f"{KEY}.onnx").read_bytes()).hexdigest()
    vocabulary = json.loads((args.models / FILES["labels"]).read_text(encoding="utf-8"))
    record = args.work / "record_usage.json"
    note(record, network=network, settings={task: settings._asdict() for task, settings in SETTINGS.items()})
    kept: dict[str, dict[str, np.ndarray]] = {}
    for name in corpus.TREEBANKS:
        style = name.lower()
        part = args.work / f"usage_{style}_{network[:8]}.npz"
        if not part.exists():
            usage, found = learn_style(args.data, name, vocabulary)
            print(f"{name}: {found}", flush=True)
            note(record, **{style: found})
            models = {f"{style}.{task}": packed(model) for task, model in usage.models.items()}
            write_atomically(part, write_usage(models))
        with np.load(part, allow_pickle=False) as held:
            for whole in held:
                model, _, piece = whole.rpartition(".")
                kept.setdefault(model, {})[piece] = held[whole]
    add_usage(args.models, write_usage(kept))


if __name__ == "__main__":
    main()
