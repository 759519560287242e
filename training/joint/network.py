"""The joint networks: a teacher over pieces, a small student over words, and the heads both have.

Names and shapes of the student's parameters are what the package's graph is built from: `exported` gives them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.arrays import PIECES_PER_WORD
from vnlp_colab.joint.affixes import AFFIXES, ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

VOCABULARY = 16_064
MASK = 16_000
UNKNOWN = 1
HEAD_WIDTH = 64
LONGEST_PIECES = 1664


@dataclass(frozen=True)
class Sizes:
    """Numbers of classes, and the widths of the heads."""

    styles: int
    entity_styles: int
    upos: int
    relations: int
    feats: int
    scripts: int
    hands: int = 0
    entities: int = 7
    sentiments: int = 3
    arc: int = 256
    relation: int = 192
    entity: int = 192


@dataclass
class Words:
    """Sentences side by side: pieces (rows, n, 8), affixes (rows, n, 7), which places are words.

    `longest` is how many pieces a sentence has at most: known beforehand, so that nothing has to wait for the device.
    """

    pieces: Tensor
    affixes: Tensor
    mask: Tensor
    longest: int


class Layer(nn.Module):
    """One pre-norm transformer layer without biases: attention with rotary positions, then a gated feed-forward."""

    def __init__(self, width: int, hidden: int, act: str) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width, bias=False), nn.LayerNorm(width, bias=False)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 2 * hidden, bias=False), nn.Linear(hidden, width, bias=False)
        self.act = F.relu if act == "relu" else F.gelu

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
        """Return the states after this layer."""
        rows, n, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(rows, n, 3, width // HEAD_WIDTH, HEAD_WIDTH).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(
            rotate(qkv[0], cos, sin), rotate(qkv[1], cos, sin), qkv[2], attn_mask=mask
        )
        x = x + F.dropout(self.out(mixed.transpose(1, 2).reshape(rows, n, width)), dropout, self.training)
        gate, value = self.up(self.norm2(x)).chunk(2, -1)
        return x + F.dropout(self.down(self.act(gate) * value), dropout, self.training)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the halves of each head by the angle of the place."""
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


