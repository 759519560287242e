"""`StemmerAnalyzer`: agreement with the production output, both decodings, both layouts, odd input."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import vnlp_colab
from vnlp_colab.stemmer import incremental as incremental_module
from vnlp_colab.stemmer import stemmer_colab
from vnlp_colab.stemmer.incremental import IncrementalScorer
from vnlp_colab.stemmer.inputs import AmbiguousWord, LayoutError, layout_of, windows
from vnlp_colab.stemmer.stemmer_colab import StemmerAnalyzer, get_stemmer_analyzer, lemma_of
from vnlp_colab.text.morphology import CandidateGenerator

GOLDEN = [
    json.loads(line) for line in Path(__file__).with_name("golden.jsonl").read_text(encoding="utf-8").splitlines()
]
SENTENCES = [sentence["tokens"] for sentence in GOLDEN]


def ambiguous_places(sentences: list[list[str]]) -> list[AmbiguousWord]:
    generator = CandidateGenerator()
    found = (
        AmbiguousWord(tokens, position, generator.candidates(token))
        for tokens in sentences
        for position, token in enumerate(tokens)
    )
    return [place for place in found if len(place.candidates) > 1]


def long_sentence(length: int) -> list[str]:
    words = [token for tokens in SENTENCES for token in tokens]
    return words[:length]


def test_documented_sentence_needs_the_right_layout(stemmer: StemmerAnalyzer) -> None:
    assert stemmer.predict(["Şimdi", "baştan", "başla", "."]) == [
        "şimdi+Adverb",
        "baş+Noun+A3sg+Pnon+Abl",
        "başla+Verb+Pos+Imp+A2sg",
        ".+Punc",
    ]


class TestAgreementWithProduction:
    """The golden lines come from other weights; docs/parity.md has the figures of the whole file."""

    def test_candidates_contain_every_golden_analysis(self) -> None:
        generator = CandidateGenerator()
        for sentence in GOLDEN:
            for token, golden in zip(sentence["tokens"], sentence["morph"], strict=True):
                assert golden in {str(analysis) for analysis in generator.candidates(token)}

    def test_analyses_and_lemmas(self, stemmer: StemmerAnalyzer) -> None:
        made = [analysis for analyses in stemmer.predict_batch(SENTENCES) for analysis in analyses]
        morph = [analysis for sentence in GOLDEN for analysis in sentence["morph"]]
        lemma = [root for sentence in GOLDEN for root in sentence["lemma"]]
        # 96 % and 98.5 % is what the wheel's weights must reach of the whole file, of which these lines are a sample.
        assert np.mean([ours == theirs for ours, theirs in zip(made, morph, strict=True)]) >= 0.96
        assert np.mean([lemma_of(ours) == theirs for ours, theirs in zip(made, lemma, strict=True)]) >= 0.985

    def test_lemma_of_golden_analyses(self) -> None:
        for sentence in GOLDEN:
            assert [lemma_of(analysis) for analysis in sentence["morph"]] == sentence["lemma"]


class TestIncrementalIsTheFullNetwork:
    def test_probabilities(self, both_decodings: tuple[StemmerAnalyzer, StemmerAnalyzer]) -> None:
        incremental, stepwise = both_decodings
        # One sentence longer than both windows, so that positions 39, 40, 41 and 100 are in it.
        places = ambiguous_places([*SENTENCES[:8], long_sentence(110)])
        ours = incremental.probabilities(places)
        full = stepwise.probabilities(places)
        # Float32 sums in another order: 1e-6 was measured; 1e-5 is the bound the conversion keeps as well.
        np.testing.assert_allclose(ours, full, atol=1e-5)

    def test_unrolled_loops(self, both_decodings: tuple[StemmerAnalyzer, StemmerAnalyzer]) -> None:
        incremental, _ = both_decodings
        unrolled = IncrementalScorer(
            incremental.files.path, incremental.encoder, incremental.layout, device="cpu", unrolled=True
        )
        places = ambiguous_places([*SENTENCES[:8], long_sentence(110)])
        # The same products in the same order, but for how rows are shared out among threads.
        np.testing.assert_allclose(unrolled.probabilities(places), incremental.probabilities(places), atol=1e-5)

    def test_analyses(self, both_decodings: tuple[StemmerAnalyzer, StemmerAnalyzer]) -> None:
        incremental, stepwise = both_decodings
        sentences = [*SENTENCES[:12], [], ["."], ["yüzünün"], long_sentence(45)]
        assert incremental.predict_batch(sentences) == stepwise.predict_batch(sentences)

    @pytest.mark.parametrize("position", [0, 39, 40, 41, 100])
    def test_window_slides(self, both_decodings: tuple[StemmerAnalyzer, StemmerAnalyzer], position: int) -> None:
        incremental, stepwise = both_decodings
        tokens = long_sentence(110)
        tokens[position] = "yüzünün"
        place = [AmbiguousWord(tokens, position, CandidateGenerator().candidates("yüzünün"))]
        # as above
        np.testing.assert_allclose(incremental.probabilities(place), stepwise.probabilities(place), atol=1e-5)

    def test_batch_does_not_matter(self, stemmer: StemmerAnalyzer) -> None:
        together = stemmer.predict_batch(SENTENCES)
        assert together == [stemmer.predict(tokens) for tokens in SENTENCES]
        assert stemmer.predict_batch(SENTENCES[::-1]) == together[::-1]

    def test_chunks_do_not_matter(self, stemmer: StemmerAnalyzer, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = stemmer.predict_batch(SENTENCES)
        monkeypatch.setitem(stemmer_colab._CHUNK_WORDS, "cpu", 30)
        assert stemmer.predict_batch(SENTENCES) == whole

    def test_full_caches_do_not_matter(self, stemmer: StemmerAnalyzer, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("_CACHED_WORDS", "_CACHED_STEMS", "_CACHED_TAGS"):
            monkeypatch.setattr(incremental_module, name, 20)
        crowded = StemmerAnalyzer(device="cpu")
        assert [crowded.predict(tokens) for tokens in SENTENCES] == [stemmer.predict(tokens) for tokens in SENTENCES]

    @pytest.mark.slow
    def test_keras(self, both_decodings: tuple[StemmerAnalyzer, StemmerAnalyzer]) -> None:
        from vnlp_colab.keras_models import create_stemmer_model
        from vnlp_colab.recurrent.graph import read_weights

        incremental, _ = both_decodings
        arrays = read_weights(incremental.files.path)
        model = create_stemmer_model()
        model.set_weights(list(keras_weights(arrays)))
        places = ambiguous_places([*SENTENCES[:6], long_sentence(60)])
        keras = model.predict(windows(places, incremental.encoder, incremental.layout), verbose=0)
        ours = incremental.probabilities(places)
        np.testing.assert_allclose(ours, keras, atol=1e-5)  # as above
        counts = np.array([len(place.candidates) for place in places])
        allowed = np.arange(10) < counts[:, None]
        assert (np.argmax(ours * allowed, 1) == np.argmax(keras * allowed, 1)).all()


def keras_weights(arrays: dict[str, np.ndarray]):
    """Give the arrays of a model file in the order and the shapes of Keras."""
    yield arrays["chars/embedding"]
    yield arrays["tags/embedding"]
    for block in ("surface_left", "surface_right", "stem", "tag", "left", "right"):
        for direction in range(len(arrays[f"{block}/gru_0/W"])):
            yield arrays[f"{block}/gru_0/W"][direction].T
            yield arrays[f"{block}/gru_0/R"][direction].T
            yield arrays[f"{block}/gru_0/B"][direction].reshape(2, -1)
    for layer in ("dense_0", "dense_1"):
        yield arrays[f"{layer}/kernel"]
        yield arrays[f"{layer}/bias"]


class TestInput:
    def test_empty_sentence(self, stemmer: StemmerAnalyzer) -> None:
        assert stemmer.predict([]) == []
        assert stemmer.predict_batch([]) == []
        assert stemmer.predict_batch([[], ["ev"], []])[::2] == [[], []]

    @pytest.mark.parametrize("wrong", ["Ali geldi.", None, 5, [None], [3.5], b"Ali"])
    def test_wrong_types_are_said(self, stemmer: StemmerAnalyzer, wrong: object) -> None:
        with pytest.raises(TypeError, match=r"token"):
            stemmer.predict(wrong)

    def test_strings_for_sentences_are_said(self, stemmer: StemmerAnalyzer) -> None:
        with pytest.raises(TypeError, match="list of sentences"):
            stemmer.predict_batch("Ali geldi.")
        with pytest.raises(TypeError, match="list of tokens"):
            stemmer.predict_batch(["Ali geldi."])

    def test_odd_tokens_are_answered(self, stemmer: StemmerAnalyzer) -> None:
        tokens = ["", " ", "\t", "\0", "😀", "\ud800", "x" * 10_000, "9" * 10_000, "+", "++", "a+b", "^", "yüzü"]
        analyses = stemmer.predict(tokens)
        assert len(analyses) == len(tokens)
        assert analyses[8] == "++Punc"

    def test_tuples_and_arrays_are_sentences(self, stemmer: StemmerAnalyzer) -> None:
        tokens = SENTENCES[0]
        assert stemmer.predict(tuple(tokens)) == stemmer.predict(np.array(tokens)) == stemmer.predict(tokens)

    def test_input_is_left_as_it_was(self, stemmer: StemmerAnalyzer) -> None:
        tokens = list(SENTENCES[0])
        stemmer.predict(tokens)
        assert tokens == SENTENCES[0]


class TestClass:
    def test_names_are_read_off_the_session(self, stemmer: StemmerAnalyzer) -> None:
        assert stemmer.input_names == [value.name for value in stemmer.inference_session.get_inputs()]
        assert stemmer.output_names == [value.name for value in stemmer.inference_session.get_outputs()]
        assert stemmer.device == "cpu"

    def test_one_instance_per_configuration(self) -> None:
        first = get_stemmer_analyzer(device="cpu")
        assert get_stemmer_analyzer(device="cpu") is first
        assert get_stemmer_analyzer(device="cpu", decoding="stepwise") is not first

    def test_public_name(self) -> None:
        assert vnlp_colab.StemmerAnalyzer is StemmerAnalyzer

    def test_threads(self, stemmer: StemmerAnalyzer) -> None:
        expected = [stemmer.predict(tokens) for tokens in SENTENCES]
        fresh = StemmerAnalyzer(device="cpu")
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(fresh.predict, SENTENCES)) == expected

    def test_unknown_decoding_is_said(self) -> None:
        with pytest.raises(ValueError, match="incremental, stepwise"):
            StemmerAnalyzer(decoding="quick")

    def test_unknown_layout_is_said(self) -> None:
        with pytest.raises(LayoutError, match="wheel, store"):
            layout_of("sideways")
        with pytest.raises(LayoutError):
            layout_of(None)

    def test_no_tensorflow_is_imported(self) -> None:
        program = (
            "import sys; from vnlp_colab import get_stemmer_analyzer\n"
            "get_stemmer_analyzer(device='cpu').predict(['yüzünün', 'rengi'])\n"
            "assert 'tensorflow' not in sys.modules and 'keras' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", program], check=True)


class TestLayouts:
    """Where the padding stands, by hand: the two layouts of the same two-word sentence."""

    def test_wheel(self, stemmer: StemmerAnalyzer) -> None:
        _, _, left, right = windows(self.places(), stemmer.encoder, layout_of("wheel"))
        assert left[1, 0].any()
        assert not left[1, 1:].any()
        assert right[0, 0, :3].all()
        assert not right[0, 0, 3:].any()
        assert not right[0, 1:].any()

    def test_store(self, stemmer: StemmerAnalyzer) -> None:
        _, _, left, right = windows(self.places(), stemmer.encoder, layout_of("store"))
        assert left[1, 39].any()
        assert not left[1, :39].any()
        assert right[0, 0, 12:].all()
        assert not right[0, 0, :12].any()
        assert not right[0, 1:].any()

    def test_stems_and_tags_are_prepadded_in_both(self, stemmer: StemmerAnalyzer) -> None:
        for layout in ("wheel", "store"):
            stem, tag, _, _ = windows(self.places(), stemmer.encoder, layout_of(layout))
            assert stem[0, 0, -1]
            assert not stem[0, 0, 0]
            assert tag[0, 0, -1]
            assert not tag[0, 0, 0]

    @staticmethod
    def places() -> list[AmbiguousWord]:
        words = ["ev", "gül"]
        return [
            AmbiguousWord(words, position, CandidateGenerator().candidates(word)) for position, word in enumerate(words)
        ]


@pytest.mark.parametrize(
    ("analysis", "lemma"),
    [
        ("kitap+Noun+A3sg+Pnon+Acc", "kitap"),
        ("++Punc", "+"),
        ("+5+Num+Card", "+5"),
        ("a+b+Unknown", "a+b"),
        ("+Unknown", ""),
        ("git+Verb+Pos^DB+Noun+Inf2+A3sg+Pnon+Nom", "git"),
    ],
)
def test_lemma_of(analysis: str, lemma: str) -> None:
    assert lemma_of(analysis) == lemma
