"""Beside stage 6: the last layers of the sentiment taught anew, so that everyday praise and blame are known as such.

python -m training.joint.sentiment --data DATA --work WORK [--models vnlp_colab/models]

The student learns praise and blame from reviews and calm from sentences that are none. Reviews are written carelessly
and the others are not, so it took whatever is tidy for calm: `Çok kötü.`, too. These layers read the mean of a text's
word vectors, which knows better, and learn here besides: short clauses of reviews and everyday sentences with a word of
praise or blame, written as everyday sentences are (`training.joint.praise`). Everything else in the files stays as it
is. Leaves ``sentiment_means_NETWORK.npz`` (what is learnt from), ``sentiment_NETWORK.npz`` and
``record_sentiment.json`` in WORK, and the layers in the files of ``--models``; delete the first two where the lists or
settings are others.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from training import corpus
from training.arrays import write_arrays
from training.joint.conversion import FILES, KEY, relearn_sentiment
from training.joint.f1 import best_shift, score_reviews
from training.joint.praise import (
    AGREES,
    AT_ONCE,
    CARELESS,
    NEUTRAL,
    POSITIVE,
    RETYPED,
    SEED,
    Candidates,
    Example,
    agreed,
    some_careless,
)
from training.joint.record import note, read_places

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


# What an example of a kind counts.
WEIGHTS = {
    "review": 1.0,
    "clause": 0.7,
    "praise": 4.0,
    "blame": 8.0,
    "everyday": 0.25,
    "fact": 0.5,
    "joined": 1.5,
    "word": 1.5,
    "strong": 8.0,
    "unsure": 3.0,
    "sign": 1.0,
    "greeting": 3.0,
}
HELD = 33  # one in so many examples is held out, of the kinds of which each text is there by itself
PARTS = "review", "clause", "greeting"  # the others: re-typed reviews and greetings, clauses of a review that trains
OWN_STYLE = 0.4  # of the texts are read in the generic style, the others in those of the treebanks
STEPS, BATCH, RATE, DECAY, DROPOUT, SMOOTHING = 10_000, 512, 1e-3, 0.05, 0.3, 0.02


def means_of(examples: Sequence[Example], styles: Sequence[str]) -> np.ndarray:
    """Return the mean of the vectors of each text's words, read in its style."""
    from vnlp_colab.joint.joint_colab import JointAnalyzer

    words = [corpus.tokens(example.text) or ["."] for example in examples]
    found: list[np.ndarray] = [np.empty(0)] * len(words)
    for style in sorted(set(styles)):
        analyzer = JointAnalyzer(device="cpu", style=style)
        order = sorted((i for i, own in enumerate(styles) if own == style), key=lambda i: len(words[i]))
        for start in range(0, len(order), AT_ONCE):
            some = order[start : start + AT_ONCE]
            for i, states in zip(some, analyzer.word_states([words[i] for i in some]), strict=True):
                found[i] = states.mean(axis=0)
    return np.stack(found)


def learn(means: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Return the layers, under the names they have in the network."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.manual_seed(SEED)
    chance = np.random.default_rng(SEED)
    centre, spread = means.mean(axis=0), means.std(axis=0) + 1e-4
    given, gold, counts = (torch.from_numpy(v) for v in ((means - centre) / spread, labels, weights.astype(np.float32)))
    hidden, last = nn.Linear(means.shape[1], means.shape[1]), nn.Linear(means.shape[1], 3)
    optimiser = torch.optim.AdamW([*hidden.parameters(), *last.parameters()], RATE, weight_decay=DECAY)
    for step in range(STEPS):
        some = torch.from_numpy(chance.integers(0, len(labels), BATCH))
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 100, 1.2 * (1 - step / STEPS))
        guess = last(F.dropout(F.relu(hidden(given[some])), DROPOUT))
        losses = F.cross_entropy(guess, gold[some], reduction="none", label_smoothing=SMOOTHING)
        optimiser.zero_grad()
        (losses * counts[some]).mean().backward()
        optimiser.step()
    weight = hidden.weight.detach().numpy() / spread
    return {
        "sentiment.hidden.weight": weight.astype(np.float32),
        "sentiment.hidden.bias": (hidden.bias.detach().numpy() - weight @ centre).astype(np.float32),
        "sentiment.weight": last.weight.detach().numpy(),
        "sentiment.bias": last.bias.detach().numpy().copy(),
    }


