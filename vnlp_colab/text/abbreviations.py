"""Abbreviations after which a full stop does not end a Turkish sentence.

The base is the Turkish prefix list of the sentence-splitter library. Ours departs from it in two ways, both because
that list was, in its own words, made by someone who does not speak Turkish.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

# Ordinary words (and "no" translated as "hayır"): as prefixes they glue sentences that end in them to the next one.
# Numbers are judged by their form, not by a list up to 99. "vb", "vs" and "vd" ("and so on") close a sentence when a
# capital follows; the library means English "versus".
_NOT_ABBREVIATIONS = """
    Ar As Bul Far Jun Mar No Sen al ant ark atm bağ bot dam doğ e ed esp f fil hayır is no vs
"""

# Titles, ranks, addresses, citations, companies, languages and units the library does not know.
_MORE_ABBREVIATIONS = """
    Adm Ank Ansik Arş Asb Atğm Av Blm Blv Bkz Bnb Bulv Bçvş Capt Cd Col Dipl Dt Ed Eds Faks Fzt Fra Gn Gnl Gov Gör Haz
    Hrsg Hz Kd Koop Korg Krş Kur Lat Lt Ltd Mah Maj Md Mh Mim Mt Müd Müh Nr Onb Op Ord Org Osm Psk Sf Sgt Sk Sn Sok
    Ste Tel Tic Trh Tuğg Tümg Tğm Uzm Vet Vol Yarb Yay Yb Yrd Yun Yy Yzb Yön Çev Öğr Öğrt Ör Örn Üni Üniv Üstğm Ütğm
    İng İst İzm Şti ansik art blm bkz cad dk eds haz ing karş krş lat mah nr sf sn sok ss tel vol yaklaş yay yy yüzy
    yön çev ör örn
"""


@cache
def abbreviations() -> frozenset[str]:
    """Return the abbreviations, without their full stop; upper and lower case differ."""
    return (_library_prefixes() - frozenset(_NOT_ABBREVIATIONS.split())) | frozenset(_MORE_ABBREVIATIONS.split())


def _library_prefixes() -> frozenset[str]:
    # Found and not imported: the library pulls in the `regex` module, which nothing here needs.
    spec = find_spec("sentence_splitter")
    if spec is None or not spec.submodule_search_locations:
        return frozenset()
    path = Path(spec.submodule_search_locations[0]) / "non_breaking_prefixes" / "tr.txt"
    lines = (line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines())
    return frozenset(line.rpartition(" ")[2] for line in lines if line and not line.isdigit())
