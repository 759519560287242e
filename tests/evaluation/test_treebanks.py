"""A whole pipeline on a treebank: the scores are those of the official script on the CoNLL-U it writes."""

from __future__ import annotations

import json

import pytest
from test_conll18 import official

from vnlp_colab import pipeline_colab
from vnlp_colab.cli import main
from vnlp_colab.evaluation import EvaluationFileError
from vnlp_colab.evaluation.conll18 import METRICS, AlignmentError
from vnlp_colab.evaluation.ud import evaluate_treebank, raw_texts
from vnlp_colab.pipeline_colab import VNLPipeline

TREEBANK = """# newdoc id = a
# sent_id = 1
# text = Ali eve geldi.
1\tAli\tAli\tPROPN\t_\tCase=Nom|Number=Sing|Person=3\t3\tnsubj\t_\t_
2\teve\tev\tNOUN\t_\tCase=Dat|Number=Sing|Person=3\t3\tobl\t_\t_
3\tgeldi\tgel\tVERB\t_\tEvident=Fh|Number=Sing|Person=3|Polarity=Pos|Tense=Past\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

# sent_id = 2
# text = Evdeki kedi uyudu!
1-2\tEvdeki\t_\t_\t_\t_\t_\t_\t_\t_
1\tEvde\tev\tNOUN\t_\tCase=Loc|Number=Sing|Person=3\t3\tnmod\t_\t_
2\tki\tki\tADP\t_\t_\t1\tcase\t_\t_
3\tkedi\tkedi\tNOUN\t_\tCase=Nom|Number=Sing|Person=3\t4\tnsubj\t_\t_
4\tuyudu\tuyu\tVERB\t_\tEvident=Fh|Number=Sing|Person=3|Polarity=Pos|Tense=Past\t0\troot\t_\tSpaceAfter=No
5\t!\t!\tPUNCT\t_\t_\t4\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def models():
    return VNLPipeline(["pos", "stemmer", "dep"], device="cpu", threads=1)


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "tr.conllu"
    path.write_text(TREEBANK, encoding="utf-8")
    return path


def test_from_raw_text_as_the_official_script_scores_what_is_written(models, treebank):
    scores = evaluate_treebank(models, treebank, raw=True)
    (text,) = raw_texts(TREEBANK.splitlines())
    assert text == "Ali eve geldi. Evdeki kedi uyudu!"
    assert scores == pytest.approx(official(TREEBANK, models(text).to_conllu()), abs=1e-12)
    assert scores["Tokens"] == scores["Sentences"] == 1
    assert scores["Words"] < 1, "a surface token is kept whole where the treebank has two words"


def test_the_style_of_a_treebank_that_splits_tokens_has_its_words(treebank):
    split = TREEBANK.replace("Evdeki", "Zordu").replace("\tEvde\t", "\tZor\t").replace("\tki\t", "\tdu\t", 1)
    treebank.write_text(split, encoding="utf-8")
    nlp = VNLPipeline(["pos", "feats", "lemma", "dep"], device="cpu", threads=1, style="boun")
    scores = evaluate_treebank(nlp, treebank, raw=True)
    assert scores == pytest.approx(official(split, nlp(raw_texts(split.splitlines())[0]).to_conllu()), abs=1e-12)
    assert scores["Words"] == 1


def test_on_gold_words_nothing_is_lost_to_cutting(models, treebank):
    scores = evaluate_treebank(models, treebank, raw=False)
    assert scores["Words"] == scores["Sentences"] == 1
    assert scores["UPOS"] > 0.8


def test_the_command_prints_both(treebank, capsys):
    assert main(["evaluate", "ud", str(treebank), "--device", "cpu"]) == 0
    head, gold, raw = capsys.readouterr().out.splitlines()
    assert head.split() == ["file", "words", *METRICS]
    assert gold.split()[1] == "gold"
    assert raw.split()[1:3] == ["raw", "text"]
    assert main(["evaluate", "ud", str(treebank), "--device", "cpu", "--raw", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["words"] == "raw text"


def test_files_that_are_no_treebank(models, tmp_path):
    empty = tmp_path / "empty.conllu"
    empty.write_text("\n", encoding="utf-8")
    with pytest.raises(EvaluationFileError, match=r"empty\.conllu: nothing to evaluate on"):
        evaluate_treebank(models, empty, raw=False)
    no_text = tmp_path / "no_text.conllu"
    no_text.write_text(TREEBANK.replace("# text", "# said"), encoding="utf-8")
    with pytest.raises(EvaluationFileError, match=r"no_text\.conllu: no raw text"):
        evaluate_treebank(models, no_text, raw=True)


def test_a_treebank_without_texts_is_scored_on_gold_words_alone(treebank, tmp_path, capsys):
    no_text = tmp_path / "no_text.conllu"
    no_text.write_text(TREEBANK.replace("# text", "# said"), encoding="utf-8")
    assert main(["evaluate", "ud", str(no_text), str(treebank), "--device", "cpu", "--json"]) == 0
    told = capsys.readouterr()
    rows = [(row["file"], row["words"]) for row in json.loads(told.out)]
    assert rows == [(str(no_text), "gold"), (str(treebank), "gold"), (str(treebank), "raw text")]
    assert told.err == f"vnlp-colab: {no_text}: no raw text, there is no '# text = ' line; scored on gold words alone\n"


def test_labels_that_the_pipeline_does_not_know_are_told_once(treebank, capsys, caplog):
    odd = TREEBANK.replace("\tPUNCT\t", "\tNOKTA\t").replace("\tobl\t", "\tobl:yer\t").replace("\tcase\t", "\tki\t")
    treebank.write_text(odd, encoding="utf-8")
    assert main(["evaluate", "ud", str(treebank), str(treebank), "--device", "cpu", "--json"]) == 0
    assert all(row["UPOS"] < 1 for row in json.loads(capsys.readouterr().out))
    assert [message.partition("right label: ")[2] for message in caplog.messages] == ["'NOKTA' (2)", "'ki' (1)"]


@pytest.mark.parametrize(
    ("task", "broken"),
    [
        ("ud", TREEBANK.replace("\t4\tnsubj", "\t0\troot")),
        ("ud", TREEBANK.replace("\t4\tnsubj", "\t2\tnsubj").replace("\t1\tcase", "\t3\tcase")),
        ("dep", TREEBANK.replace("\t0\troot", "\t3\troot")),
    ],
    ids=["two roots", "a cycle", "no root"],
)
def test_right_answers_that_are_no_trees_are_told_once_and_scored(treebank, capsys, caplog, task, broken):
    treebank.write_text(broken, encoding="utf-8")
    assert main(["evaluate", task, str(treebank), str(treebank), "--device", "cpu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
    wrong, first = (1, 2) if task == "ud" else (2, 1)
    (told,) = caplog.messages
    assert told.startswith(f"{treebank}: the arcs of {wrong} of 2 sentences are no tree")
    assert f"first in sentence {first}" in told


def test_arcs_that_are_no_tree_are_not_told_where_no_trees_are_scored(treebank, capsys, caplog):
    treebank.write_text(TREEBANK.replace("\t4\tnsubj", "\t0\troot"), encoding="utf-8")
    assert main(["evaluate", "ud", str(treebank), "--models", "pos", "--device", "cpu", "--json"]) == 0
    assert [row["words"] for row in json.loads(capsys.readouterr().out)] == ["gold", "raw text"]
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (None, [], "No such file or directory"),
        (TREEBANK.replace("\t0\troot", "\tx\troot", 1), [], "the head 'x' is no word of the sentence"),
        (TREEBANK.replace("= Evdeki", "= Evde"), [], "line 9: no raw text of this sentence"),
        (TREEBANK.replace("# text", "# said"), ["--raw"], "no raw text, there is no '# text = ' line"),
    ],
)
def test_the_command_reads_every_file_before_it_loads_a_model(
    treebank, tmp_path, capsys, monkeypatch, content, options, message
):
    monkeypatch.setattr(pipeline_colab, "load_model", lambda *_, **__: pytest.fail("loaded a model"))
    bad = tmp_path / "bad.conllu"
    if content is not None:
        bad.write_text(content, encoding="utf-8")
    assert main(["evaluate", "ud", str(treebank), str(bad), "--device", "cpu", *options]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"vnlp-colab: {bad}")
    assert message in told.err


@pytest.mark.parametrize("form", ["ge\u200bldi", "gelmis\u0327ti"])
def test_a_text_that_the_pipeline_writes_otherwise_is_told_with_its_file(models, treebank, form):
    treebank.write_text(TREEBANK.replace("geldi", form), encoding="utf-8")
    with pytest.raises(AlignmentError, match=r"tr\.conllu: the two analyses are of different texts"):
        evaluate_treebank(models, treebank, raw=True)


def test_measures_of_what_the_pipeline_does_not_fill_are_left_out(treebank):
    tags = VNLPipeline(["pos"], device="cpu", threads=1)
    assert list(evaluate_treebank(tags, treebank, raw=False)) == ["Tokens", "Sentences", "Words", "UPOS"]


def test_a_mark_of_the_byte_order_is_no_part_of_the_treebank(models, treebank):
    plain = evaluate_treebank(models, treebank, raw=True)
    treebank.write_text(TREEBANK, encoding="utf-8-sig")
    assert evaluate_treebank(models, treebank, raw=True) == plain


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TREEBANK.replace("\t", "    "), "line 4: 1 fields between tabs, expected 10"),
        (TREEBANK.replace("\t0\troot", "\tx\troot", 1), "line 6: the head 'x' is no word of the sentence"),
        (TREEBANK.replace("# text = Evdeki kedi uyudu!\n", ""), "line 9: no raw text of this sentence, it has no"),
        (TREEBANK.replace("= Evdeki", "= Evde"), "line 9: no raw text of this sentence, its tokens make 'Evdekikedi"),
    ],
)
def test_what_is_wrong_with_a_treebank_is_told_with_its_line(models, treebank, content, message):
    treebank.write_text(content, encoding="utf-8")
    with pytest.raises(EvaluationFileError, match=rf"tr\.conllu, {message}"):
        evaluate_treebank(models, treebank, raw=True)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["ud", "--models", "nosuch"], "nosuch"),
        (["ud", "--models", "pos:SPUContextPoS", "--style", "atis"], "style 'atis' is for the joint network"),
        (["ud", "--entity-style", "wikiann_tr"], "which is not among the models of ner"),
        (["ner", "--entity-style", "wikiann"], "invalid choice: 'wikiann'"),
        (["ner", "--model", "CharNER", "--entity-style", "wikiann_tr"], "is for the joint network"),
        (["ud", "--model", "CharNER"], "give its models with --models"),
        (["pos", "--raw"], "--raw is for ud, not for pos"),
        (["pos", "--models", "pos"], "--models is for ud, not for pos"),
        (["dep", "--no-multiword"], "--multiword is for ud, not for dep"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(treebank, capsys, asked, message):
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", asked[0], str(treebank), "--device", "cpu", *asked[1:]])
    assert message in capsys.readouterr().err
