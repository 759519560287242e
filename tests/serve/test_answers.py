"""What the server answers to good requests."""

from __future__ import annotations

import json

import conllu
import requests

from vnlp_colab.document.document import Document

TEXT = "Ayşe uyudu. Hava güzel!"


def test_one_text_is_answered_with_its_document(server):
    answer = server.analyze({"text": TEXT})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    document = Document.from_dict(answer.json())
    assert document.text == TEXT
    assert [token.text for token in document] == ["Ayşe", "uyudu", ".", "Hava", "güzel", "!"]
    assert document.to_dict() == answer.json()


def test_many_texts_are_answered_in_their_order(server):
    texts = [f"Metin {number}." for number in range(250)]
    documents = server.analyze({"texts": texts}).json()["documents"]
    assert [document["text"] for document in documents] == texts


def test_no_text_at_all_is_no_error(server):
    assert server.analyze({"texts": []}).json() == {"documents": []}
    assert server.analyze({"text": ""}).json()["sentences"] == []
    assert server.analyze({"text": " \n\t"}).json()["sentences"] == []


def test_odd_characters_come_back_as_they_were(server):
    text = "👩‍👧 \x00 \u200b I\u0307stanbul \U0001f9ff"
    assert server.analyze({"text": text}).json()["text"] == text


def test_only_the_columns_asked_for_are_in_the_answer(server):
    token = server.analyze({"text": TEXT, "columns": ["pos"]}).json()["sentences"][0]["tokens"][0]
    assert token.keys() == {"number", "text", "norm", "start", "end", "pos"}
    token = server.analyze({"text": TEXT, "columns": ["dep", "pos_confidence"]}).json()["sentences"][0]["tokens"][0]
    assert token.keys() == {"number", "text", "norm", "start", "end", "head", "relation", "pos_confidence"}
    assert server.analyze({"text": TEXT, "columns": []}).status_code == 200


def test_a_sentiment_has_its_label_where_the_model_gave_one(server):
    answer = server.analyze({"text": "Ayşe uyudu. Sıradan mı sıradan bir gün."}).json()
    first, second = answer["sentences"]
    assert answer["sentiment_label"] == second["sentiment_label"] == "neutral"
    assert "sentiment_label" not in first
    assert "sentiment_label" not in server.analyze({"text": "Sıradan mı sıradan.", "columns": ["pos"]}).json()


def test_style_and_split_are_passed_on(server):
    tagged = server.analyze({"text": TEXT, "style": "boun"}).json()["sentences"][0]["tokens"]
    assert [token["pos"] for token in tagged] == ["X", "X", "PUNCT"]
    named = server.analyze({"text": TEXT, "entity_style": "wikiann_tr"}).json()["sentences"][0]["tokens"]
    assert [token["ner"] for token in named] == ["LOC", "O", "O"]
    assert len(server.analyze({"text": TEXT}).json()["sentences"]) == 2
    assert len(server.analyze({"text": TEXT, "split": "none"}).json()["sentences"]) == 1


def test_requests_without_a_style_get_the_servers(start_server):
    styled = start_server(style="boun")
    assert styled.analyze({"text": "Ayşe"}).json()["sentences"][0]["tokens"][0]["pos"] == "X"
    own = styled.analyze({"text": "Ayşe", "style": "generic"}).json()
    assert own["sentences"][0]["tokens"][0]["pos"] == "NOUN"
    named = start_server(entity_style="wikiann_tr")
    assert named.analyze({"text": "Ayşe"}).json()["sentences"][0]["tokens"][0]["ner"] == "LOC"


def test_pictures_and_conllu_come_along_when_asked_for(server):
    answer = server.analyze({"text": TEXT, "include": ["svg", "conllu"]}).json()
    assert len(answer["svg"]) == 2
    assert all(picture.startswith("<svg ") for picture in answer["svg"])
    assert answer["conllu"] == server.analyze({"text": TEXT}, "/v1/conllu").text
    assert "svg" not in server.analyze({"text": TEXT, "columns": ["pos"], "include": ["svg"]}).json()


def test_conllu_is_read_by_its_library(server):
    answer = server.analyze({"texts": [TEXT, "Kedi süt içti."]}, "/v1/conllu")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    sentences = conllu.parse(answer.text)
    assert [sentence.metadata["sent_id"] for sentence in sentences] == ["1-1", "1-2", "2-1"]
    assert [token["form"] for token in sentences[2]] == ["Kedi", "süt", "içti", "."]


def test_models_says_what_may_be_asked(server):
    told = requests.get(server.url + "/v1/models", timeout=5).json()
    assert told["models"][0]["task"] == "pos"
    assert told["limits"]["max_tokens"] == 1000
    assert told["styles"] == ["generic", "boun"]
    assert told["entity_styles"] == ["generic", "wikiann_tr"]
    assert told["style"] is told["entity_style"] is None
    for column in (*told["columns"], *told["optional_columns"]):
        assert server.analyze({"text": "Ayşe", "columns": [column]}).status_code == 200


def test_openapi_describes_every_address_with_turkish_examples(server):
    described = requests.get(server.url + "/openapi.json", timeout=5).json()
    assert set(described["paths"]) == {"/v1/analyze", "/v1/conllu", "/v1/models", "/healthz", "/readyz", "/metrics"}
    body = described["paths"]["/v1/analyze"]["post"]["requestBody"]["content"]["application/json"]
    examples = [example["value"] for example in body["examples"].values()]
    assert any("İstanbul" in json.dumps(example, ensure_ascii=False) for example in examples)
    for example in examples:
        assert server.analyze(example).status_code == 200
    answer = described["paths"]["/v1/analyze"]["post"]["responses"]["200"]["content"]["application/json"]["example"]
    assert Document.from_dict(answer).text == "Ayşe İstanbul'a gitti."
    assert Document.from_dict(answer).to_dict() == answer


def test_metrics_count_requests_texts_and_tokens(server, metrics_of):
    before = metrics_of(server)
    server.analyze({"texts": ["Bir iki üç.", "Dört."]})
    after = metrics_of(server)
    assert after["vnlp_colab_texts_total"] - before["vnlp_colab_texts_total"] == 2
    assert after["vnlp_colab_tokens_total"] - before["vnlp_colab_tokens_total"] == 6
    good = 'vnlp_colab_requests_total{path="/v1/analyze",status="200"}'
    assert after[good] - before.get(good, 0) == 1
    assert after["vnlp_colab_queue"] == 0
