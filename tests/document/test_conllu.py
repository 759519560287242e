"""CoNLL-U that the UD validator accepts at level 2."""

from __future__ import annotations

import conllu
import pytest
from any_text import ANY_TEXT
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from udtools.validator import Validator

from vnlp_colab.document.conllu import ConlluSentence
from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.tables.conllu import conllu_blocks


def problems(tmp_path, text):
    path = tmp_path / "check.conllu"
    path.write_text(text, encoding="utf-8", newline="\n")
    state = Validator(lang="tr", level=2).validate_files([str(path)])
    return "" if state.passed() else str(state)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(st.text(alphabet="aâĞİ ıZ.,!?’'\"“”…|=#_-/%1🙂\u0302\u00a0\u200b\t", max_size=30), ANY_TEXT),
        min_size=1,
        max_size=12,
    )
)
@example(["\u00e2\u0302", "\u00e2\u0301 \u00ee\u0302"])  # a mark that joins the letter its circumflex was taken from
@example(["\u0958 \U0001d15e Ayşe", "\u1112\u1161\u11ab Ayşe", "Ali\x00\x07 \x1b\x9f"])
def test_any_texts_are_valid(nlp, tmp_path, texts):
    text = "".join(nlp(_text(text)).to_conllu(f"d{number}") for number, text in enumerate(texts))
    if text:
        assert problems(tmp_path, text) == ""


def _text(text):
    """Leave out what the validator takes for damage: the replacement character, and what becomes one."""
    return "".join(character for character in text if character != "\ufffd" and not "\ud800" <= character <= "\udfff")


def test_the_validator_would_notice(tmp_path):
    bad = ConlluSentence(["a", "b"], [True, True], {"pos": ["NOUN", "NOUN"], "dep": [(2, "obj"), (1, "obj")]})
    assert "FAILED" in problems(tmp_path, bad.to_conllu("1"))


def test_documents_are_valid(nlp, tmp_path):
    doc = nlp("Kâmil “merhaba” dedi…  Ali, 1.234,56 lira verdi! Bak: www.ornek.org")
    text = doc.to_conllu("makale")
    assert problems(tmp_path, text) == ""
    assert text.startswith("# newdoc id = makale\n# sent_id = makale-1\n# text = Kâmil “merhaba” dedi…\n")


def test_what_each_column_holds():
    columns = {
        "lemma": ["ev", "."],
        "morph": ["ev+Noun+A3pl+P1sg+Loc", ".+Punc"],
        "pos": ["NOUN", "PUNCT"],
        "ner": ["LOC", "O"],
        "dep": [(0, "nsubj"), (1, "punct")],
    }
    block = ConlluSentence.from_spans("Evlerimde.", [(0, 9), (9, 10)], columns).to_conllu("7", {"ch_no": 3})
    assert block == (
        "# sent_id = 7\n# text = Evlerimde.\n# ch_no = 3\n"
        "1\tEvlerimde\tev\tNOUN\tev+Noun+A3pl+P1sg+Loc\t"
        "Case=Loc|Number=Plur|Number[psor]=Sing|Person=3|Person[psor]=1\t0\troot\t_\tNER=B-LOC|SpaceAfter=No\n"
        "2\t.\t.\tPUNCT\t.+Punc\t_\t1\tpunct\t_\t_\n\n"
    )


def test_features_of_a_model_of_their_own_win():
    columns = {"morph": ["ev+Noun+A3pl+P1sg+Loc", "x+Unknown"], "feats": ["Case=Loc", "_"]}
    block = ConlluSentence.from_spans("Evlerimde x", [(0, 9), (10, 11)], columns).to_conllu("1")
    assert [line.split("\t")[5] for line in block.splitlines()[2:4]] == ["Case=Loc", "_"]


def test_entities_say_where_they_begin():
    text, spans = "Tom'un Mary Jones 12", [(0, 6), (7, 11), (12, 17), (18, 20)]
    block = ConlluSentence.from_spans(text, spans, {"ner": ["PER", "PER", "PER", "LOC"]}).to_conllu("1")
    assert [row["misc"] for row in conllu.parse(block)[0]] == [
        {"NER": "B-PER"},
        {"NER": "B-PER"},
        {"NER": "I-PER"},
        None,
    ]


