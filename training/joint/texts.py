"""Texts the joint network learns from: which are held out, how they can be written otherwise, where raw ones lie."""

from __future__ import annotations

import lzma
import random
import re
from typing import TYPE_CHECKING

from benchmarks.treebanks import TreebankSentence, read_treebank
from training import corpus
from vnlp_colab.joint.affixes import fold
from vnlp_colab.text.case import lower_case, upper_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ENTITY_SETS = ("wikiann_tr", "turkish_wiki_ner", "starlang_penn15_v2")
WRITINGS = ("as it stands", "lower case", "capitals", "no Turkish letters")
_ASCII = str.maketrans("çğıöşüÇĞİÖŞÜâîûÂÎÛ", "cgiosuCGIOSUaiuAIU")
_NO_LETTER = re.compile(r"[\W_]+")


def without_turkish_letters(text: str) -> str:
    """Return the text as typed on a keyboard without Turkish letters.

    Examples
    --------
    >>> without_turkish_letters("Çiğ köfte İzmir'de")
    "Cig kofte Izmir'de"
    """
    return text.translate(_ASCII)


def write_as(word: str, writing: int) -> str:
    """Return the word in one of the `WRITINGS`."""
    return (word, lower_case(word), upper_case(word), without_turkish_letters(word))[writing]


def key(words: list[str] | tuple[str, ...] | str) -> str:
    """Return the letters of a sentence alone, folded: two sentences with one key say the same.

    Examples
    --------
    >>> key(["Eve", "gitti", "."]) == key("eve gitti!")
    True
    """
    return _NO_LETTER.sub("", fold(words if isinstance(words, str) else "".join(words)))


def treebank_file(data: Path, treebank: str, part: str) -> Path:
    """Return the place of one file of a treebank."""
    return data / "ud" / f"UD_Turkish-{treebank}" / f"tr_{treebank.lower()}-ud-{part}.conllu"


def without_test_sentences(path: Path, files: Iterable[Path]) -> list[TreebankSentence]:
    """Return the sentences of a treebank's train or dev file that these test files have not, whatever their letters."""
    tests = {key(sentence.text) for file in files for sentence in read_treebank(file)}
    return [sentence for sentence in read_treebank(path) if key(sentence.text) not in tests]


def test_keys(data: Path) -> set[str]:
    """Return the keys of every test sentence of every set: treebanks, entities, reviews, morphology."""
    found = {
        key(s.words) for name in corpus.TREEBANKS for s, _ in corpus.read_conllu(treebank_file(data, name, "test"))
    }
    found |= {key(w) for name in ENTITY_SETS for w, _ in corpus.read_bio(data / "ner" / name / "test.conll")}
    found |= {key(text) for _, text in corpus.read_reviews(data / "sentiment" / "winvoker" / "test.tsv")}
    return found | morph_test_keys(data)


def morph_test_keys(data: Path) -> set[str]:
    """Return the keys of yildiz2016's test sentences (``word analyses...`` lines between ``<S`` and ``</S`` ones)."""
    found: set[str] = set()
    words: list[str] = []
    with (data / "morph" / "yildiz2016" / "data.test.txt").open(encoding="utf-8") as lines:
        for line in lines:
            first = line.split(" ", 1)[0].strip()
            if first.startswith("<"):
                if words:
                    found.add(key(words))
                words = []
            elif first:
                words.append(first)
    return found | {key(words)}


def other_paragraphs(data: Path) -> Iterator[tuple[str, str]]:
    """Yield source and paragraph of the texts that are no Wikipedia: laws, manuals, a blog, reviews of supplements."""
    for path in sorted((data / "raw" / "other").glob("*.txt.xz")):
        with lzma.open(path, "rt", encoding="utf-8", errors="ignore") as lines:
            yield from ((path.name.partition(".")[0], line.strip()) for line in lines)


def official_paragraphs(data: Path) -> Iterator[str]:
    """Yield the paragraphs of laws and manuals."""
    return (text for source, text in other_paragraphs(data) if source in ("acik_mevzuat", "msdocs_HT"))


def wikipedia(data: Path, share: float, seed: int) -> Iterator[str]:
    """Yield about this share of the paragraphs of Wikipedia."""
    with lzma.open(data / "raw" / "wikipedia_tr.txt.xz", "rt", encoding="utf-8", errors="ignore") as lines:
        chance = random.Random(seed)
        yield from (line.strip() for line in lines if chance.random() < share)