class Body(nn.Module):
    """Layers, with as many hidden numbers as `hidden` says of each, and a last norm."""

    def __init__(self, width: int, layers: int, act: str, longest: int, hidden: Sequence[int] = ()) -> None:
        super().__init__()
        self.hidden = list(hidden) or layers * [int(8 / 3 * width) // 64 * 64]
        self.layers = nn.ModuleList(Layer(width, count, act) for count in self.hidden)
        self.norm = nn.LayerNorm(width, bias=False)
        angles = torch.outer(torch.arange(longest).float(), 10_000 ** -torch.linspace(0, 1, HEAD_WIDTH // 2))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                last = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(weight, std=0.02 / (2 * layers) ** 0.5 if last else 0.02)

    def compile_layers(self) -> None:
        """Compile the layers, once for all shapes: half the time of a step."""
        for layer in self.layers:
            layer.compile(dynamic=True)

    def forward(self, x: Tensor, mask: Tensor | None = None, dropout: float = 0.0) -> Tensor:
        """Return the states of all places; `mask` (rows, n) says which are real."""
        n = x.shape[1]
        keys = None if mask is None else mask[:, None, None, :]
        for layer in self.layers:
            x = layer(x, self.cos[:n], self.sin[:n], keys, dropout)
        return self.norm(x)


class Encoder(nn.Module):
    """Masked language model over pieces: the body of the teachers."""

    def __init__(self, width: int = 512, layers: int = 12) -> None:
        super().__init__()
        self.width = width
        self.embedding = nn.Embedding(VOCABULARY, width)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.body = Body(width, layers, "gelu", LONGEST_PIECES)
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))

    def loss(self, hidden: Tensor, where: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the pieces at the places `where` (rows, k) of windows with those hidden."""
        states = self.body(self.embedding(hidden)).gather(1, where[..., None].expand(-1, -1, self.width))
        scores = F.linear(states, self.embedding.weight, self.bias).float()
        return F.cross_entropy(scores.view(-1, VOCABULARY), target.reshape(-1))


# How the published encoder names its arrays, and how they are named here.
_PUBLISHED = (("emb.", "embedding."), ("blocks.", "layers."), (".n1.", ".norm1."), (".n2.", ".norm2."))


def load_encoder(arrays: dict[str, Tensor]) -> Encoder:
    """Return the encoder of published arrays (``emb.weight``, ``body.blocks.0.n1.weight`` ...)."""
    width = arrays["emb.weight"].shape[1]
    layers = sum(name.endswith(".qkv.weight") for name in arrays)
    encoder = Encoder(width, layers)
    encoder.load_state_dict({_renamed(name, _PUBLISHED): values.float() for name, values in arrays.items()})
    return encoder


def published(encoder: Encoder) -> dict[str, Tensor]:
    """Return the encoder's arrays under the published names."""
    back = tuple((new, old) for old, new in _PUBLISHED)
    return {_renamed(name, back): values.detach() for name, values in encoder.state_dict().items()}


def _renamed(name: str, changes: tuple[tuple[str, str], ...]) -> str:
    for old, new in changes:
        name = name.replace(old, new)
    return name


class Block(nn.Module):
    """A residual feed-forward layer of the composer."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return the vectors after this layer."""
        return x + self.down(F.relu(self.up(self.norm(x))))


class Composer(nn.Module):
    """A word from its pieces and affixes alone, so that it can be kept in a cache."""

    def __init__(self, width: int, piece: int = 256, affix: int = 96) -> None:
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(VOCABULARY, piece) * 0.1)
        self.affixes = nn.Parameter(torch.randn(ROWS, affix) * 0.1)
        self.compose = nn.Linear(PIECES_PER_WORD * piece + AFFIXES * affix, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(2))
        nn.init.normal_(self.compose.weight, std=0.06)
        with torch.no_grad():
            self.embedding[0] = 0

    def forward(self, pieces: Tensor, affixes: Tensor, lost: float = 0.0) -> Tensor:
        """Return the vectors of words of (..., 8) pieces, (..., 7) affixes; the share `lost` goes without affixes."""
        letters = F.embedding(affixes, self.affixes).flatten(-2)
        if lost:
            letters = letters * (torch.rand(letters.shape[:-1], device=letters.device) >= lost)[..., None]
        # Row 0 stands for no piece: its vector stays zero.
        own = F.embedding(pieces, self.embedding, padding_idx=0).flatten(-2)
        x = self.compose(torch.cat([own, letters], -1))
        for block in self.blocks:
            x = block(x)
        return x


class Features(nn.Module):
    """Scores of whole feature strings, each its own and its features' together: rare strings learn from their parts."""

    def __init__(self, width: int, labels: list[str]) -> None:
        super().__init__()
        parts = sorted({part for label in labels for part in label.split("|")})
        self.own, self.parts = nn.Linear(width, len(labels)), nn.Linear(width, len(parts))
        nn.init.normal_(self.own.weight, std=0.01)
        row = {part: i for i, part in enumerate(parts)}
        made = torch.zeros(len(labels), len(parts))
        for i, label in enumerate(labels):
            made[i, [row[part] for part in label.split("|")]] = 1
        self.register_buffer("made", made, persistent=False)

    def merged(self) -> tuple[Tensor, Tensor]:
        """Return the one matrix and bias this layer amounts to."""
        return self.own.weight + self.made @ self.parts.weight, self.own.bias + self.made @ self.parts.bias

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores of the strings."""
        with torch.autocast(x.device.type, enabled=False):
            weight, bias = self.merged()
        return F.linear(x, weight, bias)


class Heads(nn.Module):
    """Everything said about words and texts, from the vectors of the words."""

    def __init__(self, inputs: int, width: int, sizes: Sizes, feats: list[str], act: str) -> None:
        super().__init__()
        self.act = F.relu if act == "relu" else F.gelu
        self.mix = nn.Linear(inputs, width)
        self.upos, self.lemma = nn.Linear(width, sizes.upos), nn.Linear(width, sizes.scripts)
        self.feats = Features(width, feats)
        self.entity_hidden, self.entity = nn.Linear(width, sizes.entity), nn.Linear(sizes.entity, sizes.entities)
        self.entity_style = nn.Parameter(torch.zeros(sizes.entity_styles, sizes.entity))
        self.sentiment_hidden, self.sentiment = nn.Linear(width, width), nn.Linear(width, sizes.sentiments)
        self.root = nn.Parameter(torch.zeros(width))
        self.arc_head, self.arc_dep = nn.Linear(width, sizes.arc), nn.Linear(width, sizes.arc)
        self.arc_matrix = nn.Parameter(torch.zeros(sizes.arc + 1, sizes.arc))
        self.rel_head, self.rel_dep = nn.Linear(width, sizes.relation), nn.Linear(width, sizes.relation)
        self.rel = nn.Linear(3 * sizes.relation, sizes.relations)

    def words(self, states: Tensor, dropout: float) -> Tensor:
        """Return the vectors of the words, which every head reads."""
        return F.dropout(self.act(self.mix(states)), dropout, self.training)

    def syntax(self, x: Tensor, mask: Tensor, dropout: float = 0.0) -> dict[str, Tensor]:
        """Return the scores of tags, features, lemmas and heads (0 is the root), and what relations are scored from."""
        nodes = torch.cat([self.root.to(x.dtype).expand(x.shape[0], 1, -1), x], 1)

        def reduced(layer: nn.Linear, y: Tensor) -> Tensor:
            return F.dropout(self.act(layer(y)), dropout, self.training)

        heads, deps = reduced(self.arc_head, nodes), reduced(self.arc_dep, x)
        arcs = with_one(deps) @ self.arc_matrix.to(deps.dtype) @ heads.transpose(-1, -2)
        there = F.pad(mask, (1, 0), value=True)
        return {
            "upos": self.upos(x).float(),
            "feats": self.feats(x).float(),
            "lemma": self.lemma(x).float(),
            "head": arcs.float().masked_fill(~there[:, None], -1e4),
            "up": reduced(self.rel_head, nodes),
            "down": reduced(self.rel_dep, x),
        }

    def relations(self, scores: dict[str, Tensor], heads: Tensor) -> Tensor:
        """Return the scores of the relations to the given heads."""
        up, down = scores["up"], scores["down"]
        up = up.gather(1, heads[..., None].expand(-1, -1, up.shape[-1]))
        return self.rel(torch.cat([up * down, up, down], -1)).float()

    def entities(self, x: Tensor, style: Tensor) -> Tensor:
        """Return the scores of the BIO labels in the way of an entity set."""
        return self.entity(self.act(self.entity_hidden(x) + self.entity_style[style][:, None])).float()

    def text(self, mean: Tensor, dropout: float = 0.0) -> Tensor:
        """Return the scores of the sentiments of a text with this mean of its words' vectors."""
        return self.sentiment(F.dropout(self.act(self.sentiment_hidden(mean)), dropout, self.training)).float()


def with_one(x: Tensor) -> Tensor:
    """Return the vectors with a 1 behind them."""
    return torch.cat([x, x.new_ones(*x.shape[:-1], 1)], -1)


def mean_of_words(x: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of the real words' vectors."""
    real = mask[..., None].to(x.dtype)
    return (x * real).sum(1) / real.sum(1).clamp_min(1)


def multiple_of_8(n: int) -> int:
    """Return the next multiple of 8: the shapes that run fast."""
    return (n + 7) // 8 * 8


def lose_pieces(pieces: Tensor, share: float) -> Tensor:
    """Return the pieces with a share of them unknown."""
    if not share:
        return pieces
    return torch.where((pieces > 0) & (torch.rand(pieces.shape, device=pieces.device) < share), UNKNOWN, pieces)


class Teacher(nn.Module):
    """The encoder over pieces; a word is its first and its last piece and its affixes."""

    AFFIX = 64

    def __init__(self, encoder: Encoder, sizes: Sizes, feats: list[str]) -> None:
        super().__init__()
        self.encoder = encoder
        width = encoder.width
        self.style = nn.Parameter(torch.randn(sizes.styles, width) * 0.02)
        self.hand = nn.Parameter(torch.zeros(sizes.hands + 1, width))
        self.affixes = nn.Parameter(torch.randn(ROWS, self.AFFIX) * 0.02)
        self.heads = Heads(2 * width + AFFIXES * self.AFFIX, width, sizes, feats, "gelu")

    @property
    def body(self) -> Body:
        """Return the layers."""
        return self.encoder.body

    def words(
        self, words: Words, style: Tensor, noise: float = 0.0, dropout: float = 0.0, hand: Tensor | None = None
    ) -> Tensor:
        """Return the vectors of the words; the places after a sentence have no pieces."""
        real = (words.pieces > 0) & words.mask[..., None]
        rows, n, _ = real.shape
        count = real.sum(-1)
        last = count.cumsum(-1) - 1
        length = multiple_of_8(words.longest)
        first = (last - count + 1).clamp(0, length - 1)
        place = (real.view(rows, -1).cumsum(-1) - 1).clamp_min(0)
        kept = torch.where(real, lose_pieces(words.pieces, noise), 0).view(rows, -1)
        flat = kept.new_zeros(rows, length).scatter_add_(1, place, kept)
        manner = self.style[style]
        if hand is not None:
            manner = manner + F.embedding(hand, self.hand, padding_idx=0)
        x = self.encoder.embedding(flat) + manner[:, None]
        x = self.body(F.dropout(x, dropout, self.training), flat > 0, dropout)
        ends = torch.cat([first, last.clamp_min(0)], 1)[..., None].expand(-1, -1, x.shape[-1])
        ends = x.gather(1, ends)
        letters = F.dropout(F.embedding(words.affixes, self.affixes).flatten(-2), 3 * dropout, self.training)
        states = torch.cat([ends[:, :n], ends[:, n:], letters.to(x.dtype)], -1)
        return self.heads.words(states, 2 * dropout)


class Student(nn.Module):
    """A transformer over words, each composed of its pieces and affixes."""

    WIDTH, LAYERS, LONGEST = 384, 6, 1024

    def __init__(self, sizes: Sizes, feats: list[str], hidden: Sequence[int] = ()) -> None:
        super().__init__()
        width = self.WIDTH
        self.pieces = Composer(width)
        self.style = nn.Parameter(torch.randn(sizes.styles, width) * 0.02)
        self.body = Body(width, self.LAYERS, "relu", self.LONGEST, hidden)
        self.heads = Heads(width, width, sizes, feats, "relu")

    def words(
        self,
        words: Words,
        style: Tensor,
        noise: float = 0.0,
        dropout: float = 0.0,
        hand: Tensor | None = None,  # noqa: ARG002  # it is asked as a teacher is, and knows no hands
    ) -> Tensor:
        """Return the vectors of the words."""
        x = self.pieces(lose_pieces(words.pieces, noise), words.affixes, 2 * noise) + self.style[style][:, None]
        return self.heads.words(self.body(F.dropout(x, dropout, self.training), words.mask, dropout), 2 * dropout)


def exported(student: Student) -> dict[str, Tensor]:
    """Return the student's parameters under the names the package knows, features as one matrix."""
    changes = (
        ("body.", ""),
        ("heads.", ""),
        ("entity_hidden.", "entity.hidden."),
        ("entity_style", "entity.style"),
        ("sentiment_hidden.", "sentiment.hidden."),
        ("arc_", "arc."),
        ("rel_", "rel."),
    )
    state = {name: values for name, values in student.state_dict().items() if not name.startswith("heads.feats.")}
    arrays = {_renamed(name, changes): values.detach().float() for name, values in state.items()}
    arrays["feats.weight"], arrays["feats.bias"] = (t.detach().float() for t in student.heads.feats.merged())
    return arrays
