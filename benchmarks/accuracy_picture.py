"""Accuracy against speed, from the figures of `benchmarks.joint`.

python -m benchmarks.accuracy_picture joint.json IMAGE KERAS_TOKENS_PER_SECOND

LAS is that of the model card (six UD 2.9 test files pooled, gold words). The joint network's speed is that of the
generic style, its default. Given the treebank's style it also looks up what that treebank calls its words, which takes
a little longer (docs/performance-notes.md): that point is hollow, its LAS beside the speed of the other. Keras's speed
is that of its five networks one after another, as docs/performance.md says. UDPipe 1's speed is that of one core and a
model of a whole treebank, its LAS what `benchmarks.udpipe_scores` found. Of UDPipe 2 (UD 2.10, gold words) and Stanza
1.3 (UD 2.8, from raw text, five files: it has no Atis) there are published scores, and no speed was measured here.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

LAS_VNLP, LAS_UDPIPE_1, LAS_UDPIPE_2, LAS_STANZA = 71.98, 65.83, 78.02, 75.40
LAS_GENERIC, LAS_STYLE = 76.91, 78.71  # of the joint network
_JOINT = "#d62728"
_WHOLE = re.compile(r"joint network, \d+ threads?")
# where a name stands beside its point, and which part of it stands there
_ABOVE: dict[str, Any] = {"xytext": (0, 10), "ha": "center"}
_LEFT: dict[str, Any] = {"xytext": (-10, -1), "ha": "right"}


def draw(figures: Path, image: Path, keras: float) -> None:
    """Draw the picture."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    rates = {row["side"]: row["tokens_per_second"] for row in json.loads(figures.read_text(encoding="utf-8"))}

    def rate(beginning: str) -> float:
        return next((value for side, value in rates.items() if side.startswith(beginning) and value), 0.0)

    udpipe = min((value for side, value in rates.items() if side.startswith("UDPipe") and value), default=0.0)
    joint = next((rate for side, rate in rates.items() if _WHOLE.fullmatch(side)), 0.0)
    if not joint:
        raise SystemExit(f"{figures}: no side 'joint network, N threads' in it; `python -m benchmarks.joint` writes it")
    points = [  # name, speed, LAS, colour, what fills it, where the name stands
        ("VNLP's networks in Keras", keras, LAS_VNLP, "#888888", "#888888", _ABOVE),
        ("VNLP's networks here", rate("VNLP"), LAS_VNLP, "#1f77b4", "#1f77b4", _ABOVE),
        ("joint network, treebank's style", joint, LAS_STYLE, _JOINT, "white", _LEFT),
        ("joint network, generic style", joint, LAS_GENERIC, _JOINT, _JOINT, _LEFT),
        ("UDPipe 1, one core", udpipe, LAS_UDPIPE_1, "#2ca02c", "#2ca02c", _ABOVE),
    ]
    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    for name, speed, las, colour, inside, place in points:
        if not speed:  # not measured
            continue
        axes.scatter(speed, las, edgecolor=colour, facecolor=inside, linewidth=1.5, s=60, zorder=3)
        axes.annotate(name, (speed, las), textcoords="offset points", **place)
    for name, las in (("UDPipe 2: score", LAS_UDPIPE_2), ("Stanza: score from raw text, five files", LAS_STANZA)):
        axes.axhline(las, color="#9467bd", linestyle="--", linewidth=1)
        axes.annotate(name, (keras, las), textcoords="offset points", xytext=(0, 4))
    axes.set(xscale="log", xlabel="tokens a second, two cores", ylabel="LAS, six UD 2.9 test files", ylim=(60, 82))
    axes.set_xlim(12, 80_000)
    axes.grid(alpha=0.3)
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("python -m benchmarks.accuracy_picture joint.json IMAGE KERAS_TOKENS_PER_SECOND")
    draw(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
