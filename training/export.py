"""Stage 7: put the trained weights into the Keras networks, check that both agree, convert and embed.

python -m training.export --work WORK --output vnlp_colab/models
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training import tokenizer
from training.arrays import ENTITIES, RELATIONS, UPOS

if TYPE_CHECKING:
    from collections.abc import Sequence

TOLERANCE = 1e-4  # float32 sums over 40 steps in another order; labels come from differences far larger than this
RECORD = "training_record.json"


@dataclass(frozen=True)
class Export:
    """A trained network: class name, file stem, the student's file, and its labels."""

    model: str
    stem: str
    student: str
    labels: Sequence[str] | None = None
    label_file: str | None = None


EXPORTS = (
    Export("SPUContextPoS", "PoS_SPUContext", "student_pos", UPOS, "PoS_labels.json"),
    Export("SPUContextNER", "NER_SPUContext", "student_ner", ENTITIES, "NER_labels.json"),
    Export("SPUContextDP", "DP_SPUContext", "student_dp", RELATIONS, "DP_labels.json"),
    Export("SPUCBiGRUSentimentAnalyzer", "Sentiment_SPUCBiGRU", "student_sentiment"),
)


def keras_gru(state: dict[str, np.ndarray], prefix: str, suffix: str) -> list[np.ndarray]:
    """Return kernel, recurrent kernel and bias of a GRU: PyTorch orders its gates r, z, n, Keras z, r, n."""

    def reorder(values: np.ndarray) -> np.ndarray:
        reset, update, new = np.split(values, 3)
        return np.concatenate([update, reset, new])

    kernel, recurrent = (reorder(state[f"{prefix}.weight_{part}_{suffix}"]).T for part in ("ih", "hh"))
    bias = np.stack([reorder(state[f"{prefix}.bias_{part}_{suffix}"]) for part in ("ih", "hh")])
    return [kernel, recurrent, bias]


