"""Names with a full stop inside them: addresses of the web and of mail, and files."""

from __future__ import annotations

import re

DOMAIN_ENDS = "com|org|net|edu|gov|mil|int|info|biz|bel|pol|k12|gen|tv|tr|io|co|uk|de|fr|eu|az|app|dev|ai|me|ly"
_FILE_ENDS_LIST = """
    pdf doc docx xls xlsx csv tsv ppt pptx txt rtf odt jpg jpeg png gif svg bmp webp mp3 mp4 avi mkv mov wav zip rar gz
    tar exe dll apk py js ts html htm css php java cpp xml json yml yaml md sql ini cfg log ipynb parquet NET
"""
FILE_ENDS = frozenset(_FILE_ENDS_LIST.split())

_REACH = 64  # characters to each side; a longer name is no name
_SIGN = re.compile(r"://|www\.|\w@")
_END = re.compile(rf"(?:[\w-]++\.){{0,4}}(?:{DOMAIN_ENDS}|{'|'.join(sorted(FILE_ENDS))})(?!\w)", re.IGNORECASE)


def is_in_address(text: str, at: int, start: int = 0) -> bool:
    """Tell whether the full stop at `at` stands inside an address or the name of a file."""
    if _END.match(text, at + 1, at + 1 + _REACH):
        return True
    before = text[max(start, at - _REACH) : at].split()
    after = text[at + 1 : at + 1 + _REACH].split()
    return bool(
        (before and not text[at - 1].isspace() and _SIGN.search(before[-1] + "."))
        or (after and not text[at + 1].isspace() and _SIGN.search(after[0]))
    )
