"""Labelled files: what is read, and which line is told to be wrong."""

from __future__ import annotations

import json

import pytest

from vnlp_colab.evaluation import EvaluationFileError
from vnlp_colab.evaluation.readers import read_analyses, read_entities, read_reviews, read_tags, read_trees

TREE = """# text = Evdekiler geldi.
1-2	Evdekiler	_	_	_	_	_	_	_	_
1	Evde	ev	NOUN	_	_	3	nsubj	_	_
2	kiler	ki	ADP	_	_	1	case	_	_
2.1	onlar	o	PRON	_	_	_	_	_	_
3	geldi	gel	VERB	_	_	0	root	_	SpaceAfter=No
4	.	.	PUNCT	_	_	3	punct	_	_

# text = Sus!
1	Sus	sus	VERB	_	_	0	root	_	_
2	!	!	PUNCT	_	_	1	punct	_	_
"""


@pytest.fixture
def write(tmp_path):
    def write_file(content):
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def test_conllu_words_are_the_syntactic_ones(write):
    path = write(TREE)
    first, second = read_trees(path)
    assert first.words == ["Evde", "kiler", "geldi", "."]
    assert first.heads == [3, 1, 0, 3]
    assert first.relations == ["nsubj", "case", "root", "punct"]
    assert second.words == ["Sus", "!"]
    assert [sentence.labels for sentence in read_tags(path)] == [["NOUN", "ADP", "VERB", "PUNCT"], ["VERB", "PUNCT"]]


def test_line_ends_and_a_byte_order_mark_do_not_matter(write):
    path = write(b"\xef\xbb\xbf" + TREE.replace("\n", "\r\n").encode())
    assert [len(sentence.words) for sentence in read_trees(path)] == [4, 2]


def test_entities(write):
    first, second = read_entities(write("Ali\tB-PER\nKaya\tI-PER\ngeldi\tO\n\n\nİzmir\tB-LOC"))
    assert (first.words, first.labels) == (["Ali", "Kaya", "geldi"], ["B-PER", "I-PER", "O"])
    assert (second.words, second.labels) == (["İzmir"], ["B-LOC"])


def test_reviews_may_have_tabs_in_their_text(write):
    one, two = read_reviews(write("1\tçok iyi\tbayıldım\n\n0\tberbat\n"))
    assert (one.label, one.text) == (1, "çok iyi\tbayıldım")
    assert (two.label, two.text) == (0, "berbat")


def test_analyses(write):
    row = {"tokens": ["Geldi"], "morph": ["gel+Verb"], "lemma": ["gel"], "sentence": "Geldi"}
    (sentence,) = read_analyses(write(json.dumps(row) + "\n"))
    assert (sentence.words, sentence.morph, sentence.lemma) == (["Geldi"], ["gel+Verb"], ["gel"])


@pytest.mark.parametrize(
    ("read", "content", "line", "message"),
    [
        (read_tags, TREE.replace("\tVERB\t_\t_\t0\troot\t_\tSpace", "\t0\troot\t_\tSpace"), 6, "7 fields"),
        (read_tags, TREE.replace("3\tgeldi", "5\tgeldi"), 6, "number is '5', expected 3"),
        (read_tags, TREE.replace("Sus\tsus\tVERB", "Sus\tsus\t_"), 10, "no UPOS"),
        (read_tags, TREE.replace("1\tSus", "1\t"), 10, "the word is empty"),
        (read_trees, TREE.replace("_\t1\tpunct", "_\t7\tpunct"), 11, "the head '7' is no word of the sentence"),
        (read_trees, TREE.replace("_\t1\tpunct", "_\t_\tpunct"), 11, "the head '_'"),
        (read_trees, TREE.replace("_\t1\tpunct", "_\t1\t_"), 11, "no relation"),
        (read_tags, TREE.encode("utf-8").replace(b"Sus\t", b"\xdeus\t"), 10, "byte 3 (0xde) is not UTF-8"),
        (read_entities, "Ali\tB-PER\nKaya I-PER\n", 2, "expected a token, one tab and a tag"),
        (read_entities, "Ali\tB-PER\nKaya\tkaya\tI-PER\n", 2, "expected a token, one tab and a tag"),
        (read_entities, "Ali\tB-PER\n\tO\n", 2, "expected a token, one tab and a tag"),
        (read_entities, "Ali\tB-PER\nLira\tB-MISC\n", 2, "'B-MISC' is not O"),
        (read_reviews, "1\tiyi\npozitif\tiyi\n", 2, "expected 0 or 1"),
        (read_reviews, "1\tiyi\n0 kötü\n", 2, "expected 0 or 1"),
        (read_analyses, "\n{", 2, "not JSON"),
        (read_analyses, '{"tokens": ["a"], "morph": ["a+X"]}', 1, "'lemma' must be a list of strings"),
        (read_analyses, "[]", 1, "'tokens' must be a list of strings"),
        (read_analyses, '{"tokens": ["a"], "morph": [], "lemma": ["a"]}', 1, "have 1, 0, 1 entries"),
    ],
)
def test_a_malformed_line_is_named(write, read, content, line, message):
    path = write(content)
    with pytest.raises(EvaluationFileError) as failure:
        read(path)
    assert str(failure.value).startswith(f"{path}, line {line}: ")
    assert message in str(failure.value)


@pytest.mark.parametrize("read", [read_tags, read_trees, read_entities, read_reviews, read_analyses])
def test_an_empty_file_is_told(write, read):
    with pytest.raises(EvaluationFileError, match="the file is empty"):
        read(write("\n\n"))
