"""Where training runs."""

from __future__ import annotations

import torch


def ready() -> str:
    """Return ``cuda`` or ``cpu``, with what makes training quick switched on."""
    torch.set_float32_matmul_precision("high")
    # Its plans are made anew for every shape of a batch, and there are thousands: 150 ms a step.
    torch.backends.cuda.enable_cudnn_sdp(False)
    return "cuda" if torch.cuda.is_available() else "cpu"
