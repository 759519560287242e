"""Keras builders of the eight VNLP networks, made with the Keras 2 API (``tf_keras``).

Importing this package imports TensorFlow; only conversion does. Every builder's ``get_weights()`` order equals
upstream's, so upstream arrays load with ``set_weights``. Layer names are the stems of the weight names in the
converted graph (``left/gru_0`` gives ``left/gru_0/W``).
"""

from __future__ import annotations

from vnlp_colab.keras_models.charner import create_charner_model
from vnlp_colab.keras_models.sentiment import create_spucbigru_sentiment_model
from vnlp_colab.keras_models.spucontext import (
    create_spucontext_dp_model,
    create_spucontext_ner_model,
    create_spucontext_pos_model,
)
from vnlp_colab.keras_models.stemmer import create_stemmer_model
from vnlp_colab.keras_models.treestack import create_treestack_dp_model, create_treestack_pos_model

__all__ = [
    "create_charner_model",
    "create_spucbigru_sentiment_model",
    "create_spucontext_dp_model",
    "create_spucontext_ner_model",
    "create_spucontext_pos_model",
    "create_stemmer_model",
    "create_treestack_dp_model",
    "create_treestack_pos_model",
]
