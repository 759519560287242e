"""Stop words: a fixed list, and detection by frequency in a text of one's own."""

from __future__ import annotations

from collections import Counter
from itertools import filterfalse, pairwise
from typing import TYPE_CHECKING, overload

from vnlp_colab.text.case import capitalize, lower_case, upper_case
from vnlp_colab.text.inputs import check_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

# Pronouns, conjunctions, particles, postpositions, frequent adverbs and forms of the auxiliaries ol-, et- and yap-.
_WORDS = """
acaba adeta ait ama amma ancak arada artık asla aslında aynı ayrıca az
bana bari bazen bazı bazıları bazısı be belki ben bence benden beni benim beri bi bile bilhassa binaenaleyh bir biraz
birbiri birçoğu birçok biri birileri birisi birkaç birkaçı birşey birşeyi biz bizce bizden bize bizi bizim böyle böylece
böylelikle böylesi böylesine bu bugün buna bunca bunda bundan bunlar bunlara bunlardan bunları bunların bunu bunun
bura burada buradan buraya burası bütün
çeşitli çoğu çoğun çoğunu çok çokça çünkü
da daha dahası dahi dair de defa değil değin dek denli derken diğer diğeri diğerleri diğerlerini diye dolayı dolayısıyla
doğru
edecek eden eder ederek edilecek edilen ediliyor edilmesi ediyor eğer elbet elbette en epey esasen et etme etmek etmesi
etti ettiği ettiğini ettikleri evvel
fakat falan fazla filan
gayet gelgelelim gene genelde genellikle gereğince gerek gerekse gibi gitgide göre
haliyle hala hâlâ halbuki halde halen hangi hangisi hani hasebiyle hatta hele hem henüz hep hepsi hepsini her herhalde
herhangi herhangisi herkes herkese herkesi herkesin hiç hiçbir hiçbiri hoş
ila ile ilgili illa ilk ise işte itibaren itibarıyla itibariyle iyice için içinde içindeki içre
kaç kaçı kadar kâh kah karşı karşın keşke kendi kendilerine kendileri kendine kendini kendisi kendisine kendisini kez ki
kim kime kimden kimi kimin kimisi kimler kimse kimsede kimseye
lakin lâkin madem mademki mamafih meğer meğerse mi mı mu mü misin mısın musun müsün miyim mıyım mu yoksa
nasıl nasılsa nazaran ne neden nedeniyle nedenle nerde nerede nereden nereye neresi netekim neye neyi neyse nice niçin
nitekim niye
o öbür öbürü olan olarak oldu olduğu olduğunu oldukça olduklarını olmadı olmadığı olmak olması olmayan olmaz olsa olsun
olup olur olursa oluyor on ona önce ondan onlar onlara onlardan onları onların onu onun ora orada oradan öte öteki öteye
ötürü öyle öylece öylesine oysa oysaki
pek peki rağmen
sadece sana sanki şayet şekilde sen sence senden seni senin siz sizce sizden size sizi sizin sonra sonunda
şey şeyden şeye şeyi şeyler şimdi şöyle şöylece şu şuna şunca şunda şundan şunlar şunları şunların şunu şunun şura
şurada
ta tabi tabii tam tamam tamamen tarafından tek tekrar tüm tümü
üzere üstelik
var vardı vasıtasıyla ve velhasıl veya veyahut vs vb
ya yahut yakinen yalnız yalnızca yani yapacak yapılan yapılması yapıyor yapmak yaptı yaptığı yaptığını yaptıkları yer
yerine yine yok yoksa yukarıda
zaten zira
"""
STOP_WORDS = frozenset(_WORDS.split()) - {"on", "yer", "doğru", "hoş", "ilk", "tek", "bugün", "yukarıda", "fazla"}


