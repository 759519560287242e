"""Marks in the arrays that preparation and training share."""

from pathlib import Path

UNKNOWN = 65_535  # a label that is not known, or not among the classes
ANY_STYLE = 255  # drawn anew each time
ENTITIES = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG")
TOKENIZER = Path(__file__).parents[2] / "vnlp_colab" / "models" / "SPU_vnlp_colab_16k.model"
