"""Chat spellings: a small table of words written without their vowels, and rules for endings as they are spoken.

A rule counts only if the lexicon has the mended word in the tense the rule is about, and not the word as typed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vnlp_colab.text.harmony import attach_suffix
from vnlp_colab.text.informal.words import is_known, mended_like

if TYPE_CHECKING:
    from collections.abc import Iterator

# Typed: meant. Words of one token alone, so that every token keeps its place.
_TABLE_TEXT = """
    slm selam  slmlar selamlar  mrb merhaba  mrhb merhaba  mrhba merhaba  meraba merhaba  nbr naber  nber naber
    tmm tamam  tmmdır tamamdır  tşk teşekkürler  tşkr teşekkürler  tşkler teşekkürler  tşkrler teşekkürler
    tsk teşekkürler  tskler teşekkürler  tskrler teşekkürler  teşkürler teşekkürler  eyw eyvallah  eyv eyvallah
    inş inşallah  inşl inşallah  maşl maşallah  msj mesaj  msjı mesajı  tlf telefon  cnm canım  canm canım
    aşkm aşkım  knk kanka  kanks kanka  krdş kardeş  kardş kardeş  kardşm kardeşim  krdşm kardeşim  grşrz görüşürüz
    grsrz görüşürüz  görüşrz görüşürüz  hrks herkes  hrkz herkes  herkez herkes  herkeze herkese  gnydn günaydın
    günaydn günaydın  gclr geceler  gcler geceler  akşmlr akşamlar  bgn bugün  yrn yarın  çk çok  bn ben  bna bana
    sna sana  bnm benim  snn senin  bnce bence  bi bir  bişey birşey  bişi birşey  bisey birşey  bişeyler birşeyler
    deil değil  diil değil  değl değil  degl değil  dgl değil  dğl değil  şmdi şimdi  şindi şimdi  simdi şimdi
    dicem diyeceğim  diycem diyeceğim  dicez diyeceğiz  yicem yiyeceğim  yiycem yiyeceğim  yicez yiyeceğiz  ewet evet
    evt evet  yawrum yavrum  sewgilim sevgilim  sewiyorum seviyorum  war var  hyr hayır  yk yok  kmse kimse
    nasi nasıl  nası nasıl  nslsn nasılsın  nslsın nasılsın  nasılsn nasılsın  ltfn lütfen  lütfn lütfen  pls lütfen
    lutfn lütfen  süpr süper  mükemml mükemmel  vallaha vallahi  wallahi vallahi  wallaha vallahi  yha ya  yaw yav
    noldu n'oldu  nolur n'olur  nolcak n'olacak  napıyon napıyorsun  napıyosun napıyorsun  napiyon napıyorsun
    napiyosun napıyorsun  naptın n'aptın  naptin n'aptın  nerde nerede  nerden nereden  nerdesin neredesin
    nerdeydin neredeydin  nerdeyse neredeyse  burda burada  burdan buradan  burdayım buradayım  burdayız buradayız
    şurda şurada  şurdan şuradan  orda orada  ordan oradan  ordayım oradayım  ordaydı oradaydı  içerde içeride
    dışarda dışarıda  yukarda yukarıda  aşşağı aşağı  yalnış yanlış  yanlız yalnız  şöför şoför  orjinal orijinal
"""
_WORDS = _TABLE_TEXT.split()
TABLE = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))

# "gelmiyo", "geliyom", "yapıyosun": the "r" of the present tense is not heard, nor its vowel after it.
_PRESENT = re.compile("([ıiuü])y?o(r?)(u?m|n|nuz|u?z|(?:s(?:un(?:uz)?|a\\w*)|lar|du\\w*|muş\\w*|dur|ken)?)$")
_AFTER_R = {"m": "um", "n": "sun", "z": "uz", "nuz": "sunuz"}
# "yapıcam", "gelcez", "olucaktım": the vowels of the future tense are worn down.
_FUTURE = re.compile("([ıiuü]?)(y?)c([ae])(m|n|z|k(\\w*))$")
_OF_PERSON = {"m": "ğım", "n": "ksın", "z": "ğız"}
_LONGEST_ACRONYM = 4  # "TSK", "TMM" in capitals
_LIKE_A_NAME = re.compile("c[ae]n$|C[AE]N$|[qQ]")  # "Ercan" will not "reach"


def mend_chat(word: str) -> str:
    """Return the word meant by a chat spelling, or the word itself.

    Examples
    --------
    >>> [mend_chat(word) for word in ("slm", "Tmm", "gelmiyo", "yapıcam", "söylicem", "aşqım", "hocam")]
    ['selam', 'Tamam', 'gelmiyor', 'yapacağım', 'söyleyeceğim', 'aşkım', 'hocam']
    """
    if (word.isupper() and len(word) <= _LONGEST_ACRONYM) or (word[:1].isupper() and _LIKE_A_NAME.search(word)):
        return word
    return mended_like(word, _mended)


def _mended(word: str) -> str | None:
    listed = TABLE.get(word)
    if listed:
        return listed
    present = _PRESENT.search(word)
    if present:
        if present[2] and word[present.end(1)] == "y":
            return None  # "-iyor" as it should be
        end = _AFTER_R.get(present[3], present[3])
        spelt = f"{word[: present.end(1)]}yor{end}"
        return spelt if not is_known(word, "+Verb") and is_known(spelt, "Prog1") else None
    future = _FUTURE.search(word)
    # The lexicon reads "gelicem" as a noun, too; "sıcak" and "patlıcan" are ones.
    if future and ((future[1] and future[4] in "mz") or not is_known(word)):
        return next((spelt for spelt in _futures(word, future) if is_known(spelt, "Fut")), None)
    if "q" in word and not is_known(word):
        spelt = word.replace("q", "k")
        return spelt if is_known(spelt) else None
    return None


def _futures(word: str, future: re.Match[str]) -> Iterator[str]:
    """Yield the full spellings of a worn-down future tense, the likeliest first."""
    stem = word[: future.start()]
    person = _OF_PERSON.get(future[4], future[4])
    if not stem:
        stem, joined = {"i": "diy", "ı": "", "u": "", "ü": ""}.get(future[1], ""), ""
    else:
        joined = future[1] + future[2]
    if not future[2]:
        yield attach_suffix(stem, "aca" + person)  # yap-ıcam
    if joined:
        open_vowel = "a" if future[3] == "a" else "e"
        yield attach_suffix(stem + open_vowel, "yaca" + person)  # söyl-icem, iste-ycem
        yield attach_suffix(stem + future[1], "yaca" + person)  # oku-cam, yi-ycem
