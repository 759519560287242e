"""What a client may ask: the body of a request, its limits, and the refusals, each one sentence."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from vnlp_colab.columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vnlp_colab.serve.settings import ServeSettings

Extra = Literal["svg", "conllu"]

_EXAMPLE = "Mustafa Kemal 1919'da Samsun'a çıktı. Hava çok güzeldi!"
# A run of letters and digits, or a single mark: about what the tokenizer makes of the same text, rather more.
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Refused(Exception):  # noqa: N818 - what a client is told, not a fault of the server
    """A request that is answered with an error: its status, a short name for programs, a sentence for people."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after


class AnalyzeRequest(BaseModel):
    """One text or many, and what is to be found out about them."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {"text": _EXAMPLE},
                {"texts": ["Ankara Türkiye'nin başkentidir.", "Film hiç güzel değildi."], "columns": ["pos", "ner"]},
            ]
        },
    )

    text: Annotated[str | None, Field(description="One text; the answer is its document.", examples=[_EXAMPLE])] = None
    texts: Annotated[
        list[str] | None, Field(description="Many texts; the answer has a document for each, in their order.")
    ] = None
    columns: Annotated[
        list[str] | None,
        Field(
            description="What to find out: some of `GET /v1/models`' columns; all of them when left out.",
            examples=[["lemma", "pos", "ner", "dep"]],
        ),
    ] = None
    style: Annotated[
        str | None, Field(description="The treebank's style, one of `GET /v1/models`' styles.", examples=["boun"])
    ] = None
    entity_style: Annotated[
        str | None,
        Field(description="The entity set's style, one of `GET /v1/models`' entity_styles.", examples=["wikiann_tr"]),
    ] = None
    split: Annotated[
        Literal["sentences", "none"], Field(description="Find sentences, or take each text as one sentence.")
    ] = "sentences"
    include: Annotated[
        list[Extra],
        Field(description="Also answer with the tree of each sentence as SVG (`svg`), or with CoNLL-U (`conllu`)."),
    ] = []

    @model_validator(mode="after")
    def _one_or_many(self) -> AnalyzeRequest:
        if (self.text is None) == (self.texts is None):
            raise ValueError("give either text (one) or texts (a list)")
        return self


@dataclass(frozen=True)
class Wish:
    """What a request wants of its texts; requests that want the same are analysed together."""

    columns: tuple[str, ...]
    style: str | None
    split: Literal["sentences", "none"]
    entity_style: str | None = None


@dataclass(frozen=True)
class Question:
    """A request that was read and found good.

    ``sizes`` are the tokens of each text, ``many`` says whether it came with a list of texts.
    """

    texts: list[str]
    sizes: list[int]
    wish: Wish
    many: bool = False
    include: frozenset[str] = field(default_factory=frozenset)

    @property
    def tokens(self) -> int:
        """The tokens of all texts."""
        return sum(self.sizes)


@dataclass(frozen=True)
class Offer:
    """What the loaded models can do: the columns they fill, unasked and when asked, and the styles they know."""

    columns: tuple[str, ...]
    optional: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    entity_styles: tuple[str, ...] = ()


def count_tokens(text: str, most: int) -> int:
    """Return about how many tokens a text has, rather more than there are; counting stops above `most`.

    Examples
    --------
    >>> count_tokens("Samsun'a çıktı.", most=100)
    5
    """
    count = 0
    for count, _ in enumerate(_TOKEN.finditer(text), 1):
        if count > most:
            break
    return count


def read_question(body: bytes, offer: Offer, settings: ServeSettings) -> Question:
    """Return what the body of a request asks; raise `Refused` with 400 or 422 and a sentence."""
    try:
        asked = AnalyzeRequest.model_validate_json(body)
    except ValidationError as error:
        raise _refusal(error) from None
    texts = asked.texts if asked.texts is not None else [asked.text or ""]
    if len(texts) > settings.max_texts:
        raise Refused(422, "too_many_texts", f"{len(texts):,} texts; a request may have {settings.max_texts:,}.")
    wish = Wish(
        _columns(asked.columns, offer),
        _style("style", asked.style, settings.style, offer.styles),
        asked.split,
        _style("entity_style", asked.entity_style, settings.entity_style, offer.entity_styles),
    )
    sizes = _sizes(texts, settings)
    return Question(texts, sizes, wish, asked.texts is not None, frozenset(asked.include))


def _sizes(texts: Iterable[str], settings: ServeSettings) -> list[int]:
    sizes: list[int] = []
    left = settings.max_tokens
    for text in texts:
        if len(text) > settings.max_word and max(map(len, text.split()), default=0) > settings.max_word:
            raise Refused(
                422, "word_too_long", f"A word is longer than {settings.max_word:,} characters; put spaces into it."
            )
        size = count_tokens(text, left)
        if size > left:
            raise Refused(
                422,
                "too_many_tokens",
                f"The request has more than {settings.max_tokens:,} tokens; send its texts in several requests.",
            )
        left -= size
        sizes.append(size)
    return sizes


def _columns(asked: list[str] | None, offer: Offer) -> tuple[str, ...]:
    if asked is None:
        return offer.columns
    every = (*offer.columns, *offer.optional)
    for name in asked:
        if name not in every:
            known = "is unknown" if name not in COLUMNS else "is not filled by the models of this server"
            raise Refused(422, "unknown_column", f"Column {_shown(name)} {known}; choose from {_listed(every)}.")
    return tuple(name for name in every if name in asked)


def _style(field: str, asked: str | None, usual: str | None, known: tuple[str, ...]) -> str | None:
    wanted = usual if asked is None else asked
    if wanted is None or wanted in known:
        return wanted
    what = field.replace("_", " ")
    if not known:
        raise Refused(422, f"unknown_{field}", f"The models of this server have no {what}s; leave {field} out.")
    raise Refused(
        422, f"unknown_{field}", f"{what.capitalize()} {_shown(wanted)} is unknown; choose from {_listed(known)}."
    )


def _shown(name: str) -> str:
    return json.dumps(name if len(name) <= 40 else f"{name[:40]}…", ensure_ascii=False)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def _refusal(error: ValidationError) -> Refused:
    """Turn pydantic's findings into one sentence that quotes nothing of the text."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    what = str(first["msg"]).removeprefix("Value error, ").removeprefix("Invalid JSON: ")
    if first["type"] == "json_invalid":
        return Refused(400, "bad_json", f"The body is not valid JSON: {what}.")
    where = ".".join(str(part) for part in first["loc"] if isinstance(part, int) or part in AnalyzeRequest.model_fields)
    if first["type"] == "extra_forbidden":
        fields = ", ".join(AnalyzeRequest.model_fields)
        return Refused(422, "invalid", f"The request has a field that is unknown; it may have {fields}.")
    return Refused(422, "invalid", f"The request is not as it should be: {where + ': ' if where else ''}{what}.")