def test_a_model_that_knows_where_entities_begin_is_believed():
    text, spans = "Türkiye'nin Sesi", [(0, 11), (12, 16)]
    columns = {"ner": ["ORG", "ORG"], "ner_bio": ["B-ORG", "I-ORG"]}
    block = ConlluSentence.from_spans(text, spans, columns).to_conllu("1")
    assert [row["misc"]["NER"] for row in conllu.parse(block)[0]] == ["B-ORG", "I-ORG"]


def test_a_row_of_several_sentences_has_a_block_for_each():
    text, spans = "Ali geldi. Veli gitti.", [(0, 3), (4, 9), (9, 10), (11, 15), (16, 21), (21, 22)]
    arcs = [(2, "nsubj"), (0, "root"), (2, "punct"), (5, "nsubj"), (0, "root"), (5, "punct")]
    first, second = ConlluSentence.from_row(text, spans, {"dep": arcs}, [3, 6])
    assert (first.text, second.text) == ("Ali geldi.", "Veli gitti.")
    assert [row["head"] for row in conllu.parse(second.to_conllu("2"))[0]] == [2, 0, 2]


def test_forms_are_one_line_whatever_tokens_someone_brings():
    block = ConlluSentence.from_spans("New\nYork\tgüzel", [(0, 8), (9, 14), (14, 14)], {}, ["New York", "güzel", "x\n"])
    assert [row["form"] for row in conllu.parse(block.to_conllu("1", {"not\ne": "a\nb"}))[0]] == [
        "New York",
        "güzel",
        "x",
    ]


def table(text="Ali geldi.", tokens=("Ali", "geldi", "."), own=None, first_row=0, **results):
    columns = {name: [values] for name, values in {"tokens": list(tokens), **results}.items()}
    mine = {name: [value] for name, value in (own or {}).items()}
    return conllu.parse("".join(conllu_blocks([text], columns, mine, first_row)))


def test_a_table_takes_only_our_columns():
    own = {"ner": "benim", "pos": "NOUN", "sentiment": 0.5, "lemma": ["a", "b", "c"]}
    (block,) = table(own=own, dep=[(2, "nsubj"), (0, "root"), (2, "punct")])
    rows = [(row["upos"], row["lemma"], row["head"], row["misc"]) for row in block]
    assert rows[:2] == [("_", "_", 2, None), ("_", "_", 0, {"SpaceAfter": "No"})]
    assert {name: block.metadata[name] for name in ("ner", "pos", "sentiment")} == {
        "ner": "benim",
        "pos": "NOUN",
        "sentiment": "0.5",
    }, "comments, as all columns of the user's"


def test_rows_that_bring_their_own_tokens_keep_the_text():
    (block,) = table("Kâmil’in  evi", ["Kamil", "'in", "evi"])
    assert [row["form"] for row in block] == ["Kâmil", "’in", "evi"]
    assert block.metadata["text"] == "Kâmil’in evi"


@pytest.mark.parametrize(("ends", "name"), [([3], "sentiment"), ([2, 3], "row_sentiment")])
def test_the_sentiment_of_a_row_is_not_said_to_be_that_of_its_sentences(ends, name):
    for block in table(sentence_ends=ends, sentiment=0.25):
        assert {key: value for key, value in block.metadata.items() if "sentiment" in key} == {name: "0.25"}


def test_a_split_row_has_a_block_a_sentence():
    assert [block.metadata["sent_id"] for block in table(first_row=4, sentence_ends=[2, 3])] == ["5-1", "5-2"]


def test_layers_without_a_model_are_left_open():
    block = ConlluSentence(["Ev"], [True], {}).to_conllu("1")
    assert block.splitlines()[2] == "1\tEv\t_\t_\t_\t_\t_\t_\t_\t_"


@pytest.mark.parametrize(
    ("arc", "written"),
    [((0, "nsubj"), ("0", "root")), ((2, "root"), ("2", "dep")), ((2, ""), ("2", "dep")), ((2, "obl"), ("2", "obl"))],
)
def test_root_stands_where_the_head_is_0_and_nowhere_else(arc, written):
    block = ConlluSentence(["a", "b"], [True, True], {"dep": [arc, (0, "root")]}).to_conllu("1")
    assert tuple(block.splitlines()[2].split("\t")[6:8]) == written


