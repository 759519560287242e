"""Every text function takes time in proportion to its input: a table of functions and of nasty inputs, up to 1 MB."""

from __future__ import annotations

import time

import pytest
from string_methods import STRING_METHODS

from vnlp_colab.text import (
    Normalizer,
    SentenceSplitter,
    StopwordRemover,
    TreebankWordTokenize,
    WordPunctTokenize,
)
from vnlp_colab.text.derivation import derived_lemma
from vnlp_colab.text.foreign import lower_word
from vnlp_colab.text.forms import keep_circumflexes, model_form
from vnlp_colab.text.harmony import attach_suffix
from vnlp_colab.text.informal import mend_tokens, typed_without_turkish_letters
from vnlp_colab.text.morphology import CandidateGenerator
from vnlp_colab.text.multiword import syntactic_words
from vnlp_colab.text.tokens import tokenize

SMALL, MIDDLE, BIG = 8_000, 128_000, 1_000_000
# From the small input to the middle one linear work grows by 16 and quadratic by 256, from there to the big one by 8
# and by 61; the rest of each bound is room for a loaded machine.
MOST_TO_MIDDLE, MOST_TO_BIG = 64, 24
LEAST_SECONDS = 0.005  # what is quicker on the small input is too quick to compare
BIG_KINDS = 3  # the slowest ones of each function are tried at full size

GENERATOR = CandidateGenerator()
REMOVER = StopwordRemover()
FUNCTIONS = {
    "tokenize": tokenize,
    "tokenize, offsets": lambda text: tokenize(text, offsets=True),
    "TreebankWordTokenize": TreebankWordTokenize,
    "WordPunctTokenize": WordPunctTokenize,
    "split_sentences": SentenceSplitter().split_sentences,
    **{method.__name__: method for method in STRING_METHODS},
    "deasciify": Normalizer.deasciify,
    "convert_numbers_to_words": Normalizer.convert_numbers_to_words,
    "drop_stop_words": REMOVER.drop_stop_words,
    "dynamically_detect_stop_words": REMOVER.dynamically_detect_stop_words,
    # Each of these takes a word; a token may be as long as its text.
    "candidates": GENERATOR.candidates,
    "numbers of one token": lambda text: Normalizer.convert_numbers_to_words([text]),
    "lower_word": lambda text: lower_word(text, lambda word: len(word) < 5),
    "model_form": model_form,
    "keep_circumflexes": lambda text: keep_circumflexes(text, text),
    "mend_tokens": lambda text: mend_tokens([text], "repeats,deasciify,chat"),
    "typed_without_turkish_letters": lambda text: typed_without_turkish_letters([text]),
    "syntactic_words": syntactic_words,
    "derived_lemma": lambda text: derived_lemma(text, f"{text}+Noun+A3sg+Pnon+Nom^DB+Adj+Without"),
    "attach_suffix": lambda text: attach_suffix("on", text),
}
UNITS_LIST = """
    a 1 . - ' " ( ) @ # & % + … ! _ ₺ ° / : ; = < a. A. 1. ." !? a- a' a@ a@a. www. a:// http://. %5 a.com a.b. a.pdf 1,
    1: 1- #a \\/ A& A&A I II Iı î aî İ co gi ç.Ç geldi.Çok Dr. T.C. '' `` -- -5 :) <3 5°C vb. 12.a ı.ş x.y@z aaa ää
"""
SPACED = (
    "a. A ",
    ". ",
    "1. ",
    '. "',
    "A. ",
    "😀 A",
    "3. b ",
    "Dr. ",
    "o\n",
    "\n",
    "\r\n",
    " '",
    " ",
    ":) A",
    "a.\t",
    "I I ",
    "a Bu ",
    "kelime ",
)
ODD = (
    "I\u0307",
    "\u0302",
    "\u200d",
    "a\u0302",
    "😀",
    "😀\u200d",
    "\u0301",
    "\ud800",
    "\0",
    "\u200b",
    "🇹",
    "1\ufe0f\u20e3",
)
UNITS = (*UNITS_LIST.split(), *SPACED, *ODD)
INPUTS = {repr(unit): (lambda size, unit=unit: unit * (size // len(unit))) for unit in UNITS} | {
    "a long word, then î": lambda size: "a" * size + " î",
    "a long word, then a sentence": lambda size: "a" * size + ". B",
    "digits with a suffix": lambda size: "1" * size + "'da",
    "digits, then short sentences": lambda size: "1" * (size // 2) + ". a" * (size // 6),
    "a stop before much white space": lambda size: "a." + " " * size + "B",
    "an address of stops": lambda size: "http://" + "." * size,
    "opening marks": lambda size: "a. " + "(" * size + "B",
    "wrapped lines": lambda size: ("kelime " * 8 + "\n") * (size // 57),
    "one long line among short ones": lambda size: "a\n" * (size // 4) + "b" * (size // 2),
    "quotes that stand off": lambda size: 'Bitti . " ' * (size // 10),
}


def seconds(function, text: str) -> float:
    start = time.process_time()
    function(text)
    return time.process_time() - start


def growth(function, make, size, larger, most):
    """Return what is wrong with the growth from one size to a larger one, if anything, and the time of the larger.

    A garbage collection or a busy neighbour slows one measurement down and not three; a quadratic function all of them.
    """
    for _ in range(3):
        first, second = seconds(function, make(size)), seconds(function, make(larger))
        if second <= most * max(first, LEAST_SECONDS):
            return "", second
    return f"{first:.3f} s for {size:,} characters, {second:.2f} s for {larger:,}", second


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_grows_with_the_input_and_no_faster(name: str) -> None:
    function = FUNCTIONS[name]
    function("ısınma")  # tables are read by the first call
    times: dict[str, float] = {}
    too_slow = []
    for kind, make in INPUTS.items():
        trouble, times[kind] = growth(function, make, SMALL, MIDDLE, MOST_TO_MIDDLE)
        too_slow += [f"{kind}: {trouble}"] if trouble else []
    for kind in sorted(times, key=times.__getitem__)[-BIG_KINDS:]:
        trouble, _ = growth(function, INPUTS[kind], MIDDLE, BIG, MOST_TO_BIG)
        too_slow += [f"{kind}: {trouble}"] if trouble else []
    assert not too_slow, "\n".join(too_slow)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nasty_inputs_are_quick_when_short(name: str) -> None:
    function = FUNCTIONS[name]
    function("ısınma")
    started = time.process_time()
    for make in INPUTS.values():
        function(make(4_000))
    # A few milliseconds each; quadratic work on 4,000 characters would take some of them a second.
    assert time.process_time() - started < 20
