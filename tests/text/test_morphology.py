"""Candidates: what upstream's generator can produce, without its bugs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from vnlp_colab.text.lexicon import LEXICON_FILE, Lexicon, LexiconError, load_lexicon, unpack
from vnlp_colab.text.morphology import Analysis, CandidateGenerator


@pytest.fixture(scope="module")
def generator() -> CandidateGenerator:
    return CandidateGenerator()


def analyses(generator: CandidateGenerator, word: str) -> list[str]:
    return [str(analysis) for analysis in generator.candidates(word)]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("kitabı", "kitap+Noun+A3sg+Pnon+Acc"),  # the last consonant hardens again
        ("ağzım", "ağız+Noun+A3sg+P1sg+Nom"),  # the dropped vowel comes back
        ("burna", "burun+Noun+A3sg+Pnon+Dat"),
        ("hissi", "his+Noun+A3sg+Pnon+Acc"),  # the doubled consonant goes
        ("bekliyor", "bekle+Verb+Pos+Prog1+A3sg"),  # the narrowed vowel widens
        ("atlıyor", "atla+Verb+Pos+Prog1+A3sg"),
        ("yiyecek", "ye+Verb+Pos+Fut+A3sg"),
        ("Ankara'nın", "ankara+Noun+Prop+A3sg+Pnon+Gen"),
        ("Qwrtyp'nin", "qwrtyp+Noun+Prop+A3sg+Pnon+Gen"),  # an unknown root is a name before an apostrophe
        ("1990'da", "1990+Num+Card^DB+Noun+Zero+A3sg+Pnon+Loc"),
        ("%5", "%5+Num+Card"),
        ("...", "...+Punc"),
        ("bana", "ben+Pron+Pers+A1sg+Pnon+Dat"),
        ("için", "için+Postp+PCNom"),  # listed whole
    ],
)
def test_has_the_reading(generator: CandidateGenerator, word: str, expected: str) -> None:
    assert expected in analyses(generator, word)


def test_names_need_their_capital(generator: CandidateGenerator) -> None:
    assert "ali+Noun+Prop+A3sg+Pnon+Nom" in analyses(generator, "Ali")
    assert not any("Prop" in analysis for analysis in analyses(generator, "ali"))


def test_order_is_shorter_roots_first_then_the_tables_order(generator: CandidateGenerator) -> None:
    assert analyses(generator, "alın") == [
        "al+Adj^DB+Noun+Zero+A3sg+P2sg+Nom",
        "al+Adj^DB+Noun+Zero+A3sg+Pnon+Gen",
        "al+Noun+A3sg+Pnon+Gen",
        "al+Noun+A3sg+Pnon+Loc^DB+Verb+Zero+Pres+A2sg",
        "al+Verb+Pos+Imp+A2pl",
        "al+Verb^DB+Verb+Pass+Pos+Imp+A2sg",
        "al+Verb+Reflex+Pos+Imp+A2sg",
        "alın+Noun+A3sg+Pnon+Nom",
        "alın+Verb+Pos+Imp+A2sg",
        "alın+Verb+Pres+A3sg",
    ]


def test_unknown_word_has_one_reading(generator: CandidateGenerator) -> None:
    assert generator.candidates("Qwrtyp") == (Analysis("qwrtyp", "Unknown"),)


class TestUpstreamBugs:
    """One regression test for each bug of upstream's generator that ours does not have."""

    def test_cankaya_keeps_its_cedilla(self, generator: CandidateGenerator) -> None:
        assert "çankaya+Noun+Prop+A3sg+Pnon+Nom" in analyses(generator, "Çankaya")
        assert not any(analysis.startswith("cankaya") for analysis in analyses(generator, "Çankaya"))

    def test_omer_keeps_its_dots(self, generator: CandidateGenerator) -> None:
        assert "ömer+Noun+Prop+A3sg+Pnon+Nom" in analyses(generator, "Ömer")
        assert not any(analysis.startswith("omer") for analysis in analyses(generator, "Ömer'in"))

    def test_izmir_is_known(self, generator: CandidateGenerator) -> None:
        assert analyses(generator, "İzmir") == ["izmir+Noun+Prop+A3sg+Pnon+Nom"]
        assert not any(analysis.startswith("ızmir") for analysis in analyses(generator, "İzmir'in"))

    def test_names_with_w_are_known(self, generator: CandidateGenerator) -> None:
        assert analyses(generator, "Washington") == ["washington+Noun+Prop+A3sg+Pnon+Nom"]

    def test_every_apostrophe_suffix_is_answered(self, generator: CandidateGenerator) -> None:
        lexicon = load_lexicon()
        suffixes = [suffix for suffix in lexicon.suffixes if suffix.startswith("'")]
        alone = [suffix for suffix in suffixes if suffix[1:] not in lexicon.suffixes]
        assert len(alone) == 27  # the ones upstream raises KeyError on
        for suffix in suffixes:
            assert generator.candidates("Ankara" + suffix)
        assert any(analysis.startswith("ankara+Noun+Prop") for analysis in analyses(generator, "Ankara'ünki"))

    def test_tables_do_not_grow(self) -> None:
        lexicon = load_lexicon()
        generator = CandidateGenerator(lexicon, cached_words=100)

        def sizes() -> tuple[int, ...]:
            return (len(lexicon.stems), len(lexicon.suffixes), sum(map(len, lexicon.paradigms)), len(lexicon.words))

        before = sizes()
        first = [generator.candidates(f"Ankara{suffix}") for suffix in sorted(lexicon.suffixes)[:3000]]
        again = [generator.candidates(f"Ankara{suffix}") for suffix in sorted(lexicon.suffixes)[:3000]]
        assert sizes() == before
        assert again == first
        assert generator.cached_words == 100

    def test_plus_sign_is_its_own_root(self, generator: CandidateGenerator) -> None:
        assert generator.candidates("+") == (Analysis("+", "Punc"),)
        assert Analysis("+5", "Num+Card") in generator.candidates("+5")

    def test_null_is_no_suffix(self, generator: CandidateGenerator) -> None:
        assert generator.candidates("kitapnull") == (Analysis("kitapnull", "Unknown"),)

    def test_answer_does_not_change_with_the_hash_seed(self) -> None:
        program = (
            "from vnlp_colab.text.morphology import CandidateGenerator as G\n"
            "print([G().candidates(w) for w in ('yüzünün', 'alın', \"Ankara'nın\", 'kimi')])"
        )
        outputs = {
            subprocess.run(
                [sys.executable, "-c", program],
                env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
                capture_output=True,
                check=True,
            ).stdout
            for seed in "12"
        }
        assert len(outputs) == 1


