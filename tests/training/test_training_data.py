"""What the training reads and makes of it: the parts that need no data set and no PyTorch."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from training import corpus, leakage, prepare, raw, schedule
from training.arrays import Store, build_store, encode_words
from training.corpus import ParsedSentence, join_ranges, read_bio, read_conllu, read_reviews
from vnlp_colab.resources import EMBEDDED_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

CONLLU = """# text = Evdeydim.
1-2\tEvdeydim\t_\t_\t_\t_\t_\t_\t_\t_
1\tEvde\tev\tNOUN\t_\t_\t0\troot\t_\t_
2\tydim\ti\tAUX\t_\t_\t1\tcop\t_\t_
2.1\tboş\t_\t_\t_\t_\t_\t_\t_\t_
3\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

1\tSu\tsu\tNOUN\t_\t_\t0\troot\t_\t_
"""


@pytest.fixture(scope="module")
def pieces():
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_file=str(EMBEDDED_FOLDER / "SPU_vnlp_colab_16k.model"))


def test_conllu_by_words_and_by_surface(tmp_path):
    (tmp_path / "a.conllu").write_text(CONLLU, encoding="utf-8")
    (words, surface), (plain, none) = read_conllu(tmp_path / "a.conllu")
    assert words.words == ["Evde", "ydim", "."]
    assert (words.upos, words.heads) == (["NOUN", "AUX", "PUNCT"], [0, 1, 1])
    assert surface == ParsedSentence(["Evdeydim", "."], ["NOUN", "PUNCT"], [0, 1], ["root", "punct"])
    assert plain.words == ["Su"]
    assert none is None


def test_a_joined_token_hangs_where_its_top_word_hung():
    sentence = ParsedSentence(["a", "b", "c", "d"], ["X"] * 4, [4, 1, 2, 0], ["nmod", "case", "cop", "root"])
    joined = join_ranges(sentence, [(2, 3, "bc")])
    assert joined.words == ["a", "bc", "d"]
    assert joined.heads == [3, 1, 0]  # words after the range move up
    assert joined.relations == ["nmod", "case", "root"]


def test_bio_and_reviews(tmp_path):
    (tmp_path / "a.conll").write_text("Ali\tB-PER\ngeldi\tO\n\n\nAnkara\tB-LOC\n", encoding="utf-8")
    assert list(read_bio(tmp_path / "a.conll")) == [(["Ali", "geldi"], ["PER", "O"]), (["Ankara"], ["LOC"])]
    (tmp_path / "a.tsv").write_text("1\tGüzel\tfilm\n0\t \n0\tKötü\n", encoding="utf-8")
    assert list(read_reviews(tmp_path / "a.tsv")) == [(1, "Güzel\tfilm"), (0, "Kötü")]


def test_no_test_sentence_is_trained_on(tmp_path):
    def sentence(word):
        return f"1\t{word}\t{word}\tNOUN\t_\t_\t0\troot\t_\t_\n\n"

    for name in corpus.TREEBANKS:
        folder = tmp_path / "ud" / f"UD_Turkish-{name}"
        folder.mkdir(parents=True)
        start = f"tr_{name.lower()}-ud-"
        held = "".join(sentence(f"held{number}") for number in range(corpus.VALIDATION_PER_TREEBANK))
        for part, text in {
            "train": sentence("öğren"),
            "dev": held + sentence("sınav") + sentence("gelişim"),
            "test": sentence("sınav"),
        }.items():
            (folder / f"{start}{part}.conllu").write_text(text, encoding="utf-8")
    train, validation = corpus.read_treebanks(tmp_path)
    words = {word for one in train for word in one.words}
    assert words == {"öğren", "gelişim"}
    assert len(validation) == corpus.VALIDATION_PER_TREEBANK * len(corpus.TREEBANKS)
    kept = tmp_path / "kept.conllu"
    leakage.write_sentences(
        [leakage.test_file(tmp_path, name) for name in corpus.TREEBANKS[:2]], lambda words: "sınav" in words, kept
    )
    assert [one.words for one, _ in read_conllu(kept)] == [["sınav"], ["sınav"]]


def test_a_sample_is_the_same_for_a_seed():
    lines = [str(number) for number in range(1000)]
    first = list(corpus.sample(iter(lines), 0.3, 7))
    assert first == list(corpus.sample(iter(lines), 0.3, 7))
    assert 200 < len(first) < 400


def test_words_are_their_last_pieces(pieces):
    ids = encode_words(pieces, ["ev", "", "Çekoslovakyalılaştıramadıklarımızdanmışsınız"])
    assert ids.shape == (3, 8)
    assert not ids[1].any()
    assert ids[0, -1]
    assert not ids[0, 0]
    assert ids[2].tolist() == pieces.encode("Çekoslovakyalılaştıramadıklarımızdanmışsınız")[-8:]


def test_a_store_keeps_what_it_was_given(pieces, tmp_path):
    sentences = [["Işık", "var"], ["IŞIK", "yok", "var"]]
    labels = {"upos": np.array([1, 3, 1, 3, 3], np.uint8)}
    store = build_store(pieces, sentences, labels, train=1, cases=True)
    store.save(tmp_path / "s.npz")
    again = Store.load(tmp_path / "s.npz")
    assert again.train == 1
    assert again.offsets.tolist() == [0, 2, 5]
    assert again.labels["upos"].tolist() == [1, 3, 1, 3, 3]
    assert again.words[1] == again.words[4]  # one number a word
    assert again.lower is not None
    assert again.upper is not None
    first, capitals = again.words[0], again.words[2]
    assert again.lower[first] == again.lower[capitals]  # both are ışık, by Turkish rules
    assert again.upper[first] == capitals
    assert len(again.lower) == len(again.upper) == len(again.pieces)


def test_paragraphs_are_cut_at_marks_before_capitals():
    tokens = ["Geldi", ".", "Sonra", "saat", "3", ".", "katta", "durdu", "!", "«", "Git", "»", "dedi", "."]
    cut = raw.split_tokens(tokens)
    assert [word for sentence in cut for word in sentence] == tokens
    assert [" ".join(sentence) for sentence in cut] == ["Geldi .", "Sonra saat 3 . katta durdu !", "« Git » dedi ."]


def test_reviews_are_typed_in_other_ways():
    chance = random.Random(1)
    written = {prepare.change_writing("Işıl ÇOK iyi", chance) for _ in range(100)}
    assert written == {"ışıl çok iyi", "isil cok iyi", "IŞIL ÇOK İYİ"}


def test_the_rate_starts_low_and_falls():
    rates = [schedule.cosine(1.0, step, step / 100, warm=10) for step in range(101)]
    assert rates[0] == pytest.approx(0.1, abs=0.01)
    assert max(rates) == rates[9]
    assert rates[9:] == sorted(rates[9:], reverse=True)
    assert rates[-1] == pytest.approx(0.01)
    assert schedule.progress(5, 10, 0.0, 1) == 0.5
    assert schedule.progress(0, 0, 0.0, 1) == 1.0


@pytest.mark.parametrize(("found", "ends"), [({"raw": 0, "usage": 2}, True), ({"raw": 0, "usage": 0}, False)])
def test_test_sentences_among_what_is_learnt_are_told_and_end_with_an_error(
    found: dict[str, int],
    ends: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(leakage, "joint_leaks", lambda *_: found)
    monkeypatch.setattr("sys.argv", ["leakage", "--data", str(tmp_path), "--joint", str(tmp_path)])
    if ends:
        with pytest.raises(SystemExit, match="1"):
            leakage.main()
    else:
        leakage.main()
    assert f"usage: {found['usage']} test sentences" in capsys.readouterr().out
