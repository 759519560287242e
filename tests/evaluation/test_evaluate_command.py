"""``vnlp-colab evaluate``: scores per file and pooled, streams, messages and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from vnlp_colab.cli import main
from vnlp_colab.evaluation import runs


class Fake:
    """Answers by rules: capitals are PER or PROPN, all words depend on the last, 'iyi' is positive."""

    device = "cpu"
    fingerprint = "fake"
    needs = ()
    provides = ("pos", "ner", "dep", "morph", "lemma", "sentiment", "feats")

    def __init__(self):
        self.batches = []

    def annotate(self, batch, wanted):
        self.batches.append([len(tokens) for tokens in batch.tokens])
        return {
            name: [getattr(self, name)(*row) for row in zip(batch.tokens, batch.texts, strict=True)] for name in wanted
        }

    def pos(self, tokens, _):
        return ["PROPN" if token[0].isupper() else "VERB" for token in tokens]

    def ner(self, tokens, _):
        return ["PER" if token[0].isupper() else "O" for token in tokens]

    def dep(self, tokens, _):
        return [(len(tokens), "nsubj")] * (len(tokens) - 1) + [(0, "root")]

    def morph(self, tokens, _):
        return [f"{token}+Noun" for token in tokens]

    def lemma(self, tokens, _):
        return list(tokens)

    def feats(self, tokens, _):
        return ["Case=Nom"] * len(tokens)

    def sentiment(self, _, text):
        return float("iyi" in text)


@pytest.fixture
def fake(monkeypatch):
    asked = {}

    def load(model, **settings):
        asked.update(model=model, **settings)
        asked["instance"] = Fake()
        return asked["instance"]

    monkeypatch.setattr(runs, "load_model", load)
    return asked


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return str(path)

    return write_file


def conllu(*rows):
    return "".join(f"{i}\t{w}\t_\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for i, (w, t, h, r) in enumerate(rows, 1)) + "\n"


def scores(capfd, *arguments):
    assert main(["evaluate", *arguments, "--json"]) == 0
    told = capfd.readouterr()
    return json.loads(told.out), told.err


def test_pos_per_file_and_pooled(fake, write, capfd):
    one = write("one.conllu", conllu(("Ali", "PROPN", 2, "nsubj"), ("geldi", "VERB", 0, "root")))
    two = write("two.conllu", conllu(("Eve", "NOUN", 2, "obl"), ("git", "VERB", 0, "root")) * 2)
    result, err = scores(capfd, "pos", one, two)
    assert [row["file"] for row in result["files"]] == [one, two]
    assert [row["accuracy"] for row in result["files"]] == [1, 0.5]
    assert [row["words"] for row in result["files"]] == [2, 4]
    # Pooled over words, not the mean of the files.
    assert result["pooled"]["accuracy"] == pytest.approx(4 / 6)
    assert result["pooled"]["macro_f1"] == pytest.approx((1 + 2 / 4 + 0) / 3)
    assert (result["task"], result["model"], result["device"]) == ("pos", "JointAnalyzer", "cpu")
    assert "JointAnalyzer (prod) on cpu: 3 sentences, 6 words in" in err


def test_dep(fake, write, capfd):
    tree = conllu(("Ali", "_", 3, "nsubj"), ("eve", "_", 3, "obl"), ("geldi", "_", 0, "root"), (".", "_", 3, "punct"))
    result, _ = scores(capfd, "dep", write("dep.conllu", tree))
    # The fake hangs all on the last word, here the full stop: no head is right.
    assert result["pooled"] == {"sentences": 1, "words": 4, "uas": 0, "las": 0, "valid_trees": 1}
    tree = conllu(("Ali", "_", 3, "nsubj"), ("eve", "_", 3, "obl"), ("geldi", "_", 0, "root"))
    result, _ = scores(capfd, "dep", write("dep.conllu", tree))
    assert result["pooled"]["uas"] == 1
    assert result["pooled"]["las"] == pytest.approx(2 / 3)


def test_trees_that_are_none_count(fake, write, capfd, monkeypatch):
    monkeypatch.setattr(Fake, "dep", lambda self, *_: [(2, "a"), (1, "b")])
    result, _ = scores(capfd, "dep", write("dep.conllu", conllu(("a", "_", 2, "b"), ("b", "_", 0, "root"))))
    assert result["pooled"]["valid_trees"] == 0
    assert result["pooled"]["uas"] == 0.5


def test_labels_that_the_model_does_not_know_are_told_once(fake, write, capfd, caplog, monkeypatch):
    monkeypatch.setattr(Fake, "labels", ["", "PROPN", "VERB"], raising=False)
    one = write("one.conllu", conllu(("Ali", "PROPN", 2, "nsubj"), ("geldi", "FİİL", 0, "root")))
    two = write("two.conllu", conllu(("git", "FİİL", 0, "root"), (".", "NOKTA", 1, "punct")))
    result, _ = scores(capfd, "pos", one, two)
    (told,) = caplog.messages
    assert told.startswith("JointAnalyzer does not know these labels")
    assert told.endswith("cannot get the right label: 'FİİL' (2), 'NOKTA' (1)")
    assert result["pooled"]["accuracy"] == 1 / 4


@pytest.mark.parametrize(
    ("task", "model"), [("pos", "JointAnalyzer"), ("dep", "JointAnalyzer"), ("pos", "SPUContextPoS")]
)
def test_models_of_the_package_say_which_labels_they_know(write, caplog, task, model):
    path = write("a.conllu", conllu(("Ali", "PROPN", 2, "nsubj"), ("geldi", "FİİL", 0, "kök")))
    assert main(["evaluate", task, path, "--model", model, "--device", "cpu"]) == 0
    (told,) = caplog.messages
    unknown = "FİİL" if task == "pos" else "kök"
    assert told.endswith(f"cannot get the right label: '{unknown}' (1)")


def test_ner(fake, write, capfd):
    path = write("ner.conll", "Ali\tB-PER\nKaya\tI-PER\nve\tO\nAyşe\tB-PER\n\nİzmir\tB-LOC\ngüzel\tO\n")
    result, _ = scores(capfd, "ner", path)
    pooled = result["pooled"]
    assert (pooled["sentences"], pooled["tokens"]) == (2, 6)
    assert pooled["token_accuracy"] == pytest.approx(5 / 6)
    assert pooled["token_macro_f1"] == pytest.approx((1 + 6 / 7 + 0) / 3)
    # Found: Ali Kaya, Ayşe, İzmir (as a person). Two of three are right, and two of three are found.
    assert pooled["entity_f1"] == pytest.approx(2 / 3)


def test_sentiment(fake, write, capfd):
    result, _ = scores(capfd, "sentiment", write("reviews.tsv", "1\tiyi\n0\tkötü\n0\tiyi değil\n1\tçok iyi\n"))
    assert result["pooled"]["texts"] == 4
    assert result["pooled"]["accuracy"] == 0.75
    assert result["pooled"]["macro_f1"] == pytest.approx((4 / 5 + 2 / 3) / 2)


def test_stemmer(fake, write, capfd):
    row = {"tokens": ["ev", "geldi"], "morph": ["ev+Noun", "gel+Verb"], "lemma": ["ev", "geldi"]}
    result, _ = scores(capfd, "stemmer", write("golden.jsonl", json.dumps(row) + "\n"))
    assert result["pooled"] == {"sentences": 1, "tokens": 2, "morph": 0.5, "lemma": 1}


def test_table(fake, write, capfd):
    path = write("ner.conll", "Ali\tB-PER\nve\tO\n")
    assert main(["evaluate", "ner", path]) == 0
    out = capfd.readouterr().out.splitlines()
    assert out[0].split()[:4] == ["file", "sentences", "tokens", "token_accuracy"]
    assert out[1].startswith(path)
    assert out[2].split() == ["pooled", "1", "2", "100.00", "%", "1.0000", "100.00", "%", "100.00", "%", "1.0000"]


def test_options_reach_the_model(fake, write, capfd):
    path = write("ner.conll", "Ali\tB-PER\n")
    result, _ = scores(capfd, "ner", path, "--model", "CharNER", "--device", "cpu", "--weights", "eval")
    assert result["model"] == "CharNER"
    assert {k: fake[k] for k in ("model", "device", "evaluate")} == {
        "model": "CharNER",
        "device": "cpu",
        "evaluate": True,
    }


def test_batches_hold_sentences_of_like_length_and_answers_stay_in_order(fake, write, capfd, monkeypatch):
    monkeypatch.setattr(runs, "_BATCH", 2)
    lengths = [4, 1, 3, 2, 5]
    result, _ = scores(
        capfd, "ner", write("ner.conll", "\n".join("Ali\tB-PER\n" + "ve\tO\n" * (n - 1) for n in lengths))
    )
    assert fake["instance"].batches == [[1, 2], [3, 4], [5]]
    assert result["pooled"]["token_accuracy"] == 1


def test_a_bad_file_is_told_before_any_model_is_loaded(write, capfd, monkeypatch):
    monkeypatch.setattr(runs, "load_model", lambda *_, **__: pytest.fail("loaded a model"))
    good, bad = write("good.tsv", "1\tiyi\n"), write("bad.tsv", "1\tiyi\n2\torta\n")
    assert main(["evaluate", "sentiment", good, bad, "--json"]) == 1
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err == f"vnlp-colab: {bad}, line 2: expected 0 or 1, a tab and a text, not '2\\torta'\n"


def test_a_missing_file_is_one_line(capfd):
    assert main(["evaluate", "pos", "nowhere.conllu"]) == 1
    assert "nowhere.conllu" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verbs", "f"], "invalid choice: 'verbs'"),
        (["pos"], "FILE"),
        (
            ["pos", "f", "--model", "CharNER"],
            "unknown model 'CharNER' for pos; choose from JointAnalyzer, SPUContextPoS, TreeStackPoS",
        ),
        (["pos", "f", "--device", "tpu"], "tpu"),
    ],
)
def test_wrong_usage_exits_with_2(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_real_command_on_long_sentences(small_models, write):
    """More than 40 words are parsed in segments; the standard output is JSON and nothing else."""
    path = write("long.conllu", conllu(*([("kelime", "NOUN", 55, "dep")] * 54 + [("bitti", "VERB", 0, "root")])))
    code = "import sys; from vnlp_colab.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "evaluate", "dep", path, "--json", "--device", "cpu"],
        capture_output=True,
        check=True,
    )
    result = json.loads(done.stdout)
    assert result["pooled"]["words"] == 55
    assert result["pooled"]["valid_trees"] == 1
    assert done.stderr.count(b"\n") == 1


def test_seqeval_is_only_needed_by_tests(write, small_models):
    code = (
        "import sys; from pathlib import Path; from vnlp_colab.evaluation import evaluate_files;"
        f"evaluate_files('ner', [Path({write('ner.conll', 'Ali	B-PER')!r})], device='cpu');"
        "sys.exit(any(name in sys.modules for name in ('seqeval', 'sklearn', 'tensorflow')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
