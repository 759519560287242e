from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.text.case import capitalize, lower_case, upper_case

ANY_TEXT = st.text(st.characters(), max_size=200)  # lone surrogates and NUL included


def test_lower_case_follows_turkish_rules():
    assert lower_case("Test karakterleri: İIĞÜÖŞÇ") == "test karakterleri: iığüöşç"


def test_upper_case_follows_turkish_rules():
    assert upper_case("ılık içecek, ağaç") == "ILIK İÇECEK, AĞAÇ"


def test_capitalize_keeps_the_dot():
    assert capitalize("iZMİR") == "İzmir"
    assert capitalize("ısparta") == "Isparta"
    assert capitalize("") == ""


def test_combining_dot_melts_into_its_letter():
    assert lower_case("I\u0307zmir") == "izmir"
    assert lower_case("i\u0307zmir") == "izmir"
    assert upper_case("i\u0307zmir") == "İZMİR"
    assert capitalize("i\u0307zmir") == "İzmir"


@given(ANY_TEXT)
def test_lower_case_never_raises_and_settles(text):
    lowered = lower_case(text)
    assert lower_case(lowered) == lowered
    assert len(lowered) == len(text) or "\u0307" in text


@given(ANY_TEXT)
def test_upper_case_and_capitalize_take_any_string(text):
    assert isinstance(upper_case(text), str)
    assert isinstance(capitalize(text), str)
