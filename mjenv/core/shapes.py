"""Win check with wilds: the standard form by joining suit classes, the other forms by counting bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjenv.core.suits import HONOR_BASE, MAX_SETS, Lut
from mjenv.core.tiles import HAND_KINDS, HONORS, ROW
from mjenv.jit import jit, kernel

Array = NDArray[Any]

STANDARD, SEVEN_PAIRS, SEVEN_PAIRS_ANY, NINE_ONE, THIRTEEN_SCATTERED, THIRTEEN_ORPHANS = (1 << bit for bit in range(6))
FORM_NAMES: tuple[str, ...] = (
    "standard",
    "seven_pairs",
    "seven_pairs_any",
    "nine_one",
    "thirteen_scattered",
    "thirteen_orphans",
)
"""The name of bit 0, bit 1 … of a form mask; the forms are those of rules/common.md."""

HONOR_SUIT = 3
SUIT_OF = np.minimum(np.arange(HAND_KINDS) // 9, HONOR_SUIT).astype(np.uint8)
"""uint8 [34]: 0 characters, 1 dots, 2 bamboo, 3 honors: the place of a kind's key in `key` int32 [4]."""
POWER = (5 ** (np.arange(HAND_KINDS) % 9)).astype(np.int32)
"""int32 [34]: what one tile of a kind adds to its suit's key."""

PAIR_BIT = MAX_SETS + 1
WORDS = ROW // 8
ONES = 0x0101010101010101
IS_ORPHAN = np.array([k < HAND_KINDS and (k >= HONORS or k % 9 in (0, 8)) for k in range(ROW)], np.uint8)
"""uint8 [40]: 1 for the thirteen terminals and honors."""
ORPHAN_WORDS = (IS_ORPHAN * np.uint8(255)).view(np.int64)
"""int64 [5]: a mask of the bytes of the thirteen terminals and honors."""
ORPHAN_KINDS = np.flatnonzero(IS_ORPHAN)

SCRATCH = np.dtype(
    {
        "names": ["row", "words", "key", "flags"],
        "formats": [("u1", (ROW,)), ("u8", (WORDS,)), ("i4", (4,)), ("u1", (ROW,))],
        "offsets": [0, 0, ROW, ROW + 16],
        "itemsize": 2 * ROW + 16,
    }
)
"""Room for one hand while a batch is worked through. A record, as Numba counts references to plain arrays at every
call, which cost more than a win check."""

FAULT_COUNT, FAULT_WILDS, FAULT_MELDS, FAULT_TILES = 1, 2, 3, 4


@jit
def index_row(row: Array, key: Array) -> None:
    """Set `key` int32 [4] to the base-5 keys of the counts `row` uint8 [40]."""
    for suit in range(4):
        first = 9 * suit
        total = 0
        for kind in range(min(first + 9, HAND_KINDS) - 1, first - 1, -1):
            total = 5 * total + int(row[kind])
        key[suit] = total


@jit
def add_bytes(flags: int) -> int:
    """The sum of the eight bytes of a word that are small enough not to carry."""
    flags += flags >> 32
    flags += flags >> 16
    flags += flags >> 8
    return flags & 255


@jit
def count_tiles(words: Array) -> int:
    """How many tiles a row holds; `words` uint64 [5] is the row's memory."""
    total = 0
    for i in range(WORDS):
        total += int(np.int64(words[i]))
    return add_bytes(total)


@jit
def find_class(suit: int, key: int, lut: Lut) -> int:
    """The class of one suit (0-3) with this key."""
    return int(lut["classes"][key + HONOR_BASE if suit == HONOR_SUIT else key])


@jit
def find_win_set(suit: int, key: int, lut: Lut) -> int:
    """The win set of one suit (0-3) with this key."""
    return int(lut["wins"][find_class(suit, key, lut)])


@jit
def read_win(key: Array, sets_needed: int, pairs_needed: int, lut: Lut) -> int:
    """1 if all real tiles of `key` int32 [4] are used by exactly so many sets (0-5) and pairs (0-1), wilds doing the
    rest, else 0. How many wilds follows from the number of tiles, which the caller vouches for."""
    first, second = find_win_set(0, int(key[0]), lut), find_win_set(1, int(key[1]), lut)
    third, last = find_win_set(2, int(key[2]), lut), find_win_set(3, int(key[3]), lut)
    joined = int(lut["win_join"][lut["win_join"][first, second], lut["win_join"][third, last]])
    return (int(lut["win_bits"][joined]) >> (PAIR_BIT * pairs_needed + sets_needed)) & 1


