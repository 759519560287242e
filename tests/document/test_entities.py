"""Entities from labelled tokens."""

from __future__ import annotations

import unicodedata

import pytest
from document_fakes import FakePipeline
from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.batches.alignment import align_tokens
from vnlp_colab.batches.chunk import Rows
from vnlp_colab.batches.preparation import token_spans, tokenize
from vnlp_colab.text.entities import bio_labels, find_entities, name_of, settled_labels

LABELS = st.sampled_from(["O", "PER", "LOC", "B-PER", "I-PER", "B-ORG"])


def found(text, labels, starts=None):
    spans = token_spans(text)
    return [(entity.text, entity.name, entity.label) for entity in find_entities(text, spans, labels.split(), starts)]


@pytest.mark.parametrize("mark", "'’ʼ‘")
def test_a_suffix_ends_a_name(mark):
    text = f"Tom{mark}un Mary{mark}nin evine"
    labels = ["PER"] * (len(tokenize(text)) - 1) + ["O"]
    assert found(text, " ".join(labels)) == [(f"Tom{mark}un", "Tom", "PER"), (f"Mary{mark}nin", "Mary", "PER")]


@pytest.mark.parametrize(
    ("tokens", "labels", "names"),
    [
        (["Tom", "‘", "un", "Mary", "‘", "nin"], "PER O PER PER O O", ["Tom", "Mary"]),
        (["Tom", "‘", "un", "Mary", "‘", "nin"], "O O PER O O PER", []),
        (["@tom", "‘", "un"], "PER O PER", []),
    ],
)
def test_a_suffix_that_another_tokeniser_cut_off_belongs_to_its_name(tokens, labels, names):
    text = "".join(tokens).replace("unMary", "un Mary")
    entities = find_entities(text, align_tokens(text, tokens), labels.split())
    assert [entity.name for entity in entities] == names


def test_a_name_of_several_words_ends_in_its_suffix():
    text = "Türkiye Büyük Millet Meclisi'nin Ankara'daki binası"
    assert found(text, "ORG ORG ORG ORG LOC O") == [
        ("Türkiye Büyük Millet Meclisi'nin", "Türkiye Büyük Millet Meclisi", "ORG"),
        ("Ankara'daki", "Ankara", "LOC"),
    ]


@pytest.mark.parametrize(
    "suffix",
    [
        "nin",
        "da",
        "dan",
        "a",
        "ya",
        "yı",
        "ın",
        "la",
        "yla",
        "dır",
        "daki",
        "dakilerden",
        "lı",
        "lıların",
        "ymış",
        "yken",
        "NİN",
        "DA",
    ],
)
def test_names_lose_their_suffix(suffix):
    assert name_of(f"Ada'{suffix}") == "Ada"


@pytest.mark.parametrize(
    "name", ["L'Oréal", "O'Neil", "McDonald's", "Kur'an", "D'Artagnan", "Jeanne d'Arc", "Ali", "'"]
)
def test_other_apostrophes_belong_to_the_name(name):
    assert name_of(name) == name


def test_a_suffix_that_stands_off_is_one_too():
    assert name_of("Ankara 'da") == "Ankara"
    assert found("Ankara 'da Tom", "LOC LOC PER") == [("Ankara 'da", "Ankara", "LOC"), ("Tom", "Tom", "PER")]


def test_a_name_is_one_line():
    assert name_of("Kâmil \n Bey’in") == "Kâmil Bey"


@pytest.mark.parametrize(
    "text",
    [
        "@ali",
        "#ankara",
        "https://ornek.org/a",
        "www.ornek.org",
        "ali@ornek.org",
        "1990",
        "%5",
        "🙂",
        ":D",
        "…",
        "1990'da",
    ],
)
def test_what_is_never_an_entity(text):
    count = len(tokenize(text))
    spans = token_spans(text)
    assert found(text, " ".join(["PER"] * count)) == []
    assert settled_labels(text, spans, ["PER"] * count) == ["O"] * count


