"""spaCy itself reads what we give it: documents, and the component in its pipelines."""

from __future__ import annotations

import pickle
import sys

import pytest

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (pip install vnlp-colab[spacy])")

from spacy import displacy  # noqa: E402
from spacy.tokens import Doc  # noqa: E402

from vnlp_colab import VNLPipeline  # noqa: E402
from vnlp_colab.errors import VNLPError  # noqa: E402
from vnlp_colab.sentiment.sentiment_colab import SPUCBiGRUSentimentAnalyzer  # noqa: E402

TEXT = "Ayşe Hanım bugün  İzmir'e gidiyor. Hava çok güzeldi!\nTürkiye'nin başkenti Ankara'dır. "
TASKS = ["pos", "ner", "dep", "stemmer", "sentiment"]


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("tr")
    nlp.add_pipe("vnlp_colab")
    return nlp


@pytest.fixture(scope="module")
def our_tokens():
    nlp = spacy.blank("tr")
    nlp.add_pipe("vnlp_colab", config={"tokens": "vnlp"})
    return nlp


@pytest.fixture(scope="module", params=["spacy", "vnlp"])
def doc(request, nlp, our_tokens) -> Doc:
    return (nlp if request.param == "spacy" else our_tokens)(TEXT)


class TestDoc:
    def test_the_text_stays(self, doc):
        assert doc.text == TEXT

    def test_tags_features_and_lemmas(self, doc):
        word = next(token for token in doc if token.text == "gidiyor")
        assert (word.pos_, word.lemma_, word.tag_) == ("VERB", "git", "VERB")
        assert word.morph.get("Tense") == ["Pres"]
        assert word.morph.get("Polarity") == ["Pos"]

    def test_trees_are_those_of_the_pipeline(self, doc):
        sentence = next(doc.sents)
        tree = {token.text: (token.head.text, token.dep_) for token in sentence if not token.is_space}
        assert tree["gidiyor"] == ("gidiyor", "ROOT")
        assert tree["Ayşe"] == ("gidiyor", "nsubj")
        assert sentence.root.text == "gidiyor"

    def test_sentences(self, doc):
        assert [sentence.text.strip() for sentence in doc.sents] == [
            "Ayşe Hanım bugün  İzmir'e gidiyor.",
            "Hava çok güzeldi!",
            "Türkiye'nin başkenti Ankara'dır.",
        ]

    def test_entities_with_their_names(self, doc):
        found = [(entity.text, entity.label_, entity.id_) for entity in doc.ents]
        assert ("Ayşe Hanım", "PER", "Ayşe Hanım") in found
        assert ("Türkiye'nin", "LOC", "Türkiye") in found

    def test_sentiment_is_that_of_the_whole_text(self, doc):
        # read with and without the doubled space: the same words, so the same number up to rounding
        alone = VNLPipeline(["sentiment"], device="cpu")(TEXT)
        assert doc._.sentiment == pytest.approx(alone.sentiment, abs=2e-4)
        assert doc._.sentiment_label == alone.sentiment_label is not None

    def test_white_space_hangs_on_the_word_before_it(self, doc):
        space = next(token for token in doc if token.is_space)
        assert (space.pos_, space.head.i) == ("SPACE", space.i - 1)

    def test_displacy_draws_it(self, doc):
        assert "gidiyor" in displacy.render(doc, style="dep", jupyter=False)
        assert "Ayşe Hanım" in displacy.render(doc, style="ent", jupyter=False)

    def test_it_goes_through_bytes(self, doc):
        again = Doc(doc.vocab).from_bytes(doc.to_bytes())
        assert [token.dep_ for token in again] == [token.dep_ for token in doc]


