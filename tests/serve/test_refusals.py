"""What the server refuses, with which status and sentence; and what it keeps to itself."""

from __future__ import annotations

import concurrent.futures
import contextlib
import http.client
import json
import re
import socket
import time

import pytest
import requests

SECRET = "gizlisöz"


def refused(answer, status, code):
    assert answer.status_code == status, answer.text
    told = answer.json()
    assert told.keys() == {"error", "message"}
    assert told["error"] == code
    message = told["message"]
    assert re.fullmatch(r"[^\n]{10,400}\.", message), message
    assert "Traceback" not in message
    return message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"text": "a',
        b'{"text": "a"} b',
        b'{"text": "\\ud800"}',
        b'{"text": "a\\udc00b"}',
        b'{"text": "\xed\xa0\x80"}',
        b'{"text": "\xff"}',
        b'{"text": "a\nb"}',
        b"[" * 50_000,
        b"\x00\x01\x02",
    ],
)
def test_what_is_no_json_is_400(server, body):
    assert refused(server.analyze(body), 400, "bad_json").startswith("The body is not valid JSON")


@pytest.mark.parametrize(
    "body",
    [
        None,
        5,
        "metin",
        [],
        ["metin"],
        {},
        {"text": 5},
        {"text": None},
        {"text": ["a"]},
        {"texts": "a"},
        {"texts": [1]},
        {"texts": [None]},
        {"texts": {"a": "b"}},
        {"text": "a", "texts": ["b"]},
        {"text": "a", "columns": "pos"},
        {"text": "a", "columns": [1]},
        {"text": "a", "split": "words"},
        {"text": "a", "style": 1},
        {"text": "a", "include": ["pdf"]},
        {"text": "a", "unknown": 1},
    ],
)
def test_wrong_types_are_422(server, body):
    refused(server.analyze(json.dumps(body).encode()), 422, "invalid")


def test_unknown_columns_and_styles_are_told_with_the_known_ones(server):
    assert "choose from sentiment, lemma, pos" in refused(
        server.analyze({"text": "a", "columns": ["pso"]}), 422, "unknown_column"
    )
    assert "not filled" in refused(server.analyze({"text": "a", "columns": ["morph"]}), 422, "unknown_column")
    assert "generic, boun" in refused(server.analyze({"text": "a", "style": "x"}), 422, "unknown_style")
    told = refused(server.analyze({"text": "a", "entity_style": "x"}), 422, "unknown_entity_style")
    assert told == 'Entity style "x" is unknown; choose from generic, wikiann_tr.'
    assert len(refused(server.analyze({"text": "a", "style": "x" * 5000}), 422, "unknown_style")) < 120
    refused(server.analyze({"text": "a", "style": ""}), 422, "unknown_style")


def test_a_body_over_the_limit_is_413_however_it_is_sent(server):
    large = json.dumps({"text": "ev " * 100_000}).encode()
    assert "200,000 bytes" in refused(server.analyze(large), 413, "body_too_large")

    def in_pieces():
        for start in range(0, len(large), 10_000):
            yield large[start : start + 10_000]

    headers = {"Content-Type": "application/json"}
    refused(
        requests.post(server.url + "/v1/analyze", data=in_pieces(), headers=headers, timeout=10), 413, "body_too_large"
    )
    assert server.analyze({"text": "Ayşe"}).status_code == 200


def test_a_client_that_asks_before_it_sends_too_much_is_told_at_once(server):
    with socket.create_connection(("127.0.0.1", server.port), 5) as line:
        line.sendall(
            b"POST /v1/analyze HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            b"Content-Length: 300000\r\nExpect: 100-continue\r\n\r\n"
        )
        assert line.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_too_many_tokens_texts_or_letters_are_422(server):
    assert "more than 1,000 tokens" in refused(server.analyze({"text": "a " * 1001}), 422, "too_many_tokens")
    assert server.analyze({"text": "a " * 1000}).status_code == 200
    refused(server.analyze({"texts": ["a b c d"] * 251}), 422, "too_many_tokens")
    refused(server.analyze({"texts": [""] * 301}), 422, "too_many_texts")
    assert "200 characters" in refused(server.analyze({"text": "a " + "b" * 201}), 422, "word_too_long")


