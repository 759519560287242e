from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from vnlp_colab.text import StopwordRemover

SENTENCE = "acaba bugün kahvaltıda kahve yerine çay mı içsem ya da neyse süt içeyim"
KEPT = ["bugün", "kahvaltıda", "kahve", "çay", "içsem", "süt", "içeyim"]
TEXT = (
    "ben bugün gidip aşı olacağım sonra da eve gelip telefon açacağım aşı nasıl etkiledi eve gelip anlatırım aşı olmak "
    "bu dönemde çok ama ama ama ama çok önemli"
)


def test_static_stop_words_are_dropped():
    assert StopwordRemover().drop_stop_words(SENTENCE.split()) == KEPT
    assert StopwordRemover().drop_stop_words(SENTENCE) == " ".join(KEPT)


def test_case_does_not_matter():
    assert StopwordRemover().drop_stop_words(["Acaba", "İÇİN", "İçin", "Kedi"]) == ["Kedi"]


def test_added_words_are_dropped_by_that_remover_alone():
    remover = StopwordRemover()
    remover.add_to_stop_words(["kahve"])
    remover.add_to_stop_words("süt çay")
    assert remover.drop_stop_words(KEPT) == ["bugün", "kahvaltıda", "içsem", "içeyim"]
    assert StopwordRemover().drop_stop_words(KEPT) == KEPT


def test_frequent_words_are_detected_with_their_ties():
    assert StopwordRemover().dynamically_detect_stop_words(TEXT.split()) == ["ama", "aşı", "eve", "gelip", "çok"]


def test_cut_without_ties():
    tokens = [word for word, count in {"a": 10, "b": 9, "c": 3, "d": 1}.items() for _ in range(count)]
    # Changes 0.1, 0.67, 0.67; the largest change between them is the first, at the first word.
    assert StopwordRemover().dynamically_detect_stop_words(tokens) == ["a"]


def test_rare_words_on_request():
    detected = StopwordRemover().dynamically_detect_stop_words(TEXT.split(), rare_words_freq=1)
    assert detected[:5] == ["ama", "aşı", "eve", "gelip", "çok"]
    assert set(detected) == set(TEXT.split())


def test_too_little_text_has_no_stop_words():
    remover = StopwordRemover()
    assert remover.dynamically_detect_stop_words([]) == []
    assert remover.dynamically_detect_stop_words(["a", "b"]) == []
    assert remover.dynamically_detect_stop_words(["a", "b", "c"]) == []
    assert remover.dynamically_detect_stop_words("") == ""


@given(st.lists(st.text(st.characters(), max_size=3) | st.sampled_from("abcd"), max_size=60))
def test_detection_keeps_ties_together(tokens):
    detected = StopwordRemover().dynamically_detect_stop_words(tokens)
    counts = Counter(tokens)
    assert len(set(detected)) == len(detected)
    if detected:
        lowest = min(counts[word] for word in detected)
        assert set(detected) == {word for word in counts if counts[word] >= lowest}


@given(st.lists(st.text(st.characters(), max_size=5), max_size=30))
def test_dropping_keeps_order(tokens):
    kept = StopwordRemover().drop_stop_words(tokens)
    left = iter(tokens)
    assert all(token in left for token in kept)
