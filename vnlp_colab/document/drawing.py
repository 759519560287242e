"""Dependency trees and entities as pictures: SVG of our own, one way for files, notebooks and pages.

Colours come as attributes, so that every viewer shows them, and as a style that follows the reader's dark mode. The
picture has its own background, so ink and paper always fit each other.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vnlp_colab.document.document import Document, Sentence

COLOURS = {"PER": "#b7d8f7", "LOC": "#c9ecc4", "ORG": "#f7dfa6"}
OTHER_COLOUR = "#e2d6f3"
_PAPER, _INK, _GREY, _LINE = "#ffffff", "#1f2328", "#59636e", "#8b949e"

# As shares of the font's size, for a wide sans serif (DejaVu Sans), so that words do not touch in narrower ones.
_NARROW = frozenset("ıiİIljftr.,:;!|'’()[]")
_BROAD = frozenset("mwMWOÖGQ@%—…&")
_LONGEST_WORD = 40
_MARGIN = 16
_GAP = 22
_LEVEL = 28
_TALLEST = 420  # of all arcs together; a very flat tree gets lower steps
_RISE = 0.75  # a cubic curve rises to three quarters of the height of its control points
_ROOT_ROOM = 26
_BELOW = 66
_TREES_SHOWN = 20  # in a notebook
_ROWS_SHOWN = 100

# XML has no way to write these at all, and viewers show nothing for the rest of the control characters.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")

_STYLE = (
    "<style>@media (prefers-color-scheme:dark){"
    ".vnlp-tree .vnlp-paper{fill:#161b22}.vnlp-tree .vnlp-word{fill:#e6edf3}"
    ".vnlp-tree .vnlp-grey{fill:#9da7b3}.vnlp-tree .vnlp-tip{fill:#768390}.vnlp-tree .vnlp-line{stroke:#768390}"
    "}</style>"
)


@dataclass(frozen=True)
class _Picture:
    inside: str
    width: float
    height: float


@dataclass(frozen=True)
class _Word:
    """A token on paper: what is shown of it, how wide that is and where its middle stands."""

    text: str
    tag: str
    width: float
    centre: float


def draw_svg(document: Document) -> str:
    """Return one SVG picture with the tree of each sentence, one below the other, and the entities in colour."""
    document.column("dep")
    return _svg([_tree(sentence) for sentence in document.sentences if len(sentence)], document.text)


def draw_tree(sentence: Sentence) -> str:
    """Return the SVG picture of one sentence's tree, with its entities in colour."""
    sentence.column("dep")
    return _svg([_tree(sentence)] if len(sentence) else [], sentence.text)


def draw_html(document: Document) -> str:
    """Return a page with the text, its entities marked, and the trees."""
    title = _shown(" ".join(document.text.split())[:60])
    trees = [f"<div>{draw_tree(sentence)}</div>" for sentence in _drawn(document)]
    return (
        f'<!DOCTYPE html>\n<html lang="tr"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<style>:root{color-scheme:light dark}body{font-family:sans-serif;margin:2em}div{overflow-x:auto}</style>"
        f"</head>\n<body>\n{draw_entities(document)}\n{''.join(trees)}</body></html>\n"
    )


def draw_entities(document: Document) -> str:
    """Return the text as a paragraph of HTML, its entities marked."""
    parts, at = [], 0
    for entity in document.entities if "ner" in document.columns else ():
        colour = COLOURS.get(entity.label, OTHER_COLOUR)
        parts.append(_shown(document.text[at : entity.start], lines=True))
        parts.append(
            f'<mark style="background:{colour};color:{_INK};padding:.15em .35em;border-radius:.3em">'
            f"{_shown(entity.text)} <small><b>{_shown(entity.label)}</b></small></mark>"
        )
        at = entity.end
    parts.append(_shown(document.text[at:], lines=True))
    return f'<p style="line-height:2.2;white-space:pre-line">{"".join(parts)}</p>'


def draw_fragment(document: Document) -> str:
    """Return what a notebook shows: the text with its entities, then trees, or without them a table of tokens."""
    sentences = _drawn(document)
    parts = [draw_tree(sentence) for sentence in sentences[:_TREES_SHOWN]]
    if len(sentences) > _TREES_SHOWN:
        parts.append(f"<p>… {len(sentences) - _TREES_SHOWN} more sentences</p>")
    if "dep" not in document.columns:
        parts.append(_table(document))
    trees = "".join(f'<div style="overflow-x:auto">{part}</div>' for part in parts if part)
    return f"<div>{draw_entities(document)}{trees}</div>"