def keras_weights(state: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Return a student's arrays in the order of the Keras network's `get_weights`."""
    arrays = [state["embedding.weight"]]
    if "stack.0.weight_ih_l0" in state:
        layers = sum(name.startswith("stack") and name.endswith("weight_ih_l0") for name in state)
        for layer in range(layers):
            arrays += [*keras_gru(state, f"stack.{layer}", "l0"), *keras_gru(state, f"stack.{layer}", "l0_reverse")]
    else:
        layers = sum(name.startswith("word.weight_ih") for name in state)
        for block in ("word", "left", "right", "history"):
            for layer in range(layers):
                where = (f"right.{layer}", "l0") if block == "right" else (block, f"l{layer}")
                arrays += keras_gru(state, *where)
    for layer in range(sum(name.startswith("dense") and name.endswith("weight") for name in state)):
        arrays += [state[f"dense.{layer}.weight"].T, state[f"dense.{layer}.bias"]]
    return arrays


def sample_inputs(export: Export, pieces: Any) -> list[np.ndarray]:
    """Return real inputs: windows over a few sentences, with the labels of a made-up history."""
    from vnlp_colab.text import TreebankWordTokenize

    texts = [
        "Ankara'da yaşayan Ayşe Hanım, dün akşam arkadaşlarıyla birlikte yeni açılan lokantaya gitti.",
        "Bu film beklediğimden çok daha güzeldi, herkese tavsiye ederim!",
        "Türkiye Büyük Millet Meclisi 23 Nisan 1920'de açıldı.",
    ]
    if export.labels is None:
        rows = np.zeros((len(texts), 256), np.int32)
        for row, ids in zip(rows, pieces.encode(texts), strict=True):
            row[-len(ids) :] = ids
        return [rows]
    from training.arrays import encode_words

    out = {"PoS": 18, "NER": 5, "DP": 90}[export.stem.partition("_")[0]]
    chance = np.random.default_rng(0)
    words, lefts, rights, histories = [], [], [], []
    for text in texts:
        ids = encode_words(pieces, TreebankWordTokenize(text)).astype(np.int32)
        for t in range(len(ids)):
            left, right = np.zeros((40, 8), np.int32), np.zeros((40, 8), np.int32)
            history = np.zeros((40, out), np.float32)
            if t:
                left[-t:] = ids[:t]
                history[np.arange(40 - t, 40), chance.integers(1, out, t)] = 1
            right[: len(ids) - 1 - t] = ids[t + 1 :]
            words.append(ids[t])
            lefts.append(left)
            rights.append(right)
            histories.append(history)
    return [np.stack(part) for part in (words, lefts, rights, histories)]


def torch_outputs(export: Export, state: dict[str, np.ndarray], inputs: list[np.ndarray]) -> np.ndarray:
    """Return what the PyTorch network says of full windows."""
    import torch
    from torch.nn import functional as F

    from training.networks import Sentiment, SPUContext
    from training.train import TASKS

    tensors = {name: torch.from_numpy(value.astype(np.float32)) for name, value in state.items()}
    given = [torch.from_numpy(array) for array in inputs]
    with torch.no_grad():
        if export.labels is None:
            network = Sentiment()
            network.load_state_dict(tensors)
            return network.eval()(given[0]).sigmoid().numpy()[:, None]
        task = TASKS[export.student.removeprefix("student_")]
        network = SPUContext(tuple(size for _, size in task.groups), task.units, task.layers)
        network.load_state_dict(tensors)
        network.eval()
        word, left, right, history = given
        rows = len(word)
        x = network.encode_words(right.reshape(-1, 8)).view(rows, 40, -1)
        for stack in network.right:
            x, state_right = stack(x.flip(1))
        context = network.encode_words(left.reshape(-1, 8)).view(rows, 40, -1)
        parts = [network.encode_words(word), network.left(context)[1][-1], state_right[-1]]
        scores = network.score(torch.cat(parts, -1), network.history(history)[1][-1])
        return (F.softmax(scores, -1) if len(task.groups) == 1 else scores.sigmoid()).numpy()


def export_one(export: Export, work: Path, output: Path) -> dict[str, Any]:
    """Prove, convert and embed one network; return its training record."""
    import onnxruntime
    import sentencepiece

    from vnlp_colab.convert_to_onnx import convert_model, write_manifest_entry

    with np.load(work / f"{export.student}.npz") as file:
        state = {name: file[name] for name in file.files}
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(work / tokenizer.FILE))
    inputs = sample_inputs(export, pieces)
    path = output / f"{export.stem}_prod.onnx"
    result = convert_model(export.model, keras_weights(state), path, float16=True, real_inputs={"sentences": inputs})
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    ours = session.run(None, dict(zip([i.name for i in session.get_inputs()], inputs, strict=True)))[0]
    difference = float(np.abs(ours - torch_outputs(export, state, inputs)).max())
    if difference > TOLERANCE:
        path.unlink()
        raise SystemExit(f"{export.model}: PyTorch and Keras differ by {difference:.2e}, more than {TOLERANCE}")
    resources = {"tokenizer": tokenizer.FILE}
    shutil.copyfile(work / tokenizer.FILE, output / tokenizer.FILE)
    if export.labels is not None and export.label_file:
        (output / export.label_file).write_text(json.dumps(list(export.labels), ensure_ascii=False), encoding="utf-8")
        resources["labels"] = export.label_file
    entry = {
        "model": export.model,
        "file": path.name,
        "weights": "prod",
        "source": "trained by this project (training/README.md)",
        "opset": result.opset,
        "max_difference": result.max_difference,
        "versions": dict(result.versions),
        "resources": resources,
        # The test files were never trained on, so there is no second set of weights to evaluate with.
        "options": {"eval_is_prod": True},
    }
    write_manifest_entry(output, f"{export.stem}_prod", entry, [path.name, *resources.values()])
    print(f"{path.name}: {path.stat().st_size:,} bytes, PyTorch differs by {difference:.1e}", flush=True)
    return {"difference": difference, **json.loads((work / f"{export.student}.json").read_text())}


def main() -> None:
    """Export every network that was trained."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("training/scratch"))
    parser.add_argument("--output", type=Path, default=Path("vnlp_colab/models"))
    args = parser.parse_args()
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    record = {
        e.model: export_one(e, args.work, args.output) for e in EXPORTS if (args.work / f"{e.student}.npz").exists()
    }
    (Path(__file__).parent / RECORD).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