def test_a_word_of_a_megabyte_is_refused_quickly(start_server):
    usual = start_server()
    started = time.monotonic()
    refused(usual.analyze({"text": "a" * (1 << 20)}), 413, "body_too_large")
    refused(usual.analyze({"text": "a" * 1_000_000}), 422, "word_too_long")
    for nasty in ("." * 1_000_000, "a " * 500_000, ("b" * 999 + " ") * 1000, "\u0301" * 150_000):
        assert usual.analyze({"text": nasty}).status_code in (200, 422)
    # half a dozen megabytes are read, decoded and counted; a square in their length would take minutes
    assert time.monotonic() - started < 10


def test_only_json_is_read(server):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
        answer = server.analyze(b'{"text": "a"}', headers={"Content-Type": kind})
        refused(answer, 415, "not_json")
    kind = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert server.analyze(b'{"text": "a"}', headers=kind).status_code == 200


def test_unknown_addresses_and_methods_are_told_as_the_rest(server):
    refused(requests.get(server.url + "/nothing", timeout=5), 404, "http")
    refused(requests.get(server.url + "/v1/analyze", timeout=5), 405, "http")
    refused(requests.get(server.url + "/docs", timeout=5), 404, "http")  # its page would load scripts from elsewhere


def test_a_full_queue_is_503_and_says_when_to_try_again(start_server):
    small = start_server(max_queue=2)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        running = [pool.submit(small.analyze, {"text": "uyu 1.5"}) for _ in range(2)]
        time.sleep(0.5)
        answer = small.analyze({"text": "Ayşe"})
        refused(answer, 503, "queue_full")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert requests.get(small.url + "/readyz", timeout=5).status_code == 503
        assert requests.get(small.url + "/healthz", timeout=5).status_code == 200
        assert [answer.result().status_code for answer in running] == [200, 200]
    assert small.analyze({"text": "Ayşe"}).status_code == 200


def test_an_answer_that_takes_too_long_is_504_and_its_place_is_free(start_server, metrics_of):
    quick = start_server(time_limit=0.5)
    started = time.monotonic()
    assert "0.5 s" in refused(quick.analyze({"text": "uyu 2"}), 504, "too_slow")
    assert time.monotonic() - started < 1.5
    assert metrics_of(quick)["vnlp_colab_queue"] == 0


def test_a_body_that_never_comes_is_408(start_server):
    quick = start_server(time_limit=0.5)
    with socket.create_connection(("127.0.0.1", quick.port), 5) as line:
        head = b"POST /v1/analyze HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
        line.sendall(head)
        assert line.recv(1000).startswith(b"HTTP/1.1 408 ")


def test_bodies_that_are_on_their_way_count_as_waiting(start_server):
    small = start_server(max_queue=2)
    head = b"POST /v1/analyze HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
    with contextlib.ExitStack() as open_lines:
        for _ in range(2):
            line = open_lines.enter_context(socket.create_connection(("127.0.0.1", small.port), 5))
            line.sendall(head)
        time.sleep(0.5)
        refused(small.analyze({"text": "Ayşe"}), 503, "queue_full")
    time.sleep(0.5)
    assert small.analyze({"text": "Ayşe"}).status_code == 200


def test_a_client_that_goes_away_frees_its_place_and_is_not_analysed(start_server, metrics_of):
    small = start_server(max_queue=3)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        first = pool.submit(small.analyze, {"text": "uyu 1.5"})
        time.sleep(0.4)
        lines = []
        for _ in range(2):  # they wait behind the first
            line = http.client.HTTPConnection("127.0.0.1", small.port)
            body = json.dumps({"text": "Bu hiç okunmasın"})
            line.request("POST", "/v1/analyze", body, {"Content-Type": "application/json"})
            lines.append(line)
        time.sleep(0.2)
        assert small.analyze({"text": "Ayşe"}).status_code == 503
        for line in lines:
            line.close()
        time.sleep(0.2)
        assert metrics_of(small)["vnlp_colab_queue"] == 1
        assert small.analyze({"text": "Ayşe"}).status_code == 200
        assert first.result().status_code == 200
    assert metrics_of(small)["vnlp_colab_texts_total"] == 2