@jit
def makes(key: Array, sets_needed: int, pairs_needed: int, lut: Lut) -> bool:
    """Whether `read_win`."""
    return read_win(key, sets_needed, pairs_needed, lut) == 1


@jit
def is_seven_pairs(row: Array, words: Array, wilds: int) -> bool:
    """Seven pairs of seven different kinds, from fourteen concealed tiles (no melds) of which `wilds` are wild."""
    singles = 0
    for i in range(WORDS):
        word = int(np.int64(words[i]))
        if (word & (word >> 1) | word >> 2) & ONES:
            return False
        singles += word & ONES
    return add_bytes(singles) <= wilds


@jit
def is_seven_pairs_any(row: Array, words: Array, wilds: int) -> bool:
    """Seven pairs whose kinds may repeat (Hangzhou), from fourteen concealed tiles of which `wilds` are wild."""
    odd = 0
    for i in range(WORDS):
        odd += int(np.int64(words[i])) & ONES
    return add_bytes(odd) <= wilds


@jit
def is_nine_one(row: Array, wilds: int) -> bool:
    """Every concealed real tile is a terminal or an honor; the caller looks at the melds."""
    for first in range(1, HONORS, 9):
        for kind in range(first, first + 7):
            if row[kind]:
                return False
    return True


@jit
def scattered_state(suit: int, key: int, lut: Lut) -> int:
    """What one suit (0-3) can give to a thirteen-scattered hand (`suits.FIELDS`)."""
    return int(lut["scattered"][find_class(suit, key, lut)])


@jit
def join_scattered(first: int, second: int, third: int, honors: int) -> int:
    """The most held tiles that a thirteen-scattered hand of fourteen can contain, from the states of its suits.

    It has 5-7 honors and so 9-7 suit tiles: three a suit; or one suit has two; or two suits have two or one has one.
    """
    three1, three2, three3 = first & 3, second & 3, third & 3
    gain1, gain2, gain3 = (first >> 2) - three1, (second >> 2) - three2, (third >> 2) - three3
    least, most = min(gain1, gain2, gain3), max(gain1, gain2, gain3)
    to_one = 1 - max(1, min(three1, three2, three3))
    fewer = max(gain1 + gain2 + gain3 - least, to_one)
    return three1 + three2 + three3 + max(min(honors, 5), most + min(honors, 6), fewer + honors)


@jit
def keep_scattered(key: Array, lut: Lut) -> int:
    """The most held tiles that a thirteen-scattered hand of fourteen can contain."""
    return join_scattered(
        scattered_state(0, int(key[0]), lut),
        scattered_state(1, int(key[1]), lut),
        scattered_state(2, int(key[2]), lut),
        scattered_state(3, int(key[3]), lut),
    )


@jit
def is_thirteen_scattered(row: Array, key: Array, wilds: int, lut: Lut) -> bool:
    """No kind twice, ranks within a suit at least 3 apart, from fourteen concealed tiles of which `wilds` are wild."""
    return keep_scattered(key, lut) == 14 - wilds


@jit
def is_thirteen_orphans(row: Array, wilds: int) -> bool:
    """The thirteen terminals and honors, one of them twice, from fourteen concealed tiles of which `wilds` are wild."""
    distinct = pairs = 0
    for kind in ORPHAN_KINDS:
        count = int(row[kind])
        distinct += min(count, 1)
        pairs += count >> 1
    return distinct + min(pairs, 1) == 14 - wilds


@jit
def is_other_complete(row: Array, words: Array, key: Array, wilds: int, melds: int, forms: int, lut: Lut) -> bool:
    """Whether one of the asked forms other than the standard one is complete, for a hand of 3n+2 tiles."""
    if forms & NINE_ONE and is_nine_one(row, wilds):
        return True
    if melds > 0:
        return False
    return (
        (forms & SEVEN_PAIRS > 0 and is_seven_pairs(row, words, wilds))
        or (forms & SEVEN_PAIRS_ANY > 0 and is_seven_pairs_any(row, words, wilds))
        or (forms & THIRTEEN_SCATTERED > 0 and is_thirteen_scattered(row, key, wilds, lut))
        or (forms & THIRTEEN_ORPHANS > 0 and is_thirteen_orphans(row, wilds))
    )


