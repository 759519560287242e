"""What ``benchmarks.tokens`` and ``benchmarks.informal`` count, on a treebank of three sentences."""

from __future__ import annotations

import pytest

from benchmarks import informal, tokens, treebanks

CONLLU = """\
# sent_id = 1
# text = Hava kolaydı.
1\tHava\t_\tNOUN
2-3\tkolaydı\t_\t_
2\tkolay\t_\tADJ
3\tdı\t_\tAUX
4\t.\t_\tPUNCT

# sent_id = 2
# text = Prof. Işık geldi.
1\tProf.\t_\tNOUN
2\tIşık\t_\tPROPN
3\tgeldi\t_\tVERB
3.1\tdedi\t_\tVERB
4\t.\t_\tPUNCT

# sent_id = 3
# text = Sonra gitti.
1\tSonra\t_\tADV
2\tgitti\t_\tVERB
3\t.\t_\tPUNCT
"""


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "UD_Turkish-Toy"
    place.mkdir()
    (place / "tr_toy-ud-test.conllu").write_text(CONLLU, encoding="utf-8")
    return tmp_path


def test_sentences_have_surface_tokens_with_their_places_and_words(folder):
    first, second, _ = treebanks.read_treebank(treebanks.treebank_files(folder, "test")["Toy"])
    assert first.spans == [(0, 4), (5, 12), (12, 13)]
    assert first.words == [["Hava"], ["kolay", "dı"], ["."]]
    assert [second.text[a:b] for a, b in second.spans] == ["Prof.", "Işık", "geldi", "."]


def test_a_folder_without_treebanks_is_told(tmp_path):
    with pytest.raises(SystemExit, match=r"no \*-ud-test.conllu"):
        treebanks.treebank_files(tmp_path, "test")


def test_f1_of_places():
    assert tokens.f1([({(0, 1), (2, 3)}, {(0, 1)})]) == pytest.approx(200 / 3)
    assert tokens.f1([]) == 100


def test_scores_of_the_toy_treebank(folder):
    scores = tokens.measure(folder, "test")["Toy"]
    assert scores["tokens"]["tokenize"] == scores["tokens"]["paragraphs"] == 100
    assert scores["tokens"]["TreebankWordTokenize"] < 100  # it cuts "Prof." in two
    ours = scores["splitting"]["ours"]
    assert (ours["as written"], ours["small letters"], ours["no final marks"]) == (100, 100, 0)
    assert scores["words"]["surface tokens"] < scores["words"]["syntactic_words"] == 100


def test_stripped_sentences_are_counted(folder):
    texts = [sentence.text for sentence in treebanks.read_treebank(treebanks.treebank_files(folder, "test")["Toy"])]
    scores = informal.noticing_scores(texts)
    assert scores["stripped sentences"] == 2  # the third has no Turkish letter
    assert scores["words right left alone, %"] < scores["words right with auto, %"]
    assert informal.changed_scores(texts)["changed by auto, of 1,000"] == 0