def test_numbers_may_be_part_of_a_name():
    assert found("TRT 1 ve Beşiktaş 1903", "ORG ORG O ORG ORG") == [
        ("TRT 1", "TRT 1", "ORG"),
        ("Beşiktaş 1903", "Beşiktaş 1903", "ORG"),
    ]


def test_symbols_and_mentions_are_left_out_at_the_edges_of_a_name():
    assert found("🙂 Ali Veli @ali", "PER PER PER PER") == [("Ali Veli", "Ali Veli", "PER")]


def test_boundaries_of_a_model_that_knows_them_win():
    text = "Türkiye'nin Sesi Ali Veli"
    assert [name for _, name, _ in found(text, "B-ORG I-ORG B-PER B-PER")] == ["Türkiye'nin Sesi", "Ali", "Veli"]
    starts = [True, False, True, True]
    assert [name for _, name, _ in found(text, "ORG ORG PER PER", starts)] == ["Türkiye'nin Sesi", "Ali", "Veli"]


WORDS = st.sampled_from(["Ali", "Tom'un", "@x", "🙂", "1990", "ev", ".", "‘", "un"])


@given(st.lists(st.tuples(WORDS, LABELS, st.booleans()), max_size=12))
def test_labels_and_entities_never_contradict_each_other(tokens):
    labels = [label for _, label, _ in tokens]
    text, spans = "", []
    for word, _, space in tokens:
        spans.append((len(text), len(text) + len(word)))
        text += word + " " * space
    entities = find_entities(text, spans, labels)
    settled = settled_labels(text, spans, labels)
    covered = {place for entity in entities for place in range(entity.start, entity.end)}
    assert [label != "O" for label in settled] == [start in covered for start, _ in spans]
    bio = bio_labels(text, spans, labels)
    assert [start for (start, _), label in zip(spans, bio, strict=True) if label.startswith("B-")] == [
        entity.start for entity in entities
    ]
    assert find_entities(text, spans, bio) == entities, "the BIO labels say all"


def test_documents_have_them(nlp):
    doc = nlp("Tom'un Mary'nin evine gitti. @ali 🙂 Kâmil  Bey’in evi.")
    assert [(entity.text, entity.name) for entity in doc.entities] == [
        ("Tom'un", "Tom"),
        ("Mary'nin", "Mary"),
        ("Kâmil  Bey’in", "Kâmil Bey"),
    ]
    assert [token.ner for token in doc if token.text in ("@ali", "🙂")] == ["O", "O"]
    assert all(doc.text[entity.start : entity.end] == entity.text for entity in doc.entities)


def test_documents_take_boundaries_from_the_model():
    nlp = FakePipeline("ner", starts=lambda row: [True] * len(row))
    doc = nlp("Ali Veli geldi")
    assert [entity.text for entity in doc.entities] == ["Ali", "Veli"]
    assert "NER=B-PER" in doc.to_conllu()
    assert "NER=I-PER" not in doc.to_conllu()
    assert type(doc).from_dict(doc.to_dict()).entities == doc.entities


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_letters_may_be_written_with_their_marks_apart(form):
    text = unicodedata.normalize(form, "Özgür'ün Gül'ü")
    spans = align_tokens(text, tokenize(text))
    names = [entity.name for entity in find_entities(text, spans, ["PER", "PER"])]
    assert [unicodedata.normalize("NFC", name) for name in names] == ["Özgür", "Gül"]


def test_columns_of_a_table_say_the_same():
    analyzer = FakePipeline("ner", columns=["entities", "ner_bio"]).analyzer
    (chunk,) = analyzer.stream([Rows(["Tom'un Ankara @ali", "evde"])], 8, prefetch=False)
    assert chunk.columns["ner"] == [["PER", "PER", "O"], ["O"]]
    assert chunk.columns["ner_bio"] == [["B-PER", "B-PER", "O"], ["O"]]
    assert chunk.columns["entities"] == [
        [
            {"text": "Tom'un", "name": "Tom", "type": "PER", "start": 0, "end": 6},
            {"text": "Ankara", "name": "Ankara", "type": "PER", "start": 7, "end": 13},
        ],
        [],
    ]
