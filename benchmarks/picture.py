"""Draw the ratios of a result file: python -m benchmarks.picture RESULT.json IMAGE.png."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.comparison import COLD, OURS, PLAIN, STEPWISE, WARM

NAMES = {
    "pos": "SPUContextPoS",
    "ner": "SPUContextNER",
    "dep": "SPUContextDP",
    "stemmer": "StemmerAnalyzer",
    "charner": "CharNER",
    "sentiment": "Sentiment",
    "pipeline": "whole pipeline",
}
# from the plainest to the fastest; colours that differ in lightness too, for print and for colour-blind readers
COLOURS = {PLAIN: "#b8b8b8", STEPWISE: "#e69f00", COLD: "#56b4e9", OURS: "#0b5394", WARM: "#0b5394"}
LABELS = {**{side: side for side in COLOURS}, WARM: "ours, words cached (CharNER and sentiment: ours)"}


def draw(result: dict[str, Any], path: Path, *, batch: int | None = None, cpu: bool = False) -> None:
    """Draw a group of bars for each task: how many times as many tokens a second as Keras.

    `batch` chooses one of several batch sizes (by default the first); `cpu` draws ratios of processor time.
    """
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    field = "cpu_ratio" if cpu else "ratio"
    batch = batch or result["models"][0]["batch"]
    rows = [row for row in result["models"] if row["side"] in COLOURS and row[field] and row["batch"] == batch]
    if not rows:
        sizes = ", ".join(sorted({str(row["batch"]) for row in result["models"]}))
        raise SystemExit(f"no ratios at batch {batch}; there are figures at batch {sizes}")
    tasks = [task for task in NAMES if any(row["task"] == task for row in rows)]
    figure, axes = plt.subplots(figsize=(8, 0.5 + 0.95 * len(tasks)))
    height = 0.2
    for place, task in enumerate(tasks):
        own = [row for side in COLOURS for row in rows if row["task"] == task and row["side"] == side]
        for number, row in enumerate(own):
            at = place + (number - (len(own) - 1) / 2) * height
            # from 1 on: a logarithmic scale has no zero, and Keras is what all are compared with
            axes.barh(at, row[field] - 1, height * 0.9, left=1, color=COLOURS[row["side"]])
            text = f"{row[field]:.1f}" if row[field] < 10 else f"{row[field]:.0f}"
            axes.text(max(row[field], 1) * 1.04, at, text, va="center", fontsize=8)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlim(0.4, 2 * max(row[field] for row in rows))
    ticks = [tick for tick in (0.5, 1, 2, 5, 10, 20, 50, 100) if tick <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{tick:g} ×" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(tasks)), [NAMES[task] for task in tasks])
    axes.invert_yaxis()
    where = "GPU" if result["device"] == "cuda" else "cores"
    what = "a second of processor time" if cpu else "a second"
    axes.set_xlabel(
        f"tokens {what}, as a multiple of Keras\nwith tf.function on the same {where} at batch {batch:,} (logarithmic)"
    )
    axes.spines[["top", "right"]].set_visible(False)
    shown = [side for side in COLOURS if side != OURS and any(row["side"] == side for row in rows)]
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[side]) for side in shown]
    axes.legend(
        handles,
        [LABELS[side] for side in shown],
        loc="lower center",
        bbox_to_anchor=(0.4, 1.0),
        ncols=2,
        frameon=False,
        fontsize=9,
    )
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", type=Path)
    parser.add_argument("image", type=Path)
    parser.add_argument("--batch", type=int, help="which batch size, where the file has several")
    parser.add_argument("--cpu", action="store_true", help="ratios of processor time, for a machine that was busy")
    args = parser.parse_args()
    draw(json.loads(args.result.read_text(encoding="utf-8")), args.image, batch=args.batch, cpu=args.cpu)


if __name__ == "__main__":
    main()
