"""Start and end of a server: loading, failing, signals, several processes."""

from __future__ import annotations

import concurrent.futures
import signal
import time

import pytest
import requests

from vnlp_colab.cli import main
from vnlp_colab.serve.settings import ServeError, ServeSettings


def test_while_models_load_it_is_alive_but_not_ready(start_server):
    loading = start_server(wait="/healthz", environment={"FAKE_LOADING": "2"})
    answer = requests.get(loading.url + "/readyz", timeout=5)
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1
    assert loading.analyze({"text": "Ayşe"}).json()["error"] == "loading"
    loading.wait_for("/readyz")
    assert loading.analyze({"text": "Ayşe"}).status_code == 200


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_running_requests_finish_and_takes_no_more(start_server, end):
    ending = start_server()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        running = [pool.submit(ending.analyze, {"text": "uyu 1.5"}) for _ in range(2)]
        time.sleep(0.5)
        ending.process.send_signal(end)
        time.sleep(0.5)
        with pytest.raises(requests.ConnectionError):
            ending.analyze({"text": "Ayşe"})
        assert [answer.result().status_code for answer in running] == [200, 200]
    assert ending.process.wait(10) == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_models_that_cannot_be_loaded_end_the_server_with_the_reason(start_server, workers):
    broken = start_server(workers, wait=None, environment={"FAKE_BROKEN": "1"})
    assert broken.process.wait(60) == 1
    assert "the models could not be loaded: the weights are gone" in broken.log


def test_several_processes_answer_and_count_together(start_server, metrics_of):
    pair = start_server(2)
    end = time.monotonic() + 60
    while metrics_of(pair)["vnlp_colab_ready"] < 2:  # each process is ready for itself
        assert time.monotonic() < end
        time.sleep(0.05)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(pair.analyze, [{"text": "uyu 0.05"}] * 60))
    assert {answer.status_code for answer in answers} == {200}
    figures = metrics_of(pair)
    assert figures["vnlp_colab_texts_total"] == 60
    assert figures["vnlp_colab_ready"] == 2
    assert pair.stop() == 0


def test_a_port_that_is_taken_is_told(start_server, server, capfd, monkeypatch):
    monkeypatch.setenv("VNLP_COLAB_SERVE_TOKEN", "")
    assert main(["serve", "--port", str(server.port), "--models", "pos"]) == 1
    assert "cannot listen on 127.0.0.1" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--models", "poss"], "unknown task 'poss'"),
        (["--port", "70000"], "not a port"),
        (["--max-queue", "0"], "0 is not a whole number from 1 on"),
        (["--time-limit", "-1"], "time_limit is a number above 0"),
        (["--time-limit", "nan"], "time_limit is a number above 0"),
        (["--batch-wait", "-1"], "batch_wait is 0 or more"),
    ],
)
def test_wrong_options_are_told_before_anything_is_loaded(capsys, options, told):
    with pytest.raises(SystemExit) as end:
        main(["serve", *options])
    assert end.value.code == 2
    assert told in capsys.readouterr().err


def test_settings_travel_to_worker_processes_through_the_environment():
    styles = {"style": "boun", "entity_style": "wikiann_tr"}
    settings = ServeSettings(models=("pos", "ner"), max_queue=7, token="gizli", cors=("https://a.tr",), **styles)
    environment = {}
    settings.write(environment)
    assert ServeSettings.from_environment(environment) == settings
    assert ServeSettings.from_environment({}) == ServeSettings()
    assert "gizli" not in environment["VNLP_COLAB_SERVE"]


@pytest.mark.parametrize("kept", ["{", "[]", '{"unknown": 1}', '{"models": 5}', '{"max_queue": "a"}'])
def test_an_environment_that_holds_no_settings_is_told(kept):
    with pytest.raises(ServeError, match="VNLP_COLAB_SERVE"):
        ServeSettings.from_environment({"VNLP_COLAB_SERVE": kept})


@pytest.mark.parametrize("name", ["time_limit", "batch_wait", "max_queue"])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), -1])
def test_limits_are_numbers(name, value):
    with pytest.raises(ServeError, match=name):
        ServeSettings(**{name: value})


def test_a_token_is_not_shown():
    assert "gizli" not in repr(ServeSettings(token="gizli"))


@pytest.mark.parametrize("token", ["", " ", "a\nb", "şifre"])
def test_a_token_that_no_header_can_carry_is_told(token):
    with pytest.raises(ServeError, match="printable ASCII"):
        ServeSettings(token=token)
