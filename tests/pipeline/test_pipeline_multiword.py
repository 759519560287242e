"""CoNLL-U with the words of multiword tokens: by the style or by an option, from texts and from tables."""

from __future__ import annotations

import conllu
import pytest

from vnlp_colab.cli import main
from vnlp_colab.pipeline_colab import VNLPipeline

TEXT = "Hâlâ kimse yoktu. Ali geldi."
RANGE = "3-4\tyoktu"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text(TEXT + "\n", encoding="utf-8")
    return path


def written(table, **settings):
    output = table.with_suffix(".conllu")
    VNLPipeline(["pos", "lemma", "dep"], device="cpu", threads=1, **settings).run(table, output, progress=False)
    return output.read_text(encoding="utf-8")


@pytest.mark.parametrize("split", ["none", "sentences"])
def test_a_table_and_a_document_have_the_same_words(table, split):
    blocks = conllu.parse(written(table, style="boun", split=split))
    document = VNLPipeline(["pos", "lemma", "dep"], device="cpu", threads=1, style="boun")(TEXT)
    assert [list(block) for block in blocks] == [list(block) for block in conllu.parse(document.to_conllu())]
    assert [row["form"] for row in blocks[0]] == ["Hâlâ", "kimse", "yoktu", "yok", "tu", "."]


def test_the_option_decides_before_the_style(table):
    assert RANGE in written(table, multiword=True)
    assert RANGE not in written(table)
    assert RANGE not in written(table, style="boun", multiword=False)
    nlp = VNLPipeline(["pos"], device="cpu", threads=1, multiword=True)
    assert RANGE in nlp(TEXT).to_conllu()


def test_other_results_keep_tokens(table):
    nlp = VNLPipeline(["pos"], device="cpu", threads=1, style="boun")
    output = table.with_suffix(".jsonl")
    nlp.run(table, output, progress=False)
    assert '"tokens": ["Hala", "kimse", "yoktu", "."]' in output.read_text(encoding="utf-8")
    assert nlp(TEXT).column("tokens")[:4] == ["Hala", "kimse", "yoktu", "."]


def test_the_command_takes_it(table, tmp_path):
    output = tmp_path / "out.conllu"
    asked = ["analyze", str(table), "-o", str(output), "--models", "pos", "--device", "cpu", "--quiet", "--multiword"]
    assert main(asked) == 0
    assert RANGE in output.read_text(encoding="utf-8")
