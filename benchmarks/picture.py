"""Draw a result file: python -m benchmarks.picture RESULT.json IMAGE.png.

Ratios to Keras as bars; where the file has several batch sizes, tokens a second against them (or bars with --batch).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.comparison import COLD, KERAS, OURS, PLAIN, STEPWISE, WARM

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
    plt = _pyplot()

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
    _save(figure, path)


def draw_batches(result: dict[str, Any], path: Path) -> None:
    """Draw a panel for each task: tokens a second against the batch size, a line for each side."""
    plt = _pyplot()
    rows = [row for row in result["models"] if row["tokens_per_second"]]
    tasks = [task for task in NAMES if any(row["task"] == task for row in rows)]
    across = min(len(tasks), 4)
    down = -(-len(tasks) // across)
    size = (3.2 * across, 3.2 * down + 0.6)
    figure, panels = plt.subplots(down, across, figsize=size, sharey=True, squeeze=False, layout="constrained")
    for panel in panels.flat[len(tasks) :]:
        panel.axis("off")
    colours = {KERAS: "#000000", **COLOURS}
    for task, panel in zip(tasks, panels.flat, strict=False):
        for side, colour in colours.items():
            own = [row for row in rows if row["task"] == task and (row["side"] == side or _is_keras(row, side))]
            points = [(row["batch"], row["tokens_per_second"]) for row in own]
            if points:
                panel.plot(*zip(*points, strict=True), "o-", color=colour, markersize=4)
        sizes = sorted({row["batch"] for row in rows})
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xticks(sizes, [f"{size:,}" for size in sizes])
        panel.minorticks_off()
        panel.set_title(NAMES[task], fontsize=10)
        panel.set_xlabel("sentences a batch")
        panel.grid(axis="y", color="#dddddd", linewidth=0.6)
        panel.spines[["top", "right"]].set_visible(False)
    for row_of_panels in panels:
        row_of_panels[0].set_ylabel("tokens a second")
    shown = [side for side in colours if side != OURS and any(row["side"] == side for row in rows)]
    handles = [plt.Line2D([], [], color=colours[side], marker="o", markersize=4) for side in shown]
    figure.legend(handles, [LABELS.get(side, side) for side in shown], loc="outside upper center", ncols=2, fontsize=9)
    _save(figure, path)


def _is_keras(row: dict[str, Any], side: str) -> bool:
    return side == KERAS and str(row["side"]).startswith("Keras")


def _pyplot() -> Any:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    return plt


def _save(figure: Any, path: Path) -> None:
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
    result = json.loads(args.result.read_text(encoding="utf-8"))
    if args.batch is None and len({row["batch"] for row in result["models"]}) > 1:
        draw_batches(result, args.image)
    else:
        draw(result, args.image, batch=args.batch, cpu=args.cpu)


if __name__ == "__main__":
    main()