class TestToSpacy:
    @pytest.fixture(scope="class")
    def ours(self):
        return VNLPipeline(TASKS, device="cpu")

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "\n\nTek satır.",
            "Kâğıt   bitti .\t Sonra\u200bgittik…",
            "a\u0301 ve e\u0301",
            "🙂🙂 İyi ki doğdun!!!",
            ".",
        ],
    )
    def test_every_character_of_the_text_is_there(self, ours, text):
        doc = ours(text).to_spacy()
        assert doc.text == text
        assert sum(not token.is_space for token in doc) >= len(ours(text))

    def test_columns_are_equal(self, ours):
        document = ours("Ali eve gitti. Kâğıt bitti.")
        doc = document.to_spacy()
        assert [token.pos_ for token in doc] == document.pos
        assert [token.lemma_ for token in doc] == document.lemma
        assert [str(token.morph) or "_" for token in doc] == document.feats
        assert [token.norm_ for token in doc if token.text == "Kâğıt"] == ["Kağıt"]

    def test_only_what_was_loaded_is_filled(self):
        doc = VNLPipeline(["pos"], device="cpu")("Ali gitti. Veli geldi.").to_spacy()
        assert doc.has_annotation("POS")
        assert not doc.has_annotation("DEP")
        assert not doc.has_annotation("LEMMA")
        assert doc._.sentiment is doc._.sentiment_label is None
        assert len(list(doc.sents)) == 2

    def test_what_is_no_text_becomes_the_replacement_character(self, ours):
        assert ours("Ali \ud800 geldi.").to_spacy().text == "Ali \ufffd geldi."

    def test_without_spacy_the_message_says_what_to_install(self, ours, monkeypatch):
        monkeypatch.delitem(sys.modules, "vnlp_colab.document.spacy_doc")
        monkeypatch.setitem(sys.modules, "spacy", None)
        with pytest.raises(VNLPError, match=r"pip install 'vnlp-colab\[spacy\]'"):
            ours("Ali gitti.").to_spacy()

    def test_a_vocabulary_of_ones_own(self, ours):
        vocab = spacy.blank("tr").vocab
        assert ours("Ali gitti.").to_spacy(vocab).vocab is vocab


