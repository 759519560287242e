"""What ``/openapi.json`` says of each address, with examples in Turkish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.serve.requests import AnalyzeRequest

if TYPE_CHECKING:
    from fastapi import FastAPI

DESCRIPTION = (
    "Turkish text analysis: tokens, lemmas, morphology, parts of speech, entities, dependency trees and sentiment. "
    'Errors are answered as `{"error": "a_short_name", "message": "One sentence."}`.'
)

_TEXT = "Ayşe İstanbul'a gitti."
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": AnalyzeRequest.model_json_schema(),
                "examples": {
                    "bir metin": {"value": {"text": _TEXT}},
                    "birçok metin": {"value": {"texts": ["Film çok güzeldi.", "Yemekler soğuktu, bir daha gelmem."]}},
                    "yalnız varlıklar": {"value": {"text": "Ankara Türkiye'nin başkentidir.", "columns": ["ner"]}},
                    "ağaçların çizimiyle": {"value": {"text": "Kedi süt içti.", "include": ["svg", "conllu"]}},
                },
            }
        },
    }
}


def _token(number: int, text: str, start: int, **values: Any) -> dict[str, Any]:
    return {"number": number, "text": text, "norm": text, "start": start, "end": start + len(text), **values}


_DOCUMENT: dict[str, Any] = {
    "text": _TEXT,
    "columns": ["tokens", "sentiment", "lemma", "pos", "ner", "dep"],
    "sentiment": 0.5,
    "sentiment_label": "neutral",
    "sentences": [
        {
            "text": _TEXT,
            "start": 0,
            "end": 22,
            "no_accents": _TEXT,
            "sentiment": 0.5,
            "sentiment_label": "neutral",
            "tokens": [
                _token(1, "Ayşe", 0, lemma="Ayşe", pos="PROPN", ner="PER", head=3, relation="nsubj"),
                _token(2, "İstanbul'a", 5, lemma="İstanbul", pos="PROPN", ner="LOC", head=3, relation="obl"),
                _token(3, "gitti", 16, lemma="git", pos="VERB", ner="O", head=0, relation="root"),
                _token(4, ".", 21, lemma=".", pos="PUNCT", ner="O", head=3, relation="punct"),
            ],
            "entities": [
                {"text": "Ayşe", "name": "Ayşe", "type": "PER", "start": 0, "end": 4},
                {"text": "İstanbul'a", "name": "İstanbul", "type": "LOC", "start": 5, "end": 15},
            ],
        }
    ],
}
_CONLLU = (
    "# newdoc id = 1\n# sent_id = 1-1\n# text = Kedi uyudu.\n"
    "1\tKedi\tkedi\tNOUN\t_\tCase=Nom|Number=Sing|Person=3\t2\tnsubj\t_\t_\n"
    "2\tuyudu\tuyu\tVERB\t_\tNumber=Sing|Person=3|Polarity=Pos|Tense=Past\t0\troot\t_\tSpaceAfter=No\n"
    "3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
)
_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string"}, "message": {"type": "string"}},
    "required": ["error", "message"],
}


def _errors(*statuses: tuple[int, str, str, str]) -> dict[int | str, dict[str, Any]]:
    return {
        status: {
            "description": about,
            "content": {"application/json": {"schema": _ERROR, "example": {"error": code, "message": message}}},
        }
        for status, about, code, message in statuses
    }


_REFUSALS = _errors(
    (400, "Not JSON", "bad_json", "The body is not valid JSON: EOF while parsing a string at line 1 column 12."),
    (413, "Body too large", "body_too_large", "The body is larger than 1,048,576 bytes; send less text at a time."),
    (415, "No JSON", "not_json", "The body must be JSON, with the header Content-Type: application/json."),
    (422, "Not as it should be, or too many tokens", "invalid", "The request is not as it should be: text: ..."),
    (503, "Queue full or models loading; see Retry-After", "queue_full", "256 requests are waiting already; ..."),
    (504, "Time limit", "too_slow", "The answer was not ready within 30 s; send less text or try again later."),
)


def _answer(kind: str, example: Any, about: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"description": about, "content": {kind: {"example": example}}}}


ANALYZE: dict[str, Any] = {
    "summary": "Analyse texts",
    "openapi_extra": _BODY,
    "responses": {
        **_answer("application/json", _DOCUMENT, "The document; for `texts` a list of them under `documents`"),
        **_REFUSALS,
    },
}
CONLLU: dict[str, Any] = {
    "summary": "Analyse texts, answer in CoNLL-U",
    "openapi_extra": _BODY,
    "responses": {**_answer("text/plain", _CONLLU, "CoNLL-U, one block a sentence"), **_REFUSALS},
}
MODELS: dict[str, Any] = {"summary": "Models, columns, styles and limits"}
HEALTH: dict[str, Any] = {"summary": "Does the process answer?", "responses": _answer("text/plain", "ok\n", "Yes")}
READY: dict[str, Any] = {
    "summary": "Would a request be taken?",
    "responses": {
        **_answer("text/plain", "ready\n", "Yes"),
        **_errors((503, "Not now; see Retry-After", "loading", "The models are still loading; try again in ...")),
    },
}
METRICS: dict[str, Any] = {
    "summary": "Figures for Prometheus",
    "responses": _answer("text/plain", "vnlp_colab_tokens_total 1919.0\n", "The figures"),
}


def secure(app: FastAPI, wanted: bool) -> None:
    """Say in the description that requests carry a bearer token, where they must."""
    if not wanted:
        return
    plain = app.openapi

    def described() -> dict[str, Any]:
        schema = plain()
        schema.setdefault("components", {})["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
        for path, methods in schema["paths"].items():
            if path.startswith("/v1/") or path == "/metrics":
                for method in methods.values():
                    method["security"] = [{"bearer": []}]
        return schema

    app.openapi = described  # type: ignore[method-assign]
