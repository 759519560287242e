"""CoNLL-U that the UD validator accepts at level 2."""

from __future__ import annotations

import conllu
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from udtools.validator import Validator

from vnlp_colab.document.conllu import ConlluSentence
from vnlp_colab.document.ud_features import ud_features
from vnlp_colab.tables.conllu_parts import conllu_text


def problems(tmp_path, text):
    path = tmp_path / "check.conllu"
    path.write_text(text, encoding="utf-8", newline="\n")
    state = Validator(lang="tr", level=2).validate_files([str(path)])
    return "" if state.passed() else str(state)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.text(alphabet="aâĞİ ıZ.,!?’'\"“”…|=#_-/%1🙂\u0302\u00a0\u200b\t", max_size=30),
            st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Co", "Cs"]), max_size=15),
        ),
        min_size=1,
        max_size=12,
    )
)
@example(["\u00e2\u0302", "\u00e2\u0301 \u00ee\u0302"])  # a mark that joins the letter its circumflex was taken from
def test_any_rows_are_valid(nlp, tmp_path, sentences):
    df = nlp.process_dataframe(pd.DataFrame({"sentence": sentences, "id": range(len(sentences))}))
    text = conllu_text(df, "sentence", ["id"], 0)
    if text:
        assert problems(tmp_path, text) == ""
        assert len(conllu.parse(text)) == sum(bool(tokens) for tokens in df["tokens"])


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
        "Case=Loc|Number=Plur|Number[psor]=Sing|Person=3|Person[psor]=1\t0\troot\t_\tNER=LOC|SpaceAfter=No\n"
        "2\t.\t.\tPUNCT\t.+Punc\t_\t1\tpunct\t_\t_\n\n"
    )


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
