"""Wrong types are told by the name of the tool."""

from __future__ import annotations

import pytest
from string_methods import STRING_METHODS

from vnlp_colab.text import (
    Normalizer,
    SentenceSplitter,
    StopwordRemover,
    TreebankWordTokenize,
    WordPunctTokenize,
    mend_text,
    tokenize,
)

TEXT_TOOLS = [
    *STRING_METHODS,
    tokenize,
    mend_text,
    TreebankWordTokenize,
    WordPunctTokenize,
    SentenceSplitter().split_sentences,
]
TOKEN_TOOLS = [
    Normalizer.convert_numbers_to_words,
    Normalizer.deasciify,
    StopwordRemover().drop_stop_words,
    StopwordRemover().dynamically_detect_stop_words,
    StopwordRemover().add_to_stop_words,
]


@pytest.mark.parametrize("wrong", [None, 5, b"bytes", ["a", "list"]])
@pytest.mark.parametrize("tool", TEXT_TOOLS, ids=lambda tool: tool.__name__)
def test_text_tools_take_a_string(tool, wrong) -> None:
    with pytest.raises(TypeError, match=f"{tool.__name__} takes a string, not {type(wrong).__name__}"):
        tool(wrong)


@pytest.mark.parametrize("wrong", [None, 5, b"bytes"])
@pytest.mark.parametrize("tool", TOKEN_TOOLS, ids=lambda tool: tool.__name__)
def test_token_tools_take_a_list_or_a_string(tool, wrong) -> None:
    with pytest.raises(TypeError, match=f"{tool.__name__} takes a list of tokens or a string, not"):
        tool(wrong)
