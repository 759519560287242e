"""What the small models of the text room learn from."""

from __future__ import annotations

import numpy as np
import pytest

from training import multiword, unmarked
from vnlp_colab.text.multiword import WEIGHTS_FILE as MULTIWORD_FILE
from vnlp_colab.text.unmarked import ROWS
from vnlp_colab.text.unmarked import WEIGHTS_FILE as UNMARKED_FILE

CONLLU = """\
# text = Sorun yoktu.
1\tSorun
2-3\tyoktu
2\tyok
3\ttu
4\t.

# text = Para yoktu, CHP'liler geldi.
1\tPara
2-3\tyoktu
2\tyok
3\ttu
4\t,
5-7\tCHP'liler
5\tChp
6\t'li
7\tler
8\tgeldi
9\t.
"""


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "UD_Turkish-BOUN"
    folder.mkdir()
    for part in ("train", "dev"):
        (folder / f"tr_boun-ud-{part}.conllu").write_text(CONLLU, encoding="utf-8")
    (folder / "tr_boun-ud-test.conllu").write_text("# text = Ayşe.\n1\tAyşe\n2\t.\n", encoding="utf-8")
    return tmp_path


def test_nothing_is_learnt_from_sentences_of_the_test_file(data):
    (data / "UD_Turkish-BOUN" / "tr_boun-ud-test.conllu").write_text(CONLLU.replace(" .", "!"), encoding="utf-8")
    assert multiword.read_tokens(data) == []
    assert unmarked.texts(data, "train") == {"BOUN": []}


def test_only_two_words_that_spell_their_token_are_a_split(data):
    sentences = multiword.read_tokens(data)
    assert sentences[0] == [("Sorun", None), ("yoktu", 3), (".", None)]
    assert ("CHP'liler", None) in sentences[1]
    assert multiword.endings(sentences) == {"DI"}


def test_every_cut_there_could_be_is_an_example(data):
    rows, right, places = multiword.examples(multiword.read_tokens(data))
    assert [(token, place) for _, token, place in places] == [(1, 3), (1, 3), (4, 3)] * 2  # "geldi" ends so, too
    assert right == [True, True, False] * 2
    assert ("DI", "ending", "") in rows[0]


def test_sentences_without_marks_end_at_their_last_words():
    rows, ends = unmarked.examples(["Ali geldi", "sonra, yine gitti"])
    assert ends == [False, True, False, False, True]
    assert len({len(row) for row in rows}) == 1
    assert max(map(max, rows)) < ROWS
    assert unmarked.written(["Işık, geldi"], 3) == ["ışık geldi"]


def test_f1_of_sentences():
    weights = np.zeros(ROWS, np.int8)
    assert unmarked.sentence_f1(weights, ["Ali geldi", "sonra gitti"]) == 0, "two sentences taken for one"


def test_the_shipped_tables_have_their_shape():
    assert len(UNMARKED_FILE.read_bytes()) == ROWS
    lines = [line.split("\t") for line in MULTIWORD_FILE.read_text(encoding="utf-8").splitlines()]
    assert all(len(cells) == 4 for cells in lines)
    assert [cells[:3] for cells in lines].count(["", "bias", ""]) == 1