def _drawn(document: Document) -> list[Sentence]:
    return [sentence for sentence in document.sentences if len(sentence)] if "dep" in document.columns else []


def _table(document: Document) -> str:
    names = [name for name in ("lemma", "pos", "morph", "feats", "ner") if name in document.columns]
    if not names or not len(document):
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("token", *names))
    columns = [[token.text for token in document], *(document.column(name) for name in names)]
    rows = [
        "<tr>" + "".join(f"<td>{_shown(str(value))}</td>" for value in row) + "</tr>"
        for row in list(zip(*columns, strict=True))[:_ROWS_SHOWN]
    ]
    more = f"<p>… {len(document) - _ROWS_SHOWN} more tokens</p>" if len(document) > _ROWS_SHOWN else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _svg(pictures: list[_Picture], text: str) -> str:
    width = max((picture.width for picture in pictures), default=80.0)
    height = sum(picture.height for picture in pictures) or 40.0
    body, top = [], 0.0
    for picture in pictures:
        body.append(f'<g transform="translate(0,{top:.0f})">{picture.inside}</g>')
        top += picture.height
    title = _shown(" ".join(text.split())[:200])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="vnlp-tree" role="img" xml:lang="tr" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        'font-family="system-ui, Roboto, \'DejaVu Sans\', Arial, sans-serif" font-size="16" text-anchor="middle">'
        f"<title>{title}</title>{_STYLE}"
        f'<rect class="vnlp-paper" width="100%" height="100%" fill="{_PAPER}"/>{"".join(body)}</svg>\n'
    )


def _tree(sentence: Sentence) -> _Picture:
    words, width = _words(sentence)
    arcs = sentence.dep
    levels = _levels([head for head, _ in arcs])
    step = min(_LEVEL, _TALLEST / max(levels.values(), default=1))
    base = _MARGIN + _ROOT_ROOM + _RISE * step * max(levels.values(), default=0)
    parts = [_entity(words[first], words[last], label, base) for first, last, label in _entities(sentence)]
    named = {at for first, last, _ in _entities(sentence) for at in range(first, last + 1)}
    parts += [_arc(words, at, head - 1, levels[at] * step, base) for at, (head, _) in enumerate(arcs) if at in levels]
    parts += [_root(words[at], base) for at, (head, _) in enumerate(arcs) if head == 0]
    parts += [
        _relation(words, at, head - 1, relation, levels[at] * step, base)
        for at, (head, relation) in enumerate(arcs)
        if at in levels
    ]
    for at, word in enumerate(words):
        parts.append(_word(word, base, root=arcs[at][0] == 0, named=at in named))
    return _Picture("".join(parts), width, base + _BELOW + _MARGIN)


def _words(sentence: Sentence) -> tuple[list[_Word], float]:
    """Return the words with their places, and the width of all of them."""
    words: list[_Word] = []
    left = float(_MARGIN)
    tags = sentence.pos if "pos" in sentence.layers else [""] * len(sentence)
    arcs = sentence.dep
    for at, (token, tag) in enumerate(zip(sentence, tags, strict=True)):
        text = token.text if len(token.text) <= _LONGEST_WORD else token.text[: _LONGEST_WORD - 1] + "…"
        wide = max(_width(text, 16.5), _width(tag, 12), 20)
        centre = left + wide / 2
        if at:  # an arc to the neighbour is as long as its label needs
            labels = [arcs[at][1]] * (arcs[at][0] == at) + [arcs[at - 1][1]] * (arcs[at - 1][0] == at + 1)
            centre = max([centre, *(words[-1].centre + _width(label, 12) + 36 for label in labels)])
        words.append(_Word(text, tag, wide, centre))
        left = centre + wide / 2 + _GAP
    return words, left - _GAP + _MARGIN


def _width(text: str, size: float) -> float:
    shares = 0.0
    for character in text:
        if unicodedata.combining(character):
            continue
        if character in _NARROW:
            shares += 0.4
        elif character in _BROAD or unicodedata.east_asian_width(character) in "WF":
            shares += 1.05
        else:
            shares += 0.72 if character.isupper() else 0.63
    return shares * size


