"""How many tiles a hand misses in each form, exact under the four-copy limit of rules/common.md."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjenv.core.shapes import (
    NINE_ONE,
    ONES,
    ORPHAN_KINDS,
    ORPHAN_WORDS,
    PAIR_BIT,
    POWER,
    SEVEN_PAIRS,
    SEVEN_PAIRS_ANY,
    THIRTEEN_ORPHANS,
    THIRTEEN_SCATTERED,
    WORDS,
    add_bytes,
    find_class,
    join_scattered,
    keep_scattered,
    scattered_state,
)
from mjenv.core.suits import FAR, LANE_BITS, LEVELS, Lut
from mjenv.core.tiles import HAND_KINDS, HONORS
from mjenv.jit import jit

Array = NDArray[Any]

ALL_SET = (1 << HAND_KINDS) - 1
ORPHAN_SET = sum(1 << int(kind) for kind in ORPHAN_KINDS)


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
def pack_flags(flags: int, word: int) -> int:
    """The flags in the eight bytes of word `word` of a row as bits, one a kind: pairs move together, then fours."""
    flags = (flags | flags >> 7) & 0x0003000300030003
    flags = (flags | flags >> 14) & 0x0000000F0000000F
    return ((flags | flags >> 28) & 255) << 8 * word


@jit
def count_pairs(words: Array, any_kinds: bool) -> tuple[int, int]:
    """Pairs and single tiles of a row, the pairs of different kinds or (`any_kinds`) of any."""
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
    return add_bytes(pairs), add_bytes(singles)


@jit
def miss_pairs(words: Array, any_kinds: bool) -> int:
    """How many of fourteen tiles are missing from seven pairs, of different kinds or (`any_kinds`) of any.

    No kind is needed five times: a fresh kind costs the same two tiles.
    """
    pairs, singles = count_pairs(words, any_kinds)
    return 14 - 2 * pairs - min(7 - pairs, singles)


@jit
def find_pair_tiles(words: Array, any_kinds: bool) -> int:
    """A bit for every kind whose draw brings seven pairs nearer: a partner, or a first tile while pairs lack any."""
    pairs, singles = count_pairs(words, any_kinds)
    has_room = singles < 7 - pairs
    kinds = 0
    for i in range(WORDS):
        word = int(np.int64(words[i]))
        paired = (word >> 1 | word >> 2) & ONES
        partners = word & ONES if any_kinds else word & ONES & ~paired
        firsts = ~word & ONES if any_kinds else ~(word | paired) & ONES
        kinds |= pack_flags(partners | firsts if has_room else partners, i)
    return kinds


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
def find_orphan_tiles(words: Array) -> int:
    """A bit for every kind whose draw brings the thirteen orphans nearer: one not held, or a partner for the pair."""
    held = doubled = 0
    for i in range(WORDS):
        word = int(np.int64(words[i])) & int(ORPHAN_WORDS[i])
        paired = (word >> 1 | word >> 2) & ONES
        held |= pack_flags(word & ONES | paired, i)
        doubled |= paired
    return ORPHAN_SET & ~held if doubled else ORPHAN_SET


@jit
def find_scattered_tiles(row: Array, key: Array, lut: Lut) -> int:
    """A bit for every kind whose draw brings thirteen-scattered nearer; a second copy never does."""
    s0, s1 = scattered_state(0, int(key[0]), lut), scattered_state(1, int(key[1]), lut)
    s2, honors = scattered_state(2, int(key[2]), lut), scattered_state(3, int(key[3]), lut)
    kept = join_scattered(s0, s1, s2, honors)
    kinds = 0
    for kind in range(HONORS):
        if row[kind] == 0:
            suit = kind // 9
            state = scattered_state(suit, int(key[suit]) + int(POWER[kind]), lut)
            with_it = join_scattered(
                state if suit == 0 else s0, state if suit == 1 else s1, state if suit == 2 else s2, honors
            )
            kinds |= int(with_it > kept) << kind
    if join_scattered(s0, s1, s2, honors + 1) > kept:
        for kind in range(HONORS, HAND_KINDS):
            kinds |= int(row[kind] == 0) << kind
    return kinds


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


@jit
def find_other_useful(row: Array, words: Array, key: Array, melds: int, forms: int, lut: Lut) -> int:
    """A bit for every kind held less than four times whose draw brings the nearest of these forms nearer."""
    missing = count_other_missing(words, key, melds, forms, lut)
    kinds = 0
    if forms & NINE_ONE and miss_nine_one(words, 3 * (4 - melds) + 2) == missing:
        kinds |= ORPHAN_SET
    if melds == 0:
        if forms & SEVEN_PAIRS and miss_pairs(words, False) == missing:
            kinds |= find_pair_tiles(words, False)
        if forms & SEVEN_PAIRS_ANY and miss_pairs(words, True) == missing:
            kinds |= find_pair_tiles(words, True)
        if forms & THIRTEEN_SCATTERED and 14 - keep_scattered(key, lut) == missing:
            kinds |= find_scattered_tiles(row, key, lut)
        if forms & THIRTEEN_ORPHANS and miss_orphans(words) == missing:
            kinds |= find_orphan_tiles(words)
    fours = 0
    for i in range(WORDS):
        fours |= pack_flags(int(np.int64(words[i])) >> 2 & ONES, i)
    return kinds & ALL_SET & ~fours
