"""Random Arrow tables of every type parquet can hold, from one seed."""

from __future__ import annotations

import datetime as dt
import decimal
import string
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import random

LETTERS = string.ascii_letters + "çğıöşüâîûÇĞİÖŞÜ .,!?'\"’“”…-0123456789"
ODD = [
    "\r",
    "\n",
    "\r\n",
    "\t",
    ",",
    ";",
    '"',
    "=",
    "@",
    "\u2028",
    "\x0b",
    "\x0c",
    "\x85",
    "🙂",
    "\u0302",
    "\u200b",
    "|",
    "#",
]


def text(rng, size=30):
    letters = rng.choices(LETTERS, k=rng.randrange(size))
    if rng.random() < 0.3:
        letters.insert(rng.randrange(len(letters) + 1), rng.choice(ODD))
    return "".join(letters)


def _integers(bits, signed):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return lambda rng: rng.choice([low, high, 0, rng.randint(low, high)])


def _float(rng):
    return rng.choice([0.0, -1.5, 0.1, 1e300, float("nan"), float("inf"), rng.random()])


def _small_float(rng):
    return rng.choice([0.0, -1.5, 0.25, 1024.0, float("inf")])


def _moment(rng):
    return dt.datetime(1950, 1, 1) + dt.timedelta(microseconds=rng.randrange(1 << 51))


def _second(rng):
    return _moment(rng).replace(microsecond=0)


TYPES = {
    **{getattr(pa, f"int{bits}")(): _integers(bits, True) for bits in (8, 16, 32, 64)},
    **{getattr(pa, f"uint{bits}")(): _integers(bits, False) for bits in (8, 16, 32, 64)},
    pa.float64(): _float,
    pa.float32(): _small_float,
    pa.float16(): _small_float,
    pa.bool_(): lambda rng: rng.random() < 0.5,
    pa.string(): text,
    pa.large_string(): text,
    pa.binary(): lambda rng: rng.randbytes(rng.randrange(5)),
    pa.large_binary(): lambda rng: rng.randbytes(rng.randrange(5)),
    pa.binary(3): lambda rng: rng.randbytes(3),
    pa.date32(): lambda rng: _moment(rng).date(),
    pa.date64(): lambda rng: _moment(rng).date(),
    pa.time32("s"): lambda rng: _second(rng).time(),
    pa.time32("ms"): lambda rng: _second(rng).time(),
    pa.time64("us"): lambda rng: _moment(rng).time(),
    pa.time64("ns"): lambda rng: rng.randrange(86_400 * 10**9),
    pa.timestamp("s"): _second,
    pa.timestamp("ms"): _second,
    pa.timestamp("us"): _moment,
    pa.timestamp("ns"): lambda rng: rng.randrange(1 << 60),
    pa.timestamp("us", "UTC"): _moment,
    pa.timestamp("us", "Europe/Istanbul"): _moment,
    pa.duration("us"): lambda rng: dt.timedelta(microseconds=rng.randrange(1 << 40)),
    pa.duration("ns"): lambda rng: rng.randrange(1 << 60),
    pa.decimal128(20, 4): lambda rng: decimal.Decimal(rng.randrange(-(10**19), 10**19)).scaleb(-4),
    pa.decimal256(50, 2): lambda rng: decimal.Decimal(rng.randrange(10**48)).scaleb(-2),
    pa.dictionary(pa.int32(), pa.string()): lambda rng: rng.choice(["x", "y", "ş"]),
    pa.null(): lambda rng: None,
    pa.list_(pa.int64()): lambda rng: [rng.choice([None, (1 << 53) + 1]) for _ in range(rng.randrange(3))],
    pa.large_list(pa.string()): lambda rng: [text(rng) for _ in range(rng.randrange(3))],
    pa.list_(pa.float64()): lambda rng: [_float(rng) for _ in range(rng.randrange(3))],
    pa.list_(pa.int32(), 2): lambda rng: [1, rng.randrange(9)],
    pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))]): lambda rng: {"a": None, "b": [text(rng)]},
    pa.map_(pa.string(), pa.int64()): lambda rng: [("k", rng.randrange(9))],
}


def random_table(rng: random.Random, rows: int, columns: int = 6) -> pa.Table:
    """Return a table with a column ``text`` and some of random types, nulls among them."""
    chosen = rng.sample(list(TYPES), columns)
    data = {"text": pa.array([rng.choice([text(rng), None, ""]) for _ in range(rows)], pa.string())}
    for number, kind in enumerate(chosen):
        values = [None if rng.random() < 0.2 else TYPES[kind](rng) for _ in range(rows)]
        data[f"c{number}"] = pa.array(values, kind)
    return pa.table(data)