class StopwordRemover:
    """Drop stop words from token lists; case does not matter (``Ama`` goes like ``ama``).

    Examples
    --------
    >>> tokens = "acaba bugün kahvaltıda kahve yerine çay mı içsem ya da neyse süt içeyim".split()
    >>> StopwordRemover().drop_stop_words(tokens)
    ['bugün', 'kahvaltıda', 'kahve', 'çay', 'içsem', 'süt', 'içeyim']
    """

    def __init__(self) -> None:
        self.stop_words: set[str] = set(STOP_WORDS)
        # The written forms too, so that dropping is one look-up a token and no case conversion.
        self._forms: set[str] = set()
        self._add_forms(STOP_WORDS)

    @overload
    def drop_stop_words(self, list_of_tokens: str) -> str: ...
    @overload
    def drop_stop_words(self, list_of_tokens: list[str] | tuple[str, ...]) -> list[str]: ...
    def drop_stop_words(self, list_of_tokens: str | list[str] | tuple[str, ...]) -> str | list[str]:
        """Return the tokens that are no stop words, in order; a string is split at white space and joined again."""
        check_tokens(list_of_tokens, "drop_stop_words")
        if isinstance(list_of_tokens, str):
            return " ".join(filterfalse(self._forms.__contains__, list_of_tokens.split()))
        return list(filterfalse(self._forms.__contains__, list_of_tokens))

    def add_to_stop_words(self, novel_stop_words: str | Iterable[str]) -> None:
        """Add words, a list or a string of them, to the stop words of this remover."""
        check_tokens(novel_stop_words, "add_to_stop_words")
        words = novel_stop_words.split() if isinstance(novel_stop_words, str) else list(novel_stop_words)
        for word in words:
            if not isinstance(word, str):
                raise TypeError(f"a stop word is a string, not {type(word).__name__}")
        self.stop_words.update(words)
        self._add_forms(words)

    @overload
    def dynamically_detect_stop_words(self, list_of_tokens: str, rare_words_freq: int = 0) -> str: ...
    @overload
    def dynamically_detect_stop_words(
        self, list_of_tokens: list[str] | tuple[str, ...], rare_words_freq: int = 0
    ) -> list[str]: ...
    def dynamically_detect_stop_words(
        self, list_of_tokens: str | list[str] | tuple[str, ...], rare_words_freq: int = 0
    ) -> str | list[str]:
        """Return the words of a text that are frequent enough to be its stop words, the most frequent first.

        The words are sorted by count and cut where the relative change of the relative change of the counts is
        largest; words of equal count stay together. Fewer than three different words, or all equally frequent, give
        none, where VNLP raises.

        Parameters
        ----------
        list_of_tokens
            The text; hundreds of different words make the result worth something.
        rare_words_freq
            Also return words seen at most this often.
        """
        check_tokens(list_of_tokens, "dynamically_detect_stop_words")
        if isinstance(list_of_tokens, str):
            return " ".join(self.dynamically_detect_stop_words(list_of_tokens.split(), rare_words_freq))
        ranked = Counter(list_of_tokens).most_common()
        threshold = _cut([count for _, count in ranked])
        frequent = [word for word, count in ranked if threshold is not None and count >= threshold]
        return frequent + [word for word, count in ranked[len(frequent) :] if count <= rare_words_freq]

    def _add_forms(self, words: Iterable[str]) -> None:
        for word in words:
            lowered = lower_case(word)
            self._forms.update((word, lowered, capitalize(lowered), upper_case(lowered)))


def _cut(counts: list[int]) -> int | None:
    """Return the smallest count above the cut in descending `counts`, None where there is no cut."""
    largest, threshold = -1.0, None
    changes = [(high - low) / high for high, low in pairwise(counts)]
    for place, (change, following) in enumerate(pairwise(changes)):
        if change == 0:
            if following == 0:  # inside a run of equal counts
                continue
            return counts[place]  # any change after none is infinitely large, and the first one counts
        if abs(following - change) / change > largest:
            largest, threshold = abs(following - change) / change, counts[place]
    return threshold
