import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.text import Normalizer, TreebankWordTokenize, WordPunctTokenize

ANY_TEXT = st.text(st.characters(), max_size=300)
TRICKY = st.text("ab.,'’-/%@#:1 5\u200d…\n\ud800\0é\u0301", max_size=300)
GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "treebank_tokens.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["sentence"][:30])
def test_treebank_gives_the_contract_tokens(row):
    # The contract's tokens were made after accent marks had been removed, as the pipeline does.
    assert TreebankWordTokenize(Normalizer.remove_accent_marks(row["sentence"])) == row["tokens"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("1.234,56 lira", ["1.234,56", "lira"]),
        ("Saat 19:30'da %5'i", ["Saat", "19:30'da", "%5'i"]),
        ("sıcaklık -5 derece", ["sıcaklık", "-5", "derece"]),
        ("ve/veya Hah-ha", ["ve/veya", "Hah-ha"]),
        ("Ankara’da", ["Ankara'da"]),
        ("3. gün, 1990.", ["3", ".", "gün", ",", "1990", "."]),
        ("Bak... şu…", ["Bak", "...", "şu", "…"]),
        ("“Gel!” ‘dur’", ["“", "Gel", "!", "”", "‘", "dur", "'"]),
        ("http://a.com/b?c=d. bitti", ["http://a.com/b?c=d", ".", "bitti"]),
        ("www.x.com.tr'de", ["www.x.com.tr'de"]),
        ("ali.veli@example.com, @ali'nin #gündem!", ["ali.veli@example.com", ",", "@ali'nin", "#gündem", "!"]),
        ("example.com’da", ["example.com'da"]),
        ("C# ve T.C.", ["C", "#", "ve", "T", ".", "C", "."]),
        ("❤️ 👨‍👩‍👧", ["❤️", "👨‍👩‍👧"]),
        ("i\u0307zmir", ["i\u0307zmir"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_treebank_keeps_whole_what_belongs_together(text, tokens):
    assert TreebankWordTokenize(text) == tokens


def test_word_punct_runs():
    assert WordPunctTokenize("Ankara'da 3,5 yıl...") == ["Ankara", "'", "da", "3", ",", "5", "yıl", "..."]


@given(ANY_TEXT | TRICKY)
def test_treebank_offsets_point_into_the_given_text(text):
    spans = TreebankWordTokenize(text, offsets=True)
    assert [token for token, _, _ in spans] == TreebankWordTokenize(text)
    end_before = 0
    for token, start, end in spans:
        assert end_before <= start < end
        assert text[start:end].replace("’", "'") == token
        end_before = end


@given(ANY_TEXT | TRICKY)
def test_word_punct_loses_nothing_but_white_space(text):
    spans = WordPunctTokenize(text, offsets=True)
    assert "".join(token for token, _, _ in spans) == "".join(text.split())
    assert all(text[start:end] == token for token, start, end in spans)


@pytest.mark.parametrize(
    "unit", ["a", "a.", "-", "a-", "@", "a@", "www.", "a://", "%5", "a.com", "1.", ".\u200d", "a@a."]
)
def test_long_runs_stay_quick(unit):
    text = unit * (10_000 // len(unit))
    start = time.process_time()
    TreebankWordTokenize(text)
    # Linear work takes milliseconds, quadratic seconds; the bound leaves room for a loaded machine.
    assert time.process_time() - start < 1


@pytest.mark.parametrize("tokenize", [TreebankWordTokenize, WordPunctTokenize])
def test_not_a_string_is_said_so(tokenize):
    with pytest.raises(TypeError, match="not NoneType"):
        tokenize(None)
