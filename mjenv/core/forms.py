"""How many tiles a hand misses in each form, exact under the four-copy limit of rules/common.md."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjenv.core.shapes import (
    NINE_ONE,
    ONES,
    ORPHAN_WORDS,
    PAIR_BIT,
    SEVEN_PAIRS,
    SEVEN_PAIRS_ANY,
    THIRTEEN_ORPHANS,
    THIRTEEN_SCATTERED,
    WORDS,
    add_bytes,
    find_class,
    keep_scattered,
)
from mjenv.core.suits import FAR, LANE_BITS, LEVELS, Lut
from mjenv.jit import jit

Array = NDArray[Any]


@jit
def find_word(suit: int, key: int, level: int, lut: Lut) -> int:
    """The word of one suit (0-3) with this key when `level` forced fifth copies are allowed."""
    return int(lut["near"][find_class(suit, key, lut), level])


@jit
def read_missing(word: int, sets_needed: int, lut: Lut) -> int:
    """The fewest missing tiles for so many sets and a pair."""
    return (int(lut["missing"][word]) >> (LANE_BITS * (PAIR_BIT + sets_needed))) & 31


@jit
def join_levels(key: Array, sets_needed: int, f0: int, f1: int, f2: int, f3: int, lut: Lut) -> int:
    """The fewest missing tiles for so many sets and a pair, each suit at its own level of forced fifth copies."""
    own0, own1 = find_word(0, int(key[0]), f0, lut), find_word(1, int(key[1]), f1, lut)
    own2, own3 = find_word(2, int(key[2]), f2, lut), find_word(3, int(key[3]), f3, lut)
    return read_missing(int(lut["join"][lut["join"][own0, own1], lut["join"][own2, own3]]), sets_needed, lut)


@jit
def is_bent(suit: int, key: int, level: int, lut: Lut) -> bool:
    """Whether forced fifth copies would bring this suit nearer."""
    return find_word(suit, key, 0, lut) != find_word(suit, key, level, lut)


@jit
def share_wilds(key: Array, wilds: int, sets_needed: int, lut: Lut) -> int:
    """The fewest missing tiles when several suits gain from fifth copies: try every way to share the wilds."""
    top = min(wilds, LEVELS - 1)
    best = FAR
    top0 = top if is_bent(0, int(key[0]), top, lut) else 0
    top1 = top if is_bent(1, int(key[1]), top, lut) else 0
    top2 = top if is_bent(2, int(key[2]), top, lut) else 0
    for f0 in range(top0 + 1):
        for f1 in range(min(top1, wilds - f0) + 1):
            for f2 in range(min(top2, wilds - f0 - f1) + 1):
                f3 = min(top, wilds - f0 - f1 - f2)
                best = min(best, join_levels(key, sets_needed, f0, f1, f2, f3, lut))
    return best


@jit
def count_missing(key: Array, wilds: int, sets_needed: int, lut: Lut) -> int:
    """The fewest tiles missing from so many sets and a pair, of which at most `wilds` are forced fifth copies."""
    level = min(wilds, LEVELS - 1)
    if level > 0:
        bent = 0
        for suit in range(4):
            bent += int(is_bent(suit, int(key[suit]), level, lut))
        if bent > 1:
            return share_wilds(key, wilds, sets_needed, lut)
    return join_levels(key, sets_needed, level, level, level, level, lut)


@jit
def miss_pairs(words: Array, any_kinds: bool) -> int:
    """How many of fourteen tiles are missing from seven pairs, of different kinds or (`any_kinds`) of any.

    No kind is needed five times: a fresh kind costs the same two tiles.
    """
    pairs = singles = 0
    for i in range(WORDS):
        word = int(np.int64(words[i]))
        paired = (word >> 1 | word >> 2) & ONES
        if any_kinds:
            pairs += paired + (word >> 2 & ONES)
            singles += word & ONES
        else:
            pairs += paired
            singles += word & ONES & ~paired
    pairs = add_bytes(pairs)
    return 14 - 2 * pairs - min(7 - pairs, add_bytes(singles))


@jit
def miss_nine_one(words: Array, size: int) -> int:
    """How many of `size` tiles are missing from terminals and honors alone."""
    held = 0
    for i in range(WORDS):
        held += int(np.int64(words[i])) & int(ORPHAN_WORDS[i])
    return size - add_bytes(held)


@jit
def miss_orphans(words: Array) -> int:
    """How many of fourteen tiles are missing from the thirteen orphans and one of them twice."""
    distinct = doubled = 0
    for i in range(WORDS):
        word = int(np.int64(words[i])) & int(ORPHAN_WORDS[i])
        paired = (word >> 1 | word >> 2) & ONES
        distinct += word & ONES | paired
        doubled |= paired
    return 14 - add_bytes(distinct) - (1 if doubled else 0)


@jit
def count_other_missing(words: Array, key: Array, melds: int, forms: int, lut: Lut) -> int:
    """The fewest tiles missing in the asked forms other than the standard one; `FAR` if none applies.

    None of these forms is ever nearer for a fifth copy, so wilds do not matter here.
    """
    best = FAR
    if forms & NINE_ONE:
        best = miss_nine_one(words, 3 * (4 - melds) + 2)
    if melds > 0:
        return best
    if forms & SEVEN_PAIRS:
        best = min(best, miss_pairs(words, False))
    if forms & SEVEN_PAIRS_ANY:
        best = min(best, miss_pairs(words, True))
    if forms & THIRTEEN_SCATTERED:
        best = min(best, 14 - keep_scattered(key, lut))
    if forms & THIRTEEN_ORPHANS:
        best = min(best, miss_orphans(words))
    return best