def _levels(heads: list[int]) -> dict[int, int]:
    """Return a height for the arc of each dependent, short arcs first, so that no two run over each other."""
    arcs = [(min(at, head - 1), max(at, head - 1), at) for at, head in enumerate(heads) if 0 < head <= len(heads)]
    over = [0] * len(heads)  # the highest arc so far above each gap between two words
    levels = {}
    for low, high, at in sorted(arcs, key=lambda arc: (arc[1] - arc[0], arc[0])):
        level = levels[at] = max(over[low:high], default=0) + 1
        over[low:high] = [level] * (high - low)
    return levels


def _entities(sentence: Sentence) -> list[tuple[int, int, str]]:
    """Return first token, last token and label of each entity; none where no recogniser was loaded."""
    if "ner" not in sentence.columns:
        return []
    starts = {start: at for at, (start, _) in enumerate(sentence.spans)}
    ends = {end: at for at, (_, end) in enumerate(sentence.spans)}
    return [(starts[item.start], ends[item.end], item.label) for item in sentence.entities]


def _entity(first: _Word, last: _Word, label: str, base: float) -> str:
    left, right = first.centre - first.width / 2 - 6, last.centre + last.width / 2 + 6
    colour = COLOURS.get(label, OTHER_COLOUR)
    return (
        f'<rect x="{left:.1f}" y="{base + 5:.1f}" width="{right - left:.1f}" height="25" rx="5" fill="{colour}"/>'
        f'<text class="vnlp-grey" x="{(left + right) / 2:.1f}" y="{base + 65:.1f}" font-size="11" font-weight="bold" '
        f'fill="{_GREY}">{_shown(label)}</text>'
    )


def _ends(words: list[_Word], at: int, head: int) -> tuple[float, float]:
    """Return where an arc begins, a little beside the middle of its head, and ends."""
    return words[head].centre + (7 if at > head else -7), words[at].centre


def _arc(words: list[_Word], at: int, head: int, height: float, base: float) -> str:
    start, end = _ends(words, at, head)
    top = base - height
    return (
        f'<path class="vnlp-line" d="M{start:.1f},{base:.1f} C{start:.1f},{top:.1f} {end:.1f},{top:.1f} '
        f'{end:.1f},{base - 7:.1f}" fill="none" stroke="{_LINE}" stroke-width="1.5"/>{_tip(end, base)}'
    )


def _tip(x: float, y: float) -> str:
    return f'<path class="vnlp-tip" d="M{x:.1f},{y:.1f} l-4,-8 l8,0 z" fill="{_LINE}"/>'


def _relation(words: list[_Word], at: int, head: int, relation: str, height: float, base: float) -> str:
    start, end = _ends(words, at, head)
    return _label(relation, (start + end) / 2, base - _RISE * height + 4)


def _root(word: _Word, base: float) -> str:
    """Mark the root by an arrow from above."""
    x = word.centre
    return (
        f'<path class="vnlp-line" d="M{x:.1f},{_MARGIN + 4} V{base - 7:.1f}" fill="none" stroke="{_LINE}" '
        f'stroke-width="1.5"/>{_tip(x, base)}{_label("root", x, _MARGIN + 4)}'
    )


def _label(text: str, x: float, y: float) -> str:
    """Return a small text on a patch of paper, readable over lines."""
    wide = _width(text, 12) + 4
    return (
        f'<rect class="vnlp-paper" x="{x - wide / 2:.1f}" y="{y - 11:.1f}" width="{wide:.1f}" height="14" '
        f'fill="{_PAPER}"/><text class="vnlp-grey" x="{x:.1f}" y="{y:.1f}" font-size="12" fill="{_GREY}">'
        f"{_shown(text)}</text>"
    )


def _word(word: _Word, base: float, *, root: bool, named: bool) -> str:
    x = f'x="{word.centre:.1f}"'
    # A name stands on its own light colour, in dark mode too.
    kind = "" if named else 'class="vnlp-word" '
    weight = ' font-weight="bold"' if root else ""
    parts = [f'<text {kind}{x} y="{base + 23:.1f}" fill="{_INK}"{weight}>{_shown(word.text)}</text>']
    if word.tag:
        tag = f'<text class="vnlp-grey" {x} y="{base + 47:.1f}" font-size="12" fill="{_GREY}">{_shown(word.tag)}</text>'
        parts.append(tag)
    return "".join(parts)


def _shown(text: str, *, lines: bool = False) -> str:
    """Return text for XML and HTML: markup escaped, control characters as their pictures (``␇``)."""
    return escape(_CONTROL.sub(_line_or_picture if lines else _picture, text))


def _line_or_picture(match: re.Match[str]) -> str:
    return match.group() if match.group() in "\t\n" else _picture(match)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
