"""What can go wrong between weights and a proven graph."""

from __future__ import annotations

from vnlp_colab.errors import VNLPError


class ConversionError(VNLPError):
    """A network could not be converted, or the result is not what Keras computes."""


class WeightsError(ConversionError):
    """A weight file is missing, damaged, of another network, or holds something other than arrays."""
