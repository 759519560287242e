"""Imports run one way: a room imports only rooms below it, and each room only itself on its own layer."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import vnlp_colab

PACKAGE = Path(vnlp_colab.__file__).parent
# From the ground up, as CONTRIBUTING.md draws them.
LAYERS = (
    ("errors", "registry", "columns", "start_up", "models"),
    ("forking", "collector", "atomic"),
    ("text", "resources", "runtime"),
    ("annotator", "recurrent", "diagnosis"),
    ("pieces", "trees", "decoding"),
    ("spucontext", "stemmer"),
    ("treestack",),
    ("pos", "ner", "dep", "sentiment", "joint"),
    ("batches",),
    ("document",),
    ("tables",),
    ("evaluation", "pipeline_colab"),
    ("engines",),
    ("cli", "ray", "spark", "spacy", "serve"),
)
# Offline, beside the layers: the converter may use the ground, and only the command uses the converter.
BESIDE = ("keras_models", "conversion", "convert_to_onnx")
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


def imports(path: Path) -> set[str]:
    """Return the rooms a module imports, wherever in it the import stands (those for type checkers alone count too)."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [
                f"{node.module}.{alias.name}" if node.module == "vnlp_colab" else node.module for alias in node.names
            ]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("vnlp_colab.")}
    return found - {"__version__"}


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or not path.name.startswith("__"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_rooms_below_its_own(path):
    own = room(path)
    for other in imports(path) - {own}:
        if own in BESIDE:
            assert other in BESIDE or LEVEL[other] <= 3, f"{own} imports {other}"
        elif own == "cli":
            assert other in BESIDE or LEVEL[other] < LEVEL["cli"] or other in ("ray", "serve")
        else:
            assert other not in BESIDE, f"{own} imports {other}, which is only for conversion"
            assert LEVEL[other] < LEVEL[own], f"{own} (layer {LEVEL[own]}) imports {other} (layer {LEVEL[other]})"


def test_every_room_has_a_layer():
    assert {room(path) for path in MODULES} <= set(LEVEL) | set(BESIDE)