class TestComponent:
    def test_spacys_tokens_are_kept(self, nlp):
        text = "Ali'nin evi-barkı 12.30'da yandı."
        assert [token.text for token in nlp(text)] == [token.text for token in spacy.blank("tr")(text)]

    def test_our_tokens_if_asked_for(self, our_tokens):
        text = "Ali'nin evi-barkı 12.30'da yandı."
        words = [token.text for token in VNLPipeline(["pos"], device="cpu")(text)]
        assert [token.text for token in our_tokens(text)] == words

    def test_sentences_of_a_component_before_it_are_kept(self):
        nlp = spacy.blank("tr")
        nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
        nlp.add_pipe("vnlp_colab", config={"models": ["pos"]})
        assert [sentence.text for sentence in nlp("Ali geldi. Veli de; Ayşe gitti.").sents] == [
            "Ali geldi. Veli de;",
            "Ayşe gitti.",
        ]

    def test_many_texts_give_what_one_by_one_gives(self, nlp):
        texts = ["Ali geldi.", "", "   ", "Hava güzel. Kuşlar uçuyor.", "Ne?"] * 3
        piped = list(nlp.pipe(texts, batch_size=4))
        assert [doc.text for doc in piped] == texts
        for doc, text in zip(piped, texts, strict=True):
            alone = nlp(text)
            assert [token.pos_ for token in doc] == [token.pos_ for token in alone]
            assert [token.head.i for token in doc] == [token.head.i for token in alone]

    @pytest.mark.parametrize("tokens", ["spacy", "vnlp"])
    def test_contexts_come_along(self, tokens, nlp, our_tokens):
        pipe = nlp if tokens == "spacy" else our_tokens
        assert [(doc.text, n) for doc, n in pipe.pipe([("Gel.", 1), ("Git.", 2)], as_tuples=True)] == [
            ("Gel.", 1),
            ("Git.", 2),
        ]

    @pytest.mark.parametrize("tokens", ["spacy", "vnlp"])
    def test_to_disk_and_back(self, tokens, nlp, our_tokens, tmp_path, caplog):
        pipe = nlp if tokens == "spacy" else our_tokens
        pipe.to_disk(tmp_path / "model")
        again = spacy.load(tmp_path / "model")
        assert not caplog.records
        assert [token.tag_ for token in again(TEXT)] == [token.tag_ for token in pipe(TEXT)]

    def test_other_models_than_saved_are_told(self, nlp, tmp_path, caplog):
        nlp.to_disk(tmp_path / "model")
        (tmp_path / "model" / "vnlp_colab").write_text('{"pos": "other"}', encoding="utf-8")
        spacy.load(tmp_path / "model")
        assert "was saved with other models" in caplog.text

    def test_to_bytes_and_back(self, nlp):
        again = spacy.blank("tr")
        again.add_pipe("vnlp_colab")
        again.from_bytes(nlp.to_bytes())
        assert [token.pos_ for token in again("Ali geldi.")] == [token.pos_ for token in nlp("Ali geldi.")]

    def test_it_can_be_pickled(self, nlp):
        nlp(TEXT)  # of several sentences: whatever was made for them goes along
        component = pickle.loads(pickle.dumps(nlp.get_pipe("vnlp_colab")))
        assert component(spacy.blank("tr")("Ali geldi."))[1].pos_ == "VERB"

    def test_a_style_is_for_the_models_that_have_styles(self):
        nlp = spacy.blank("tr")
        nlp.add_pipe("sentencizer")
        models = ["pos", "sentiment:SPUCBiGRUSentimentAnalyzer"]
        nlp.add_pipe("vnlp_colab", config={"models": models, "settings": {"style": "boun"}})
        text = "Ali geldi. Veli gitti."
        alone = VNLPipeline(["sentiment:SPUCBiGRUSentimentAnalyzer"], device="cpu")(text).sentiment
        assert nlp(text)._.sentiment == pytest.approx(alone, abs=1e-5)  # the same words, so the same up to rounding

    @pytest.mark.parametrize("tokens", ["spacy", "vnlp"])
    @pytest.mark.parametrize("label", ["neutral", None])
    def test_the_sentiments_label_is_the_models(self, tokens, label, monkeypatch):
        class Undecided(SPUCBiGRUSentimentAnalyzer):
            provides = ("sentiment", "sentiment_label") if label else ("sentiment",)

            def annotate(self, batch, wanted):
                found = {"sentiment": [0.75] * len(batch), "sentiment_label": [label] * len(batch)}
                return {name: found[name] for name in wanted}

        model = Undecided(device="cpu")
        monkeypatch.setattr("vnlp_colab.pipeline_colab.load_model", lambda *_, **__: model)
        nlp = spacy.blank("tr")
        nlp.add_pipe("vnlp_colab", config={"models": ["sentiment"], "tokens": tokens})
        for text in ("Ali geldi.", "Ali geldi. Veli gitti."):
            assert nlp(text)._.sentiment_label == (label or "positive")

    def test_columns_of_other_tasks_are_none_of_the_sentiment(self):
        nlp = spacy.blank("tr")
        nlp.add_pipe("vnlp_colab", config={"models": ["pos", "sentiment"], "settings": {"columns": ["pos_confidence"]}})
        assert 0 < nlp("Ali geldi. Veli gitti.")._.sentiment < 1

    @pytest.mark.parametrize(
        ("config", "message"),
        [
            ({"models": ["nothing"]}, "unknown task"),
            ({"tokens": "mine"}, "spacy|vnlp"),
            ({"settings": {"style": "BOUN"}}, "unknown style 'BOUN'"),
            ({"models": ["pos:SPUContextPoS"], "settings": {"style": "boun"}}, "style 'boun' is for the joint network"),
            ({"settings": {"entity_style": "ner"}}, "unknown entity_style 'ner'"),
            (
                {"models": ["pos"], "settings": {"entity_style": "wikiann_tr"}},
                "entity_style .* is for the joint network",
            ),
            ({"settings": {"split": "words"}}, "unknown split 'words'"),
            ({"settings": {"normalize": ["all"]}}, "unknown step 'all'"),
        ],
    )
    def test_wrong_settings_are_told_at_once(self, config, message):
        with pytest.raises(Exception, match=message):
            spacy.blank("tr").add_pipe("vnlp_colab", config=config)