def probabilities(layers: dict[str, np.ndarray], means: np.ndarray) -> np.ndarray:
    """Return how likely each sentiment is."""
    hidden = np.maximum(means @ layers["sentiment.hidden.weight"].T + layers["sentiment.hidden.bias"], 0)
    scores = hidden @ layers["sentiment.weight"].T + layers["sentiment.bias"]
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return likely


def held_scores(
    layers: dict[str, np.ndarray], means: np.ndarray, kinds: np.ndarray, labels: np.ndarray
) -> dict[str, dict[str, float]]:
    """Return of each kind how many are called what they are, and how many get a clear answer, in percent."""
    likely = probabilities(layers, means)
    right = likely.argmax(axis=1) == labels
    clear = np.abs(likely[:, POSITIVE] + likely[:, NEUTRAL] / 2 - 0.5) > 0.3
    return {
        kind: {
            name: round(100 * float(values[kinds == kind].mean()), 2)
            for name, values in (("right", right), ("clear", clear))
        }
        | {"texts": int((kinds == kind).sum())}
        for kind in WEIGHTS
        if (kinds == kind).any()
    }


def main() -> None:
    """Learn and write."""
    args = read_places(__doc__)
    files = [args.models / name for name in (f"{KEY}.onnx", FILES["words"])]
    network = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    path = args.work / f"sentiment_{network[:8]}.npz"
    if not path.exists():
        gathered = args.work / f"sentiment_means_{network[:8]}.npz"
        if not gathered.exists():
            gather(args.data, gathered)
        write_arrays(path, train(gathered, args.work / "record_sentiment.json", network), packed=False)
    with np.load(path) as layers:
        relearn_sentiment(args.models, dict(layers))


def gather(data: Path, path: Path) -> None:
    """Write the means of all examples, their kinds and labels, and those of the reviews that are held out."""
    from vnlp_colab.joint.joint_colab import JointAnalyzer

    analyzer = JointAnalyzer(device="cpu")
    candidates = Candidates(data)
    examples, dev = some_careless(agreed(candidates.found, analyzer)), candidates.held
    generic, *others = analyzer.vocabulary.styles
    shares = [OWN_STYLE, *len(others) * [(1 - OWN_STYLE) / len(others)]]
    styles = np.random.default_rng(SEED).choice([generic, *others], len(examples), p=shares).tolist()
    arrays = {
        "kinds": np.array([example.kind for example in examples]),
        "labels": np.array([example.label for example in examples]),
        "means": means_of(examples, styles),
        "dev_labels": np.array([example.label for example in dev]),
        "dev_means": means_of(dev, [generic] * len(dev)),
    }
    write_arrays(path, arrays, packed=False)


def train(gathered: Path, record: Path, network: str) -> dict[str, np.ndarray]:
    """Return the layers taught by what was gathered; scores go into the record."""
    with np.load(gathered) as file:
        kinds, labels, means, dev_labels, dev_means = (
            file[name] for name in ("kinds", "labels", "means", "dev_labels", "dev_means")
        )
    held = (np.random.default_rng(SEED).integers(0, HELD, len(labels)) == 0) & ~np.isin(kinds, PARTS)
    weights = np.array([WEIGHTS[kind] for kind in kinds.tolist()])
    layers = learn(means[~held], labels[~held], weights[~held])
    likely = probabilities(layers, dev_means)
    shift = best_shift(dev_labels, likely)
    layers["sentiment.bias"] += np.array([-shift / 2, 0, shift / 2], np.float32)
    scores = score_reviews(dev_labels, likely, shift)
    rest = held_scores(layers, means[held], kinds[held], labels[held])
    settings = {
        "seed": SEED, "weights": WEIGHTS, "agrees": AGREES, "retyped": RETYPED, "careless": CARELESS, "steps": STEPS,
        "batch": BATCH, "rate": RATE, "decay": DECAY, "dropout": DROPOUT, "smoothing": SMOOTHING,
        "generic style": OWN_STYLE,
    }  # fmt: skip
    examples = dict(Counter(kinds.tolist()))
    dev = {"winvoker": scores, "held out": rest}
    note(record, network=network, settings=settings, examples=examples, shift=shift, dev=dev)
    print(examples, flush=True)
    for part, values in {"winvoker": scores, **rest}.items():
        print(part, values, flush=True)
    return layers


if __name__ == "__main__":
    main()
