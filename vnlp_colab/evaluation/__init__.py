"""Scores of the models on labelled files: what ``vnlp-colab evaluate`` does."""

from vnlp_colab.evaluation.readers import EvaluationFileError
from vnlp_colab.evaluation.runs import Evaluated, evaluate_files

__all__ = ["Evaluated", "EvaluationFileError", "evaluate_files"]
