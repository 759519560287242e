"""`mend_tokens` and `mend_text`: the steps, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vnlp_colab.errors import VNLPError
from vnlp_colab.text.informal.chat import mend_chat
from vnlp_colab.text.informal.noticing import typed_without_turkish_letters
from vnlp_colab.text.informal.repeats import mend_repeats
from vnlp_colab.text.inputs import check_text
from vnlp_colab.text.sentences import SentenceSplitter
from vnlp_colab.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

# In the order they are applied: what stands first helps the next one to know the word.
STEPS = {
    "repeats": "letters repeated for emphasis (çoook: çok)",
    "auto": "Turkish letters back where a sentence was typed without them (guzel olmus: güzel olmuş)",
    "deasciify": "Turkish letters back into every word without one (guzel: güzel)",
    "chat": "chat spellings (slm: selam, gelmiyo: gelmiyor, yapıcam: yapacağım)",
}


def check_steps(steps: str | Sequence[str]) -> tuple[str, ...]:
    """Return the steps in the order they are applied; a string names one, or several with commas between them."""
    names = [name.strip() for name in steps.split(",")] if isinstance(steps, str) else list(steps)
    unknown = [name for name in names if name and name not in STEPS]
    if unknown:
        raise VNLPError(f"unknown step {unknown[0]!r} of normalisation; choose from {', '.join(STEPS)}")
    return tuple(name for name in STEPS if name in names)


def mend_tokens(tokens: Sequence[str], steps: str | Sequence[str] = "auto") -> list[str]:
    """Return the tokens of one sentence with informal spellings mended: as many, in the same order.

    Parameters
    ----------
    tokens
        The tokens of a sentence, as the models would read them.
    steps
        Names of `STEPS`, in any order.

    Examples
    --------
    >>> mend_tokens(["cooook", "guzel", "olmus", "bayildim"], ["auto", "repeats"])
    ['çok', 'güzel', 'olmuş', 'bayıldım']
    >>> mend_tokens(["slm", ",", "yarın", "gelmiyo", "musun", "?"], "chat")
    ['selam', ',', 'yarın', 'gelmiyor', 'musun', '?']
    """
    mended = list(tokens)
    for step in check_steps(steps):
        if step == "repeats":
            mended = [mend_repeats(token) for token in mended]
        elif step == "chat":
            mended = [mend_chat(token) for token in mended]
        elif step == "deasciify" or typed_without_turkish_letters(mended):
            mended = _with_turkish_letters(mended)
    return mended


def mend_text(text: str, steps: str | Sequence[str] = "auto") -> str:
    """Return a text with informal spellings mended, sentence by sentence; what stands between the tokens stays.

    Examples
    --------
    >>> mend_text("slm,  naber? yarin gelmiyo musun?", "auto,chat")
    'selam,  naber? yarın gelmiyor musun?'
    """
    check_text(text, "mend_text")
    chosen = check_steps(steps)
    parts: list[str] = []
    done = 0
    for sentence, first, _ in SentenceSplitter().split_sentences(text, offsets=True):
        spans = tokenize(sentence, offsets=True)
        mended = mend_tokens([token for token, _, _ in spans], chosen)
        for (token, start, end), new in zip(spans, mended, strict=True):
            if new != token:
                parts += (text[done : first + start], new)
                done = first + end
    return "".join((*parts, text[done:]))


def _with_turkish_letters(tokens: list[str]) -> list[str]:
    from vnlp_colab.text.normalizer import Normalizer

    return Normalizer.deasciify(tokens)
