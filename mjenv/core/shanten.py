"""Distance to a complete hand with wilds, exact under the four-copy limit, and the tiles that shorten it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjenv.core.forms import count_missing, count_other_missing, find_other_useful, find_word, read_missing
from mjenv.core.shapes import (
    ONES,
    PAIR_BIT,
    POWER,
    STANDARD,
    SUIT_OF,
    WORDS,
    count_tiles,
    find_fault,
    find_win_set,
    is_other_complete,
    load_row,
)
from mjenv.core.suits import FAR, LANE_BITS, LEVELS, Lut
from mjenv.core.tiles import HAND_KINDS, ROW
from mjenv.jit import jit, kernel

Array = NDArray[Any]


@jit
def distance(row: Array, words: Array, key: Array, wilds: int, melds: int, sets: int, forms: int, lut: Lut) -> int:
    """Shanten of a hand of 3n+1 or 3n+2 tiles: -1 complete, 0 one tile away; 99 if none of the forms applies.

    row: uint8 [40] concealed tiles without wilds; words: uint64 [5], the same memory; key: int32 [4] of that row.
    """
    best = FAR
    if forms & STANDARD:
        best = count_missing(key, wilds, sets - melds, lut)
    if forms & ~STANDARD:
        best = min(best, count_other_missing(words, key, melds, forms, lut))
    return best - wilds - 1 if best < FAR else FAR


@jit
def join_other_suits(first: int, second: int, third: int, last: int, suit: int, join: Array) -> int:
    """What the three suits other than `suit` have together."""
    if suit < 2:
        return int(join[second if suit == 0 else first, join[third, last]])
    return int(join[join[first, second], last if suit == 2 else third])


@jit
def mark_standard_waits(row: Array, key: Array, sets_needed: int, lut: Lut, out: Array) -> None:
    """Set `out[k]` for the kinds that complete the standard form."""
    own0, own1 = find_win_set(0, int(key[0]), lut), find_win_set(1, int(key[1]), lut)
    own2, own3 = find_win_set(2, int(key[2]), lut), find_win_set(3, int(key[3]), lut)
    for suit in range(4):
        rest = join_other_suits(own0, own1, own2, own3, suit, lut["win_join"])
        if rest == 0:
            continue
        first = 9 * suit
        for kind in range(first, min(first + 9, HAND_KINDS)):
            if row[kind] < 4:
                drawn = find_win_set(suit, int(key[suit]) + int(POWER[kind]), lut)
                bits = int(lut["win_bits"][lut["win_join"][drawn, rest]])
                out[kind] |= bits >> (PAIR_BIT + sets_needed) & 1


@jit
def mark_other_waits(
    row: Array, words: Array, key: Array, wilds: int, melds: int, forms: int, lut: Lut, out: Array
) -> None:
    """Set `out[k]` for the kinds that complete a form other than the standard one; every kind is tried."""
    for kind in range(HAND_KINDS):
        if row[kind] < 4 and not out[kind]:
            suit, power = int(SUIT_OF[kind]), int(POWER[kind])
            row[kind] += 1
            key[suit] += power
            out[kind] = is_other_complete(row, words, key, wilds, melds, forms, lut)
            row[kind] -= 1
            key[suit] -= power


@jit
def waits(
    row: Array, words: Array, key: Array, wilds: int, melds: int, sets: int, forms: int, lut: Lut, out: Array
) -> None:
    """Set `out` uint8 [40] to 1 for every kind held less than four times that completes the hand as a real tile.

    All zero unless the hand has 3n+1 tiles. `row` and `key` change on the way and are put back.
    """
    out[:] = 0
    if count_tiles(words) + wilds != 3 * (sets - melds) + 1:
        return
    if forms & STANDARD:
        mark_standard_waits(row, key, sets - melds, lut, out)
    if forms & ~STANDARD and count_other_missing(words, key, melds, forms, lut) == wilds + 1:
        mark_other_waits(row, words, key, wilds, melds, forms, lut, out)


@jit
def has_gang(words: Array) -> bool:
    """Whether some kind is held four times."""
    fours = 0
    for i in range(WORDS):
        fours |= int(np.int64(words[i])) >> 2
    return fours & ONES != 0


@jit
def draw_suit(row: Array, suit: int, key: int, level: int, lut: Lut, drawn: Array) -> None:
    """Write into `drawn` uint16 [40] which word the suit has with one more tile of each of its kinds; a fifth copy
    changes nothing."""
    own = find_word(suit, key, level, lut)
    for kind in range(9 * suit, min(9 * suit + 9, HAND_KINDS)):
        drawn[kind] = find_word(suit, key + int(POWER[kind]), level, lut) if row[kind] < 4 else own


@jit
def find_standard_useful(key: Array, level: int, sets_needed: int, drawn: Array, lut: Lut) -> tuple[int, int]:
    """How many tiles miss from the standard form, and a bit for every kind that lowers it, `drawn` as of `draw_suit`.

    Right while one suit at most gains from fifth copies, before the draw and after.
    """
    join, missing_of = lut["join"], lut["missing"]
    own0, own1 = find_word(0, int(key[0]), level, lut), find_word(1, int(key[1]), level, lut)
    own2, own3 = find_word(2, int(key[2]), level, lut), find_word(3, int(key[3]), level, lut)
    missing = read_missing(int(join[join[own0, own1], join[own2, own3]]), sets_needed, lut)
    shift = LANE_BITS * (PAIR_BIT + sets_needed)
    kinds = 0
    for suit in range(4):
        rest = join_other_suits(own0, own1, own2, own3, suit, join)
        for kind in range(9 * suit, min(9 * suit + 9, HAND_KINDS)):
            with_it = int(missing_of[join[rest, drawn[kind]]]) >> shift & 31
            kinds |= int(with_it < missing) << kind
    return missing, kinds


@jit
def try_standard_draws(row: Array, key: Array, wilds: int, sets_needed: int, lut: Lut) -> tuple[int, int]:
    """As `find_standard_useful`, with every kind drawn in turn."""
    missing = count_missing(key, wilds, sets_needed, lut)
    kinds = 0
    for kind in range(HAND_KINDS):
        if row[kind] < 4:
            suit, power = int(SUIT_OF[kind]), int(POWER[kind])
            key[suit] += power
            nearer = count_missing(key, wilds, sets_needed, lut) < missing
            key[suit] -= power
            kinds |= int(nearer) << kind
    return missing, kinds


@jit
def count_unseen(kinds: int, unseen: Array) -> int:
    """How many `unseen` tiles (uint8 [40]) are of these kinds, a bit a kind."""
    total = 0
    for kind in range(HAND_KINDS):
        total += (kinds >> kind & 1) * int(unseen[kind])
    return total


@jit
def draw_suits(row: Array, key: Array, wilds: int, lut: Lut, drawn: Array) -> None:
    """`draw_suit` for all four."""
    for suit in range(4):
        draw_suit(row, suit, int(key[suit]), min(wilds, LEVELS - 1), lut, drawn)


@jit
def find_useful(
    row: Array, words: Array, key: Array, wilds: int, melds: int, sets: int, forms: int, drawn: Array, lut: Lut
) -> tuple[int, int]:
    """Shanten of a hand of 3n+1 tiles and a bit for every real kind that lowers it; (99, 0) if no form applies.

    `drawn`: uint16 [40] as of `draw_suits` for these tiles.
    """
    standard, kinds = FAR, 0
    if forms & STANDARD:
        if wilds > 0 and has_gang(words):
            # Two suits may compete for the wilds after the draw. Without four of a kind now, one suit at most gains.
            standard, kinds = try_standard_draws(row, key, wilds, sets - melds, lut)
        else:
            standard, kinds = find_standard_useful(key, min(wilds, LEVELS - 1), sets - melds, drawn, lut)
    other = count_other_missing(words, key, melds, forms, lut) if forms & ~STANDARD else FAR
    if other <= standard and other < FAR:
        kinds = find_other_useful(row, words, key, melds, forms, lut) | (kinds if other == standard else 0)
    missing = min(standard, other)
    return missing - wilds - 1 if missing < FAR else FAR, kinds


@jit
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
    lut: Lut,
    out_shanten: Array,
    out_useful: Array,
) -> tuple[int, int]:
    """For every kind held in a hand of 3n+2 tiles: shanten (int8 [40]) and `unseen` useful tiles (uint8 [40]) without
    it.

    Kinds not held get 99 and 0. Returns the same two numbers for throwing a wild; (99, 0) without wilds.
    unseen: uint8 [40]; wild_kinds: a bit for each kind that is wild, which always helps; drawn: room, uint16 [40].
    """
    draw_suits(row, key, wilds, lut, drawn)
    for kind in range(ROW):
        out_shanten[kind] = FAR
        out_useful[kind] = 0
    for suit in range(4):
        for kind in range(9 * suit, min(9 * suit + 9, HAND_KINDS)):
            if row[kind] > 0:
                row[kind] -= 1
                key[suit] -= int(POWER[kind])
                draw_suit(row, suit, int(key[suit]), min(wilds, LEVELS - 1), lut, drawn)
                after, kinds = find_useful(row, words, key, wilds, melds, sets, forms, drawn, lut)
                row[kind] += 1
                key[suit] += int(POWER[kind])
                out_shanten[kind] = after
                out_useful[kind] = count_unseen(kinds | wild_kinds, unseen) if after < FAR else 0
        draw_suit(row, suit, int(key[suit]), min(wilds, LEVELS - 1), lut, drawn)
    if wilds == 0:
        return FAR, 0
    draw_suits(row, key, wilds - 1, lut, drawn)
    after, kinds = find_useful(row, words, key, wilds - 1, melds, sets, forms, drawn, lut)
    return after, count_unseen(kinds | wild_kinds, unseen) if after < FAR else 0


@kernel
def measure_hands(
    counts: Array, wilds: Array, melds: Array, sets: int, forms: int, scratch: Array, tables: Array, out: Array
) -> tuple[int, int]:
    """Write shanten into `out` int8 [N]; arguments and result as in `shapes.check_wins`."""
    room, lut = scratch[0], tables[0]
    row, words, key = room["row"], room["words"], room["key"]
    for hand in range(len(counts)):
        load_row(counts, hand, words, key)
        wild, meld = int(wilds[hand]), int(melds[hand])
        fault, _ = find_fault(words, wild, meld, sets)
        if fault:
            return hand, fault
        out[hand] = distance(row, words, key, wild, meld, sets, forms, lut)
    return -1, 0


@kernel
def mark_waits(
    counts: Array, wilds: Array, melds: Array, sets: int, forms: int, scratch: Array, tables: Array, out: Array
) -> tuple[int, int]:
    """Write waits into `out` bool [N, 34]; arguments and result as in `shapes.check_wins`."""
    room, lut = scratch[0], tables[0]
    row, words, key, flags = room["row"], room["words"], room["key"], room["flags"]
    for hand in range(len(counts)):
        load_row(counts, hand, words, key)
        wild, meld = int(wilds[hand]), int(melds[hand])
        fault, _ = find_fault(words, wild, meld, sets)
        if fault:
            return hand, fault
        waits(row, words, key, wild, meld, sets, forms, lut, flags)
        for kind in range(HAND_KINDS):
            out[hand, kind] = flags[kind] != 0
    return -1, 0
