"""Compile upstream's morphology tables into the package's lexicon file.

    python -m training.lexicon vngrs_nlp-0.2.4-py3-none-any.whl
    python -m training.lexicon --download

The wheel is opened as a zip and never installed; with ``--download`` pip fetches it first. Errors of the tables are
mended here, where they can be counted, and not at run time:

- the byte-order mark that makes the first suffix unreachable,
- suffixes with a capital letter, the stem ``*UNKNOWN*``: no lower-cased word ever reaches them,
- ``null``, the name of the bare stem's row, which upstream also takes for a suffix spelt n-u-l-l,
- suffixes with an apostrophe also have the readings of the same suffix without one; upstream looks those up on every
  call, adds them to its table each time, and fails where there are none.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import zipfile
import zlib
from array import array
from pathlib import Path
from typing import TYPE_CHECKING

from vnlp_colab.text.lexicon import KIND_BIT, LEXICON_FILE, LEXICON_FORMAT, Lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REQUIREMENT = "vngrs-nlp==0.2.4"
_TABLES = "vnlp/stemmer_morph_analyzer/resources/"
_ABOUT = {
    "source": "vngrs-nlp 0.2.4: StemListWithFlags_v2.txt, Suffixes&Tags.txt, ExactLookup.txt",
    "credit": "VNGRS-AI, VNLP; morphology tables by Eray Yildiz",
    "licence": "AGPL-3.0",
}


def kind_of(tags: str) -> int:
    """Return the bit of the stem kind that a tag sequence begins with."""
    first, *rest = tags.replace("^", "+").split("+")[:2]
    return KIND_BIT[f"{first}+{rest[0]}" if rest and rest[0] in ("Prop", "Time") else first]


def _rows(table: str) -> list[list[str]]:
    return [line.strip().split("\t") for line in table.lstrip("\ufeff").splitlines() if line.strip()]


def read_stems(table: str) -> dict[str, int]:
    """Return stem to kind bits."""
    stems: dict[str, int] = {}
    for stem, flags in _rows(table):
        if not stem.startswith("*"):
            stems[stem] = stems.get(stem, 0) | int(flags)
    return stems


def read_suffixes(table: str) -> dict[str, tuple[str, ...]]:
    """Return suffix to tag sequences, the bare stem under ``""``."""
    listed: dict[str, dict[str, None]] = {}
    for suffix, tags in _rows(table):
        if not any(map(str.isupper, suffix)):
            listed.setdefault("" if suffix == "null" else suffix, {})[tags] = None
    suffixes = {}
    for suffix, sequences in listed.items():
        bare = listed.get(suffix[1:], {}) if suffix.startswith("'") else {}
        suffixes[suffix] = tuple(sequences | bare)
    return suffixes


def read_words(table: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return whole word to (root, tag sequence) readings; a word listed twice has those of its last row."""
    words = {}
    for word, listed in _rows(table):
        readings: dict[tuple[str, str], None] = {}
        for reading in listed.split(" "):
            root, _, tags = reading.partition("/")[2].partition("+")
            readings[root, tags] = None
        words[word] = tuple(readings)
    return words


def compile_tables(stem_table: str, suffix_table: str, word_table: str) -> Lexicon:
    """Return the lexicon of the three tables' text."""
    suffixes = read_suffixes(suffix_table)
    tags = sorted({sequence for sequences in suffixes.values() for sequence in sequences})
    number = {sequence: index for index, sequence in enumerate(tags)}
    paradigms: dict[tuple[int, ...], int] = {}
    return Lexicon(
        stems=read_stems(stem_table),
        suffixes={
            suffix: paradigms.setdefault(tuple(number[sequence] for sequence in sequences), len(paradigms))
            for suffix, sequences in suffixes.items()
        },
        paradigms=tuple(array("H", paradigm) for paradigm in paradigms),
        tags=tuple(tags),
        kinds=array("H", map(kind_of, tags)),
        words=read_words(word_table),
    )


def _lines(values: Iterable[str]) -> bytes:
    return "\n".join(values).encode()


def _numbers(values: Iterable[int]) -> bytes:
    numbers = array("H", values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def pack(lexicon: Lexicon, about: Mapping[str, str]) -> bytes:
    """Return the bytes of the lexicon file; `about` (source, licence) goes into its header."""
    stems = sorted(lexicon.stems)
    suffixes = sorted(lexicon.suffixes)
    sections = {
        "stems": _lines(stems),
        "stem_kinds": _numbers(lexicon.stems[stem] for stem in stems),
        "suffixes": _lines(suffixes),
        "suffix_paradigms": _numbers(lexicon.suffixes[suffix] for suffix in suffixes),
        "paradigm_sizes": _numbers(len(paradigm) for paradigm in lexicon.paradigms),
        "paradigms": _numbers(tag for paradigm in lexicon.paradigms for tag in paradigm),
        "tags": _lines(lexicon.tags),
        "tag_kinds": _numbers(lexicon.kinds),
        "words": _lines(
            "\t".join((word, *(f"{root}\t{tags}" for root, tags in readings)))
            for word, readings in lexicon.words.items()
        ),
    }
    sizes = {name: len(section) for name, section in sections.items()}
    header = json.dumps({"format": LEXICON_FORMAT, "about": dict(about), "sections": sizes}, ensure_ascii=False)
    return zlib.compress(header.encode() + b"\n" + b"".join(sections.values()), 9)


def compile_wheel(wheel: Path) -> Lexicon:
    """Return the lexicon of the tables inside a ``vngrs-nlp`` wheel."""
    with zipfile.ZipFile(wheel) as archive:
        stems, suffixes, words = (
            archive.read(_TABLES + name).decode()
            for name in ("StemListWithFlags_v2.txt", "Suffixes&Tags.txt", "ExactLookup.txt")
        )
    return compile_tables(stems, suffixes, words)


def download_wheel(folder: Path) -> Path:
    """Fetch upstream's wheel with pip into `folder` and return its path."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder), REQUIREMENT]
    subprocess.run(command, check=True)
    return next(folder.glob("vngrs_nlp-*.whl"))


def main() -> None:
    """Write the lexicon file."""
    parser = argparse.ArgumentParser(prog="training.lexicon", description="Compile the morphology tables.")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("wheel", nargs="?", type=Path, help="the vngrs-nlp 0.2.4 wheel")
    source.add_argument("--download", action="store_true", help="fetch the wheel with pip")
    parser.add_argument("--output", type=Path, default=LEXICON_FILE)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lexicon = compile_wheel(download_wheel(Path(folder)) if arguments.download else arguments.wheel)
    packed = pack(lexicon, _ABOUT)
    arguments.output.write_bytes(packed)
    print(
        f"{arguments.output}: {len(packed):,} bytes, {len(lexicon.stems):,} stems, {len(lexicon.suffixes):,} suffixes, "
        f"{len(lexicon.paradigms):,} paradigms, {len(lexicon.tags):,} tag sequences, {len(lexicon.words):,} whole words"
    )


if __name__ == "__main__":
    main()
