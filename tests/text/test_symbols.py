from __future__ import annotations

import pytest

from vnlp_colab.text.symbols import is_symbol


@pytest.mark.parametrize("token", ["😀", "❤️", "👩🏽‍💻", "🇹🇷", "😂😂😂", "→", "±", "€", "₺", "©", "°", "■", "1️⃣", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"])
def test_symbols(token):
    assert is_symbol(token)


@pytest.mark.parametrize("token", ["", "a", "1", ".", "…", "—", "“", "«", "ş", "$", "+", "5€", "iyi😀", "\u200d", "%"])
def test_what_is_none(token):
    assert not is_symbol(token)
