"""Compiled functions of the core that only compiled code calls, opened to the tests."""

from __future__ import annotations

from mjenv.core import shanten, shapes
from mjenv.core.layout import Array
from mjenv.jit import kernel


@kernel
def index_row(row: Array, key: Array) -> None:
    shapes.index_row(row, key)


@kernel
def makes(key: Array, sets: int, pairs: int, lut: Array) -> bool:
    return shapes.makes(key, sets, pairs, lut[0])


@kernel
def lookahead(
    row: Array,
    words: Array,
    key: Array,
    wilds: int,
    melds: int,
    sets: int,
    forms: int,
    unseen: Array,
    wild_kinds: int,
    drawn: Array,
    lut: Array,
    out_shanten: Array,
    out_useful: Array,
) -> tuple[int, int]:
    return shanten.lookahead(
        row, words, key, wilds, melds, sets, forms, unseen, wild_kinds, drawn, lut[0], out_shanten, out_useful
    )
