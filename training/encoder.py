"""The teacher's encoder: a small pre-norm transformer over pieces with rotary positions."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

VOCABULARY = 16_064  # 16,000 pieces, the mask, and padding to a round size
MASK = 16_000


class Block(nn.Module):
    """Self-attention and a feed-forward layer."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
        """Return `x` one layer on; `mask` (rows, 1, 1, length) is true where a piece may be looked at."""
        rows, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        attended = self.out(attended.transpose(1, 2).reshape(rows, length, width))
        x = x + F.dropout(attended, dropout, self.training)
        return x + F.dropout(self.down(F.gelu(self.up(self.norm2(x)))), dropout, self.training)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of channels by its position's angle."""
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


class Encoder(nn.Module):
    """Pieces to vectors; `pieces` 0 is padding."""

    def __init__(self, width: int = 512, layers: int = 8, heads: int = 8, longest: int = 512) -> None:
        super().__init__()
        self.width = width
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))
        angles = torch.outer(
            torch.arange(longest).float(), 10_000 ** -torch.linspace(0, 1, width // heads // 2, dtype=torch.float)
        )
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                scale = 0.02 / (2 * layers) ** 0.5 if name.endswith(("out.weight", "down.weight")) else 0.02
                nn.init.normal_(weight, std=scale)

    def forward(self, pieces: Tensor, padded: bool = True, dropout: float = 0.0) -> Tensor:
        """Return one vector a piece."""
        length = pieces.shape[1]
        mask = (pieces > 0)[:, None, None, :] if padded else None
        x = F.dropout(self.embedding(pieces), dropout, self.training)
        for block in self.blocks:
            x = block(x, self.cos[:length], self.sin[:length], mask, dropout)
        return self.norm(x)

    def predict(self, vectors: Tensor) -> Tensor:
        """Return the scores of all pieces at the places of `vectors`."""
        return F.linear(vectors, self.embedding.weight, self.bias)
