import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.text import SentenceSplitter

SPLITTER = SentenceSplitter()


@pytest.mark.parametrize(
    "sentences",
    [
        [
            'Av. Meryem Beşer, 3.5 yıldır süren dava ile ilgili dedi ki, "Duruşma bitti, dava lehimize sonuçlandı."',
            "Bu harika bir haber.",
        ],
        ["Prof. Dr. Ali Veli geldi.", "Sonra gitti."],
        ["3. Bölüm başladı.", "57. Alay yürüdü."],
        ["II. Abdülhamid tahta çıktı.", "XIV. Louis öldü."],
        ["29.10.1923 günü ilan edildi.", "Tarih 12.05.2020.", "Sonra bitti."],
        ["M. K. Atatürk Samsun'a çıktı.", "T.C. Sağlık Bakanlığı açıkladı."],
        ["Bekledi...", "Kimse gelmedi…", "Gitti."],
        ['"Gel!" dedi.', "“Neden?” diye sordu.", "Gitti."],
        ["www.example.com.tr adresine bakın.", "Orada yazıyor."],
        ["Değeri 3,14 ve 2.71 oldu.", "Bitti."],
        ["Geldi mi?", "Evet!", "3 kişiydi."],
        ["Elma, armut vb. meyveler aldı.", "Kiraz, vişne vb.", "Sonra döndü."],
        ["Kuruluş yılı 1923.", "Sonra büyüdü."],
        ["1. Giriş yapın.", "2.1. Kaydolun."],
        ["Hayır.", "Olmaz."],
        ["(Bkz. Atatürk.)", "Devamı var."],
    ],
    ids=lambda sentences: sentences[0][:25],
)
def test_joined_sentences_come_apart_again(sentences):
    assert SPLITTER.split_sentences(" ".join(sentences)) == sentences


def test_a_line_end_separates():
    assert SPLITTER.split_sentences("başlık\nBir cümle\r\n\n  iki ") == ["başlık", "Bir cümle", "iki"]


def test_quote_that_stands_off_goes_with_its_sentence():
    assert SPLITTER.split_sentences('" Bitti . " Gitti .') == ['" Bitti . "', "Gitti ."]
    assert SPLITTER.split_sentences('Bitti . " Gitti . "') == ["Bitti .", '" Gitti . "']


def test_nothing_in_nothing_out():
    assert SPLITTER.split_sentences("") == []
    assert SPLITTER.split_sentences(" \n\t ") == []


@given(st.text(st.characters(), max_size=300) | st.text("aAB1.!?…\"'”)( \n\u2028\ud800", max_size=300))
def test_offsets_cover_all_but_white_space(text):
    spans = SPLITTER.split_sentences(text, offsets=True)
    assert [sentence for sentence, _, _ in spans] == SPLITTER.split_sentences(text)
    end_before = 0
    for sentence, start, end in spans:
        assert text[start:end] == sentence == sentence.strip() != ""
        assert not text[end_before:start].strip()
        end_before = end
    assert not text[end_before:].strip()


@pytest.mark.parametrize("unit", [".", "!?", '. "', "A. ", "1. ", '."', "\n", "a. A "])
def test_long_runs_stay_quick(unit):
    start = time.process_time()
    SPLITTER.split_sentences(unit * (10_000 // len(unit)))
    # Linear work takes milliseconds, quadratic seconds; the bound leaves room for a loaded machine.
    assert time.process_time() - start < 1


def test_not_a_string_is_said_so():
    with pytest.raises(TypeError, match="not list"):
        SPLITTER.split_sentences(["a"])


@pytest.mark.parametrize(
    "sentences",
    [
        ["Yangın bütün gün sürdü", "Ancak kimse yaralanmadı."],
        ["Petrole dev koruma", "Bugün açıklandı.", "1 demet kırmızı turp", "Şimdi karıştırın."],
        ["Hisseler hızla düşüyor .", "iki şirketin ikisi de bekliyor ."],
    ],
)
def test_ends_without_a_mark_and_small_beginnings(sentences):
    assert SPLITTER.split_sentences(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "Afrika ve Bu Hayat adlı kitap",
        "Güzel bir Bugün gazetesi vardı.",
        "Merkez AŞ . ile anlaştı .",
        "ABD Bu işe karıştı.",
    ],
)
def test_no_end_behind_what_goes_on(sentence):
    assert SPLITTER.split_sentences(sentence) == [sentence]


def test_a_quote_that_nobody_closed_is_forgotten_after_a_sentence():
    text = '" Biri geldi . Öteki gitti . Sonra sustu . " Ne oldu ? " dedi .'
    assert SPLITTER.split_sentences(text)[-1].startswith('" Ne oldu')


REQUESTS = (
    "ankara'dan istanbul'a pazartesi sabahı bir uçuş istiyorum",
    "bana en ucuz bileti göster",
    "hangi havayolu bu şehirden kalkıyor",
    "yarın akşam dönmek istiyorum",
    "izmir'e giden uçuşları listele",
)


def test_text_without_any_mark_is_cut_too():
    text = " ".join(REQUESTS * 3)
    found = SPLITTER.split_sentences(text, offsets=True)
    assert len(found) > 8
    assert " ".join(sentence for sentence, _, _ in found) == text
    assert all(text[start:end] == sentence for sentence, start, end in found)
    ends = {end for _, _, end in found}
    wanted = {len(" ".join((REQUESTS * 3)[: count + 1])) for count in range(len(REQUESTS) * 3)}
    assert len(ends & wanted) >= 0.7 * len(wanted)


def test_a_long_sentence_that_ends_in_a_stop_is_one():
    sentence = "Annem " + "ve ".join(f"{number} kilo elma aldı, " for number in range(30)) + "sonra eve döndü."
    assert SPLITTER.split_sentences(sentence) == [sentence]
    short = " ".join(REQUESTS[:3])
    assert SPLITTER.split_sentences(short) == [short], "fewer than forty words are left alone"
