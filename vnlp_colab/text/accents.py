"""The circumflex of older and careful Turkish spelling, taken off: ``imkân`` becomes ``imkan``."""

from __future__ import annotations

import re

from vnlp_colab.text.case import lower_case

_PLAIN = str.maketrans("âêôûÂÊÔÛ", "aeouAEOU")
_MARKED = re.compile("[âêîôûÂÊÎÔÛ\u0302]")
_COMBINING = re.compile("([aeiouıAEIOUİâêîôûÂÊÎÔÛ])\u0302+")  # one or, by mistake, several
_COMPOSED = dict(zip("aeiouıAEIOUİâêîôûÂÊÎÔÛ", "âêîôûîÂÊÎÔÛÎâêîôûÂÊÎÔÛ", strict=True))
_WORD_WITH_I = re.compile(r"(?<!\w)\w*[îÎ]\w*")  # tried once a word, so that a long word without one stays linear
_FRONT, _VOWELS = frozenset("eiöü"), frozenset("aeıioöuü")

# What stands before an "î" that is read "i" though no front vowel comes before it ("siyas-î", "hukuk-î", "d-în"):
# every such beginning seen nine times or more in the Turkish Wikipedia; "-" is the start of the word.
_BEFORE_I_LIST = """
    - abad abbas abd abdülaz abdülhak abdülham ad adl ah ahd ahlak ak akl aksaray al alav am an ar arab arvas as
    asgar askalan asl asr ayn az azad azaz azm aş b baba baha bahr bak bal basr batın bayat bayram bağdad baştab
    bektaş beno beyzav birun bistam boht buhar buht c cam celal cennab cerrah cha coğraf cud d da dah dar davud
    divan dur dürran efgan eflak ensar esas etas eyyub f fahr fak farab fars fatım fazl fuzul fıkh garb gavs gaz
    gazal gazzal geylan h hab had haf hafs hak hakan hal ham han hayal hayat haydar haz haşhaş hemedan hindustan
    horasan hotak hoy hukuk hulus huruf husus ibrah ibran idad idar iktisad ilah insan iptida iran isfahan islam
    islambul istahr istisna itikad içtima j k kab kad kan kanun karmat kas kasan kaşan kefersud keyan kuf kurd
    kurmanc kıpt kısm l lahm lat lema lud m ma madd mahall makr mal mecus mektub melam mervan mesud milad mimar
    mizah mohtad mu musık mısr n nas nasır nebat nestur neva niha nizam nizar nurs nusayr osman p r rabban rah
    rav raz reconna rifa ruba ruh ruhan rum s sa saf sah sahab sam saman san sasan sekaf selahadd sema semav
    semerkand siyah siyas suf sul sultan sun suud sına t tab tabbah tahr takr takv tal tam tar tasavvuf tayy
    terakk tevar tevvab ticar tikad tus tıbb ud ufk umum uşak vad vefa vehhab yahud yakub yezdan z zira ziyar
    çub ırs ıtr ş şahs şark şeriat şeyban şeytan şiraz şirvan
"""
_BEFORE_I = frozenset(_BEFORE_I_LIST.split())


def remove_accent_marks(text: str) -> str:
    """Return `text` without circumflexes; the Turkish letters and the accents of other languages stay.

    ``î`` becomes ``i`` or ``ı`` by vowel harmony, where VNLP writes ``ı`` always (``resmı``); words such as
    ``siyasî``, which harmony would get wrong, are listed.

    Examples
    --------
    >>> remove_accent_marks("merhâbâ gûzel yîlkî atî, resmî ve siyasî imkân")
    'merhaba guzel yılkı atı, resmi ve siyasi imkan'
    """
    if not _MARKED.search(text):
        return text
    if "\u0302" in text:
        text = _COMBINING.sub(lambda match: _COMPOSED[match.group(1)], text)
    text = text.translate(_PLAIN)
    if "î" in text or "Î" in text:
        text = _WORD_WITH_I.sub(_read_i, text)
    return text


def _read_i(match: re.Match[str]) -> str:
    letters: list[str] = []  # of the word so far, in lower case
    written: list[str] = []
    vowel = ""
    for letter in match.group():
        if letter in "îÎ":
            front = vowel in _FRONT or (len(letters) < 16 and ("".join(letters) or "-") in _BEFORE_I)
            letters.append("i" if front else "ı")
            written.append(("İ" if front else "I") if letter == "Î" else letters[-1])
        else:
            letters.append(lower_case(letter))
            written.append(letter)
        if letters[-1] in _VOWELS:
            vowel = letters[-1]
    return "".join(written)
