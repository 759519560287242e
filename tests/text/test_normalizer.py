import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from string_methods import STRING_METHODS

from vnlp_colab.text import Normalizer

ANY_TEXT = st.text(st.characters(), max_size=200)
NUMBERISH = st.text("0123456789.,'%-+:e ()", max_size=40)
UNITS = ["sıfır", "bir", "iki", "üç", "dört", "beş", "altı", "yedi", "sekiz", "dokuz"]
TENS = ["on", "yirmi", "otuz", "kırk", "elli", "altmış", "yetmiş", "seksen", "doksan"]
METHODS = [*STRING_METHODS, Normalizer.convert_numbers_to_words, Normalizer.deasciify]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
@settings(deadline=None)  # the deasciifier is loaded by its first call
@given(text=ANY_TEXT | NUMBERISH)
def test_every_method_takes_any_string(method, text):
    assert isinstance(method(text), str)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
@pytest.mark.parametrize(
    "text", ["", "a" * 10_000, "\0", "\ud800", "5" * 10_000, "1." * 5_000, "aî" * 5_000, ")" * 9_999 + "1"]
)
def test_every_method_takes_extreme_strings(method, text):
    assert isinstance(method(text), str)


def test_remove_punctuations():
    assert Normalizer.remove_punctuations("merhaba,.!") == "merhaba"
    assert Normalizer.remove_punctuations("iki\nsatır_ %5'i") == "iki\nsatır 5i"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("merhâbâ gûzel yîlkî atî", "merhaba guzel yılkı atı"),
        ("resmî ve siyasî, RESMÎ dîn", "resmi ve siyasi, RESMİ din"),
        ("imka\u0302n", "imkan"),
        ("imk\u00e2\u0302n", "imkan"),
        ("Çiğ köfte, José", "Çiğ köfte, José"),
    ],
)
def test_remove_accent_marks(text, plain):
    assert Normalizer.remove_accent_marks(text) == plain


def test_quotes_and_apostrophes():
    assert Normalizer.correct_apostrophes("Ankara`da İzmir’in ‘iyi’ K´nın") == "Ankara'da İzmir'in ‘iyi’ K'nın"
    assert Normalizer.ascii_quotes("“Gel” dedi Ali’nin «abisi»") == '"Gel" dedi Ali\'nin "abisi"'
    assert Normalizer.typographic_quotes("\"Gel\" dedi ('Ali'nin')") == "“Gel” dedi (‘Ali’nin’)"


def test_unicode_is_composed():
    assert Normalizer.normalize_unicode("s\u0327eker I\u0307") == "şeker İ"