@jit
def is_complete(row: Array, words: Array, key: Array, wilds: int, melds: int, sets: int, forms: int, lut: Lut) -> bool:
    """Whether a hand of 3n+2 tiles is complete in one of the asked forms (rules/common.md, win forms).

    row: uint8 [40] concealed tiles without wilds; words: uint64 [5], the same memory; key: int32 [4] of that row.
    """
    if forms & STANDARD and makes(key, sets - melds, 1, lut):
        return True
    return forms & ~STANDARD > 0 and is_other_complete(row, words, key, wilds, melds, forms, lut)


@jit
def read_word(counts: Array, hand: int, first: int) -> int:
    """Eight counts of one hand from kind `first` on as the bytes of a word; compiles to one load."""
    word = 0
    for i in range(8):
        word |= int(counts[hand, first + i]) << 8 * i
    return word


@jit
def fold_key(word: int) -> int:
    """The base-5 number of the eight bytes of a word: neighbours first, then pairs, then fours."""
    word = (word & 0x00FF00FF00FF00FF) + 5 * (word >> 8 & 0x00FF00FF00FF00FF)
    word = (word & 0x0000FFFF0000FFFF) + 25 * (word >> 16 & 0x0000FFFF0000FFFF)
    return (word & 0xFFFFFFFF) + 625 * (word >> 32)


@jit
def load_row(counts: Array, hand: int, words: Array, key: Array) -> None:
    """Copy counts uint8 [N, 34] of one hand into the row behind `words`, whose padding stays zero, and index it.

    The key comes from the counts, as bytes just stored cannot be read again at another width without a long wait.
    """
    for i in range(WORDS - 1):
        words[i] = read_word(counts, hand, 8 * i)
    words[WORDS - 1] = int(counts[hand, 32]) | int(counts[hand, 33]) << 8
    for suit in range(3):
        key[suit] = fold_key(read_word(counts, hand, 9 * suit)) + 390625 * int(counts[hand, 9 * suit + 8])
    key[HONOR_SUIT] = fold_key(read_word(counts, hand, HONORS - 1) >> 8)


@jit
def find_fault(words: Array, wilds: int, melds: int, sets: int) -> tuple[int, int]:
    """What keeps a row from being a hand of 3n+1 or 3n+2 tiles with counts up to four, 0 if nothing does; and how many
    tiles it has beyond `3n`."""
    high = 0
    for i in range(WORDS):
        word = int(np.int64(words[i]))
        high |= word & ~(7 * ONES) | (word & 7 * ONES) + 3 * ONES & 8 * ONES
    left_over = count_tiles(words) + wilds - 3 * (sets - melds)
    if high != 0:
        return FAULT_COUNT, left_over
    if wilds < 0:
        return FAULT_WILDS, left_over
    if melds < 0 or melds > sets:
        return FAULT_MELDS, left_over
    return FAULT_TILES if left_over != 1 and left_over != 2 else 0, left_over


@kernel
def check_wins(
    counts: Array, wilds: Array, melds: Array, sets: int, forms: int, scratch: Array, tables: Array, out: Array
) -> tuple[int, int]:
    """Write into `out` bool [N] which hands are complete; returns (-1, 0), or the first that is no hand and its fault.

    counts: uint8 [N, 34]; wilds, melds: int64 [N]; scratch: zeros [1] of `SCRATCH`;
    tables: `suits.load()`.
    """
    room, lut = scratch[0], tables[0]
    row, words, key = room["row"], room["words"], room["key"]
    for hand in range(len(counts)):
        load_row(counts, hand, words, key)
        wild, meld = int(wilds[hand]), int(melds[hand])
        fault, left_over = find_fault(words, wild, meld, sets)
        if fault:
            return hand, fault
        # No branch hangs on whether the hand is complete: with hands near completion half of them would go wrong.
        complete = (forms & STANDARD) & (left_over >> 1) & read_win(key, sets - meld, 1, lut)
        if forms & ~STANDARD > 0 and left_over == 2 and not complete:
            complete = int(is_other_complete(row, words, key, wild, meld, forms, lut))
        out[hand] = complete
    return -1, 0
