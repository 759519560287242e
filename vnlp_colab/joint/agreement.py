"""What goes together: the best of several answers that the training sentences and the lexicon know.

The network scores parts of speech, features and lemmas of a word each by itself. A noun with the features of a verb is
never right, and a verb's lemma that no training sentence has as a verb's seldom is; among the best few there often is
one that they have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.joint.lemmas import apply_script, is_replacement
from vnlp_colab.text.case import capitalize, lower_case
from vnlp_colab.text.morphology import default_generator
from vnlp_colab.text.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vnlp_colab.joint.vocabulary import Vocabulary

# How much worse (in natural logarithms of probability) a lemma that is known may be than one that is not. Of the lemmas
# of held-out sentences 94.5 % are right without it, 95.5 with it, and 95.9 with the lexicon's roots, too; 3 and 5 are a
# tenth of a point worse.
KNOWN_LEMMA = 4.0
# Parts of speech whose words have no root to be looked up.
_ROOTLESS = ("PROPN", "NUM", "PUNCT", "SYM", "X")
# Known short verbs are taken for longer ones (*ok* in *okuyorsun*): roots of verbs are always looked up.
_VERBAL = ("VERB", "AUX")
# Some treebanks number words that are written alike.
_NUMBERED = re.compile(r"\((?:I|II|III|IV|V)\)$")
_SUFFIX = re.compile(r"(?<=\w\w)['’]\w+$")
_SHORT = 3  # letters of a word in which no root is looked for: people shorten more than they inflect (*tşk*, *bnm*)


class Tags:
    """Chooses parts of speech and features that stand together in a style's training sentences."""

    def __init__(self, vocabulary: Vocabulary, style: int) -> None:
        self._known: np.ndarray | None = None
        if vocabulary.pairs:
            self._known = np.zeros((len(vocabulary.upos), len(vocabulary.feats)), bool)
            places = np.array(sorted(vocabulary.pairs[style]), np.int64).reshape(-1, 2)
            self._known[places[:, 0], places[:, 1]] = True

    def choose(self, tags: np.ndarray, feats: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of part of speech and features of every word.

        Parameters
        ----------
        tags
            (words, tags): the scores of all parts of speech.
        feats, scores
            (words, candidates): the numbers and the scores of the best features, best first.
        """
        best, first = tags.argmax(axis=1), feats[:, 0].copy()
        if self._known is None:
            return best, first
        odd = np.flatnonzero(~self._known[best, first])
        known = self._known[:, feats[odd]].transpose(1, 0, 2)
        odd, known = odd[(some := known.any(axis=(1, 2)))], known[some]
        if len(odd) == 0:
            return best, first
        both = np.where(known, tags[odd, :, None] + scores[odd, None], -np.inf)
        tag, candidate = np.divmod(both.reshape(len(odd), -1).argmax(axis=1), feats.shape[1])
        best[odd], first[odd] = tag, feats[odd, candidate]
        return best, first


class Lemmatizer:
    """Lemmas of words from the numbers of their best scripts; frequent words are remembered.

    The best script's lemma is taken where the style's training sentences have it as the same part of speech, or as
    another and the lexicon finds it in the form. Else it is the next best one that they have so and the lexicon does
    not rule out; and where the best is no word at all (*zulm* of *zulmün*) and the lexicon finds a root in the form
    (*zulüm*), that root. Verbs give way to a known one that the lexicon finds in the form (*ok* to *oku*), unless they
    are made of it. In the generic style a lemma has no number that treebanks tell homonyms apart by (*an(II)*).
    """

    def __init__(self, vocabulary: Vocabulary, style: int = 0, *, capacity: int = 65_536) -> None:
        self._scripts = vocabulary.scripts
        self._lemmas = vocabulary.lemmas
        bits = vocabulary.style_bits(style)
        known = [vocabulary.lemmas.get(tag, {}).items() for tag in vocabulary.upos]
        self._known = [frozenset(lemma for lemma, styles in lemmas if styles & bits) for lemmas in known]
        self._rootless = frozenset(number for number, tag in enumerate(vocabulary.upos) if tag in _ROOTLESS)
        self._verbal = frozenset(number for number, tag in enumerate(vocabulary.upos) if tag in _VERBAL)
        self._marked = style != 0
        self._remembered = Remembered(self._choose, capacity)

    def lemmas(self, forms: Sequence[str], tags: np.ndarray, scripts: np.ndarray, scores: np.ndarray) -> list[str]:
        """Return the lemmas of words.

        Parameters
        ----------
        forms
            The words.
        tags
            (words,): the numbers of their parts of speech.
        scripts, scores
            (words, candidates): the numbers and the scores of the best scripts, best first.
        """
        exact = scores.astype(np.float64)
        near = exact > exact[:, :1] - KNOWN_LEMMA
        near[:, 0] = True
        # what a lemma is made of as one number, so that a word that comes again is a single look
        places = (len(self._scripts) + 1) ** np.arange(scripts.shape[1])
        candidates = np.where(near, scripts + 1, 0) @ places
        return self._remembered.each(forms, tags.tolist(), candidates.tolist())

    def _choose(self, form: str, tag: int, candidates: int) -> str:
        """Return the lemma of a word by the scripts that are near enough to the best, that one first."""
        scripts = []
        while candidates:
            candidates, number = divmod(candidates, len(self._scripts) + 1)
            scripts.append(number - 1)
        best = self._lemma(form, scripts[0])
        if not self._lemmas or (best in self._known[tag] and tag not in self._verbal):
            return best
        return self._instead(form, tag, best, scripts[1:])

    def _instead(self, form: str, tag: int, best: str, others: Sequence[int]) -> str:
        """Return the lemma of a verb, or of a word whose best one is not known as such a part of speech."""
        known = self._known[tag]
        if any(map(str.isdigit, form)):  # there are more numbers than any text has
            return best
        bare = form if tag in self._rootless else _SUFFIX.sub("", form)  # the lexicon knows *Dağı* and not *Dağı'na*
        roots = default_generator().roots(bare)
        if tag in self._verbal and (verb := self._near_verb(form, tag, best, others)):
            return verb
        extends = any(best.startswith(root) for root in roots)
        if best in known and (extends or not roots):
            return best  # also a verb made of a shorter one: *değiştir*
        if lower_case(best) in roots and any(best in lemmas for lemmas in self._known):
            return best  # also an adjective that is a predicate, and called a verb: *kabaydı*
        if second := self._next_known(form, tag, others, roots):
            return second
        if tag in self._verbal and not extends:
            verb = max((root for root in roots if root in known), key=len, default="")
            if verb or best in known:
                return verb or best
        stays = len(form) <= _SHORT or tag in self._rootless or not best.islower()
        if stays or (bare == form and (best in roots or self._is_word(best, form))):
            return best
        # Sound changes find roots in words of slang that have none (*kanka*, *kanık*): such a root must be known.
        sure = [root for root in roots if lower_case(bare).startswith(root) or self._is_lemma(root)]
        return max(sure, key=lambda root: (root in known, len(root)), default=best)

    def _near_verb(self, form: str, tag: int, best: str, others: Sequence[int]) -> str | None:
        """Return the next best lemma that is a verb made of the best one, which is none, if the lexicon finds it.

        *başlanmış* is of *başla* and not of *baş*. A noun that is a predicate (*kadındı*) has no such lemma near it.
        """
        verbs = [root for root, tags in default_generator().candidates(form) if tags.startswith("Verb")]
        if not verbs or best.startswith(tuple(verbs)):
            return None
        near = (self._lemma(form, script) for script in others)
        known = self._known[tag]
        return next((lemma for lemma in near if lemma in verbs and lemma in known and lemma.startswith(best)), None)

    def _next_known(self, form: str, tag: int, others: Sequence[int], roots: Sequence[str]) -> str | None:
        """Return the lemma of the first of the other scripts that is known, and a root if the form has any."""
        for script in others:
            lemma = self._lemma(form, script)
            # what takes another word for it (*bana*, *ben*) is known, whatever the word, and so are letters
            possible = len(lemma) > 1 and not is_replacement(self._scripts[script])
            if possible and lemma in self._known[tag] and (not roots or lower_case(lemma) in roots):
                return lemma
        return None

    def _is_word(self, lemma: str, form: str) -> bool:
        """Tell whether a lemma is a word, or in a form with a capital a name."""
        is_stem = default_generator().is_stem
        return is_stem(lemma) or self._is_lemma(lemma) or (form[0].isupper() and is_stem(capitalize(lemma)))

    def _is_lemma(self, word: str) -> bool:
        """Tell whether any training sentence has a word as a lemma."""
        return any(word in lemmas for lemmas in self._lemmas.values())

    def _lemma(self, form: str, script: int) -> str:
        lemma = apply_script(self._scripts[script], form) or form
        return lemma if self._marked else _NUMBERED.sub("", lemma) or lemma