@pytest.mark.parametrize(
    ("analysis", "features"),
    [
        ("ev+Noun+A3sg+Pnon+Nom", "Case=Nom|Number=Sing|Person=3"),
        ("gel+Verb+Neg+Past+A1pl", "Evident=Fh|Number=Plur|Person=1|Polarity=Neg|Tense=Past"),
        ("gel+Verb+Pos+Prog1+A3sg", "Aspect=Prog|Number=Sing|Person=3|Polarity=Pos|Tense=Pres"),
        ("bu+Pron+Demons+A3sg+Pnon+Gen", "Case=Gen|Number=Sing|Person=3|PronType=Dem"),
        ("iki+Num+Card", "NumType=Card"),
        ("ve+Conj", "_"),
        ("+", "_"),
        ("++Punc", "_"),
        ("", "_"),
        ("Unknown", "_"),
    ],
)
def test_features(analysis, features):
    assert ud_features(analysis) == features


def test_one_voice_is_sure_and_two_are_not():
    assert "Voice=Pass" in ud_features("yap+Verb^DB+Verb+Pass+Pos+Past+A3sg")
    assert "Voice" not in ud_features("yap+Verb^DB+Verb+Caus^DB+Verb+Pass+Pos+Past+A3sg")


def test_two_tenses_in_one_word_claim_neither():
    assert ud_features("gel+Verb+Pos+Aor+Past+A1sg") == "Number=Sing|Person=1|Polarity=Pos"
    assert ud_features("gel+Verb+Pos+Prog1+Past+A1sg") == "Number=Sing|Person=1|Polarity=Pos"


def test_the_words_of_one_token_stand_below_it():
    text, spans = "Sorun yoktu.", [(0, 5), (6, 11), (6, 11), (11, 12)]
    columns = {
        "pos": ["NOUN", "ADJ", "AUX", "PUNCT"],
        "dep": [(2, "nsubj"), (0, "root"), (2, "cop"), (2, "punct")],
    }
    sentence = ConlluSentence.from_spans(text, spans, columns, ["Sorun", "yok", "tu", "."])
    assert sentence.text == text
    assert sentence.to_conllu("1").splitlines()[2:6] == [
        "1\tSorun\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_",
        "2-3\tyoktu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        "2\tyok\t_\tADJ\t_\t_\t0\troot\t_\t_",
        "3\ttu\t_\tAUX\t_\t_\t2\tcop\t_\t_",
    ]


def test_the_words_of_a_token_have_its_own_letters():
    kept = ConlluSentence.from_spans("Hâlâ imkânsızdır", [(0, 4), (5, 16), (5, 16)], {}, ["Hala", "imkansız", "dır"])
    assert kept.forms == ["Hâlâ", "imkânsız", "dır"]
    mended = ConlluSentence.from_spans(
        "guzl değildi ki", [(0, 4), (0, 4), (5, 12), (13, 15)], {}, ["güzel", "d", "x", "y"]
    )
    assert (mended.forms[:2], mended.text) == (["güzel", "d"], "guzl değildi ki"), "words of another length are as read"


def test_the_words_of_a_token_share_its_entity():
    text, spans = "Gelen Ali'ydi Kaya", [(0, 5), (6, 13), (6, 13), (14, 18)]
    columns = {"ner_bio": ["O", "B-PER", "O", "B-PER"], "ner": ["O", "PER", "O", "PER"]}
    block = ConlluSentence.from_spans(text, spans, columns, ["Gelen", "Ali", "'ydi", "Kaya"]).to_conllu("1")
    words = [row for row in conllu.parse(block)[0] if isinstance(row["id"], int)]
    assert [(row["misc"] or {}).get("NER") for row in words] == [None, "B-PER", "I-PER", "B-PER"]


def test_empty_places_are_no_shared_token():
    sentence = ConlluSentence.from_spans("Ali", [(0, 3), (3, 3), (3, 3)], {}, ["Ali", "x", "y"])
    assert (list(sentence.forms), sentence.ranges) == (["Ali", "x", "y"], {})
