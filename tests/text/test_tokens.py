"""The default tokenizer: what stays whole, what comes apart, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.text import SentenceSplitter
from vnlp_colab.text.tokens import tokenize

ANY_TEXT = st.text(st.characters(), max_size=200)  # every script, lone surrogates and NUL included
TRICKY = st.text("aAbBiİ.,'’-/%@#:1 5₺°&+()…\n\u0301\u00ad\u200d\ue000\ua4f8\ud800\0é😀\ufe0f", max_size=200)
NAMES = ["Prof.", "Dr.", "T.C.", "A.Ş.'nin", "12.", "vb.", "rapor.pdf", "www.a.com", "geldi.Çok", "M.Kemal", "3.Lig"]
SENTENCES = st.lists(st.sampled_from([*NAMES, "geldi", "Ali", ".", ",", "'", "…", "5°C'de", "%5"]), max_size=12)


@given(ANY_TEXT | TRICKY | SENTENCES.map(" ".join) | SENTENCES.map("".join))
def test_every_token_is_its_slice_of_the_text(text):
    spans = tokenize(text, offsets=True)
    assert [token for token, _, _ in spans] == tokenize(text)
    end_before = 0
    for token, start, end in spans:
        assert end_before <= start < end
        assert text[start:end] == token
        assert not any(map(str.isspace, token))
        end_before = end


@given(ANY_TEXT | TRICKY)
def test_nothing_visible_is_lost(text):
    kept = "".join(tokenize(text))
    assert [c for c in text if c.isalnum()] == [c for c in kept if c.isalnum()]


@given(ANY_TEXT, ANY_TEXT)
def test_decomposed_letters_of_any_script_leave_offsets_exact(before, after):
    # Arabic, kana and Hangul letters with their marks shifted the offsets of a Turkish word behind them.
    text = f"{before} \u0628\u064e \u304b\u3099 \u1112\u1161\u11ab Ayşe Hanım {after}"
    spans = tokenize(text, offsets=True)
    assert ("Ayşe", *_place(text, "Ayşe Hanım", 4)) in spans


def _place(text, phrase, length):
    start = text.index(phrase)
    return start, start + length


@pytest.mark.parametrize(
    ("text", "tokens", "reason"),
    [
        ("12. yüzyıl", ["12.", "yüzyıl"], "Tourism, Kenet and Penn keep the stop of an ordinal"),
        ("Yıl 12.", ["Yıl", "12", "."], "the stop ends the sentence"),
        ("II. Mehmet", ["II.", "Mehmet"], "Kenet"),
        ("Dr. Ali", ["Dr.", "Ali"], "Penn; BOUN cuts it off, but the word is unreadable without"),
        ("Corp.'un", ["Corp.'un"], "Penn"),
        ("A.B.D'li A.Ş.", ["A.B.D'li", "A.Ş", "."], "Penn"),
        ("G.Saray", ["G.Saray"], "BOUN"),
        ("3.çeyrek", ["3.", "çeyrek"], "the space was lost; Penn leaves it so"),
        ("AT&T ve S&P", ["AT&T", "ve", "S&P"], "Penn"),
        ("`` Evet '' -- dedi", ["``", "Evet", "''", "--", "dedi"], "Penn"),
        ("1\\/2 puan", ["1\\/2", "puan"], "Penn's way to write a slash"),
        ("$'dan", ["$'dan"], "Penn"),
        ("5 °C'de", ["5", "°C'de"], "Kenet"),
        ("-5°C'ye", ["-5°C'ye"], "a sign stays with its number where no space parts them"),
        ("sarı-lacivertli", ["sarı-lacivertli"], "Penn, Atis, Kenet; BOUN cuts at hyphens"),
        ('geldi."', ["geldi", ".", '"'], "one mark a token; BOUN has them as one, but not always"),
        ("Kelebek’in", ["Kelebek’in"], "the apostrophe is the writer's; `model_form` makes one shape of them"),
        ("Ankara 'da", ["Ankara", "'da"], "Penn and BOUN"),
        ("'a' harfi", ["'", "a", "'", "harfi"], "a quoted letter is no suffix"),
        ("i\u0307zmir", ["i\u0307zmir"], "combining marks belong to their letter"),
        ("par\u00adça", ["par\u00adça"], "and so does a soft hyphen"),
        ("a\u200bb", ["a", "b"], "a zero-width space separates"),
        ("👨‍👩‍👧❤️🇹🇷", ["👨‍👩‍👧", "❤️", "🇹🇷"], "an emoji with all its parts"),
    ],
)
def test_decisions(text, tokens, reason):
    assert tokenize(text) == tokens, reason


def test_a_stop_the_splitter_splits_at_is_a_token_of_its_own():
    text = "Prof. Dr. Ali 3. katta. 12. Bölüm bitti. Yıl 1923. Elma vb. aldı. T.C. kuruldu."
    ends = {end for _, _, end in SentenceSplitter().split_sentences(text, offsets=True)}
    stops = {end for token, _, end in tokenize(text, offsets=True) if token == "."}
    assert ends == stops


def test_empty_and_blank():
    assert tokenize("") == []
    assert tokenize(" \n\t\u200b") == []


def test_not_a_string_is_said_so():
    with pytest.raises(TypeError, match="tokenize takes a string, not NoneType"):
        tokenize(None)
