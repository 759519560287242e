"""Turkish abbreviations that are written with a full stop, by what the stop means before a capital.

Collected from Turkish spelling guides' lists and from words that stand before a full stop and a small letter in the
Turkish Wikipedia. Words that are also ordinary Turkish (``al.``, ``ant.``, ``sen.``) are left out: as abbreviations
they would glue sentences that end in them to the next one.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from vnlp_colab.text.case import lower_case, upper_case

HOLDS: Final = "holds"  # a name, a number or the rest of the phrase follows, whatever its case
MAY_END: Final = "may end"  # closes the sentence when a capital follows: "elma, armut vb."
BEFORE_DIGIT: Final = "before a digit"  # "No. 5"

# In front of a name, and so harmless in small letters too (text typed without capitals: "prof. dr. ali").
_TITLES = """
    Arş Asist Av Bçvş Bkz Bnb Bşk Cad Cd Çvş Dipl Doç Dr Dt Ecz Fzt Gör Hz Jr Krş Mah Mh Mr Mrs Ms Müh Op Ord Örn Prof
    Psk Sn Sok Sr Sk Uzm Üniv Vet Yrd Yzb Öğr Ütğm Üstğm Tğm Atğm Asb Şti Ltd Tic Blv Bulv Apt
"""
_OTHERS = """
    Adm Akad Alb Alm Ank Ansik Apr Aug Bl Blm Bld Bn Bros Bulg Böl Capt Co Col Corp Cos Çev Dec Ed Eds Ens Erm Fak
    Faks Feb Fig Fr Fra Gen Gn Gnkur Gnl Gov Gön Haz Hrsg Inc İbr İng İnş İsp İst İt İzm Jan Jul Kd Koop Korg Kur Kuv
    Lat Lt Maj Md Mim Mt Müd Nov Nr Oct Okt Onb Org Osm Ph PhD Rev San Sep Sept Sf Sgt St Ste Tel Trh Trk Tuğg Tümg Üni
    Vol Yarb Yay Yb Yön Yun Yy Öğrt Ör Asst Kom Univ Başk
    anat ansik art astr astrol bitb biy bk bkz blm bs cad cf coğ çev db dbl dzş eds ekon fel fig fiz geom gn haz ing
    karş krş lat mah nr pp sf sok ss ssp subsp tel terc vol yaklaş yakl yay yön yy yüzy ör örn
    inc ınc corp co cos bros
    B.E H.O Ph.D Th.D Başk.yard Bşk.yrd
"""
_MAY_END = "vb vs vd vdl etc km cm mm kg gr mg ml lt dk sn dB ark"
_BEFORE_DIGIT = "No no Md md Bl"


@cache
def abbreviations() -> dict[str, str]:
    """Return the abbreviations, without their full stop, and what the stop means; small and capital letters differ."""
    titles = _TITLES.split()
    table = dict.fromkeys((*titles, *_OTHERS.split()), HOLDS)
    table |= dict.fromkeys(map(lower_case, titles), HOLDS)
    table |= dict.fromkeys(_BEFORE_DIGIT.split(), BEFORE_DIGIT)
    table |= dict.fromkeys(_MAY_END.split(), MAY_END)
    # A heading or a shop sign in capitals: "PROF. DR.", "CAD. NO. 5".
    return {upper_case(word): kind for word, kind in table.items() if len(word) > 1} | table