@pytest.mark.parametrize(
    "word", ["", " ", "\n", "\0", "😀", "\ud800", "a" * 10_000, "'" * 10_000, "1" * 10_000, "'", "[["]
)
def test_odd_words_are_answered(generator: CandidateGenerator, word: str) -> None:
    assert generator.candidates(word)


def test_long_word_costs_no_more_than_its_suffixes(generator: CandidateGenerator) -> None:
    started = time.process_time()
    for length in range(10_000, 10_100):
        generator.candidates("a" * length)
    # About 3 ms when cuts stop at the longest suffix, 1.5 s when every cut is tried: the bound lies well between.
    assert time.process_time() - started < 0.5


def test_threads_get_the_same_answers(generator: CandidateGenerator) -> None:
    words = ["kitabı", "yüzünün", "Ankara'nın", "alın"] * 50
    expected = [CandidateGenerator().candidates(word) for word in words[:4]] * 50
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(generator.candidates, words)) == expected


class TestLexiconFile:
    def test_is_compact_and_quick(self) -> None:
        assert LEXICON_FILE.stat().st_size < 2_500_000
        seconds = []
        for _ in range(3):
            started = time.process_time()
            load_lexicon()
            seconds.append(time.process_time() - started)
        assert min(seconds) < 0.3

    def test_holds_upstreams_tables(self) -> None:
        lexicon = load_lexicon()
        assert (len(lexicon.stems), len(lexicon.suffixes), len(lexicon.words)) == (78_259, 91_802, 1_454)

    def test_damage_is_said(self) -> None:
        with pytest.raises(LexiconError, match="not a lexicon file"):
            unpack(b"nonsense")

    def test_missing_file_is_said(self, tmp_path) -> None:
        with pytest.raises(LexiconError, match=r"lexicon\.bin"):
            load_lexicon(tmp_path / "lexicon.bin")


class TestCompiledTables:
    """`training/lexicon.py` on tables of a few rows."""

    STEMS = "ev\t64\nev\t1024\nAli\t4096\n*UNKNOWN*\t4160\n"
    SUFFIXES = (
        "\ufeffi\tNoun+A3sg+Pnon+Acc\nnull\tNoun+A3sg+Pnon+Nom\n'i\tNoun+Prop+A3sg+Pnon+Acc\niL\tAdj\n'inki\tAdj\n"
    )
    WORDS = "var\t/var+Adj\nvar\t/var+Adj r/va+Verb+Aor /var+Adj\n"

    def lexicon(self) -> Lexicon:
        from training.lexicon import compile_tables

        return compile_tables(self.STEMS, self.SUFFIXES, self.WORDS)

    def readings(self, suffix: str) -> list[str]:
        lexicon = self.lexicon()
        return [lexicon.tags[number] for number in lexicon.paradigms[lexicon.suffixes[suffix]]]

    def test_stems_keep_all_their_kinds(self) -> None:
        assert self.lexicon().stems == {"ev": 64 | 1024, "Ali": 4096}

    def test_errors_of_the_suffix_table_are_mended(self) -> None:
        assert set(self.lexicon().suffixes) == {"i", "", "'i", "'inki"}
        assert self.readings("'i") == ["Noun+Prop+A3sg+Pnon+Acc", "Noun+A3sg+Pnon+Acc"]
        assert self.readings("'inki") == ["Adj"]

    def test_last_row_of_a_word_counts_and_readings_stand_once(self) -> None:
        assert self.lexicon().words == {"var": (("var", "Adj"), ("va", "Verb+Aor"))}

    def test_file_holds_what_was_packed(self) -> None:
        from training.lexicon import pack

        lexicon = self.lexicon()
        assert unpack(pack(lexicon, {"source": "a test"})) == lexicon
