"""The benchmark measures what it says: sides that agree with each other, and work it can count."""

from __future__ import annotations

import json
import re
import time
from dataclasses import asdict, replace

import pytest

from benchmarks import accuracy_picture, comparison, devices, growth, joint, joint_cost, joint_graph, picture
from benchmarks.comparison import WARM, Row
from benchmarks.sides import Plan, load
from benchmarks.text import draw_sample
from benchmarks.workers import Work
from vnlp_colab.joint.joint_colab import JointAnalyzer
from vnlp_colab.stemmer.stemmer_colab import StemmerAnalyzer


@pytest.fixture(scope="module")
def sample():
    return draw_sample(None, 8)


def test_the_sample_is_always_the_same_and_in_order_of_length(sample):
    again = draw_sample(None, 8)
    assert again == sample
    lengths = [len(tokens) for tokens in sample.tokens]
    assert lengths == sorted(lengths)
    assert sample.token_count == sum(lengths)


def test_a_folder_without_treebanks_is_told(tmp_path):
    with pytest.raises(SystemExit, match=r"no \*-ud-test.conllu"):
        draw_sample(tmp_path, 8)


def test_growth_counts_the_tokens_of_a_cell():
    words = [f"kelime{number}" for number in range(40)]
    result = growth.growth("pos", words, lengths=(3,), batches=(1, 2), rounds=1)
    assert set(result) == {"3"}
    assert all(rate > 0 for cell in result["3"].values() for rate in cell.values())


def test_tokens_at_once_are_whole_sentences_and_enough(sample):
    assert joint_cost.at_once(sample.tokens, 1) == sample.tokens[:1]
    many = joint_cost.at_once(sample.tokens, 3 * sample.token_count)
    assert many == 3 * sample.tokens


def test_what_a_token_costs_is_measured_for_each_work(sample):
    model = JointAnalyzer(device="cpu")
    found = joint_cost.microseconds(model, {8: sample.tokens, 1: sample.tokens[:1]}, rounds=1)
    assert set(found) == {8, 1}
    assert all(0 < cost < 1e6 for cost in found.values())


def test_a_model_that_forgot_keeps_no_word(sample):
    network, stemmer = JointAnalyzer(device="cpu"), StemmerAnalyzer(device="cpu")

    def kept():
        lemmas = network._answers._lemmatizer._remembered
        vectors = (network._words, stemmer._scorer._words, stemmer._scorer._stems, stemmer._scorer._tags)
        return [*map(len, vectors), len(lemmas), stemmer._generator.cached_words]

    network.analyze_batch(sample.tokens, ("lemma",))
    stemmer.predict_batch(sample.tokens)
    assert all(kept())
    joint.forget(network)
    joint.forget(stemmer)
    assert not any(kept())


def test_the_graphs_alone_are_measured_at_every_shape_and_their_operators_share_the_time(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["joint_graph", "--quick", "--json", str(tmp_path / "found.json")])
    joint_graph.main()
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["device"] == "cpu"
    works = len(joint_graph.SHAPES) + 1  # and the words' graph
    sides = {(row["work"], row["precision"], row["threads"]) for row in found["words_per_second"]}
    assert len(sides) == len(found["words_per_second"]) == works * 2 * 2
    assert all(row["words_per_second"] > 0 for row in found["words_per_second"])
    assert set(found["shares"]) == {"int8", "float32"}
    for parts in found["shares"].values():
        assert sum(parts.values()) == pytest.approx(1)
    # the kinds are onnxruntime's names of operators: were they others now, all would be "others"
    assert set(found["shares"]["int8"]) == {*joint_graph.KINDS.values(), joint_graph.OTHERS}
    assert found["shares"]["float32"].keys() == found["shares"]["int8"].keys() - {"8-bit products", "quantising"}
    printed = capsys.readouterr().out
    assert "| 32 × 14 words" in printed
    assert "| 8-bit products" in printed


def test_a_side_that_cannot_be_measured_is_told_and_not_timed():
    text = comparison.table([Row("pos", comparison.PLAIN, skipped="not converted yet")])
    assert "skipped: not converted yet" in text


@pytest.mark.slow
def test_every_side_of_pos_gives_the_labels_of_keras(sample):
    plan = Plan(positions=2, check_all=False, stepwise_step=4, stemmer_step=1)
    (outcome,) = comparison.compare("pos", [sample], plan, rounds=1, plain=False)
    assert outcome.answers[comparison.KERAS]
    for row in outcome.rows:
        assert not row.skipped, row.skipped
        assert row.compared > 0
        assert row.equal == row.compared, row.side


@pytest.mark.slow
def test_the_stemmer_gets_keras_in_place_of_its_network(sample):
    plan = Plan(positions=2, check_all=False, stepwise_step=1, stemmer_step=4)
    (outcome,) = comparison.compare("stemmer", [sample], plan, rounds=1, plain=False)
    assert outcome.answers[comparison.KERAS]
    sides = [(row.side, row.skipped, row.compared - row.equal) for row in outcome.rows]
    assert sides == [(row.side, "", 0) for row in outcome.rows]
    assert all(row.compared for row in outcome.rows)


