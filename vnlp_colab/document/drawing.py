"""Dependency trees and entities as pictures: displaCy in its manual mode where spaCy is installed, else our own SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vnlp_colab.document.document import Document, Sentence

_COLOURS = {"PER": "#b7d8f7", "LOC": "#c9ecc4", "ORG": "#f7dfa6"}
_OTHER_COLOUR = "#e2e2e2"
_LETTER = 8.5  # mean width of a letter at 16 px; wide enough for capitals in most fonts
_GAP = 28
_LEVEL = 30
_RISE = 0.75  # a cubic curve rises to three quarters of the height of its control points


def draw_svg(document: Document, *, use_displacy: bool | None = None) -> str:
    """Return one SVG picture with the tree of each sentence, one below the other.

    displaCy draws a single sentence when spaCy is installed (`use_displacy` forces or forbids it); several sentences,
    and a machine without spaCy, get our own drawing, which also shows the entities.
    """
    trees = document.to_displacy("dep")
    displacy = _displacy() if use_displacy in (None, True) and len(trees) == 1 else None
    if displacy is not None:
        return str(displacy.render(trees[0], style="dep", manual=True, jupyter=False))
    if use_displacy and displacy is None and len(trees) == 1:
        raise ImportError("displaCy needs spaCy: pip install 'vnlp-colab[render]'")
    sentences = [sentence for sentence in document.sentences if sentence.tokens]
    rows = [_tree(sentence) for sentence in sentences]
    width = max((row[1] for row in rows), default=80.0)
    height = sum(row[2] for row in rows) or 40.0
    body, top = [], 0.0
    for inside, _, row_height in rows:
        body.append(f'<g transform="translate(0,{top:.0f})">{inside}</g>')
        top += row_height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:lang="tr" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="16">'
        '<rect width="100%" height="100%" fill="#fff"/>' + "".join(body) + "</svg>\n"
    )


def draw_html(document: Document, *, use_displacy: bool | None = None) -> str:
    """Return a page with the text, its entities marked, and the trees."""
    displacy = _displacy() if use_displacy in (None, True) else None
    if displacy is not None:
        entities = str(displacy.render(document.to_displacy("ent")[0], style="ent", manual=True, jupyter=False))
    else:
        entities = f'<p style="line-height:2.2">{_marked(document)}</p>'
    trees = draw_svg(document, use_displacy=use_displacy) if "dep" in document.columns else ""
    title = escape(" ".join(document.text.split())[:60])
    return (
        f'<!DOCTYPE html>\n<html lang="tr"><head><meta charset="utf-8"><title>{title}</title></head>\n'
        f'<body style="font-family:sans-serif;margin:2em">\n{entities}\n{trees}\n</body></html>\n'
    )


def _displacy() -> Any:
    try:
        from spacy import displacy
    except ImportError:
        return None
    return displacy


def _marked(document: Document) -> str:
    parts, at = [], 0
    for entity in document.entities:
        colour = _COLOURS.get(entity.label, _OTHER_COLOUR)
        parts.append(escape(document.text[at : entity.start]))
        parts.append(
            f'<mark style="background:{colour};padding:.2em .4em;border-radius:.3em">'
            f"{escape(document.text[entity.start : entity.end])} <small><b>{escape(entity.label)}</b></small></mark>"
        )
        at = entity.end
    return "".join([*parts, escape(document.text[at:])])


def _tree(sentence: Sentence) -> tuple[str, float, float]:
    """Return the inside of a sentence's picture, its width and its height."""
    centres, left = [], float(_GAP)
    for token in sentence.tokens:
        width = max(len(token.text), len(token.pos or "") * 0.8, 3) * _LETTER
        centres.append(left + width / 2)
        left += width + _GAP
    levels = _levels([(token.number, token.head) for token in sentence.tokens if token.head])
    base = _RISE * max(levels.values(), default=0) * _LEVEL + 30
    parts = [_arc(sentence, pair, level, centres, base) for pair, level in levels.items()]
    for token, centre in zip(sentence.tokens, centres, strict=True):
        parts.append(_word(token, centre, base))
    return "".join(parts), left, base + 84


def _levels(arcs: list[tuple[int, int | None]]) -> dict[tuple[int, int], int]:
    """Return a height for each arc ``(dependent, head)``, short arcs first, so that no two run over each other."""
    placed: dict[tuple[int, int], int] = {}
    pairs = [(dependent, head) for dependent, head in arcs if head is not None]
    for dependent, head in sorted(pairs, key=lambda pair: (abs(pair[0] - pair[1]), min(pair))):
        low, high = sorted((dependent, head))
        under = [level for (a, b), level in placed.items() if min(a, b) < high and max(a, b) > low]
        placed[dependent, head] = max(under, default=0) + 1
    return placed


def _arc(sentence: Sentence, pair: tuple[int, int], level: int, centres: list[float], base: float) -> str:
    dependent, head = pair
    # The arc leaves its head a little beside the middle, so that arcs of one word do not start in one point.
    start, end = centres[head - 1] + (6 if dependent > head else -6), centres[dependent - 1]
    top = base - level * _LEVEL
    label = escape(sentence.tokens[dependent - 1].relation or "")
    place = f'x="{(start + end) / 2:.1f}" y="{base - _RISE * level * _LEVEL - 4:.1f}" text-anchor="middle"'
    return (
        f'<path d="M{start:.1f},{base:.1f} C{start:.1f},{top:.1f} {end:.1f},{top:.1f} {end:.1f},{base - 7:.1f}" '
        'fill="none" stroke="#555" stroke-width="1.5"/>'
        f'<path d="M{end:.1f},{base:.1f} l-4,-8 l8,0 z" fill="#555"/>'
        # Twice: first a white edge that keeps the label readable over other arcs.
        f'<text {place} font-size="12" fill="#fff" stroke="#fff" stroke-width="4">{label}</text>'
        f'<text {place} font-size="12" fill="#333">{label}</text>'
    )


def _word(token: Any, centre: float, base: float) -> str:
    parts = []
    if token.ner not in (None, "O", ""):
        width = max(len(token.text), 3) * _LETTER + 12
        colour = _COLOURS.get(token.ner, _OTHER_COLOUR)
        parts.append(
            f'<rect x="{centre - width / 2:.1f}" y="{base + 6:.1f}" width="{width:.1f}" height="24" rx="4" '
            f'fill="{colour}"/>'
            f'<text x="{centre:.1f}" y="{base + 66:.1f}" text-anchor="middle" font-size="11" font-weight="bold" '
            f'fill="#444">{escape(token.ner)}</text>'
        )
    parts.append(f'<text x="{centre:.1f}" y="{base + 24:.1f}" text-anchor="middle">{escape(token.text)}</text>')
    if token.pos:
        parts.append(
            f'<text x="{centre:.1f}" y="{base + 48:.1f}" text-anchor="middle" font-size="12" '
            f'fill="#777">{escape(token.pos)}</text>'
        )
    return "".join(parts)