def test_numbers_in_a_sentence():
    text = "sabah 2 yumurta yedim ve tartıldığımda 1,15 kilogram aldığımı gördüm"
    words = "sabah iki yumurta yedim ve tartıldığımda bir virgül on beş kilogram aldığımı gördüm"
    assert Normalizer.convert_numbers_to_words(text.split()) == words.split()
    assert Normalizer.convert_numbers_to_words(text) == words


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("0", "sıfır"),
        ("1000", "bin"),
        ("1.234,56", "bin iki yüz otuz dört virgül elli altı"),
        ("0,05", "sıfır virgül sıfır beş"),
        ("2,50", "iki virgül beş"),
        ("2,0", "iki"),
        ("3.5", "üç virgül beş"),
        ("-7", "eksi yedi"),
        ("%12,5", "yüzde on iki virgül beş"),
        ("3.", "üçüncü"),
        ("24.", "yirmi dördüncü"),
        ("5'inci", "beşinci"),
        ("1990'da", "bin dokuz yüz doksanda"),
        ("1.000.000", "bir milyon"),
        ("007", "sıfır sıfır yedi"),
        ("1,99999999", "iki"),
        ("19:30", "19:30"),
        ("12.05.2020", "12.05.2020"),
        ("inf", "inf"),
        ("1e5", "1e5"),
        ("2 milyon", "2 milyon"),
        # The suffix follows the words, whatever it was written for.
        ("3'da", "üçte"),
        ("4'e", "dörde"),
        ("4'te", "dörtte"),
        ("2'nin", "ikinin"),
        ("2'ın", "ikinin"),
        ("6'ya", "altıya"),
        ("10'ya", "ona"),
        ("2'er", "ikişer"),
        ("5'er", "beşer"),
        ("7'si", "yedisi"),
        ("2'inde", "ikisinde"),
        ("10'la", "onla"),
        ("2'yle", "ikiyle"),
        ("9'dur", "dokuzdur"),
        ("1990'lardaki", "bin dokuz yüz doksanlardaki"),
        ("40'ıncı", "kırkıncı"),
        ("6'ıncı", "altıncı"),
        ("1.000.000'uncu", "bir milyonuncu"),
        ("3,50'de", "üç virgül beşte"),
        ("%100'ü", "yüzde yüzü"),
        # Times and dates stay, with and without a suffix.
        ("14.30'da", "14.30'da"),
        ("19:30'da", "19:30'da"),
        ("1.5.2020'de", "1.5.2020'de"),
        ("2020-05-12", "2020-05-12"),
        ("3.25'e", "üç virgül yirmi beşe"),
    ],
)
def test_number_tokens(token, words):
    assert Normalizer.convert_numbers_to_words([token]) == ([token] if token == words else words.split())


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("14.30'da", "on dört otuzda"),
        ("14.00'de", "on dörtte"),
        ("09:05", "dokuz sıfır beş"),
        ("00:30'dan", "sıfır otuzdan"),
        ("1.5.2020'de", "bir mayıs iki bin yirmide"),
        ("29/10/1923'te", "yirmi dokuz ekim bin dokuz yüz yirmi üçte"),
        ("2020-05-12", "on iki mayıs iki bin yirmi"),
        ("45.13.2020", "45.13.2020"),
        ("25:10", "25:10"),
        ("14.30", "on dört virgül üç"),
    ],
)
def test_times_and_dates_are_read_when_asked_for(token, words):
    expected = [token] if token == words else words.split()
    assert Normalizer.convert_numbers_to_words([token], times_and_dates=True) == expected


def test_a_clock_time_is_known_by_the_word_before_it():
    assert Normalizer.convert_numbers_to_words("saat 14.30 oldu") == "saat 14.30 oldu"
    assert Normalizer.convert_numbers_to_words(["Saat", "14.30"], times_and_dates=True) == [
        "Saat",
        "on",
        "dört",
        "otuz",
    ]


def test_number_options():
    assert Normalizer.convert_numbers_to_words(["1,234.5"], decimal_seperator=".") == [
        "bin",
        "iki",
        "yüz",
        "otuz",
        "dört",
        "virgül",
        "beş",
    ]
    assert Normalizer.convert_numbers_to_words(["1,256"], num_dec_digits=2) == ["bir", "virgül", "yirmi", "altı"]
    with pytest.raises(ValueError, match="decimal_seperator"):
        Normalizer.convert_numbers_to_words(["1"], decimal_seperator=";")
    with pytest.raises(ValueError, match="num_dec_digits"):
        Normalizer.convert_numbers_to_words(["1"], num_dec_digits=-1)


@given(st.integers(0, 10**18 - 1))
def test_whole_numbers_read_back(number):
    # An independent reading of the words, so that a fault of the number library cannot hide.
    units = dict(zip(UNITS, range(10), strict=True))
    tens = dict(zip(TENS, range(10, 100, 10), strict=True))
    scales = {"bin": 10**3, "milyon": 10**6, "milyar": 10**9, "trilyon": 10**12, "katrilyon": 10**15}
    total = group = 0
    for word in Normalizer.convert_numbers_to_words([str(number)]):
        if word in scales:
            total, group = total + max(group, 1) * scales[word], 0
        elif word == "yüz":
            group = max(group, 1) * 100
        else:
            group += {**units, **tens}[word]
    assert total + group == number


def test_string_stop_at_the_end_is_no_ordinal():
    assert Normalizer.convert_numbers_to_words("5. katta (3) oda, toplam 8.") == "beşinci katta (üç) oda, toplam sekiz."