def sleeping_works(seconds):
    return [Work(lambda: time.sleep(seconds), 10, lambda: {(0, 0): 1}) for _ in range(2)]


def failing_works():
    return [Work(lambda: 1 / 0, 10, lambda: {(0, 0): 1}) for _ in range(2)]


def test_a_slow_side_is_spared_turns_and_larger_batches_and_a_failing_one_is_told(sample):
    builders = {"quick": (sleeping_works, 0.0), "slow": (sleeping_works, 0.3), "failing": (failing_works,)}
    samples = [sample, replace(sample, batch=128)]
    small, large = comparison.measure("naps", builders, samples, rounds=3, patience=0.2)
    assert [row.batch for row in (*small.rows, *large.rows)] == [64] * 3 + [128] * 3
    quick, slow, failing = small.rows
    assert (quick.skipped, slow.skipped) == ("", "")
    assert (len(quick.seconds), len(slow.seconds)) == (3, 1)
    assert slow.tokens_per_second == pytest.approx(10 / 0.3, rel=0.5)
    assert (quick.stopped, slow.stopped) == (False, True)
    assert re.search(r"slow .* \d+ \* .*fewer turns", comparison.table([slow, quick]), re.DOTALL)
    assert "fewer turns" not in comparison.table([quick])
    assert "ZeroDivisionError" in failing.skipped
    assert [row.skipped[:13] for row in large.rows[:2]] == ["", "batch 64 took"]


def test_several_batch_sizes_are_drawn_as_lines(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [
        Row("pos", side, batch, tokens_per_second=batch) for side in (comparison.KERAS, WARM) for batch in (64, 256)
    ]
    picture.draw_batches({"models": [asdict(row) for row in rows]}, tmp_path / "lines.png")
    assert (tmp_path / "lines.png").read_bytes().startswith(b"\x89PNG")


def test_accuracy_is_drawn_beside_the_speed_that_was_measured(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [{"side": "joint network, 2 threads", "tokens_per_second": 30_000}]
    (tmp_path / "joint.json").write_text(json.dumps(rows))
    accuracy_picture.draw(tmp_path / "joint.json", tmp_path / "points.png", keras=85)
    assert (tmp_path / "points.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "joint.json").write_text(json.dumps([{"side": "UDPipe 1", "tokens_per_second": 9000}]))
    with pytest.raises(SystemExit, match="joint network"):
        accuracy_picture.draw(tmp_path / "joint.json", tmp_path / "points.png", keras=85)


def test_a_fresh_model_is_loaded_for_each_side():
    assert load("pos") is not load("pos")


@pytest.mark.slow
def test_devices_measures_models_and_the_pipeline(tmp_path, monkeypatch, capsys):
    names = ["SPUContextPoS", "SPUCBiGRUSentimentAnalyzer", "VNLPipeline"]
    options = "--device cpu --sentences 12 --rounds 1 --json"
    monkeypatch.setattr("sys.argv", ["devices", *options.split(), str(tmp_path / "found.json"), "--models", *names])
    devices.main()
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["sentences"] == 12
    assert all(found["models"][name]["cpu"]["seconds"] > 0 for name in names)
    assert set(found["models"]["VNLPipeline"]["cpu"]["parts"]) >= {"pos", "sentiment", "everything else"}
    assert "| VNLPipeline" in capsys.readouterr().out


@pytest.mark.slow
def test_joint_measures_several_processes_at_once(monkeypatch, capsys):
    options = "--processes 1 2 --device cpu --sentences 8 --tokens 1 --rounds 1"
    monkeypatch.setattr("sys.argv", ["joint", *options.split()])
    joint.main()
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["device"], row["processes"]) for row in found] == [("cpu", 1), ("cpu", 2)]
    assert all(row["tokens_per_process"] == draw_sample(None, 8).token_count for row in found)
    assert all(row["tokens_per_second"] > 0 for row in found)


@pytest.mark.parametrize("option", ["--batch 0", "--sentences -1", "--words x", "--rounds 0", "--json /no/such/x.json"])
def test_devices_refuses_what_it_cannot_do(monkeypatch, capsys, option):
    monkeypatch.setattr("sys.argv", ["devices", "--device", "cpu", *option.split()])
    with pytest.raises(SystemExit):
        devices.main()
    assert option.split()[0] in capsys.readouterr().err


def test_devices_tells_answers_apart():
    row = {"pos": ["NOUN", "VERB"], "sentiment": 0.5}
    assert devices.same(row, {"pos": ["NOUN", "VERB"], "sentiment": 0.5 + 1e-6})
    assert not devices.same(row, {"pos": ["NOUN", "NOUN"], "sentiment": 0.5})
    assert not devices.same(row, {"pos": ["NOUN", "VERB"], "sentiment": 0.51})
    assert devices.same({"sentiment": float("nan")}, {"sentiment": float("nan")})
    assert not devices.same({"sentiment": 0.5}, {"sentiment": float("nan")})
