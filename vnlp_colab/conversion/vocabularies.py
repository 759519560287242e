"""The vocabularies of upstream's models, from Keras tokenizer files to plain JSON beside the model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vnlp_colab.atomic import write_atomically
from vnlp_colab.conversion import wheels
from vnlp_colab.conversion.errors import WeightsError
from vnlp_colab.resources.places import EMBEDDED_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from vnlp_colab.conversion.catalog import Resource


def write_resources(resources: Iterable[Resource], output: Path, folder: Path | None = None) -> None:
    """Write the files that belong to a model; ``folder`` may hold upstream's files or the wheel they are in."""
    for resource in resources:
        write_atomically(output / resource.file, resource_content(resource, folder), shared=True)


def resource_content(resource: Resource, folder: Path | None = None) -> bytes:
    """Return what the file beside the model holds: a list of labels, a string-to-id table, or the tokenizer itself."""
    embedded = EMBEDDED_FOLDER / resource.file
    if embedded.is_file():
        return embedded.read_bytes()
    given = None if folder is None else folder / resource.source.name
    content = given.read_bytes() if given and given.is_file() else wheels.wheel_member(resource.source, folder)
    if resource.kind == "tokenizer":
        return content
    index = _word_index(content, resource.source.name)
    table: Any = ["", *sorted(index, key=index.__getitem__)] if resource.kind == "labels" else index
    return (json.dumps(table, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _word_index(content: bytes, name: str) -> dict[str, int]:
    """Return string to id from a Keras tokenizer; ids past ``num_words`` are unknown to the network and left out."""
    try:
        tokenizer = json.loads(content)
        if isinstance(tokenizer, str):  # upstream wrote the JSON text once more as a JSON string
            tokenizer = json.loads(tokenizer)
        config = tokenizer["config"]
        limit = config["num_words"]
        index = {str(word): int(number) for word, number in json.loads(config["word_index"]).items()}
    except (ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{name} is not a Keras tokenizer file: {error!r}") from error
    return {word: number for word, number in index.items() if limit is None or number < limit}
