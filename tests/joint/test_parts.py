"""Windows, batches, trees, lemmas, affixes and answers: what stands around the joint network."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_network import random_labels

from vnlp_colab.joint.affixes import AFFIXES, ROWS, affix_numbers
from vnlp_colab.joint.answers import Answers, Said
from vnlp_colab.joint.lemmas import apply_script, lemma_script
from vnlp_colab.joint.network import NetworkError
from vnlp_colab.joint.trees import are_trees, best_two, heads_of, masked, weigh_relations
from vnlp_colab.joint.vocabulary import Vocabulary
from vnlp_colab.joint.windows import cut_windows, share_out
from vnlp_colab.trees.tree import is_tree


@given(st.integers(1, 500), st.integers(2, 130))
def test_every_word_is_owned_by_one_window_that_reads_it(length: int, longest: int) -> None:
    windows = cut_windows(length, longest)
    owned = [place for window in windows for place in range(window.own_start, window.own_end)]
    assert owned == list(range(length))
    assert all(window.start <= window.own_start and window.own_end <= window.end for window in windows)
    assert all(len(window) <= longest for window in windows)


def test_words_of_a_long_sentence_are_read_with_a_quarter_of_a_window_around_them() -> None:
    windows = cut_windows(1000, 100)
    for window in windows[1:-2]:
        assert window.own_start - window.start >= 25
        assert window.end - window.own_end >= 25


def test_batches_hold_every_window_once_and_keep_the_budget() -> None:
    lengths = np.array([5, 60, 3, 128, 9, 9, 1, 30])
    batches = share_out(lengths, 64, 1)
    assert sorted(np.concatenate(batches).tolist()) == list(range(8))
    assert all(len(batch) == 1 or len(batch) * lengths[batch].max() <= 64 for batch in batches)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_end_together_and_pads_are_few(threads: int) -> None:
    lengths = np.random.default_rng(0).integers(1, 40, size=500)
    batches = share_out(lengths, 512, threads, 32)
    places = [len(batch) * int(lengths[batch].max()) for batch in batches]
    assert max(places) <= 512
    assert sum(places) < 1.05 * lengths.sum()
    ends = [0] * threads
    for size in places:  # as threads take them: whoever is free takes the next one
        ends[ends.index(min(ends))] += size
    assert max(ends) < 1.05 * sum(places) / threads


def test_lengths_share_a_run_where_it_costs_more_than_their_pads() -> None:
    lengths = [4] * 10 + [5] * 10
    assert [len(batch) for batch in share_out(lengths, 512, 1, run=11)] == [20]
    assert [len(batch) for batch in share_out(lengths, 512, 1, run=9)] == [10, 10]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=12), st.integers(0, 30))
def test_no_other_cut_costs_less(lengths: list[int], run: int) -> None:
    def cost(ends: tuple[int, ...]) -> int:
        cuts = [0, *ends, len(rising)]
        return sum(run + (end - start) * rising[end - 1] for start, end in pairwise(cuts))

    rising = sorted(lengths)
    found = share_out(lengths, 10_000, 1, run)
    inner = range(1, len(rising))
    least = min(cost(ends) for count in range(len(rising)) for ends in combinations(inner, count))
    assert sum(run + len(batch) * max(lengths[at] for at in batch) for batch in found) == least


def test_little_is_not_shared_out() -> None:
    assert len(share_out([3] * 10, 512, 8)) == 1
    assert share_out([], 512, 8) == []


@given(st.data())
def test_trees_are_recognised_in_a_batch_as_one_by_one(data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    rows = [data.draw(st.lists(st.integers(0, length), min_size=length, max_size=length)) for length in lengths]
    heads = np.zeros((len(rows), max(lengths)), np.int64)
    for at, row in enumerate(rows):
        heads[at, : len(row)] = row
    words = np.arange(max(lengths)) < np.array(lengths)[:, None]
    assert are_trees(heads, words).tolist() == [is_tree(row) for row in rows]


@pytest.mark.parametrize("pads", [1, 7, 40])
def test_a_tree_is_the_same_whatever_pads_stand_behind_it(pads: int) -> None:
    chance = np.random.default_rng(pads)
    for size in chance.integers(2, 12, 100).tolist():
        arcs = chance.integers(0, 3, (1, size, size + 1)).astype(np.float32)  # many trees are as good as each other
        wide = np.pad(arcs, ((0, 0), (0, pads), (0, pads)))
        length = np.array([size])
        alone = heads_of(masked(arcs, length), length)
        assert heads_of(masked(wide, length), length)[0, :size].tolist() == alone[0].tolist()


def test_heads_of_a_batch_are_those_of_the_trees_with_most_arcs_to_be_expected() -> None:
    rng = np.random.default_rng(0)
    lengths = np.array([1, 2, 4, 5])
    arcs = rng.standard_normal((4, 5, 6)).astype(np.float32)
    heads = heads_of(masked(arcs.copy(), lengths), lengths)
    for row, length in enumerate(lengths.tolist()):
        own = masked(arcs[row : row + 1, :length, : length + 1].copy(), np.array([length]))[0]
        likely = np.exp(own) / np.exp(own).sum(axis=1, keepdims=True)
        found = heads[row, :length].tolist()
        assert is_tree(found)
        best = max(
            (list(tree) for tree in product(range(length + 1), repeat=length) if is_tree(list(tree))),
            key=lambda tree: sum(likely[word, head] for word, head in enumerate(tree)),
        )
        assert found == best
        assert not heads[row, length:].any()


def test_the_two_best_heads_are_neither_pads_nor_the_word_itself() -> None:
    rng = np.random.default_rng(1)
    lengths = np.array([2, 6])
    arcs = masked(rng.standard_normal((2, 6, 7)).astype(np.float32), lengths)
    before = arcs.copy()
    two = best_two(arcs)
    assert (arcs == before).all()
    for row, length in enumerate(lengths.tolist()):
        for word in range(length):
            allowed = [head for head in range(length + 1) if head != word + 1]
            assert two[row, word].tolist() == sorted(allowed, key=lambda head: -arcs[row, word, head])[:2]


def test_of_two_likely_heads_the_one_with_the_surer_relation_is_taken() -> None:
    arcs = masked(
        np.array([[[0.0, 0.0, 5.0, 4.9], [9.0, 0.0, 0.0, 0.0], [0.0, 0.0, 9.0, 0.0]]], np.float32), np.array([3])
    )
    two = best_two(arcs)
    assert heads_of(arcs, np.array([3])).tolist() == [[2, 0, 2]]
    certainties = np.full((1, 3, 2), -0.1, np.float32)
    certainties[0, 0] = (-1.5, -0.1)
    weigh_relations(arcs, two, certainties)
    assert heads_of(arcs, np.array([3])).tolist() == [[3, 0, 2]]


def test_the_relation_to_the_root_is_certain() -> None:
    for two, certainties in (([0, 2], [-5.0, -0.2]), ([2, 3], [-0.2, -0.9])):
        arcs = np.zeros((1, 1, 4), np.float32)
        weigh_relations(arcs, np.array([[two]]), np.array([[certainties]], np.float32))
        assert arcs[0, 0].argsort().tolist()[2:] == [2, 0]
        assert arcs[0, 0, 0] == pytest.approx(0.7)


def test_scores_that_are_no_numbers_still_give_a_tree() -> None:
    arcs = np.full((1, 3, 4), np.nan, np.float32)
    arcs[0, 1, 0] = np.inf
    lengths = np.array([3])
    arcs = masked(arcs, lengths)
    two = best_two(arcs)
    weigh_relations(arcs, two, np.full(two.shape, np.nan, np.float32))
    assert is_tree(heads_of(arcs, lengths)[0].tolist())


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("kitabı", "kitap"),
        ("Kitabı", "kitap"),
        ("Ankara'dan", "Ankara"),
        ("TBMM'nin", "TBMM"),
        ("ydi", "i"),
        ("gidiyor", "git"),
        ("IŞIK", "ışık"),
        ("İzmir", "İzmir"),
        ("...", "..."),
    ],
)
def test_a_script_gives_its_lemma_back(form: str, lemma: str) -> None:
    assert apply_script(lemma_script(form, lemma), form) == lemma


def test_a_script_serves_words_it_was_not_made_of() -> None:
    script = lemma_script("evlerde", "ev")
    assert apply_script(script, "kuşlarda") == "kuş"
    assert apply_script(script, "de") is None


@given(st.text(max_size=30))
def test_every_word_has_rows_in_the_table_of_affixes(word: str) -> None:
    numbers = affix_numbers(word)
    assert len(numbers) == AFFIXES
    assert all(0 <= number < ROWS for number in numbers)


@pytest.mark.parametrize(
    ("word", "numbers"),
    [
        ("gidiyorlardı", [113, 1952, 7283, 19995, 36950, 61334, 65437]),
        ("IŞIK", [349, 1217, 4389, 17314, 29602, 43042, 65483]),
        ("Ankara'dan", [466, 1606, 5719, 18398, 25890, 42823, 65467]),
        ("3", [155, 2203, 6299, 14491, 26779, 55579, 65420]),
        ("漢字", [282, 1455, 9647, 13743, 38319, 59055, 65409]),
        ("", [0, 512, 2560, 10752, 23040, 39424, 65408]),
    ],
)
def test_words_keep_the_rows_networks_were_trained_with(word: str, numbers: list[int]) -> None:
    assert affix_numbers(word) == numbers


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary.from_json(random_labels())


def scores(numbers: list[int], labels: int) -> np.ndarray:
    made = np.zeros((len(numbers), labels), np.float32)
    made[np.arange(len(numbers)), numbers] = 5
    return made


def answer_of(vocabulary: Vocabulary, tags: list[int], **best: list[list[float]]) -> Said:
    """What is said of words with these tags; `best` are the numbers of the best feats and lemmas, or their scores."""
    made = {name: np.array(rows, np.float32 if name.endswith("scores") else np.int64) for name, rows in best.items()}
    made |= {
        f"{name}_scores": np.zeros(rows.shape, np.float32) for name, rows in made.items() if "_" not in name
    } | made
    return Said({"upos": scores(tags, len(vocabulary.upos)), **made})


def test_entities_begin_with_b_and_neighbours_stay_apart(vocabulary: Vocabulary) -> None:
    names = vocabulary.entities
    said = ["I-PER", "I-PER", "B-PER", "I-LOC", "O", "I-ORG"], ["I-ORG"]
    flat = [name for row in said for name in row]
    entity = scores([names.index(name) for name in flat], len(names))
    for at, name in enumerate(flat):
        if name != "O":  # the next best, of the same kind
            entity[at, names.index(f"B-{name[2:]}")] = max(entity[at, names.index(f"B-{name[2:]}")], 1)
    found = Answers(vocabulary).columns([["w"] * 6, ["w"]], Said({"entity": entity}), ("ner", "ner_bio"))
    assert found["ner_bio"] == [["B-PER", "I-PER", "B-PER", "B-LOC", "O", "B-ORG"], ["B-ORG"]]
    assert found["ner"] == [["PER", "PER", "PER", "LOC", "O", "ORG"], ["ORG"]]


def test_symbols_are_symbols_whatever_the_network_says(vocabulary: Vocabulary) -> None:
    noun = vocabulary.upos.index("NOUN")
    found = Answers(vocabulary).columns(
        [["ev", "😀"]], answer_of(vocabulary, [noun, noun], feats=[[1], [1]]), ("pos", "pos_confidence")
    )
    assert found["pos"] == [["NOUN", "SYM"]]
    assert found["pos_confidence"][0][1] == 1
    assert 0.5 < found["pos_confidence"][0][0] < 1


def test_a_neutral_text_is_half_positive(vocabulary: Vocabulary) -> None:
    shares = np.array([[0.1, 0.8, 0.1], [0, 0, 1], [0.9, 0.1, 0]], np.float32)
    found = Answers(vocabulary).columns([["w"]] * 3, Said({}, shares), ("sentiment", "sentiment_label"))
    assert found["sentiment"] == [0.5, 1.0, 0.05]
    assert found["sentiment_label"] == ["neutral", "positive", "negative"]


def test_what_a_batch_does_to_a_sentiment_is_not_told(vocabulary: Vocabulary) -> None:
    shares = np.array([[0.1, 0.703588, 0.196412], [0.1, 0.703586, 0.196414]], np.float32)  # alone, and in a batch
    alone, beside = Answers(vocabulary).columns([["w"]] * 2, Said({}, shares), ("sentiment",))["sentiment"]
    assert alone == beside == 0.5482


def lemma_of(
    form: str, tag: str, best: dict[str, float], known: dict[str, dict[str, str]], style: str = "generic"
) -> str:
    """The lemma of one word; `best` are scripts and their scores, `known` lemmas by tag and by bits of styles."""
    labels = random_labels()
    labels["lemma"] = {"scripts": list(best), "known": known}
    vocabulary = Vocabulary.from_json(labels)
    said = {"lemma": [[*range(len(best))]], "lemma_scores": [[*best.values()]]}
    answer = answer_of(vocabulary, [vocabulary.upos.index(tag)], feats=[[1]], **said)
    [[lemma]] = Answers(vocabulary, vocabulary.check_style(style)).columns([[form]], answer, ("lemma",))["lemma"]
    return str(lemma)


@pytest.mark.parametrize(
    ("style", "second", "lemma"),
    [("generic", 3.0, "xyz"), ("boun", 3.0, "xyz"), ("kenet", 3.0, "xyzd"), ("boun", 0.5, "xyzd")],
)
def test_a_lemma_the_style_knows_goes_before_a_slightly_better_one(style: str, second: float, lemma: str) -> None:
    known = {"NOUN": {"2": "xyz\nyol", "4": "göl"}}  # bit 1 is boun's, bit 2 kenet's
    assert lemma_of("xyzde", "NOUN", {"l1|": 5.0, "l2|": second}, known, style) == lemma


@pytest.mark.parametrize(("tag", "lemma"), [("VERB", "unut"), ("NOUN", "un"), ("PROPN", "un")])
def test_a_lemma_is_known_as_what_the_word_is(tag: str, lemma: str) -> None:
    known = {"NOUN": {"2": "un"}, "VERB": {"2": "unut"}}
    assert lemma_of("unuttun", tag, {"l5|": 5.0, "l3|": 3.0}, known) == lemma


def test_a_known_root_of_the_word_stays_whatever_the_word_is_called() -> None:
    known = {"VERB": {"2": "kap"}, "ADJ": {"2": "kaba"}}
    assert lemma_of("kabaydı", "VERB", {"l3|": 5.0, "l5|p": 4.0}, known) == "kaba"


def test_a_lemma_that_is_no_root_of_the_word_does_not_go_before_the_best() -> None:
    known = {"VERB": {"2": "as"}}
    assert lemma_of("asabisin", "VERB", {"l3|": 5.0, "l6|": 3.0}, known) == "asabi"


@pytest.mark.parametrize(
    ("form", "tag", "script", "lemma"),
    [
        ("zulmün", "NOUN", "l2|", "zulüm"),  # "zulm" is no word
        ("zulmün", "PROPN", "l2|", "zulm"),
        ("Zulmün", "NOUN", "k2|", "Zulm"),
        ("evde", "NOUN", "l0|", "ev"),
        ("gözlükçüler", "NOUN", "l3|", "gözlükçü"),  # a stem of the lexicon
        ("xyzün", "NOUN", "l2|", "xyz"),
        ("bnm", "NOUN", "l0|", "bnm"),
        ("Kanadalıyız", "VERB", "l5|", "kanada"),  # the lexicon has the name
        ("kanka", "NOUN", "l0|", "kanka"),  # the lexicon takes it for a form of "kanık"
        ("unuttun", "VERB", "l5|", "un"),  # a word, if not a verb
    ],
)
def test_where_the_best_lemma_is_no_word_the_lexicons_root_is_taken(
    form: str, tag: str, script: str, lemma: str
) -> None:
    assert lemma_of(form, tag, {script: 5.0}, {"NOUN": {"2": "yol"}, "ADJ": {"2": "zulüm"}}) == lemma


def test_of_several_roots_the_longest_is_taken_known_ones_first() -> None:
    assert lemma_of("sözleşmelerin", "NOUN", {"l2|": 5.0}, {"NOUN": {"2": "yol"}}) == "sözleşme"
    assert lemma_of("sözleşmelerin", "NOUN", {"l2|": 5.0}, {"NOUN": {"2": "söz"}}) == "söz"


def test_a_verb_that_is_known_gives_way_to_one_that_the_lexicon_finds_in_the_form() -> None:
    best = {"l7|": 5.0, "l6|": 3.0}
    assert lemma_of("okuyorsun", "VERB", best, {"VERB": {"2": "ok\noku"}}) == "oku"
    assert lemma_of("okuyorsun", "VERB", best, {"VERB": {"2": "ok"}}) == "ok"
    assert lemma_of("okuyorsun", "VERB", {"l7|": 5.0}, {"VERB": {"2": "ok\noku"}}) == "oku"
    assert lemma_of("tanıyorsun", "VERB", {"l7|": 5.0}, {"VERB": {"2": "tanı"}, "NOUN": {"2": "tan"}}) == "tanı"
    assert lemma_of("xyuyorsun", "VERB", best, {"VERB": {"2": "xy\nxyu"}}) == "xy"
    assert lemma_of("değiştiriyor", "VERB", {"l4|": 5.0, "l7|": 3.0}, {"VERB": {"2": "değiştir\ndeğiş"}}) == "değiştir"


@pytest.mark.parametrize(("style", "lemma"), [("generic", "an"), ("boun", "an(II)")])
def test_homonyms_are_numbered_in_the_styles_of_treebanks_alone(style: str, lemma: str) -> None:
    assert lemma_of("anda", "NOUN", {"l2|(II)": 5.0}, {"NOUN": {"2": "an\nan(II)"}}, style) == lemma


def test_numbers_stay_what_they_are() -> None:
    assert lemma_of("1.41", "NUM", {"l0|": 5.0, "l1|": 4.9}, {"NUM": {"2": "1.4"}}) == "1.41"


def test_no_known_word_takes_the_place_of_another_and_symbols_stay() -> None:
    best = {"l0|": 2.0, "l=|ben": 1.0}
    assert lemma_of("xyz", "NOUN", best, {"NOUN": {"2": "ben"}}) == "xyz"
    assert lemma_of("🙂", "NOUN", {"l=|ben": 2.0}, {"NOUN": {"2": "ben"}}) == "🙂"


def test_parts_of_speech_and_features_stand_together_in_the_style() -> None:
    labels = random_labels()
    labels["feats"]["pairs"] = {"boun": {"NOUN": [2], "VERB": [3]}, "kenet": {"NOUN": [3]}}
    vocabulary = Vocabulary.from_json(labels)
    tags = np.zeros((1, len(vocabulary.upos)), np.float32)
    noun, verb = vocabulary.upos.index("NOUN"), vocabulary.upos.index("VERB")
    tags[0, [noun, verb]] = 2.0, 1.5
    found = {}
    for style in ("boun", "kenet", "generic"):
        answers = Answers(vocabulary, vocabulary.check_style(style))
        answer = answer_of(vocabulary, [noun], feats=[[3, 2]], feats_scores=[[4.0, 1.0]])
        answer.words["upos"] = tags
        columns = answers.columns([["gelen"]], answer, ("pos", "feats"))
        found[style] = columns["pos"][0][0], columns["feats"][0][0]
    # Case=C0 has number 2: a verb with number 3 is better than a noun with number 2, where both can be
    assert found == {"boun": ("VERB", "Case=C1"), "kenet": ("NOUN", "Case=C1"), "generic": ("NOUN", "Case=C1")}


def test_vocabularies_that_lack_something_are_refused() -> None:
    labels = random_labels()
    del labels["relations"]
    with pytest.raises(ValueError, match="relations"):
        Vocabulary.from_json(labels)
    labels["relations"] = ["nsubj"]
    with pytest.raises(NetworkError, match="root"):
        Vocabulary.from_json(labels)
