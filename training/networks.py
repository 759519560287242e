"""The student networks in PyTorch, layer for layer the Keras ones.

Training runs whole sentences at once, in one of two ways.

- Windows, exact: a batch whose longest sentence has n words needs windows of K = n - 1 words only. The 40 - K pad words
  every window begins with are the same for all, so their states are computed once and every window starts from them.
- Chains, nearly exact: the windows that end at neighbouring words differ only in how many pads they begin with, and a
  stack has all but forgotten its beginning after 40 steps. So one chain a sentence, begun after 40 pads, stands for all
  of them. Only the second layer of the right stack, which begins at each word anew, still reads windows. Most of the
  training runs this way, several times faster; the end of it, and every evaluation, runs on exact windows.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.arrays import WINDOW


class SPUContext(nn.Module):
    """Word, left, right and history stacks and three dense layers; `heads` are the sizes of the label groups."""

    def __init__(self, heads: tuple[int, ...], units: int, layers: int, pieces: int = 16_000, width: int = 128) -> None:
        super().__init__()
        self.heads, self.units = heads, units
        out = sum(heads)
        self.embedding = nn.Embedding(pieces, width)
        self.word = nn.GRU(width, units, layers, batch_first=True)
        self.left = nn.GRU(units, units, layers, batch_first=True)
        # Each layer of the right stack turns its input around, so the layers are apart.
        self.right = nn.ModuleList(nn.GRU(units, units, batch_first=True) for _ in range(layers))
        self.history = nn.GRU(out, units, layers, batch_first=True)
        self.dense = nn.ModuleList(
            [nn.Linear(4 * units, 2 * units), nn.Linear(2 * units, units), nn.Linear(units, out)]
        )
        for name, weight in self.named_parameters():
            if "weight_hh" in name:
                for gate in weight.data.chunk(3):
                    nn.init.orthogonal_(gate)
            elif "weight_ih" in name or (name.startswith("dense") and weight.ndim == 2):
                nn.init.xavier_uniform_(weight)

    def encode_words(self, pieces: Tensor, dropout: float = 0.0) -> Tensor:
        """Return a vector for each row of 8 pieces."""
        vectors = F.dropout(self.embedding(pieces), dropout, self.training)
        return self.word(vectors)[1][-1]

    def contexts(self, words: Tensor, pad: Tensor, dropout: float = 0.0, *, chains: bool = False) -> Tensor:
        """Return word, left and right vectors (sentences, n, 3 units) of word vectors (sentences, n, units).

        Places after a sentence's end must hold the `pad` vector.
        """
        rows, n, units = words.shape
        if chains:
            parts = [words, self._left_chain(self.left, words, pad), self._right_chain(words, pad)]
            return F.dropout(torch.cat(parts, -1), dropout, self.training)
        size = min(n - 1, WINDOW)
        if size == 0:
            size = 1
        fill = pad.expand(rows, size, units)
        padded = torch.cat([fill, words, fill], 1)
        spans = padded.unfold(1, size, 1).transpose(2, 3)  # (rows, n + size + 1, size, units)
        left = self._left(self.left, spans[:, :n].reshape(rows * n, size, units), pad)
        right = self._right(spans[:, size + 1 : size + 1 + n].reshape(rows * n, size, units), pad)
        parts = [words, left.view(rows, n, -1), right.view(rows, n, -1)]
        return F.dropout(torch.cat(parts, -1), dropout, self.training)

    def _left(self, stack: nn.GRU, spans: Tensor, pad: Tensor) -> Tensor:
        start = None
        if (missing := WINDOW - spans.shape[1]) > 0:
            _, state = stack(pad.expand(1, missing, -1).contiguous())
            start = state.expand(-1, len(spans), -1).contiguous()
        return stack(spans.contiguous(), start)[1][-1]

    def _right(self, spans: Tensor, pad: Tensor) -> Tensor:
        missing = WINDOW - spans.shape[1]
        reached, constant = spans, pad.expand(1, max(missing, 0), -1)
        for layer, stack in enumerate(self.right):
            # Layer 0 meets the pads first, layer 1 last, and so on: each layer reverses what it is given.
            if layer % 2 == 0:
                start = None
                if missing > 0:
                    constant, start = stack(constant.flip(1).contiguous())
                    start = start.expand(-1, len(spans), -1).contiguous()
                reached, state = stack(reached.flip(1).contiguous(), start)
            else:
                tail = constant.flip(1).expand(len(spans), -1, -1)
                whole = torch.cat([reached.flip(1), tail], 1) if missing > 0 else reached.flip(1)
                reached, state = stack(whole.contiguous())
                missing = 0  # from here on the pads' states differ from window to window
        return state[-1]

    def _left_chain(self, stack: nn.GRU, inputs: Tensor, pad: Tensor) -> Tensor:
        _, start = stack(pad.expand(1, WINDOW, -1).contiguous())
        reached, _ = stack(inputs, start.expand(-1, len(inputs), -1).contiguous())
        return torch.cat([start[-1].expand(len(inputs), 1, -1).to(reached.dtype), reached[:, :-1]], 1)

    def _right_chain(self, words: Tensor, pad: Tensor) -> Tensor:
        rows, n, _ = words.shape
        pads, start = self.right[0](pad.expand(1, WINDOW, -1).contiguous())
        reached, _ = self.right[0](words.flip(1), start.expand(-1, rows, -1).contiguous())
        reached = reached.flip(1)  # at each word, the state that has read it and all after it
        size = min(n - 1, WINDOW)
        reached = torch.cat([reached[:, 1:], pads[:, -1:].expand(rows, size + 1, -1).to(reached.dtype)], 1)
        if len(self.right) == 1:
            return reached[:, :n]
        if len(self.right) > 2:
            msg = "chains are written for one or two layers"
            raise NotImplementedError(msg)
        windows = (
            reached.unfold(1, size, 1)[:, :n].transpose(2, 3).reshape(rows * n, size, self.units) if size else None
        )
        tail = pads[:, : WINDOW - size].flip(1).expand(rows * n, -1, -1)
        whole = tail if windows is None else torch.cat([windows, tail.to(windows.dtype)], 1)
        return self.right[1](whole.contiguous())[1][-1].view(rows, n, -1)

    def histories(self, labels: Tensor, *, chains: bool = False) -> Tensor:
        """Return the history vectors (sentences, n, units) given label vectors (sentences, n, out)."""
        rows, n, out = labels.shape
        if chains:
            return self._left_chain(self.history, labels, labels.new_zeros(1, 1, out))
        size = max(1, min(n - 1, WINDOW))
        zero = labels.new_zeros(1, 1, out)
        padded = torch.cat([zero.expand(rows, size, out), labels], 1)
        spans = padded.unfold(1, size, 1).transpose(2, 3)[:, :n].reshape(rows * n, size, out)
        return self._left(self.history, spans, zero).view(rows, n, -1)

    def score(self, contexts: Tensor, histories: Tensor, dropout: float = 0.0) -> Tensor:
        """Return the scores before sigmoid or softmax."""
        x = torch.cat([contexts, F.dropout(histories, dropout, self.training)], -1)
        for layer in self.dense[:-1]:
            x = F.dropout(F.relu(layer(x)), dropout, self.training)
        return self.dense[-1](x)

    def one_hot(self, labels: Tensor) -> Tensor:
        """Return label vectors (..., out) of label numbers (..., groups)."""
        parts = [F.one_hot(labels[..., g], size) for g, size in enumerate(self.heads)]
        return torch.cat(parts, -1).float()

    @torch.no_grad()
    def decode_chain(self, contexts: Tensor) -> Tensor:
        """Return what `decode` does, with one history chain a sentence."""
        rows, n, _ = contexts.shape
        _, start = self.history(contexts.new_zeros(1, WINDOW, self.history.input_size))
        states = [layer.expand(rows, -1).contiguous() for layer in start]
        cells = [
            [getattr(self.history, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            for layer in range(self.history.num_layers)
        ]
        labels = []
        for j in range(n):
            scores = self.score(contexts[:, j], states[-1])
            labels.append(torch.stack([g.argmax(-1) for g in scores.split(self.heads, -1)], -1))
            x = self.one_hot(labels[-1])
            for layer, weights in enumerate(cells):
                x = states[layer] = torch.gru_cell(x, states[layer], *weights)
        return torch.stack(labels, 1)

    @torch.no_grad()
    def decode(self, contexts: Tensor) -> Tensor:
        """Return greedily decoded labels (sentences, n, groups), each word seeing the labels before it."""
        rows, n, _ = contexts.shape
        layers = self.history.num_layers
        zero = contexts.new_zeros(1, WINDOW, self.history.input_size)
        chains: list[Tensor] = []  # of each layer: (rows, n, units), the chain that ends at word t
        cells = []
        inputs = zero
        for layer in range(layers):
            weights = [
                getattr(self.history, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ]
            cells.append(weights)
            states = [contexts.new_zeros(1, self.units)]
            for step in range(WINDOW):
                states.append(torch.gru_cell(inputs[:, step], states[-1], *weights))
            table = torch.stack(states, 1)[0]  # state after k pads
            inputs = table[None, 1:]
            places = (WINDOW - torch.arange(n, device=contexts.device)).clamp_min(0)
            chains.append(table[places].expand(rows, n, -1).clone())
        labels = torch.zeros(rows, n, len(self.heads), dtype=torch.long, device=contexts.device)
        for j in range(n):
            scores = self.score(contexts[:, j], chains[-1][:, j])
            labels[:, j] = torch.stack([g.argmax(-1) for g in scores.split(self.heads, -1)], -1)
            if j + 1 == n:
                break
            waiting = n - j - 1
            x = self.one_hot(labels[:, j])[:, None].expand(-1, waiting, -1).reshape(rows * waiting, -1)
            for layer, weights in enumerate(cells):
                x = torch.gru_cell(x, chains[layer][:, j + 1 :].reshape(rows * waiting, -1), *weights)
                chains[layer][:, j + 1 :] = x.view(rows, waiting, -1)
        return labels


class Sentiment(nn.Module):
    """SPUCBiGRU: three bidirectional GRUs over 256 pieces, the mean of all places, two dense layers."""

    LENGTH = 256
    SETTLED = 24  # so many pads after a text, the backward state has forgotten it

    def __init__(self, units: int = 128, layers: int = 3, pieces: int = 16_000, width: int = 128) -> None:
        super().__init__()
        self.embedding = nn.Embedding(pieces, width)
        sizes = [width, *[2 * units] * (layers - 1)]
        self.stack = nn.ModuleList(nn.GRU(size, units, batch_first=True, bidirectional=True) for size in sizes)
        self.dense = nn.ModuleList([nn.Linear(2 * units, 16), nn.Linear(16, 1)])
        for name, weight in self.named_parameters():
            if "weight_hh" in name:
                for gate in weight.data.chunk(3):
                    nn.init.orthogonal_(gate)

    def forward(self, pieces: Tensor, dropout: float = 0.0) -> Tensor:
        """Return the score before the sigmoid of each row of pieces, padding in front.

        Rows of 256 are exact. Narrower rows, for training, must begin with `SETTLED` pads at least: the pads before
        them are the same for every text and are run once.
        """
        x = F.dropout(self.embedding(pieces), dropout, self.training)
        rows, width = pieces.shape
        far = self.LENGTH - width
        pads = self.embedding(pieces.new_zeros(1, far + 2 * self.SETTLED)) if far else None
        for gru in self.stack:
            start = None
            if pads is not None:
                pads, _ = gru(pads)
                forward = pads[:, far - 1, : gru.hidden_size].expand(rows, -1)
                start = torch.stack([forward, torch.zeros_like(forward)])
            x, _ = gru(x, start)
        total = x.sum(1) if pads is None else x.sum(1) + pads[:, :far].sum(1)
        mean = F.dropout(total / self.LENGTH, dropout, self.training)
        return self.dense[1](F.relu(self.dense[0](mean)))[:, 0]
