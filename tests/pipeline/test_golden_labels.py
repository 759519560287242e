"""The labels of twenty sentences through the whole pipeline, with VNLP's networks by name and with the joint one.

A change of a model, of the text rules or of a column shows here. Where it is meant, write the file anew with
`python tests/pipeline/test_golden_labels.py` and look at what changed (`git diff`).
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from vnlp_colab.columns import COLUMNS
from vnlp_colab.pipeline_colab import VNLPipeline

FOLDER = Path(__file__).parents[1] / "data"
MODELS = {
    "vnlp": [
        "pos:SPUContextPoS",
        "ner:SPUContextNER",
        "dep:SPUContextDP",
        "stemmer:StemmerAnalyzer",
        "sentiment:SPUCBiGRUSentimentAnalyzer",
    ],
    "joint": [f"{task}:JointAnalyzer" for task in ("pos", "feats", "lemma", "ner", "dep", "sentiment")],
}
# Every column these models can fill.
OPTIONAL = ["offsets", "pos_confidence", "ner_confidence", "sentiment_label", "entities", "ner_bio"]
# float32 sums in another order (other processors, threads, versions) move a probability by about 1e-6; they are
# rounded to four and six digits. In the joint network such a sum can also round to the next of 256 steps on its way
# into a product of eight bits, which moved a probability by 3e-3 and a sentiment by 1.2e-3 from one version of
# onnxruntime to another; since then the sentiment's last layers go from one end to the other in a fifth of the way. No
# label may move.
NUMBERS = {
    "vnlp": {"pos_confidence": 2e-4, "ner_confidence": 2e-4, "sentiment": 2e-5},
    "joint": {"pos_confidence": 1e-2, "ner_confidence": 1e-2, "sentiment": 3e-2},
}
SENTENCES = [
    "Ali bugün Ankara'ya gitti.",
    "Orhan Pamuk 2006 yılında Nobel Edebiyat Ödülü'nü kazandı.",
    "Bu filmi hiç beğenmedim, çok sıkıcıydı!",
    "Harika bir kitap; herkese tavsiye ederim.",
    "Annem dün akşam pazardan üç kilo elma ile iki ekmek aldı.",
    "Türkiye Büyük Millet Meclisi 23 Nisan 1920'de açıldı.",
    "Gelecek misin, gelmeyecek misin?",
    "“Yarın görüşürüz,” dedi Ayşe.",
    "Kâğıtlar masanın üzerindeydi.",
    "İstanbul Boğazı'ndan günde yüzlerce gemi geçiyor.",
    "Çekoslovakyalılaştıramadıklarımızdan mısınız?",
    "Merkez Bankası faizi %42,5'ten %40'a düşürdü.",
    "Yağmur yağdığı için maç ertelendi.",
    "Kitabı okuyup bitirdikten sonra arkadaşıma verdim.",
    "Galatasaray, Fenerbahçe'yi 3-1 yendi.",
    "Prof. Dr. Aziz Sancar Mardin'de doğdu.",
    "Ne güzel bir gün 🙂 https://example.org",
    "gelcem dedim ama gelemedim yaa",
    "Evdeki hesap çarşıya uymaz.",
    "Su.",
]


def analyze(models: str) -> list[dict[str, object]]:
    """Return the columns of each sentence, as JSON would give them back."""
    nlp = VNLPipeline(MODELS[models], device="cpu", columns=OPTIONAL)
    done = nlp.process_dataframe(pd.DataFrame({"sentence": SENTENCES}), batch_size=8)
    rows: list[dict[str, object]] = json.loads(json.dumps(done.to_dict("records"), ensure_ascii=False))
    return rows


@pytest.fixture(scope="module", params=MODELS)
def models(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def both(models) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """What comes out, and what is to come out."""
    return analyze(models), json.loads(golden_file(models).read_text(encoding="utf-8"))


def golden_file(models: str) -> Path:
    return FOLDER / f"golden_{models}.json"


def test_the_columns(both):
    rows, golden = both
    assert [list(row) for row in rows] == [list(row) for row in golden]
    assert set(golden[0]) - {"sentence"} <= set(COLUMNS)


@pytest.mark.parametrize("number", range(len(SENTENCES)), ids=SENTENCES)
def test_a_sentence(number, both, models):
    rows, golden = both
    near = NUMBERS[models]
    for name, value in golden[number].items():
        wanted = pytest.approx(value, abs=near[name]) if name in near else value
        assert rows[number][name] == wanted, name


def _write() -> None:
    for models in MODELS:
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in analyze(models))
        golden_file(models).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