def test_one_text_that_fails_takes_no_other_with_it(start_server):
    waiting = start_server(batch_wait=0.3)
    bodies = [{"text": "Ayşe"}, {"texts": ["iyi", f"patla {SECRET}"]}, {"text": "Fatma"}]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        good, bad, other = pool.map(waiting.analyze, bodies)
    assert good.status_code == other.status_code == 200
    assert SECRET not in refused(bad, 500, "failed")


def test_no_text_of_a_user_is_in_the_log(server):
    server.analyze({"text": f"{SECRET} uyudu"})
    server.analyze({"text": f"patla {SECRET}"})
    server.analyze({"text": "a", "columns": [SECRET]})
    server.analyze({"text": "a", "style": SECRET})
    server.analyze(f'{{"text": "{SECRET}'.encode())
    requests.get(f"{server.url}/{SECRET}?q={SECRET}", timeout=5)
    requests.get(f"{server.url}/healthz?q={SECRET}", timeout=5)
    log = server.log
    assert SECRET not in log
    assert requests.utils.quote(SECRET) not in log
    assert "ValueError at" in log
    assert "Traceback" not in log


def test_with_log_texts_a_failure_is_logged_in_full(start_server):
    telling = start_server(log_texts=True)
    telling.analyze({"text": f"patla {SECRET}"})
    assert SECRET in telling.log


def test_a_bearer_token_guards_everything_but_health_and_the_page(start_server):
    guarded = start_server(token="cok-gizli")
    for path in ("/v1/models", "/metrics"):
        answer = requests.get(guarded.url + path, timeout=5)
        refused(answer, 401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
    refused(guarded.analyze({"text": "Ayşe"}), 401, "unauthorized")
    for wrong in ("cok-gizli", "Bearer cok-gizl", "Bearer cok-gizli2", "Basic cok-gizli", "Bearer "):
        refused(guarded.analyze({"text": "Ayşe"}, headers={"Authorization": wrong}), 401, "unauthorized")
    assert guarded.analyze({"text": "Ayşe"}, headers={"Authorization": "Bearer cok-gizli"}).status_code == 200
    assert guarded.analyze({"text": "Ayşe"}, headers={"Authorization": "bearer cok-gizli"}).status_code == 200
    for path in ("/healthz", "/readyz", "/", "/page.js"):
        assert requests.get(guarded.url + path, timeout=5).status_code == 200
    assert "security" in requests.get(guarded.url + "/openapi.json", timeout=5).json()["paths"]["/v1/analyze"]["post"]
    assert "cok-gizli" not in guarded.log


def test_pages_of_other_origins_are_let_in_only_when_asked_for(server, start_server):
    ask = {"Origin": "https://ornek.com.tr", "Access-Control-Request-Method": "POST"}
    answer = requests.options(server.url + "/v1/analyze", headers=ask, timeout=5)
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    plain = server.analyze({"text": "a"}, headers={"Origin": "https://ornek.com.tr"})
    assert "access-control-allow-origin" not in plain.headers

    shared = start_server(cors=["https://ornek.com.tr"])
    answer = requests.options(shared.url + "/v1/analyze", headers=ask, timeout=5)
    assert answer.headers["access-control-allow-origin"] == "https://ornek.com.tr"
    other = shared.analyze({"text": "a"}, headers={"Origin": "https://baska.com.tr"})
    assert "access-control-allow-origin" not in other.headers


def test_the_page_may_load_and_run_nothing_from_elsewhere(server):
    answer = requests.get(server.url + "/", timeout=5)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    for path in ("/", "/page.css", "/page.js", "/words.js"):
        text = requests.get(server.url + path, timeout=5).text
        assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//|@import|url\(\s*[\"']?http", text)
    again = requests.get(server.url + "/", headers={"If-None-Match": answer.headers["etag"]}, timeout=5)
    assert again.status_code == 304
